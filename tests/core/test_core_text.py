"""Lines end at LF and nowhere else, positions survive, files decode as they declare."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.text import (
    Decoded,
    LineIndex,
    Position,
    Span,
    decode,
    dominant_eol,
    encode,
    indentation,
    with_eol,
)

ODD = "a\rb\x0bc\x0cd\x1ce\x85f\u2028g\u2029h"
texts = st.text(alphabet=st.sampled_from("ab \t\r\n\x0c\u2028\U0001f600é"), max_size=60)


@given(texts)
def test_position_and_offset_are_inverse_wherever_the_core_can_point(text: str) -> None:
    """An offset that is not inside a CRLF terminator comes back unchanged through its position."""
    index = LineIndex(text)
    for offset in range(len(text) + 1):
        position = index.position(offset)
        inside_terminator = text[offset - 1 : offset + 1] == "\r\n"
        if not inside_terminator:
            assert index.offset(position) == offset


@given(texts)
def test_lines_joined_with_their_terminators_are_the_text(text: str) -> None:
    """No character is lost or counted twice between lines."""
    index = LineIndex(text)
    starts = [index.line_start(number) for number in range(1, index.line_count + 1)]
    ends = [*starts[1:], len(text)] if starts else []
    assert "".join(text[a:b] for a, b in zip(starts, ends, strict=True)) == text


@given(texts)
def test_line_count_is_gits(text: str) -> None:
    r"""Lines are what ``\\n`` ends, plus an unfinished last one."""
    assert LineIndex(text).line_count == text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def test_odd_characters_do_not_end_a_line() -> None:
    """A lone CR, VT, FF, FS, NEL and the Unicode separators stay inside their line."""
    index = LineIndex(f"{ODD}\nnext")
    assert index.line_count == 2
    assert index.line(1) == ODD
    assert index.line(2) == "next"


def test_a_carriage_return_ends_a_line_where_asked() -> None:
    """The index for ast and ruff counts a lone CR, CRLF once, and still no form feed."""
    index = LineIndex("a\rb\r\nc\x0cd\n", carriage_return_ends_line=True)
    assert [index.line_start(n) for n in (1, 2, 3, 4)] == [0, 2, 5, 9]


def test_a_column_past_the_end_is_the_end_of_the_line() -> None:
    """A position beyond the text is clamped and never reaches into the terminator."""
    index = LineIndex("ab\r\ncd")
    assert index.offset(Position(1, 99)) == 2
    assert index.offset(Position(9, 1)) == 6


@pytest.mark.parametrize(
    ("span", "lines"),
    [
        (Span(Position(2, 1), Position(2, 5)), [2]),
        (Span(Position(2, 1), Position(3, 1)), [2]),
        (Span(Position(2, 1), Position(3, 2)), [2, 3]),
        (Span(Position(2, 1), Position(2, 1)), [2]),
    ],
)
def test_a_span_touches_the_lines_it_has_text_on(span: Span, lines: list[int]) -> None:
    """A span that ends at column 1 does not touch that line."""
    assert list(span.lines) == lines


@pytest.mark.parametrize(
    ("data", "python", "expected"),
    [
        (b"x\n", True, Decoded("x\n", "utf-8", bom=False)),
        (b"\xef\xbb\xbfx\n", True, Decoded("x\n", "utf-8", bom=True)),
        (b"# -*- coding: latin-1 -*-\n\xe9\n", True, Decoded("# -*- coding: latin-1 -*-\né\n", "latin-1", bom=False)),
        (b"#!x\n# coding=latin-1\n\xe9\n", True, Decoded("#!x\n# coding=latin-1\né\n", "latin-1", bom=False)),
        (b"# -*- coding: latin-1 -*-\n\xe9\n", False, None),
        (b"x = 1\n# coding: latin-1\n\xe9\n", True, None),
        (b"\xff\xfe", True, None),
        (b"# coding: no-such-codec\n", True, None),
        (b"\xef\xbb\xbf\xff", True, None),
    ],
)
def test_a_file_decodes_as_it_declares_or_not_at_all(data: bytes, python: bool, expected: Decoded | None) -> None:
    """BOM first, then a declaration in the first two lines of Python, then UTF-8; else None."""
    assert decode(data, python=python) == expected
    if expected is not None:
        assert encode(expected) == data


def test_text_is_turned_to_the_dominant_terminator() -> None:
    """Mixed files go by the majority, and turning twice changes nothing."""
    assert dominant_eol("a\r\nb\r\nc\n") == "\r\n"
    assert dominant_eol("a\nb\r\n") == "\n"
    assert with_eol(with_eol("a\nb\r\n", "\r\n"), "\r\n") == "a\r\nb\r\n"


def test_the_span_of_a_line_is_its_text_without_indent_and_trailing_space() -> None:
    """A squiggle covers what is written; a blank line has an empty span."""
    index = LineIndex("    x = 1  \r\n   \n")
    assert index.line_span(1) == Span(Position(1, 5), Position(1, 10))
    assert index.line_span(2).start.line == 2


@pytest.mark.parametrize(("line", "columns"), [("x", 0), ("    x", 4), ("\tx", 8), ("   \tx", 8), ("\t x\ty", 9)])
def test_an_indent_is_as_wide_as_python_takes_it(line: str, columns: int) -> None:
    """A tab goes on to the next multiple of eight; what stands behind the first ink does not count."""
    assert indentation(line) == columns
