"""What was not done, in words."""

from __future__ import annotations

from roundzero.core.model_values import Outcome
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
