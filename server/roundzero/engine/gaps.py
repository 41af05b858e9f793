"""What of a deep review was not done, each in a sentence; and one sentence where one cause stopped several stages.

Words only. Invariants: nothing that was left undone goes unsaid, and no cause is told twice; a host that failed at some
questions and answered others is not said to have stopped the review.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, Self

from roundzero.core.model_values import Outcome
from roundzero.core.trouble import FAILURES
from roundzero.engine.quick_review import WHY_NOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.model_values import Reply

MAY_COME: Final = frozenset(
    {
        Outcome.QUOTA,
        Outcome.RATE_LIMITED,
        Outcome.UNAUTHORISED,
        Outcome.OFFLINE,
        Outcome.TIMED_OUT,
        Outcome.FAILED,
        Outcome.CANCELLED,
        Outcome.NOT_ALLOWED,
    }
)
"""Ways to end that say nothing about the question: another time the same may be answered."""

STOPPED: Final = "the deep review stopped before its end, and goes on from there when it is asked for again: {}"


class Gap(str):
    """A sentence on what was not done. ``outcome`` and ``message`` say why; None: nobody failed."""

    __slots__ = ("message", "outcome")

    outcome: Outcome | None
    message: str

    def __new__(cls, text: str, outcome: Outcome | None = None, message: str = "") -> Self:
        """A sentence with its cause."""
        made = super().__new__(cls, text)
        made.outcome, made.message = outcome, message
        return made


def told(gaps: Sequence[str], over: Reply | None = None) -> tuple[str, ...]:
    """The sentences, in their order. Where one cause stopped several stages, it is told instead of them.

    ``over``: why nothing more was asked, if that is so. What one question failed at is told of that question.
    """
    causes = Counter(each.outcome for each in gaps if isinstance(each, Gap) and _stops(each, over))
    sentences: dict[str, None] = {}
    for each in gaps:
        if not isinstance(each, Gap) or causes[each.outcome] < 2 or not _stops(each, over):
            sentences[str(each)] = None
            continue
        said = (other.message for other in gaps if isinstance(other, Gap) and other.outcome is each.outcome)
        message = over.message if over is not None and over.outcome is each.outcome else next(filter(None, said), "")
        sentences[STOPPED.format(because(each.outcome, message))] = None
    return tuple(sentences)


def because(outcome: Outcome | None, message: str) -> str:
    """Why something was not done, in words, with what the host said; what is wrong with a reply is not for people."""
    why = WHY_NOT.get(outcome, "failed") if outcome is not None else "failed"
    return f"{why} ({message})" if message and outcome in MAY_COME else why


def _stops(gap: Gap, over: Reply | None) -> bool:
    """Whether a gap is of a cause that lets no other question through, or of the end of the time there was."""
    if gap.outcome not in MAY_COME:
        return False
    return gap.outcome not in FAILURES or not gap.message or (over is not None and over.outcome is gap.outcome)
