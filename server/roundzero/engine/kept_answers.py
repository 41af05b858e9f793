"""What a model answered to questions, by their keys: good answers for when a text comes back, and futile ones.

Does not know what was made of an answer; that lives on in ``answers``. Invariant: a bounded number is kept, and of none
the text that was asked about.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.engine.quick_review import Answer

MOST_KEPT: Final = 256
"""Good answers kept, some kilobytes each: what was drafted, without what was sent."""


class KeptAnswers:
    """See the module. ``failed``: what a model could not answer well, asked again by a person only."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._good: dict[str, Answer] = {}
        self.failed: dict[str, Answer] = {}

    def good(self, key: str) -> Answer | None:
        """The good answer to a question, if it is kept. Whoever takes it has the unit it is about."""
        return self._good.get(key)

    def all(self) -> Mapping[str, Answer]:
        """What is known of every question."""
        return {**self.failed, **self._good}

    def take(self, key: str, answer: Answer) -> None:
        """Keep an answer, the newest ones; of one without a draft only that asking again is futile, where it is."""
        from roundzero.core.model_values import Outcome, Unit  # noqa: PLC0415  off the start-up path

        if answer.draft is None:
            if answer.outcome in {Outcome.TRUNCATED, Outcome.EMPTY, Outcome.REFUSED, Outcome.WRONG}:
                self.failed[key] = answer
            return
        self._good.pop(key, None)
        self._good[key] = replace(answer, unit=Unit(path=answer.unit.path, hunks=(), excerpts=()))
        while len(self._good) > MOST_KEPT:
            del self._good[next(iter(self._good))]

    def forget_failed(self, but: Iterable[str] = ()) -> None:
        """Forget the futile ones but these."""
        self.failed = {key: self.failed[key] for key in but if key in self.failed}
