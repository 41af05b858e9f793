"""Ids of findings from one text to the next while somebody types.

Invariant: a finding that is matched with one of before has its id, and nothing else has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.finding import first_id
from roundzero.core.matching import Moves, assign_ids, pair

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from roundzero.core.finding import Finding, FindingId, Observation


def kept_ids(seen: Sequence[Observation], old: Sequence[Finding], moves: Moves) -> dict[int, FindingId]:
    """The ids of old findings that observations are matched with, by index."""
    if not old:
        return {}
    sure = _unmoved([finding.seen for finding in old], seen, moves)
    done = set(sure.values())
    rest = [at for at in range(len(seen)) if at not in sure]
    left = [was for was in range(len(old)) if was not in done]
    kept = {at: old[was].id for at, was in sure.items()}
    if rest and left:
        pairs = pair([old[was].seen for was in left], [seen[at] for at in rest], moves)
        kept |= {rest[at]: old[left[was]].id for at, was in pairs.items()}
    return kept


def _unmoved(old: Sequence[Observation], new: Sequence[Observation], moves: Moves) -> dict[int, int]:
    """What the first test of ``pair`` finds where only one place fits: nearly everything, at a keystroke's cost."""
    there: dict[Hashable, int | None] = {}
    for was, each in enumerate(old):
        if (line := moves.line(each.path, each.line)) is not None:
            place = (each.item, moves.path(each.path), each.symbol, each.anchor_text, line)
            there[place] = None if place in there else was
    found: dict[int, int] = {}
    taken: set[int] = set()
    for at, each in enumerate(new):
        only = there.get((each.item, each.path, each.symbol, each.anchor_text, each.line))
        if only is not None:
            if only in taken:
                return {}
            taken.add(only)
            found[at] = only
    return found


def identify(
    seen: Sequence[Observation],
    old: Sequence[Finding],
    moves: Moves,
    *,
    kept: Mapping[int, FindingId] | None = None,
    reserved: Collection[FindingId] = (),
) -> list[FindingId]:
    """Ids for observations: that of the old finding each is matched with, else a first id nobody has.

    ``kept`` are ids that are known already, by index; ``reserved`` are not given to anything else.
    """
    ids = assign_ids(seen)
    if kept is None:
        kept = kept_ids(seen, old, moves)
    taken = {*kept.values(), *reserved}
    for at, first in enumerate(ids):
        if at in kept:
            ids[at] = kept[at]
            continue
        ordinal, each, name = 0, seen[at], first
        while name in taken:
            name = first_id(each.item, each.path, each.symbol, each.anchor_text, ordinal)
            ordinal += 1
        ids[at] = name
        taken.add(name)
    return ids


def renamed(findings: list[Finding], names: Mapping[FindingId, FindingId]) -> list[Finding]:
    """The findings under the names they take over, by their names so far."""
    if not names:
        return findings
    return [finding.but(id=names[finding.id]) if finding.id in names else finding for finding in findings]
