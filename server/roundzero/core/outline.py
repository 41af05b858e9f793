"""Which symbol a line belongs to, from the text alone.

A syntax tree would know more, but a symbol is part of a finding's identity and must be the same while a file does not
parse. Deliberately a scan for definitions by indentation (Python); other languages have no symbol yet. Invariant:
the answer depends on nothing but the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.text import indentation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.text import LineIndex, RelPath

_DEFINITION: Final = regex(r"([ \t]*)(?:async[ \t]+def|def|class)[ \t]+(\w+)")
_DECORATOR: Final = regex(r"[ \t]*@")


def symbol_at(path: RelPath, index: LineIndex, line: int) -> str | None:
    """The qualified name of the innermost function or class around a line (from 1), as in ``Class.method``.

    The line of a definition, and its decorators, belong to the defined symbol. None at module level.
    """
    if language_of(path) != "python":
        return None
    return ".".join(reversed([name for _, name in _definitions(index, line)])) or None


def block_around(path: RelPath, index: LineIndex, line: int) -> range | None:
    """The lines of the innermost function or class around a line (from 1), decorators too; None where there is none."""
    if language_of(path) != "python":
        return None
    start = next((number for number, _ in _definitions(index, line)), None)
    if start is None:
        return None
    outer = indentation(index.line(start))
    end = start
    for number in range(start + 1, index.line_count + 1):
        text = index.line(number)
        if not text.strip():
            continue
        if indentation(text) <= outer and not _closes(text):
            break
        end = number
    while start > 1 and _DECORATOR.match(index.line(start - 1)):
        start -= 1
    return range(start, end + 1)


def _definitions(index: LineIndex, line: int) -> Iterator[tuple[int, str]]:
    """Line and name of the definitions a line is in, from the innermost outwards."""
    start = line
    while start < index.line_count and _DECORATOR.match(index.line(start)):
        start += 1
    text = index.line(start)
    limit = indentation(text) if text.strip() else None
    if (match := _DEFINITION.match(text)) is not None:
        yield start, match.group(2)
    for number in range(start - 1, 0, -1):
        if limit == 0:
            return
        text = index.line(number)
        if not text.strip():
            continue
        if limit is None:
            limit = indentation(text) + 1
        indent = indentation(text)
        if indent < limit and (match := _DEFINITION.match(text)) is not None:
            yield number, match.group(2)
            limit = indent


def _closes(text: str) -> bool:
    """Whether a line only ends a signature that was written over several lines."""
    return text.lstrip().startswith((")", "]", "}"))
