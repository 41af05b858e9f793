"""What a model said, followed through edits: on its very lines, or stale, and back when they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.anatomy import Anatomy, Step, Votes
from roundzero.core.change import Side, Source
from roundzero.core.finding import Anchor, Evidence, FindingId, Observation, State, Verified
from roundzero.core.item import ItemId, Severity
from roundzero.core.linemap import Hunk, LineMap
from roundzero.core.model_values import Excerpt, Unit
from roundzero.core.text import Position, RelPath, Span, collapse
from roundzero.engine.answers import Answers

if TYPE_CHECKING:
    from collections.abc import Sequence

PATH = RelPath("a.py")
NAME = FindingId("rz-000000000001")
LINES = ["one", "two", "three", "four", "five"]


def text(lines: Sequence[str]) -> Source:
    """A head text of these lines."""
    joined = "".join(f"{line}\n" for line in lines)
    return Source(PATH, joined, f"blob {joined}")


def said_at(line: int, *, title: str = "wrong", quoted: Sequence[int] = ()) -> Observation:
    """What a model says of a line of ``LINES``, with evidence there and on other lines."""
    return Observation(
        item=ItemId("general/other-defect"), producer="m", producer_version="1", source="model", severity=Severity.P2,
        title=title, why="", path=PATH, side=Side.HEAD,
        span=Span(Position(line, 1), Position(line, len(LINES[line - 1]) + 1)), symbol=None,
        anchor_text=collapse(LINES[line - 1]),
        evidence=tuple(
            Evidence(path=PATH, side=Side.HEAD, line=at, quote=LINES[at - 1], role="", blob="")
            for at in (line, *quoted)
        ),
        anatomy=Anatomy(mechanism=(Step("it runs", (0,)),)),
    )  # fmt: skip


def unit(lines: Sequence[str] = LINES) -> Unit:
    """A unit of a whole text."""
    shown = Excerpt(path=PATH, side=Side.HEAD, first=1, text="\n".join(lines))
    return Unit(path=PATH, hunks=(Hunk(0, 0, 1, len(lines)),), excerpts=(shown,))


def answers(*said: Observation) -> Answers:
    """Answers to one unit."""
    known = Answers()
    known.take(unit(), "k", (), said, {PATH: text(LINES)})
    known.know({PATH: ["k"]})
    return known


def only(known: Answers, lines: Sequence[str]) -> tuple[Observation, State]:
    """The one thing that is said in a text, and where it stands."""
    (seen,) = known.seen_in(PATH, text(lines))
    return seen, known.state_of(seen)


@given(st.lists(st.lists(st.sampled_from([*LINES, "new"]), max_size=7), max_size=6), st.sampled_from(range(1, 6)))
def test_what_is_open_stands_on_the_very_lines_it_was_said_of(texts: list[list[str]], line: int) -> None:
    """Through any edits; evidence that is not marked as missing stands where it is quoted; steps keep their numbers."""
    known = answers(said_at(line, quoted=(1, 5)))
    for lines in texts:
        index = text(lines).index
        for seen in known.seen_in(PATH, text(lines)):
            if known.state_of(seen) is State.OPEN:
                assert index.line(seen.line) == LINES[line - 1]
            assert len(seen.evidence) == 3
            found = [each for each in seen.evidence if each.verified is not Verified.MISSING]
            assert [index.line(each.line) for each in found] == [each.quote for each in found]
    assert only(known, LINES) == (said_at(line, quoted=(1, 5)), State.OPEN)


def test_an_edited_line_is_stale_and_undo_brings_it_back() -> None:
    """With the edit offered for it withdrawn meanwhile."""
    known = answers(said_at(3))
    only(known, ["zero", *LINES])
    seen, state = only(known, ["zero", "one", "two", "3", "four", "five"])
    assert (seen.line, state, seen.evidence[0].verified) == (4, State.STALE, Verified.MISSING)
    assert only(known, LINES) == (said_at(3), State.OPEN)


def test_a_line_between_two_edited_places_stays_open() -> None:
    """One step may hold both, as a formatter's or a paste over the whole file does."""
    for lines in (["zero", "one", "two", "three", "four", "5"], ["three", "four", "5"], ["a", "b", *LINES[:4], "6"]):
        known = answers(said_at(3))
        seen, state = only(known, lines)
        assert (state, lines[seen.line - 1]) == (State.OPEN, "three")
        assert only(known, LINES) == (said_at(3), State.OPEN)


def test_what_is_recalled_twice_is_one_thing_for_the_answer_on_its_way() -> None:
    """The ledger is read again while a model is asked: what it repeats is replaced, what it is silent of is settled."""
    for state, said, after in (
        (State.OPEN, [said_at(3, title="wrong in other words")], ("wrong in other words", State.OPEN)),
        (State.STALE, [], ("wrong", State.UNCONFIRMED)),
    ):
        known = Answers()
        known.recall([(NAME, said_at(3), text(LINES), state)])
        before = known.within(unit(), "k", ["k"])
        known.recall([(NAME, said_at(3), text(LINES), state)])
        known.take(unit(), "k", before, said, {PATH: text(LINES)})
        seen, now = only(known, LINES)
        assert (seen.title, now) == after


