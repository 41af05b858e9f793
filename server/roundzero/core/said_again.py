"""Which of the things a model says it has said before, where both are of one text.

Between texts core/recognition decides. Nearly the same line is not enough, since neighbours may be two defects: the
words must be alike or, for one item, the line or evidence the same; under the item for everything else the words must
be somewhat alike even there. The surest pairs come first, by words and distance. Invariants: nothing is in two pairs;
input order decides nothing but between equals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.cluster import ALIKE, likeness
from roundzero.core.matching import MODEL_LINES
from roundzero.core.prompt import OTHER
from roundzero.core.recognition import SAME_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.change import Side
    from roundzero.core.finding import Observation
    from roundzero.core.text import RelPath

_REACH: Final = 10
"""Lines over which distance comes to weigh half as much as words do."""


def said_again(
    before: Sequence[tuple[Observation, int]], now: Sequence[Observation], *, surely: bool = False
) -> dict[int, int]:
    """For indices of ``now`` those of ``before``, one to one. ``before`` has each with its line in the text of now.

    ``surely``: all of ``now`` in a file were there before, so that the nearest and most alike is it, however unlike.
    """
    found: list[tuple[float, int, str, int, str, int, int]] = []
    for at, seen in enumerate(now):
        for row, (old, line) in enumerate(before):
            distance = abs(line - seen.line)
            if old.path != seen.path or not (surely or distance <= MODEL_LINES):
                continue
            alike = likeness(old.title, seen.title)
            if surely or _is_one(old, seen, distance, alike):
                cost = distance / (distance + _REACH) - alike + (old.item != seen.item)
                found.append((cost, seen.line, seen.title, line, old.title, at, row))
    pairs: dict[int, int] = {}
    used: set[int] = set()
    for *_, at, row in sorted(found):
        if at not in pairs and row not in used:
            pairs[at] = row
            used.add(row)
    return pairs


def _is_one(old: Observation, seen: Observation, distance: int, alike: float) -> bool:
    """Whether two mentions within a few lines may be of one thing."""
    if old.side is not seen.side:
        return False
    if alike >= SAME_WORDS:
        return True
    here = old.item == seen.item and (not distance or bool(_cited(old) & _cited(seen)))
    return here and (seen.item != OTHER or alike >= ALIKE)


def _cited(seen: Observation) -> set[tuple[RelPath, Side, int, str]]:
    return {(each.path, each.side, each.line, each.quote) for each in seen.evidence}
