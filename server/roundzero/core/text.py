r"""Text, lines and positions, by git's line rule.

A line ends at ``\n`` and at nothing else; a ``\r`` before it belongs to the terminator. Lines and columns count from 1,
columns count code points, the end of a span is exclusive. This module does not know UTF-16 (see lsp/convert) and never
calls ``str.splitlines``, which also splits at form feeds, NEL and U+2028. Invariant: ``position(offset(p)) == p`` for
every position inside the text.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import Final, NewType

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

RelPath = NewType("RelPath", str)
"""A path relative to the root, with ``/``; bytes that are not UTF-8 are carried as surrogate escapes."""

_CODING: Final = regex(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)")
_BOM: Final = b"\xef\xbb\xbf"
_TERMINATOR_AWARE_OF_CR: Final = regex(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a text: line and column from 1, column in code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open stretch of text."""

    start: Position
    end: Position

    @property
    def lines(self) -> range:
        """The lines the span touches. A span that ends at column 1 does not touch that last line."""
        last = self.end.line
        if self.end.column == 1 and last > self.start.line:
            last -= 1
        return range(self.start.line, last + 1)


class LineIndex:
    """Line starts of one text; converts between offsets (code points from 0) and positions."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str, *, carriage_return_ends_line: bool = False) -> None:
        r"""Index ``text``. With ``carriage_return_ends_line`` a lone ``\r`` ends one too, as in ast, ruff and LSP."""
        self.text = text
        if carriage_return_ends_line and "\r" in text:
            self._starts = [0, *(match.end() for match in _TERMINATOR_AWARE_OF_CR.finditer(text))]
        else:
            starts = [0]
            find = text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._starts = starts

    @property
    def line_count(self) -> int:
        """Number of lines; a final terminator opens no further line, and an empty text has none."""
        return len(self._starts) - (1 if self._starts[-1] == len(self.text) else 0)

    def line(self, number: int) -> str:
        """The text of a line without its terminator; "" outside the text."""
        starts, text = self._starts, self.text
        if not 1 <= number <= len(starts):
            return ""
        start = starts[number - 1]
        if number == len(starts):
            return text[start:]
        end = starts[number] - 1
        if text[end] != "\n":  # a lone carriage return, where it ends a line, is not taken off
            return text[start : end + 1]
        return text[start : end - 1] if text[end - 1 : end] == "\r" and end > start else text[start:end]

    def line_start(self, number: int) -> int:
        """Offset of a line's first character; the end of the text for lines beyond it."""
        if number < 1:
            return 0
        return self._starts[number - 1] if number <= len(self._starts) else len(self.text)

    def offset(self, position: Position) -> int:
        """Offset of a position, clamped to the text (a column past the end of a line is the line's end)."""
        start = self.line_start(position.line)
        limit = start + len(self.line(position.line))
        return max(start, min(start + position.column - 1, limit)) if position.line <= len(self._starts) else start

    def position(self, offset: int) -> Position:
        """Position of an offset, clamped to the text."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def span(self, start: int, end: int) -> Span:
        """Span between two offsets."""
        return Span(self.position(start), self.position(end))

    def line_span(self, number: int) -> Span:
        """Span of a line's text from its first to past its last character that is not white space."""
        text = self.line(number)
        indent = len(text) - len(text.lstrip())
        end = len(text.rstrip()) or len(text)
        return Span(Position(number, min(indent, end) + 1), Position(number, end + 1))

    def slice(self, span: Span) -> str:
        """The text inside a span."""
        return self.text[self.offset(span.start) : self.offset(span.end)]


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text without byte-order mark, and what is needed to write it back."""

    text: str
    encoding: str
    bom: bool


def decode(data: bytes, *, python: bool) -> Decoded | None:
    """Decode a file: byte-order mark, then (Python only) a PEP 263 declaration in the first two lines, then UTF-8.

    None when the bytes are not valid in that encoding or the encoding is unknown: such a file is *not checked*.
    """
    if data.startswith(_BOM):
        try:
            return Decoded(data[len(_BOM) :].decode("utf-8"), "utf-8", bom=True)
        except UnicodeDecodeError:
            return None
    encoding = "utf-8"
    if python:
        for line in data.split(b"\n", 2)[:2]:
            if (match := _CODING.match(line)) is not None:
                encoding = match.group(1).decode("ascii")
                break
            if line.strip() and not line.lstrip().startswith(b"#"):
                break
    try:
        return Decoded(data.decode(encoding), encoding, bom=False)
    except (UnicodeDecodeError, LookupError, ValueError):
        return None


def encode(decoded: Decoded) -> bytes:
    """The bytes of a decoded file. Raises UnicodeEncodeError when the text cannot be said in its encoding."""
    return (_BOM if decoded.bom else b"") + decoded.text.encode(decoded.encoding)


@lru_cache(maxsize=4)
def dominant_eol(text: str) -> str:
    r"""The terminator most lines of ``text`` have: ``"\r\n"`` or ``"\n"``. Counted once for all fixes of a text."""
    crlf = text.count("\r\n")
    return "\r\n" if crlf * 2 > text.count("\n") else "\n"


def with_eol(text: str, eol: str) -> str:
    r"""``text`` with every ``\n`` and ``\r\n`` turned into ``eol``."""
    unix = text.replace("\r\n", "\n")
    return unix if eol == "\n" else unix.replace("\n", eol)


def indentation(line: str) -> int:
    """How far a line is indented, in columns: a tab goes on to the next multiple of eight, as Python has it."""
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())


def clash(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two replaced stretches (start and end, in offsets) overlap, so that only one replacement can be made.

    Two that start at one place do even when they are empty: in which order to put their texts would be a guess.
    """
    return one[0] == other[0] or (one[0] < other[1] and other[0] < one[1])


def collapse(text: str) -> str:
    """White space folded to single spaces and trimmed: the form in which lines are compared for identity."""
    return " ".join(text.split())
