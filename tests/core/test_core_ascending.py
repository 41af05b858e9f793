"""The longest run that ascends on both sides."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.ascending import ascending


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=8).map(sorted))
def test_no_run_in_order_is_longer(points: list[tuple[int, int]]) -> None:
    """What is found is in order, and no more of the points than that are."""
    runs = [some for size in range(len(points) + 1) for some in combinations(points, size) if _is_in_order(some)]
    found = ascending(points)
    assert tuple(found) in runs
    assert len(found) == max(map(len, runs))


def _is_in_order(points: tuple[tuple[int, int], ...]) -> bool:
    return all(one[1] < other[1] for one, other in pairwise(points))
