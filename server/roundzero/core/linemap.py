"""Where a line went between two versions of a file.

Built from hunks of a zero-context diff; maps one way. Invariant: a line outside every hunk maps to exactly one line of
the other side that no other line maps to, and order is kept.
"""

from __future__ import annotations

from bisect import bisect_right

from roundzero.core.frozen import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Hunk:
    """One run of replaced lines, in git's zero-context convention.

    ``base_start`` and ``head_start`` count from 1. With a count of 0 the start is the line *before* the gap (0 at the
    top of the file), as git prints it.
    """

    base_start: int
    base_count: int
    head_start: int
    head_count: int

    @staticmethod
    def between(base_from: int, base_to: int, head_from: int, head_to: int) -> Hunk:
        """The hunk that replaces one half-open range of lines, counted from 0, by another."""
        base_count, head_count = base_to - base_from, head_to - head_from
        return Hunk(base_from + (base_count > 0), base_count, head_from + (head_count > 0), head_count)

    @property
    def base_lines(self) -> range:
        """The lines removed from the base."""
        return range(self.base_start, self.base_start + self.base_count)

    @property
    def head_lines(self) -> range:
        """The lines added at the head."""
        return range(self.head_start, self.head_start + self.head_count)

    @property
    def base_gap(self) -> int:
        """The last base line before the hunk."""
        return self.base_start - 1 if self.base_count else self.base_start

    @property
    def head_gap(self) -> int:
        """The last head line before the hunk."""
        return self.head_start - 1 if self.head_count else self.head_start


class LineMap:
    """Maps lines of the old side of ``hunks`` to the new side."""

    __slots__ = ("_gaps", "hunks")

    def __init__(self, hunks: tuple[Hunk, ...]) -> None:
        """Take hunks in ascending order that do not overlap."""
        self.hunks = hunks
        self._gaps = [hunk.base_gap for hunk in hunks]

    def hunk_of(self, old_line: int) -> Hunk | None:
        """The hunk that removed a line of the old side, if one did."""
        at = bisect_right(self._gaps, old_line - 1) - 1
        if at >= 0 and old_line in self.hunks[at].base_lines:
            return self.hunks[at]
        return None

    def new(self, old_line: int) -> int | None:
        """The line's number on the new side; None when it was removed or replaced."""
        at = bisect_right(self._gaps, old_line - 1) - 1
        if at < 0:
            return old_line
        hunk = self.hunks[at]
        past = old_line - hunk.base_gap - hunk.base_count
        return hunk.head_gap + hunk.head_count + past if past > 0 else None

    def nearest(self, old_line: int) -> int:
        """The line's number on the new side or, when it is gone, the line of the same rank in what replaced it."""
        if (line := self.new(old_line)) is not None:
            return line
        hunk = self.hunks[bisect_right(self._gaps, old_line - 1) - 1]
        rank = old_line - hunk.base_gap
        return max(1, hunk.head_gap + min(rank, hunk.head_count))

    def then(self, later: LineMap) -> LineMap:
        """The map through two steps: old to middle by this map, middle to new by ``later``."""
        return LineMap(_compose(self.hunks, later.hunks))


def _compose(first: tuple[Hunk, ...], second: tuple[Hunk, ...]) -> tuple[Hunk, ...]:
    """Merge two hunk lists over their shared middle version; hunks that touch in the middle become one."""
    events: list[tuple[int, int, int, Hunk]] = [(h.head_gap, h.head_gap + h.head_count, 0, h) for h in first]
    events += [(h.base_gap, h.base_gap + h.base_count, 1, h) for h in second]
    events.sort(key=lambda event: (event[0], event[1], event[2]))
    result: list[Hunk] = []
    old_shift = new_shift = 0
    at = 0
    while at < len(events):
        middle_from, middle_to = events[at][0], events[at][1]
        group = [events[at]]
        at += 1
        while at < len(events) and events[at][0] <= middle_to:
            middle_to = max(middle_to, events[at][1])
            group.append(events[at])
            at += 1
        old_growth = sum(h.base_count - h.head_count for _, _, which, h in group if which == 0)
        new_growth = sum(h.head_count - h.base_count for _, _, which, h in group if which == 1)
        result.append(
            Hunk.between(
                middle_from + old_shift,
                middle_to + old_shift + old_growth,
                middle_from + new_shift,
                middle_to + new_shift + new_growth,
            )
        )
        old_shift += old_growth
        new_shift += new_growth
    return tuple(result)
