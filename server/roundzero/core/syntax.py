"""Python text to a syntax tree, and places of ``ast`` to places of core.

``ast`` counts UTF-8 bytes and also ends lines at a lone carriage return; core counts code points and ends lines at line
feeds only. Does not look at what the tree says. Invariant: whatever the text holds, ``parse_python`` returns a tree or
raises ``NotPythonError``, and never warns.
"""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from roundzero.core.text import LineIndex, Position

if TYPE_CHECKING:
    from roundzero.core.change import Source


class NotPythonError(Exception):
    """A text does not parse. ``position`` is where; ``source`` is the text, None where there is none on that side."""

    def __init__(self, message: str, position: Position, source: Source | None = None) -> None:
        """Say what the parser said, and where."""
        super().__init__(message)
        self.message = message
        self.position = position
        self.source = source


def parse_python(source: Source) -> ast.Module:
    """The tree of a text. Raises NotPythonError for whatever reason the interpreter gives (syntax, NUL, depth, size).

    Warnings about the parsed text (invalid escapes) are the text's author's business and are silenced meanwhile.
    """
    text = source.text
    if (nul := text.find("\0")) >= 0:
        message = "source code cannot contain null bytes"
        raise NotPythonError(message, source.index.position(nul), source)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode("utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError as error:
            raise NotPythonError(error.msg, _place(source, error), source) from None
        except RecursionError:
            message = "too deeply nested to be analysed"
            raise NotPythonError(message, Position(1, 1), source) from None
        except (ValueError, MemoryError, OverflowError) as error:
            raise NotPythonError(str(error) or "too complex to be analysed", Position(1, 1), source) from None


def _place(source: Source, error: SyntaxError) -> Position:
    """Where a syntax error lies; its columns are code points from 1, its lines those of ``ast``."""
    lines = LineIndex(source.text, carriage_return_ends_line=True)
    offset = lines.line_start(error.lineno or 1) + max(0, (error.offset or 1) - 1)
    limit = max(lines.line_start(error.lineno or 1), lines.line_start((error.lineno or 1) + 1))
    return source.index.position(min(offset, limit))


class AstPlaces:
    """Turns places of ``ast`` in one source into lines and columns of core. Fastest when asked line by line."""

    __slots__ = ("_columns", "_index", "_line", "_lines", "plain")

    def __init__(self, source: Source) -> None:
        """Index the lines as ``ast`` sees them. ``plain``: only the column differs, by one."""
        has_returns = "\r" in source.text
        self.plain = not has_returns and source.text.isascii()
        self._index = source.index
        self._lines = LineIndex(source.text, carriage_return_ends_line=True) if has_returns else self._index
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
