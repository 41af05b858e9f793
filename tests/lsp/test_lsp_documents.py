"""Document synchronisation against a simple model of what a client does."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol.types import Position, Range

from roundzero.lsp.convert import Encoding, joined, width
from roundzero.lsp.documents import Document, Documents, TextChange, split_lines

ODD = "ab\u00e9\u4e2d\U0001f600 \t\f\v\x1c\x1d\x1e\x85\u2028\u2029\r\n\r\n"
texts = st.text(st.sampled_from(ODD), max_size=30)
MODEL_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


def model_offset(text: str, position: Position, encoding: Encoding) -> int:
    """A client's own notion of a position: walk the lines by LSP's rule, then the units of the line."""
    starts = [0] + [match.end() for match in re.finditer(r"\r\n|\r|\n", text)]
    if position.line >= len(starts):
        return len(text)
    at, units = starts[position.line], 0
    while at < len(text) and text[at] not in "\r\n":
        units += width(text[at], encoding)
        if units > position.character:
            break
        at += 1
    return at


def model_change(text: str, change: TextChange, encoding: Encoding) -> str:
    """A client's own notion of an edit: cut and paste."""
    if change.range is None:
        return change.text
    start, end = sorted(
        (model_offset(text, change.range.start, encoding), model_offset(text, change.range.end, encoding))
    )
    return text[:start] + change.text + text[end:]


positions = st.builds(Position, st.integers(0, 8), st.integers(0, 12))
changes = st.builds(TextChange, st.none() | st.builds(Range, positions, positions), texts)


@settings(max_examples=300)
@given(texts, st.lists(changes, max_size=6), st.sampled_from(get_args(Encoding)))
def test_edits_give_the_text_the_client_has(text: str, edits: list[TextChange], encoding: Encoding) -> None:
    """After any edits, at odd characters and line ends, in every encoding, both have the same text."""
    document = Document("file:///x", 1, text, encoding)
    expected = joined(text)
    for edit in edits:
        expected = joined(model_change(expected, edit, encoding))
    document.change(2, edits)
    assert document.text == expected
    assert split_lines(document.text) == document._lines


@pytest.mark.parametrize("separator", list("\f\v\x1c\x1d\x1e\x85\u2028\u2029"))
def test_a_separator_that_is_no_line_end_does_not_move_an_edit(separator: str) -> None:
    """The known corruption: an edit below a form feed or line separator lands on its own line."""
    document = Document("file:///x", 1, f"one{separator}\ntwo\nthree\n", "utf-16")
    document.change(2, [TextChange(Range(Position(1, 0), Position(1, 3)), "TWO")])
    assert document.text == f"one{separator}\nTWO\nthree\n"


def test_halves_of_a_pair_that_come_together_are_one_character() -> None:
    """A client that sends the two surrogates of a character in two edits gets one character."""
    document = Document("file:///x", 1, "a\ud83d", "utf-16")
    document.change(2, [TextChange(Range(Position(0, 2), Position(0, 2)), "\ude00!")])
    assert document.text == "a\U0001f600!"


def test_the_engine_gets_neither_mark_nor_lone_surrogate() -> None:
    """The core's text holds no byte-order mark and can be encoded, with as many characters after the mark."""
    document = Document("file:///x", 1, "\ufeffa\ud800b", "utf-16")
    assert (document.bom, document.core_text) == (1, "a\ufffdb")


def test_a_change_of_a_document_that_is_not_open_is_none() -> None:
    """There is nothing to apply it to, and that is no error here."""
    assert Documents("utf-16").change("file:///x", 2, []) is None


def test_many_cursors_on_a_long_file_touch_only_their_lines() -> None:
    """A thousand edits in one change of 10,000 lines apply one after another."""
    document = Document("file:///x", 1, "line\n" * 10_000, "utf-16")
    edits = [TextChange(Range(Position(line, 4), Position(line, 4)), "!") for line in range(0, 10_000, 10)]
    document.change(2, edits)
    assert document.text.count("!") == 1000
    assert document.text.startswith("line!\nline\n")
