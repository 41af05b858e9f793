"""Python text to a syntax tree, and places of ``ast`` to places of core.

``ast`` counts UTF-8 bytes and also ends lines at a lone carriage return; core counts code points and ends lines at line
feeds only. Does not look at what the tree says. Invariant: whatever the text holds, ``parse_python`` returns a tree or
None, and never warns.
"""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from roundzero.core.text import LineIndex

if TYPE_CHECKING:
    from roundzero.core.change import Source


def parse_python(text: str) -> ast.Module | None:
    """The tree of a text; None when it is no Python of the running interpreter's grammar, too deep or too large."""
    if "\0" in text:
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode("utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return None


class AstPlaces:
    """Turns places of ``ast`` in one source into lines and columns of core. Ask in ascending order of lines."""

    __slots__ = ("_columns", "_index", "_line", "_lines", "plain")

    def __init__(self, source: Source) -> None:
        """Index the lines as ``ast`` sees them. ``plain``: only the column differs, by one."""
        self.plain = source.text.isascii() and "\r" not in source.text
        self._index = source.index
        self._lines = self._index if self.plain else LineIndex(source.text, carriage_return_ends_line=True)
        self._line = 0
        self._columns: list[int] | None = None

    def place(self, line: int, byte_column: int) -> tuple[int, int]:
        """Line and column from 1 of a UTF-8 byte column (from 0) on a line (from 1) of ``ast``."""
        if self.plain:
            return line, byte_column + 1
        position = self._index.position(self.offset(line, byte_column))
        return position.line, position.column

    def offset(self, line: int, byte_column: int) -> int:
        """The offset in code points of a place of ``ast``."""
        start = self._lines.line_start(line)
        if self.plain:
            return start + byte_column
        if line != self._line:
            self._line = line
            self._columns = _columns(self._lines.text[start : self._lines.line_start(line + 1)])
        if self._columns is None:
            return start + byte_column
        return start + self._columns[min(byte_column, len(self._columns) - 1)]


def _columns(text: str) -> list[int] | None:
    """For each byte of a line, and its end, the code point it belongs to; None where they are the same.

    Made once a line: a generated line of a megabyte holds a hundred thousand nodes.
    """
    if text.isascii():
        return None
    columns: list[int] = []
    for number, char in enumerate(text):
        columns += [number] * len(char.encode("utf-8", "surrogatepass"))
    columns.append(len(text))
    return columns
