"""Which lines an item looks at. Marks; never drops.

Invariant: the answer is a reason in words or None, and depends only on the item, the hunks and the span.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import FileChange, Side
from roundzero.core.item import Item, LooksAt

if TYPE_CHECKING:
    from roundzero.core.finding import Observation

HUNK_MARGIN: Final = 3
"""Lines around a hunk that an item with ``looks_at: hunk`` still sees: git's usual context."""


def out_of_scope(item: Item, seen: Observation, file: FileChange | None) -> str | None:
    """Why the item does not look at this observation, or None when it does. ``file`` is the change of its path."""
    if item.looks_at is LooksAt.CHANGE or seen.cause is not None:
        return None
    if file is None:
        return "the file is not part of the change"
    if item.looks_at is LooksAt.FILE or seen.span is None:
        return None
    margin = HUNK_MARGIN if item.looks_at is LooksAt.HUNK else 0
    if touches_change(file, seen, margin=margin):
        return None
    return "the line is not part of the change"


def touches_change(file: FileChange, seen: Observation, *, margin: int = 0) -> bool:
    """Whether the observation's lines meet the lines its side of the change added or removed."""
    if seen.span is None:
        return False
    lines = seen.span.lines
    begin, end = lines.start - margin, lines.stop + margin
    at_head = seen.side is Side.HEAD
    for hunk in file.hunks:
        first, count = (hunk.head_start, hunk.head_count) if at_head else (hunk.base_start, hunk.base_count)
        if count:
            if begin < first + count and first < end:
                return True
        elif margin and begin <= (gap := hunk.head_gap if at_head else hunk.base_gap) and gap < end:
            return True
    return False


def nearest_changed_line(file: FileChange, line: int) -> int:
    """The changed head line nearest to ``line``; for a pure deletion the line before the gap (at least 1)."""
    best = file.first_changed_line
    for hunk in file.hunks:
        first = max(1, hunk.head_start)
        last = max(first, hunk.head_start + hunk.head_count - 1)
        candidate = min(max(line, first), last)
        if abs(candidate - line) < abs(best - line):
            best = candidate
    return best
