"""What was not done, in words."""

from __future__ import annotations

from roundzero.core.model_values import Outcome, Reply
from roundzero.engine.gaps import STOPPED, Gap, told


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
