"""What people answer to open questions: kept with the entry, and found again under the same question."""

from __future__ import annotations

from dataclasses import replace

from roundzero.core.anatomy import Anatomy, Decides, OpenQuestion
from roundzero.core.change import Side
from roundzero.core.finding import FindingId, Observation, State
from roundzero.core.item import ItemId, Severity
from roundzero.core.ledger import Event, Sign, fold, with_answers
from roundzero.core.sighting import Sighting
from roundzero.core.text import Position, RelPath, Span

NAME = FindingId("rz-0123456789ab")
WHY = OpenQuestion(text="may tax be negative?", decides=Decides.EXISTENCE)
WHO = OpenQuestion(text="who calls it?", decides=Decides.REACHABILITY)


def sighting(*questions: OpenQuestion, severity: Severity = Severity.P2) -> Sighting:
    """A model's finding as the ledger keeps it."""
    seen = Observation(
        item=ItemId("general/other-defect"), producer="m", producer_version="1", source="model", severity=severity,
        title="wrong", why="", path=RelPath("a.py"), side=Side.HEAD, span=Span(Position(1, 1), Position(1, 2)),
        symbol=None, anchor_text="x", anatomy=Anatomy(open_questions=questions),
    )  # fmt: skip
    return Sighting.of(seen, "b")


def test_an_answer_changes_no_state_and_no_severity() -> None:
    """It says something about an entry, whatever became of that."""
    born = Event(id=NAME, sign=Sign.SEEN, at="t", round=1, sighting=sighting(WHY))
    stale = Event(id=NAME, sign=Sign.MOVED_ON, at="t")
    said = sighting(replace(WHY, answer="no"), severity=Severity.P0)
    ledger = fold([born, stale, Event(id=NAME, sign=Sign.ANSWERED, at="t", sighting=said)])
    entry = ledger.entries[NAME]
    assert (entry.state, entry.sighting.severity) == (State.STALE, Severity.P2)
    assert entry.sighting.anatomy is not None
    assert entry.sighting.anatomy.open_questions[0].answer == "no"


def test_an_answer_to_nothing_makes_no_entry() -> None:
    """Only what was seen is remembered."""
    said = sighting(replace(WHY, answer="no"))
    assert fold([Event(id=NAME, sign=Sign.ANSWERED, at="t", sighting=said)]).entries == {}


def test_the_same_question_has_the_same_answer() -> None:
    """A model asks again in another order and with another question; what was answered is, and stays told."""
    before = Anatomy(open_questions=(replace(WHY, answer="no"),))
    now = with_answers(Anatomy(open_questions=(WHO, WHY)), before)
    assert now is not None
    assert [each.answer for each in now.open_questions] == [None, "no"]
    kept = with_answers(Anatomy(open_questions=(WHO,)), before)
    assert kept is not None
    assert [(each.text, each.answer) for each in kept.open_questions] == [(WHO.text, None), (WHY.text, "no")]
    assert with_answers(None, before) is None
    bare = Anatomy(open_questions=(WHO,))
    assert with_answers(bare, Anatomy()) is bare


def test_a_review_that_began_before_the_answer_does_not_lose_it() -> None:
    """What it saw says nothing of the answer, and is written down after it."""
    answered = sighting(replace(WHY, answer="never"), WHO)
    events = [
        Event(id=NAME, sign=Sign.SEEN, at="1", sighting=answered),
        Event(id=NAME, sign=Sign.SEEN, at="2", round=2, sighting=sighting(WHY, WHO)),
        Event(id=NAME, sign=Sign.ANSWERED, at="3", sighting=sighting(WHY, replace(WHO, answer="tax"))),
    ]
    case = fold(events).entries[NAME].sighting.anatomy
    assert case is not None
    assert [each.answer for each in case.open_questions] == ["never", "tax"]
