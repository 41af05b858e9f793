"""One defect, one finding: items that cover others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from roundzero.core.change import Change, FileChange, Source, Status
from roundzero.core.finding import Hit, Observation, evidence_at, observe
from roundzero.core.gate import GatePolicy
from roundzero.core.item import CheckerCheck, Item, ItemId, LooksAt, Prose, Severity
from roundzero.core.judge import Sight, View, judge
from roundzero.core.linemap import Hunk
from roundzero.core.ruleset import Ruleset
from roundzero.core.text import RelPath
from support.changes import change_of

if TYPE_CHECKING:
    from roundzero.core.finding import Finding

PATH = RelPath("a.py")
HEAD = Source(PATH, "one\ntwo\nthree\n", "h" * 40)
FILE = FileChange(path=PATH, status=Status.ADDED, base=None, head=HEAD, hunks=(Hunk(0, 0, 1, 3),))
CHANGE = change_of(FILE)


def item(name: str, severity: Severity, *covers: str, aliases: tuple[str, ...] = ()) -> Item:
    """An item with a check."""
    return Item(
        id=ItemId(name),
        aliases=tuple(map(ItemId, aliases)),
        covers=tuple(map(ItemId, covers)),
        title=Prose(name),
        why=Prose("w"),
        severity=severity,
        looks_at=LooksAt.FILE,
        checks=(CheckerCheck("c"),),
    )


WIDE = item("p/wide", Severity.P1, "p/former")
NARROW = item("p/narrow", Severity.P3, aliases=("p/former",))


def see(which: Item, line: int, *, also: int | None = None) -> Observation:
    """An observation over one line, with another as evidence."""
    evidence = (evidence_at(HEAD, also, "also"),) if also is not None else ()
    hit = Hit(path=PATH, span=HEAD.index.line_span(line), evidence=evidence)
    return observe(which, hit, HEAD, producer="c", version="1")


def judged(*seen: Observation, rules: tuple[Item, ...] = (WIDE, NARROW), change: Change = CHANGE) -> list[Finding]:
    """The findings of what was seen, where all items looked at the base too."""
    sight = Sight(head=seen, based=frozenset((PATH, each.id) for each in rules))
    return judge(change, sight, Ruleset(rules, "digest"), view=View(), policy=GatePolicy())


def hidden(found: list[Finding]) -> dict[tuple[str, int], str | None]:
    """Why each finding is hidden."""
    return {(each.seen.item, each.seen.line): each.hidden for each in found}


def test_the_covered_finding_is_kept_and_hidden() -> None:
    """On one line only the covering one is shown and counts; the order of the checks does not matter."""
    for seen in ((see(WIDE, 1), see(NARROW, 1)), (see(NARROW, 1), see(WIDE, 1))):
        found = judged(*seen)
        assert hidden(found) == {("p/wide", 1): None, ("p/narrow", 1): "covered by p/wide"}
        assert [each.counts for each in found if each.seen.item == "p/narrow"] == [False]


def test_a_line_that_the_covering_finding_names_is_covered() -> None:
    """The second half of a defect that has two places."""
    assert hidden(judged(see(WIDE, 1, also=3), see(NARROW, 3), see(NARROW, 2))) == {
        ("p/wide", 1): None,
        ("p/narrow", 3): "covered by p/wide",
        ("p/narrow", 2): None,
    }


@pytest.mark.parametrize(
    "rules",
    [
        (replace(WIDE, severity=Severity.P3), replace(NARROW, severity=Severity.P2)),
        (replace(WIDE, covers=()), NARROW),
        (replace(WIDE, covers=(ItemId("p/nothing"), WIDE.id)), NARROW),
    ],
    ids=["milder", "covers nothing", "unknown and itself"],
)
def test_what_says_less_covers_nothing(rules: tuple[Item, ...]) -> None:
    """A graver finding is never lost to a milder one, and a name that no item has is no one's."""
    by_id = {each.id: each for each in rules}
    found = judged(see(by_id[WIDE.id], 1), see(by_id[NARROW.id], 1), rules=rules)
    assert hidden(found)["p/narrow", 1] is None


def test_what_is_not_shown_covers_nothing() -> None:
    """Beside the change a finding is hidden, also where it names a changed line that another one lies on."""
    base = Source(PATH, "one\ntwo\n", "b" * 40)
    file = replace(FILE, status=Status.MODIFIED, base=base, hunks=(Hunk(2, 0, 3, 1),))
    for looks_at, covered in ((LooksAt.FILE, "covered by p/wide"), (LooksAt.ADDED, None)):
        rules = (replace(WIDE, looks_at=looks_at), NARROW)
        found = judged(see(rules[0], 1, also=3), see(NARROW, 3), rules=rules, change=replace(CHANGE, files=(file,)))
        assert hidden(found)["p/narrow", 3] == covered
        assert (hidden(found)["p/wide", 1] is None) == (looks_at is LooksAt.FILE)


def test_of_two_that_cover_each_other_both_are_shown() -> None:
    """Hiding both would lose the defect, and nothing tells which is the more telling one."""
    rules = (item("p/a", Severity.P2, "p/b"), item("p/b", Severity.P2, "p/a"))
    assert set(hidden(judged(see(rules[0], 1), see(rules[1], 1), rules=rules)).values()) == {None}


def test_what_is_hidden_itself_hides_nothing() -> None:
    """Of three where each covers the next, the last one is covered by nothing that is shown."""
    rules = (item("p/a", Severity.P2, "p/b"), item("p/b", Severity.P2, "p/c"), item("p/c", Severity.P2))
    seen = [see(each, 1) for each in rules]
    assert hidden(judged(*seen, rules=rules)) == {("p/a", 1): None, ("p/b", 1): "covered by p/a", ("p/c", 1): None}
    whole = (item("p/a", Severity.P2, "p/b", "p/c"), *rules[1:])
    assert hidden(judged(*seen, rules=whole))["p/c", 1] == "covered by p/a"


def test_findings_of_the_covering_item_stand_side_by_side() -> None:
    """An item is not covered by itself."""
    rules = (replace(WIDE, covers=(WIDE.id,)), NARROW)
    assert set(hidden(judged(see(rules[0], 1, also=2), see(rules[0], 2), rules=rules)).values()) == {None}
