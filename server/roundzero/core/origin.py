"""Whether this branch brought a finding: introduced, exposed or pre-existing.

Introduced means: no counterpart at the merge base, wherever the finding lies. Counterparts are found by the matcher
over the change. Exposed (old code, newly reached) is not decided here: it needs to know who calls what.
Invariant: one counterpart excuses one finding only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.finding import Origin
from roundzero.core.matching import Moves, pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.finding import Observation


def origins(base: Sequence[Observation], head: Sequence[Observation], moves: Moves) -> list[Origin]:
    """The origin of each head observation, given all observations of the same items at the base.

    An observation on the base side (a removed line) or with a ``cause`` was made by this branch by its nature.
    """
    compared = [at for at, seen in enumerate(head) if seen.side.value == "head" and seen.cause is None]
    old = [seen for seen in base if seen.cause is None]
    pairs = pair(old, [head[at] for at in compared], moves)
    result = [Origin.INTRODUCED] * len(head)
    for position, at in enumerate(compared):
        if position in pairs:
            result[at] = Origin.PRE_EXISTING
    return result
