"""Line maps agree with the identity of lines, composed too."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.linemap import Hunk, LineMap

Lines = tuple[int, ...]


def hunks_between(old: Lines, new: Lines) -> tuple[Hunk, ...]:
    """A diff of two sequences of unique lines, in git's zero-context convention."""
    found = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            found.append(Hunk(i1 + (i2 > i1), i2 - i1, j1 + (j2 > j1), j2 - j1))
    return tuple(found)


@st.composite
def versions(draw: st.DrawFn, count: int = 2) -> list[Lines]:
    """Successive versions of a file whose lines are unique numbers, never reordered."""
    fresh = iter(range(1000, 100000))
    current = tuple(next(fresh) for _ in range(draw(st.integers(0, 10))))
    result = [current]
    for _ in range(count - 1):
        step: list[int] = []
        for line in current:
            step += [next(fresh) for _ in range(draw(st.integers(0, 2)))]
            if draw(st.booleans()):
                step.append(line)
        step += [next(fresh) for _ in range(draw(st.integers(0, 2)))]
        current = tuple(step)
        result.append(current)
    return result


@given(versions())
def test_a_kept_line_maps_to_itself_and_a_removed_one_to_nothing(pair: list[Lines]) -> None:
    """The map says exactly where each old line is."""
    old, new = pair
    line_map = LineMap(hunks_between(old, new))
    for number, line in enumerate(old, 1):
        assert line_map.new(number) == (new.index(line) + 1 if line in new else None)
        assert (line_map.hunk_of(number) is None) == (line in new)


@given(versions(count=3))
def test_two_steps_compose_to_one(three: list[Lines]) -> None:
    """The composed map agrees with following each line by identity through the middle."""
    old, middle, new = three
    composed = LineMap(hunks_between(old, middle)).then(LineMap(hunks_between(middle, new)))
    for number, line in enumerate(old, 1):
        kept = line in middle and line in new
        assert composed.new(number) == (new.index(line) + 1 if kept else None)


@given(versions())
def test_the_nearest_line_lies_in_the_new_text(pair: list[Lines]) -> None:
    """Whatever happened to a line, its nearest place is a line number of the new side (or 1)."""
    old, new = pair
    line_map = LineMap(hunks_between(old, new))
    for number in range(1, len(old) + 1):
        assert 1 <= line_map.nearest(number) <= max(1, len(new))


@pytest.mark.parametrize(
    ("hunk", "line", "expected"),
    [
        (Hunk(0, 0, 1, 3), 1, 4),
        (Hunk(1, 2, 0, 0), 3, 1),
        (Hunk(1, 2, 0, 0), 2, None),
        (Hunk(2, 0, 3, 1), 2, 2),
        (Hunk(2, 0, 3, 1), 3, 4),
        (Hunk(5, 1, 5, 1), 4, 4),
    ],
)
def test_gits_zero_counts_mean_after_that_line(hunk: Hunk, line: int, expected: int | None) -> None:
    """A count of 0 names the line before the gap, also at the top of the file."""
    assert LineMap((hunk,)).new(line) == expected