def test_what_comes_late_is_carried_over_by_a_line_map() -> None:
    """Two places were edited meanwhile; only what was said of one of them is stale."""
    known, now = Answers(), text(["zero", "one", "two", "three", "four", "5"])
    moved = {PATH: (now, LineMap((Hunk(0, 0, 1, 1), Hunk(5, 1, 6, 1))))}
    known.take(unit(), "k", (), [said_at(3), said_at(5, title="last")], {PATH: text(LINES)}, moved=moved)
    states = {seen.line: known.state_of(seen) for seen in known.seen_in(PATH, now)}
    assert states == {4: State.OPEN, 6: State.STALE}


def test_what_was_said_of_deleted_lines_is_gone() -> None:
    """The deletion is the proof; undo brings it back until the model has looked at the text without them."""
    known, without = answers(said_at(3)), ["one", "two", "four", "five"]
    assert known.seen_in(PATH, text(without)) == ()
    assert known.holding_in(PATH, text(without)) == ()
    assert only(known, LINES) == (said_at(3), State.OPEN)
    known.follow(PATH, text(without))
    known.prune([unit(without)])
    assert known.seen_in(PATH, text(LINES)) == ()


def test_a_new_answer_replaces_what_it_repeats_and_keeps_what_it_does_not() -> None:
    """Silence of a model takes nothing back on lines that are the same; on edited ones it leaves a doubt."""
    known = answers(said_at(1, title="first"), said_at(5, title="last"))
    now = ["one", "two", "three", "four", "5"]
    known.follow(PATH, text(now))
    before = known.within(unit(now), "k2", ["k2"])
    assert len(before) == 2
    known.take(unit(now), "k2", before, [], {PATH: text(now)})
    states = {seen.title: known.state_of(seen) for seen in known.seen_in(PATH, text(now))}
    assert states == {"first": State.OPEN, "last": State.UNCONFIRMED}
    before = known.within(unit(now), "k3", ["k3"])
    known.take(unit(now), "k3", before, [said_at(1, title="first, in other words")], {PATH: text(now)})
    titles = [seen.title for seen in known.seen_in(PATH, text(now))]
    assert sorted(titles) == ["first, in other words", "last"]


def titles(known: Answers) -> list[str]:
    """What is said in the text of ``LINES``, by title."""
    return sorted(seen.title for seen in known.seen_in(PATH, text(LINES)))


def neighbours(item: str) -> tuple[Observation, Observation]:
    """Two defects that lie close together."""
    one, other = said_at(2, title="the index is off by one"), said_at(4, title="the file is never closed")
    return replace(one, item=ItemId(item)), replace(other, item=ItemId(item))


ITEMS = pytest.mark.parametrize("item", ["general/other-defect", "python/other"])


@ITEMS
def test_a_second_look_at_one_finding_leaves_its_neighbour(item: str) -> None:
    """Whether it refutes it or not; nor does one finding of a deep review take the place of another."""
    one, other = neighbours(item)
    for state, left in (
        (State.REFUTED, [other.title]),
        (State.OPEN, [other.title, one.title]),
    ):
        known = answers(one, other)
        assert known.settle([(one, text(LINES), state)], known=[one]) == {PATH}
        assert titles(known) == left
    for known in (Answers(), answers(one, other)):
        known.settle([(each, text(LINES), State.OPEN) for each in (one, other)])
        assert titles(known) == [other.title, one.title]


def test_a_known_finding_is_replaced_whatever_is_said_of_it_now() -> None:
    """By its name: in other words, a few lines off, and though its file was edited since it was looked at."""
    one, other = neighbours("general/other-defect")
    known = answers(one, other)
    known.follow(PATH, text(["zero", *LINES]))
    shown = known.seen_in(PATH, text(["zero", *LINES]))[0]
    for name in (one, shown):
        known = answers(one, other)
        known.follow(PATH, text(["zero", *LINES]))
        known.settle([(said_at(5, title="reads past its end"), text(LINES), State.OPEN)], known=[name])
        assert titles(known) == ["reads past its end", other.title]


def test_a_deep_review_takes_the_place_of_what_is_plainly_the_same() -> None:
    """Though it was not known under its name: one for one."""
    one, other = neighbours("general/other-defect")
    known = answers(one, other)
    known.settle([(replace(one, title="the index is off by two"), text(LINES), State.OPEN)], known=[])
    assert titles(known) == [other.title, "the index is off by two"]


@ITEMS
def test_one_of_two_neighbours_said_again_leaves_the_other(item: str) -> None:
    """Silence about the other proves nothing; the one is replaced by what is nearest and most alike."""
    one, other = neighbours(item)
    for again, kept in ((one, other), (other, one)):
        known = answers(one, other)
        now = replace(again, title=f"{again.title} here", why="again")
        known.take(unit(), "k", known.within(unit(), "k", ["k"]), [now], {PATH: text(LINES)})
        assert titles(known) == sorted([kept.title, now.title])


