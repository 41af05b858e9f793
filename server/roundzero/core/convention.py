"""Items that are conventions of a repository: in force where its own code mostly obeys them.

Pure; counting is engine/conventions.py. Invariant: a convention of which nothing was counted is silent.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.frozen import dataclass
from roundzero.core.item import Prose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.item import Item, ItemId
    from roundzero.core.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Tally:
    """How many cases of an item there are at the base, and how many of them break it."""

    cases: int = 0
    broken: int = 0


def conventions(ruleset: Ruleset) -> tuple[Item, ...]:
    """The enabled items that are conventions."""
    return tuple(item for item in ruleset.items if item.enabled and item.convention is not None)


def settled(ruleset: Ruleset, tallies: Mapping[ItemId, Tally]) -> Ruleset:
    """The rules where only those conventions are on that the repository obeys, each with its share as a reason."""
    if not conventions(ruleset):
        return ruleset
    items = tuple(_settled(item, tallies.get(item.id)) for item in ruleset.items)
    holding = sorted(item.id for item in items if item.enabled and item.convention is not None)
    digest = hashlib.sha256(repr((ruleset.digest, holding)).encode()).hexdigest()
    return replace(ruleset, items=items, digest=digest)


def _settled(item: Item, tally: Tally | None) -> Item:
    if item.convention is None or not item.enabled:
        return item
    if tally is None or not item.convention.holds(cases=tally.cases, broken=tally.broken):
        return replace(item, enabled=False)
    obeying = tally.cases - tally.broken
    en = f"{item.why.en} In this repository {obeying} of {tally.cases} cases do so."
    zh = f"{item.why.zh}本仓库 {tally.cases} 处中有 {obeying} 处如此。" if item.why.zh else ""
    return replace(item, why=Prose(en, zh))
