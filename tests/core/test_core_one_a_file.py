"""What an item says again and again of one file is told once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from roundzero.core.change import Change, FileChange, Source, Status
from roundzero.core.finding import Edit, Fix, Hit, Observation, State, observe
from roundzero.core.gate import GatePolicy
from roundzero.core.item import CheckerCheck, Item, ItemId, LooksAt, Prose, Severity
from roundzero.core.judge import Sight, View, judge
from roundzero.core.linemap import Hunk
from roundzero.core.one_a_file import REASON, told_once
from roundzero.core.ruleset import Ruleset
from roundzero.core.text import Position, RelPath, Span
from support.changes import change_of

if TYPE_CHECKING:
    from roundzero.core.finding import Finding

A, B = (Source(RelPath(name), "one\ntwo\nthree\nfour\nfive\n", name[0] * 40) for name in ("a.py", "b.py"))


def new(source: Source) -> FileChange:
    """A new file of five lines."""
    return FileChange(path=source.path, status=Status.ADDED, base=None, head=source, hunks=(Hunk(0, 0, 1, 5),))


CHANGE: Change = change_of(new(A), new(B))


def item(one_a_file: Literal["", "subject", "item"]) -> Item:
    """An item with a check."""
    return Item(
        id=ItemId("p/unused"),
        title=Prose("not used"),
        why=Prose("w"),
        severity=Severity.P3,
        looks_at=LooksAt.FILE,
        one_a_file=one_a_file,
        checks=(CheckerCheck("c"),),
    )


RULES = Ruleset((item("item"),), "digest")
SUBJECTS = Ruleset((item("subject"),), "digest")


def see(line: int, source: Source = A, edit: tuple[int, int] | None = None) -> Observation:
    """A line that is not used, and the lines, from and to, that its fix takes away."""
    start, end = edit or (line, line + 1)
    span = Span(Position(start, 1), Position(end, 1))
    fix = Fix("Delete", safe=True, edits=(Edit(source.path, span, source.index.slice(span), ""),))
    text = source.index.line(line)
    hit = Hit(path=source.path, span=source.index.line_span(line), subject=f"`{text}`", fixes=(fix,))
    return observe(RULES.items[0], hit, source, producer="c", version="1")


def told(*seen: Observation, rules: Ruleset = RULES, change: Change = CHANGE) -> list[Finding]:
    """What is told of new files."""
    found = judge(change, Sight(head=seen), rules, view=View(), policy=GatePolicy())
    return told_once(found, rules, change)


def test_the_first_of_a_file_names_the_others_and_mends_them() -> None:
    """Title, places and fix are of all; the others are hidden with their reason, and lose nothing but that."""
    first, second, third = told(see(1), see(3), see(4))
    assert first.hidden is None
    assert first.seen.title == "not used: `one`, `three`, `four`"
    places = [(each.line, each.role) for each in first.seen.evidence]
    assert places == [(1, "place"), (3, "also here"), (4, "also here")]
    assert [edit.old_text for edit in first.seen.fixes[0].edits] == ["one\n", "three\n", "four\n"]
    assert first.seen.fixes[0].title == "Delete (3)"
    for other in (second, third):
        assert (other.hidden, other.counts, other.state) == (REASON, False, State.OPEN)


def test_two_stand_for_themselves() -> None:
    """A habit begins with the third."""
    assert [each.hidden for each in told(see(1), see(3))] == [None, None]


def test_two_that_say_the_same_are_told_once() -> None:
    """As one subject is, of items that ask for that alone, while other subjects stand beside it."""
    text = Source(A.path, "one\ntwo\none\nthree\nfour\n", A.blob)
    seen = (see(1, text), see(2, text), see(3, text), see(4, text))
    for rules in (RULES, SUBJECTS):
        found = told(seen[0], seen[2], change=change_of(new(text)), rules=rules)
        assert [each.hidden for each in found] == [None, REASON]
    found = told(*seen, change=change_of(new(text)), rules=SUBJECTS)
    assert [each.hidden for each in found] == [None, None, REASON, None]


def test_of_many_only_some_are_named() -> None:
    """And their number is said; all places are evidence."""
    first, *_ = told(*(see(line) for line in range(1, 6)))
    assert first.seen.title == "not used: `one`, `two`, `three`, … (5)"
    assert len(first.seen.evidence) == 5


def test_the_identity_of_a_finding_is_its_own() -> None:
    """Whichever else is told with it, so that rounds and answers know it."""
    (alone,) = told(see(1))
    (left,) = told(see(3))
    (last,) = told(see(4))
    assert [each.id for each in told(see(1), see(3), see(4))] == [alone.id, left.id, last.id]


def test_what_is_answered_tells_for_nobody_else() -> None:
    """The next one of the file is told then."""
    found = judge(CHANGE, Sight(head=(see(1), see(2), see(3), see(4))), RULES, view=View(), policy=GatePolicy())
    answered = [found[0].but(state=State.DISMISSED), *found[1:]]
    assert [each.hidden for each in told_once(answered, RULES, CHANGE)] == [None, None, REASON, REASON]


def test_another_file_and_another_item_are_told_beside_it() -> None:
    """Only what is said of one file is said again."""
    assert [each.hidden for each in told(see(1), see(3), see(1, B))] == [None] * 3
    rules = Ruleset((item(""),), "digest")
    assert [each.hidden for each in told(see(1), see(3), see(4), rules=rules)] == [None] * 3


def test_fixes_that_touch_each_other_are_not_joined() -> None:
    """The first of them is; one fix of two findings is taken once."""
    clash, *_ = told(see(1, edit=(1, 3)), see(2, edit=(2, 4)), see(5))
    assert [edit.old_text for edit in clash.seen.fixes[0].edits] == ["one\ntwo\n", "five\n"]
    assert clash.seen.fixes[0].title == "Delete (2 of 3)"
    same, *_ = told(see(1, edit=(1, 3)), see(2, edit=(1, 3)), see(5))
    assert [edit.old_text for edit in same.seen.fixes[0].edits] == ["one\ntwo\n", "five\n"]


def test_what_only_some_can_mend_is_mended_for_those() -> None:
    """A finding without a fix, or with one that is not safe, costs the others nothing, the first one neither."""
    bare, risky = (replace(see(1), fixes=fixes) for fixes in ((), (replace(see(1).fixes[0], safe=False),)))
    for first in (bare, risky):
        head, *_ = told(first, see(3), see(4))
        joined, *others = head.seen.fixes
        assert (joined.title, joined.safe) == ("Delete (2 of 3)", True)
        assert [edit.old_text for edit in joined.edits] == ["three\n", "four\n"]
        assert tuple(others) == first.fixes
    head, *_ = told(bare, replace(see(3), fixes=()), see(4))
    assert head.seen.fixes == see(4).fixes


def test_what_would_leave_an_empty_block_is_not_joined() -> None:
    """Each line of it can go, but not all of them at once."""
    text = Source(A.path, "if x:\n  one\n  two\n  three\nfour\n", A.blob)
    head, *_ = told(*(see(line, text) for line in (2, 3, 4)), change=change_of(new(text)))
    assert head.seen.fixes[0].title == "Delete (2 of 3)"
    assert [edit.old_text for edit in head.seen.fixes[0].edits] == ["  one\n", "  two\n"]
