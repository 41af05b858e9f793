"""What a dismissal covers."""

from __future__ import annotations

from roundzero.core.dismissal import Dismissal, DismissalScope, covered, dismiss
from roundzero.core.finding import FindingId
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
