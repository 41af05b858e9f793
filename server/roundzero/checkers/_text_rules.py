"""Runs the text rules of packs: RE2 patterns over one text.

The pattern is searched in the whole text at once with ``^`` and ``$`` at line ends, which is faster than line by line
and lets a rule span lines; terminators look like line feeds to it. ``unless`` is searched in the line a match starts
on. Linear time whatever the pattern. Invariant: positions are those of the text as it is, CRLF or not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from roundzero.core.finding import Hit
from roundzero.core.regex import linear
from roundzero.core.text import LineIndex, Position, Span

if TYPE_CHECKING:
    import re
    from collections.abc import Collection, Iterator

    from roundzero.core.change import Source
    from roundzero.core.item import TextCheck

MAX_HITS: Final = 1000
"""Hits of one rule in one text; a rule with more matches than that says nothing about any of them."""


def text_hits(check: TextCheck, source: Source, lines: Collection[int] | None) -> Iterator[Hit]:
    """The hits of a text rule, only those that touch ``lines`` where given. Raises ValueError for a broken pattern."""
    pattern = _compiled(check.pattern)
    unless = _compiled(check.unless) if check.unless is not None else None
    index = _searchable(source)
    mark = pattern.groupindex.get("mark", 0)
    seen = 0
    last: tuple[int, int] | None = None
    for match in pattern.finditer(index.text):
        if match.span() == last:
            continue  # re2 reports an empty match twice
        last = match.span()
        start, end = match.span(mark)
        if start < 0:
            start, end = last
        first = index.position(start)
        if first.line > index.line_count:
            continue
        span = Span(first, index.position(end) if end > start else first)
        if lines is not None and not any(line in lines for line in span.lines):
            continue
        if unless is not None and unless.search(index.line(first.line)) is not None:
            continue
        seen += 1
        if seen > MAX_HITS:
            return
        yield Hit(path=source.path, span=_visible(index, span))


def _visible(index: LineIndex, span: Span) -> Span:
    """An empty match shows as the character after it or, at a line's end, the one before it."""
    if span.start != span.end:
        return span
    length = len(index.line(span.start.line))
    column = max(1, min(span.start.column, length))
    return Span(Position(span.start.line, column), Position(span.start.line, min(column + 1, length + 1)))


@lru_cache(maxsize=4)
def _searchable(source: Source) -> LineIndex:
    """The text with line feeds as terminators and no lone surrogates: same lines, same columns."""
    text = source.text
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode("utf-8")
    return source.index if text is source.text else LineIndex(text)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return linear("(?m)" + pattern)
    except ValueError as error:
        message = f"{pattern!r}: {error}"
        raise ValueError(message) from None