@ITEMS
def test_what_is_said_deeply_keeps_out_only_itself(item: str) -> None:
    """A draft that says it again changes nothing; a new defect beside it is let in."""
    one, other = neighbours(item)
    deep = replace(one, anatomy=Anatomy(votes=Votes(4, 5)))
    known = answers(deep)
    known.take(unit(), "k", known.within(unit(), "k", ["k"]), [one, other], {PATH: text(LINES)})
    assert titles(known) == [other.title, one.title]
    assert deep in known.seen_in(PATH, text(LINES))


@ITEMS
def test_a_draft_on_its_way_while_something_is_settled_says_it_no_second_time(item: str) -> None:
    """It was asked before the deep review was done, and answered after."""
    one, other = neighbours(item)
    known = answers(one, other)
    before = known.within(unit(), "k", ["k"])
    deep = replace(one, anatomy=Anatomy(votes=Votes(4, 5)))
    known.settle([(deep, text(LINES), State.OPEN)], known=[one])
    known.take(unit(), "k", before, [one, other], {PATH: text(LINES)})
    assert titles(known) == [other.title, one.title]
    assert deep in known.seen_in(PATH, text(LINES))


def test_a_checklist_item_on_one_line_is_one_defect_in_any_words() -> None:
    """What a model says of an item of its own on the very line it said it of is that again."""
    first = replace(said_at(2, title="first"), item=ItemId("python/mutable-default"))
    known = answers(first)
    again = replace(first, title="in other words")
    known.take(unit(), "k", known.within(unit(), "k", ["k"]), [again], {PATH: text(LINES)})
    assert titles(known) == ["in other words"]


def test_silence_about_the_same_text_takes_nothing_back() -> None:
    """Whoever asked again: only what is stale and not said again is in doubt."""
    known = answers(said_at(2))
    before = known.within(unit(), "k", ["k"])
    known.take(unit(), "k", before, [], {PATH: text(LINES)})
    assert only(known, LINES)[1] is State.OPEN
    now = ["one", "2", *LINES[2:]]
    known.follow(PATH, text(now))
    known.take(unit(now), "k2", known.within(unit(now), "k2", ["k2"]), [], {PATH: text(now)})
    assert only(known, now)[1] is State.UNCONFIRMED
    assert known.holding_in(PATH, text(now)) == ()


def test_what_is_recalled_stale_stays_so_through_edits_elsewhere() -> None:
    """Only the text it was said of would bring it back; a model's answer about its lines makes it this session's."""
    known = Answers()
    assert known.recall([(NAME, said_at(3), text(LINES), State.STALE)]) == {PATH}
    assert known.said() == ()
    more = ["zero", *LINES]
    assert only(known, more)[1] is State.STALE
    assert only(known, LINES)[1] is State.STALE
    assert known.holding_in(PATH, text(LINES)) == ()
    known.take(unit(), "k", known.within(unit(), "k", ["k"]), [], {PATH: text(LINES)})
    assert [known.state_of(each) for each in known.said()] == [State.UNCONFIRMED]
    assert known.recall([]) == frozenset()


def test_what_is_answered_is_known_until_something_else_is() -> None:
    """A unit whose text comes back after another was answered is looked at again."""
    known = answers(said_at(2))
    assert known.answered(PATH, "k")
    known.know({PATH: ["k2"]})
    assert not known.answered(PATH, "k")


def test_stale_on_lines_of_no_unit_is_dropped() -> None:
    """The branch has nothing there any more; what is open stays to be judged."""
    known = answers(said_at(1), said_at(5))
    now = ["one", "two", "three", "four", "5"]
    known.follow(PATH, text(now))
    assert known.prune([]) == {PATH}
    assert [seen.line for seen in known.seen_in(PATH, text(now))] == [1]


def test_what_lies_beyond_the_change_goes_with_the_file_that_led_there() -> None:
    """Without the change of that file there is nothing wrong; when it is back, its unit is to be asked again."""
    other = RelPath("b.py")
    beyond = replace(said_at(2), path=other, cause=Anchor(PATH, 1))
    known = Answers()
    known.outside[other] = Source(other, text(LINES).text, "blob of b.py")
    known.take(unit(), "k", (), [beyond], {PATH: text(LINES), **known.outside})
    known.know({PATH: ["k"]})
    known.keep([PATH], [beyond.item])
    assert known.beyond([PATH]) == (beyond,)
    assert known.answered(PATH, "k")
    known.keep([RelPath("c.py")], [beyond.item])
    assert known.beyond([RelPath("c.py")]) == ()
    assert not known.answered(PATH, "k")


def test_items_that_are_gone_are_forgotten() -> None:
    """A pack was switched off."""
    known = answers(said_at(1))
    known.keep([PATH], [ItemId("python/other")])
    assert known.paths == frozenset()
    known = answers(replace(said_at(1)))
    known.keep([], [ItemId("general/other-defect")])
    assert known.paths == frozenset()
