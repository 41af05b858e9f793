"""How long a host that fails is asked on: who fails at one question is asked the next, who fails at several is not.

Pure: how each question ended goes in. Invariants: a question that a host could not answer costs itself alone; any
answer, good or bad, ends the trouble; a host that answers nothing is left alone after a few questions, most of which
were put once.
"""

from __future__ import annotations

from typing import Final

from roundzero.core.budget import ATTEMPTS
from roundzero.core.frozen import dataclass
from roundzero.core.model_values import Outcome

FAILURES: Final = frozenset({Outcome.FAILED, Outcome.TIMED_OUT})
"""Ways to end that may be about one question: a host that answers 500 to it may well answer the next."""

_SLOW: Final = 2
"""How often a question is put that takes too long: what took minutes once seldom is faster the third time."""

_MORE: Final = 2
"""How many questions are given up beyond those that one moment of trouble may have hit together."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """``given_up``: questions given up since a host last answered, each after all its attempts."""

    given_up: int = 0

    @property
    def more(self) -> Trouble:
        """The same after another question was given up."""
        return Trouble(self.given_up + 1)

    def is_last(self, attempt: int, outcome: Outcome) -> bool:
        """Whether a question that was put in such trouble is not put again after ``attempt`` (from 1) ended so."""
        if outcome not in FAILURES:
            return False
        most = 1 if self.given_up else _SLOW if outcome is Outcome.TIMED_OUT else ATTEMPTS
        return attempt >= most

    def is_over(self, parallel: int) -> bool:
        """Whether nothing more is to be put to a host that is asked so many questions at once."""
        return self.given_up >= max(1, parallel) + _MORE
