"""The texts a report can quote, and a source line with carets under a span, in terminal cells.

East Asian wide characters take two cells, combining marks none, a tab four. Invariant: every caret stands under a
character of the span's first line, and there is at least one caret.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.render.escape import visible

if TYPE_CHECKING:
    from roundzero.core.change import Source
    from roundzero.core.report import Report
    from roundzero.core.text import LineIndex, RelPath, Span

TAB: Final = "    "
CUT: Final = "…"
LEAD: Final = 20
"""Most cells kept before the span when a long line is cut."""


def sources_of(report: Report) -> dict[tuple[RelPath, Side], Source]:
    """The texts of a report by path and side, a renamed file's base by its new path too.

    Where a text of the change and one from beyond it have one path, the change's counts: it is what was reviewed.
    """
    found: dict[tuple[RelPath, Side], Source] = {}
    for file in report.change.files:
        for side, source in ((Side.BASE, file.base), (Side.HEAD, file.head)):
            if source is not None:
                found[source.path, side] = source
                found.setdefault((file.path, side), source)
    for source in report.outside:
        found.setdefault((source.path, Side.HEAD), source)
    return found


def excerpt(index: LineIndex, span: Span, width: int) -> tuple[str, str]:
    """The first line of ``span``, without its indentation and cut to ``width`` cells, and its line of carets."""
    line = index.line(span.start.line)
    first = min(span.start.column - 1, len(line))
    last = min(span.end.column - 1, len(line)) if span.end.line == span.start.line else len(line.rstrip())
    shown = [TAB if each == "\t" else visible(each) for each in line]
    cells = [_cells(each) for each in shown]
    indent = min(len(line) - len(line.lstrip()), first)
    start = indent
    if sum(cells[indent:]) > width:
        start, room = first, min(LEAD, width // 2)
        while start > indent and cells[start - 1] <= room:
            start -= 1
            room -= cells[start]
    before = CUT if start > indent else ""
    end, room = start, width - len(before)
    while end < len(line) and cells[end] <= room:
        room -= cells[end]
        end += 1
    after = CUT if end < len(line) else ""
    while after and room < len(after) and end > start:
        end -= 1
        room += cells[end]
    carets = max(1, sum(cells[first : min(last, end)]))
    return before + "".join(shown[start:end]) + after, " " * (len(before) + sum(cells[start:first])) + "^" * carets


def _cells(text: str) -> int:
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )
