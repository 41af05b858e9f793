"""What a dismissal covers, and the file everyone shares."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.dismissal import Dismissal, DismissalScope, covered, dismiss, format_shared, parse_shared
from roundzero.core.finding import FindingId
from roundzero.core.item import ItemId
from roundzero.core.text import RelPath
from support.rounds import observations, source

ONE, TWO, THREE = FindingId("rz-1"), FindingId("rz-2"), FindingId("rz-3")
SEEN = observations(source("a.py", "def f():\n    bad(1)\n    bad(2)\n")) + observations(source("b.py", "bad(1)\n"))
IDS = [ONE, TWO, THREE]
NOW = "2026-05-01T12:00:00+00:00"


def put(scope: DismissalScope, *, expires: str | None = None) -> Dismissal:
    """A dismissal made on the first finding."""
    return dismiss(SEEN[0], ONE, scope=scope, reason="fine", by="me", at="2026-01-01", expires=expires)


def test_each_scope_reaches_as_far_as_it_says() -> None:
    """This finding; the item in this file; lines like this one; the item everywhere."""
    assert set(covered([put(DismissalScope.FINDING)], SEEN, IDS, NOW)) == {0}
    assert set(covered([put(DismissalScope.FILE)], SEEN, IDS, NOW)) == {0, 1}
    assert set(covered([put(DismissalScope.SIMILAR)], SEEN, IDS, NOW)) == {0, 2}
    assert set(covered([put(DismissalScope.ITEM)], SEEN, IDS, NOW)) == {0, 1, 2}


def test_in_a_clone_the_text_leads_to_the_finding_and_to_one_only() -> None:
    """With other ids, the dismissal covers the finding in its place, and not the like one in another file."""
    there = [FindingId(f"rz-{letter}") for letter in "abc"]
    assert set(covered([put(DismissalScope.FINDING)], SEEN, there, NOW)) == {0}
    assert set(covered([put(DismissalScope.FINDING)], SEEN[1:], there[1:], NOW)) == {1}


def test_it_ends_on_its_day() -> None:
    """The day before it counts, on the day it does not."""
    assert covered([put(DismissalScope.ITEM, expires="2026-05-02")], SEEN, IDS, NOW)
    assert not covered([put(DismissalScope.ITEM, expires="2026-05-01")], SEEN, IDS, NOW)


TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
MADE = st.builds(
    Dismissal,
    id=st.integers(0, 99).map(lambda n: FindingId(f"rz-{n}")),
    scope=st.sampled_from(DismissalScope),
    item=TEXT.map(ItemId),
    path=st.none() | TEXT.map(RelPath),
    symbol=st.none() | TEXT,
    anchor=TEXT,
    reason=TEXT.filter(str.strip),
    by=st.none() | TEXT,
    at=st.just("2026-01-01"),
    expires=st.none() | st.just("2027-01-01"),
)


@given(st.lists(MADE, max_size=6, unique_by=lambda each: each.name))
def test_what_is_written_is_read_again_in_one_order(made: list[Dismissal]) -> None:
    """Whatever the order they were made in, the file is the same, and reading it gives them back."""
    text = format_shared(made)
    found, problems = parse_shared(text)
    assert not problems
    assert set(found) == set(made)
    assert format_shared(reversed(found)) == text


def test_a_broken_table_costs_itself() -> None:
    """What is wrong is said with the table's number, and the others count."""
    text = format_shared([put(DismissalScope.FINDING)]) + '\n[[dismissal]]\nitem = "python/bad"\n'
    found, problems = parse_shared(text)
    assert [each.id for each in found] == [ONE]
    assert problems == (".roundzero/dismissals.toml: dismissal 2: anchor is missing",)
    assert parse_shared("[[dismissal")[0] == ()


def test_two_branches_that_add_one_each_touch_different_places() -> None:
    """A table is a paragraph of its own, so that a later one in order is only appended."""
    first = put(DismissalScope.FINDING)
    second = replace(first, id=TWO, path=RelPath("z.py"))
    assert format_shared([first, second]).startswith(format_shared([first]))
