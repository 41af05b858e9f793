r"""Positions between a client's text and the core's.

LSP ends a line at ``\n``, ``\r\n`` and a lone ``\r`` and counts columns in UTF-8, UTF-16 or UTF-32 units; the core
ends it at ``\n`` only and counts code points. The two are joined by the offset in code points, and nowhere else is a
client's unit known. Invariant: a position outside the text becomes the nearest one inside, one inside a character its
start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from lsprotocol import types

from roundzero.core.regex import regex
from roundzero.core.text import LineIndex

if TYPE_CHECKING:
    from roundzero.core.text import Span

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_SURROGATE: Final = regex("[\ud800-\udfff]")
_CONTINUATION: Final = bytes(range(0x80, 0xC0))


def width(text: str, encoding: Encoding) -> int:
    """Length of ``text`` in the client's units."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


def characters(text: str, units: int, encoding: Encoding) -> int:
    """How many whole code points the first ``units`` units of ``text`` hold."""
    if encoding == "utf-32" or text.isascii():
        return min(units, len(text))
    if encoding == "utf-16":
        data = text.encode("utf-16-le", "surrogatepass")
        if units * 2 >= len(data):
            return len(text)
        inside = 0xDC <= data[units * 2 + 1] <= 0xDF and units > 0 and 0xD8 <= data[units * 2 - 1] <= 0xDB
        return len(data[: units * 2].decode("utf-16-le", "surrogatepass")) - inside
    data = text.encode("utf-8", "surrogatepass")
    if units >= len(data):
        return len(text)
    inside = data[units] in _CONTINUATION
    return len(data[:units].translate(None, _CONTINUATION)) - inside


def joined(text: str) -> str:
    """``text`` with halves of a surrogate pair that two edits brought together made one character."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def printable(text: str) -> str:
    """``text`` with U+FFFD for each lone surrogate: as many units in every encoding, and it can be encoded."""
    try:
        text.encode()  # several times faster than searching, and nearly every text can be
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


class ClientText:
    """One text as the client counts it: offsets in code points to positions and back."""

    __slots__ = ("_index", "encoding", "text")

    def __init__(self, text: str, encoding: Encoding) -> None:
        """Index ``text``."""
        self.text = text
        self.encoding = encoding
        self._index = LineIndex(text, carriage_return_ends_line=True)

    def position(self, offset: int) -> types.Position:
        """The client's position of an offset."""
        place = self._index.position(offset)
        start = self._index.line_start(place.line)
        column = width(self.text[start : start + place.column - 1], self.encoding)
        return types.Position(line=place.line - 1, character=column)

    def offset(self, position: types.Position) -> int:
        """The offset of a client's position."""
        start = self._index.line_start(position.line + 1)
        return start + characters(self._index.line(position.line + 1), position.character, self.encoding)

    def range(self, start: int, end: int) -> types.Range:
        """The client's range between two offsets."""
        return types.Range(start=self.position(start), end=self.position(end))


def span_range(span: Span, index: LineIndex, text: ClientText, *, shift: int = 0) -> types.Range:
    """A core span of ``index``'s text as a range of ``text``, which holds ``shift`` more characters before it."""
    return text.range(index.offset(span.start) + shift, index.offset(span.end) + shift)


def contains(outer: types.Range, position: types.Position) -> bool:
    """Whether a position lies in a range or at its end, where an editor puts the cursor after the last character."""
    return _key(outer.start) <= _key(position) <= _key(outer.end)


def overlap(one: types.Range, other: types.Range) -> bool:
    """Whether two ranges share a place; touching counts, since a cursor is an empty range."""
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
