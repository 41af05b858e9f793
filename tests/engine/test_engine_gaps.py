"""What was not done, in words."""

from __future__ import annotations

import pytest

from roundzero.core.model_values import Outcome, Reply
from roundzero.engine.gaps import STOPPED, UNREADABLE, WHY_NOT, Gap, because, told


def test_one_cause_of_several_gaps_is_told_once() -> None:
    """With what the host said first; a gap with a cause of its own stands beside it."""
    gaps = (
        Gap("no drafts: waiting for budget", Outcome.QUOTA, "no credit"),
        Gap("no looks: waiting for budget", Outcome.QUOTA, "wait an hour"),
        Gap("no overview: with an answer that was cut off", Outcome.TRUNCATED),
        "a sentence",
    )
    assert told(gaps) == (STOPPED.format("waiting for budget (no credit)"), gaps[2], "a sentence")


def test_what_would_fail_again_is_not_called_stopped() -> None:
    """Two replies that nobody could read are two gaps."""
    gaps = (Gap("one", Outcome.WRONG), Gap("two", Outcome.WRONG))
    assert told(gaps) == ("one", "two")


def test_a_host_that_failed_at_some_questions_did_not_stop_the_review() -> None:
    """Each is told of; once it was left alone for that, there is one sentence with what it said last."""
    gaps = (Gap("a draft: 500", Outcome.FAILED, "500"), Gap("a look: 500", Outcome.FAILED, "500"))
    assert told(gaps) == ("a draft: 500", "a look: 500")
    over = Reply(outcome=Outcome.FAILED, message="4 questions in a row: 500")
    assert told(gaps, over) == (STOPPED.format("failed (4 questions in a row: 500)"),)
    other = Reply(outcome=Outcome.OFFLINE, message="gone")
    assert told(gaps, other) == ("a draft: 500", "a look: 500")


def test_time_that_ran_out_is_told_once() -> None:
    """Nobody failed: there is no message, and no stage after it was asked for."""
    gaps = (Gap("a draft: late", Outcome.TIMED_OUT), Gap("a look: late", Outcome.TIMED_OUT))
    assert told(gaps) == (STOPPED.format("not answered in time"),)


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.OK])
def test_what_a_host_said_is_told_however_it_ended(outcome: Outcome) -> None:
    """Also of a question that is too long, which only a person can help; and no way to end is without words."""
    advice = "the question is too long for the model"
    assert because(outcome, advice) == f"{WHY_NOT[outcome]} ({advice})"
    assert because(outcome) == WHY_NOT[outcome]


def test_what_is_wrong_with_the_form_of_a_reply_is_not_for_people() -> None:
    """The model was told of it; a person hears that nobody could read it."""
    assert because(Outcome.WRONG, UNREADABLE.format("findings: Field required")) == WHY_NOT[Outcome.WRONG]
