"""What a model was not asked, or did not answer, in words; and one sentence where one cause stopped several stages.

Words only, at any depth. Invariants: nothing that was left undone goes unsaid, and no cause is told twice; what a host
said stands behind the reason, and what is wrong with the form of a reply does not, because no person can act on it; a
host that failed at some questions and answered others is not said to have stopped the review.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, Self

from roundzero.core.model_values import Outcome
from roundzero.core.trouble import FAILURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.model_values import Reply

WHY_NOT: Final = {
    Outcome.TRUNCATED: "with an answer that was cut off",
    Outcome.EMPTY: "without an answer",
    Outcome.REFUSED: "refused",
    Outcome.WRONG: "with an answer that could not be read",
    Outcome.RATE_LIMITED: "waiting for the host",
    Outcome.QUOTA: "waiting for budget",
    Outcome.UNAUTHORISED: "without a valid key",
    Outcome.OFFLINE: "offline",
    Outcome.TIMED_OUT: "not answered in time",
    Outcome.FAILED: "failed",
    Outcome.CANCELLED: "stopped",
    Outcome.NOT_ALLOWED: "not allowed",
}

UNREADABLE: Final = "the reply could not be read: {}"
"""What is wrong with a reply, for the model that wrote it."""

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

HUNKS: Final = (
    "{covered} of {hunks} hunk was looked at by the model: {left}",
    "{covered} of {hunks} hunks were looked at by the model: {left}",
)
DRAFTS: Final = (
    "{count} of {total} draft was not made: {why}",
    "{count} of {total} drafts were not made: {why}",
)
CHECKS: Final = (
    "{count} check was not made of the change as a whole: {why}",
    "{count} checks were not made of the change as a whole: {why}",
)
LOOKS: Final = (
    "{count} finding of a model was not looked at again: {why}",
    "{count} findings of a model were not looked at again: {why}",
)
FACTS: Final = (
    "{count} finding of a model was not fact-checked: {why}",
    "{count} findings of a model were not fact-checked: {why}",
)
EDITED: Final = (
    "{count} file beside the change was edited while the model looked, so that it may have read two texts: {files}",
    "{count} files beside the change were edited while the model looked, so that it may have read two texts: {files}",
)
NOT_ASKED: Final = "not asked yet"
OVERVIEW: Final = "the question about the change as a whole ended {why}"
"""What was left undone: of one, and of any other number. render/reasons has their Chinese."""

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


def counted(sentences: tuple[str, str], number: int, **names: object) -> str:
    """The sentence for so many."""
    return sentences[number != 1].format(**names)


def because(outcome: Outcome | None, message: str = "") -> str:
    """Why something was not done, to stand behind what it was, with what the host said. ``outcome`` None: unknown."""
    why = WHY_NOT.get(outcome, "failed") if outcome is not None else "failed"
    of_the_form = outcome is Outcome.WRONG and message.startswith(UNREADABLE.format(""))
    return f"{why} ({message})" if message and not of_the_form else why


def _stops(gap: Gap, over: Reply | None) -> bool:
    """Whether a gap is of a cause that lets no other question through, or of the end of the time there was."""
    if gap.outcome not in MAY_COME:
        return False
    return gap.outcome not in FAILURES or not gap.message or (over is not None and over.outcome is gap.outcome)
