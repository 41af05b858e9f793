"""Positions between client and core."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import Position, Range

from roundzero.core.text import LineIndex, Span
from roundzero.core.text import Position as CorePosition
from roundzero.lsp.convert import ClientText, Encoding, characters, joined, printable, span_range, width

ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
ODD = "a\u00e9\u4e2d\U0001f600\ud800 \t\f\v\x1c\x85\u2028\u2029\r\n"
texts = st.text(st.sampled_from(ODD), max_size=40).map(joined)
encodings = st.sampled_from(ENCODINGS)

SIZES: dict[Encoding, tuple[int, ...]] = {"utf-8": (1, 2, 3, 4), "utf-16": (1, 1, 1, 2), "utf-32": (1, 1, 1, 1)}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_width_counts_the_units_of_each_encoding(encoding: Encoding) -> None:
    """A letter of one to four UTF-8 bytes is as wide as the encoding says."""
    assert tuple(width(letter, encoding) for letter in "a\u00e9\u4e2d\U0001f600") == SIZES[encoding]


@given(texts, encodings)
def test_characters_inverts_width(text: str, encoding: Encoding) -> None:
    """As many units as a prefix has are as many characters as it has."""
    for at in range(len(text) + 1):
        assert characters(text, width(text[:at], encoding), encoding) == at


@given(texts, encodings, st.integers(0, 200))
def test_a_unit_inside_a_character_means_its_start(text: str, encoding: Encoding, units: int) -> None:
    """Any number of units gives the longest prefix that is not longer than it."""
    at = characters(text, units, encoding)
    assert width(text[:at], encoding) <= units
    assert at == len(text) or width(text[: at + 1], encoding) > units


@given(texts, encodings)
def test_every_offset_comes_back_from_its_position(text: str, encoding: Encoding) -> None:
    """An offset that is not inside a CRLF survives the way to the client and back."""
    client = ClientText(text, encoding)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] != "\r\n":
            assert client.offset(client.position(offset)) == offset


def test_a_position_outside_the_text_is_the_nearest_inside() -> None:
    """Lines and columns that do not exist are clamped."""
    client = ClientText("ab\r\ncd", "utf-16")
    assert client.offset(Position(0, 99)) == 2
    assert client.offset(Position(9, 9)) == 6


def test_a_lone_carriage_return_is_a_line_end_for_the_client_only() -> None:
    """The core's one line with a CR in it is two lines of the client's."""
    text = "a\rbc\nd"
    span = Span(CorePosition(1, 3), CorePosition(1, 5))
    assert span_range(span, LineIndex(text), ClientText(text, "utf-16")) == Range(Position(1, 0), Position(1, 2))


def test_form_feed_and_line_separator_end_no_line() -> None:
    """What str.splitlines takes for a line end is a character like others."""
    text = "a\f\v\x1c\x85\u2028\u2029b\nc"
    assert ClientText(text, "utf-16").position(text.index("c")) == Position(1, 0)


def test_a_byte_order_mark_the_core_never_sees_shifts_the_first_line() -> None:
    """With a mark at the client's side the range is one unit further, on the first line only."""
    core = "ab\ncd"
    client = ClientText("\ufeff" + core, "utf-16")
    first = Span(CorePosition(1, 1), CorePosition(1, 3))
    second = Span(CorePosition(2, 1), CorePosition(2, 3))
    assert span_range(first, LineIndex(core), client, shift=1) == Range(Position(0, 1), Position(0, 3))
    assert span_range(second, LineIndex(core), client, shift=1) == Range(Position(1, 0), Position(1, 2))


@given(texts, encodings)
def test_printable_keeps_every_position(text: str, encoding: Encoding) -> None:
    """A text made printable has as many characters and units as before, and can be encoded."""
    assert width(printable(text), encoding) == width(text, encoding)
    assert len(printable(text)) == len(text)
    printable(text).encode()
