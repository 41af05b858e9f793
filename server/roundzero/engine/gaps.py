"""What of a deep review was not done, each in a sentence; and one sentence where one cause stopped several stages.

Words only. Invariant: nothing that was left undone goes unsaid, and no cause is told twice.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, Self

from roundzero.core.model_values import Outcome
from roundzero.engine.quick_review import WHY_NOT

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def told(gaps: Sequence[str]) -> tuple[str, ...]:
    """The sentences, in their order. Where several have one cause that will pass, it is told instead of them."""
    causes = Counter(each.outcome for each in gaps if isinstance(each, Gap) and each.outcome in MAY_COME)
    sentences: dict[str, None] = {}
    for each in gaps:
        if not isinstance(each, Gap) or each.outcome is None or causes[each.outcome] < 2:
            sentences[str(each)] = None
            continue
        said = (other.message for other in gaps if isinstance(other, Gap) and other.outcome is each.outcome)
        message, why = next(filter(None, said), ""), WHY_NOT[each.outcome]
        sentences[STOPPED.format(f"{why} ({message})" if message else why)] = None
    return tuple(sentences)
