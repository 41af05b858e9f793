"""The longest run of points that ascends on both sides: what stayed in its order between two versions.

What crosses that run was moved, and says nothing of what stands around it. Invariant: linear but for a logarithm.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def ascending(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """As many of the points as can be kept so that their second numbers ascend. The points come sorted.

    Patience sorting: ``tails`` holds the least second number in which a run of each length can end.
    """
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, second) in enumerate(points):
        length = bisect_left(tails, second)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [second]
        ends[length : length + 1] = [at]
    found: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(points[at])
        at = before[at]
    return found[::-1]
