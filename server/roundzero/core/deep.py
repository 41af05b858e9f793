"""The deep depth: how its five drafts differ, and what one of them says.

Drafts that read the same words in the same order make the same mistakes, so each reads differently. Values only.
Invariant: voices are numbered from 1 and never change their way between two reviews, so that a review that was
interrupted goes on where it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from roundzero.core.finding import Observation
    from roundzero.core.model_values import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """One draft's way of reading.

    ``neutral``: comments and strings are blanked, so that what is *said* of code persuades nobody. ``tools``: it may
    look around in the repository. Parts are shown in an order of the voice's own.
    """

    number: int
    neutral: bool = False
    tools: bool = False
    temperature: float = 0.0


VOICES: Final = (
    Voice(number=1),
    Voice(number=2, temperature=0.4),
    Voice(number=3, neutral=True),
    Voice(number=4, tools=True),
    Voice(number=5, tools=True, temperature=0.4),
)
"""Five, because a finding that three of them raise by themselves is seldom an accident."""

WHOLE: Final = Voice(number=len(VOICES) + 1, tools=True)
"""Who is asked what no part of a change can answer, once, about all of it."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """What one voice said of a unit, past its gates."""

    voice: int
    unit: Unit
    observation: Observation
