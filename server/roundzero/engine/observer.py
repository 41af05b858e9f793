"""Joins what programs saw with the items of one ruleset, and says of which items the base has to be looked at.

Runs nothing. Invariant: an item without a hit in scope at the head costs nothing at the base.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero import __version__
from roundzero.core.change import Side
from roundzero.core.finding import observe
from roundzero.core.frozen import dataclass
from roundzero.core.scope import out_of_scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import FileChange, Source
    from roundzero.core.finding import Hit, Observation
    from roundzero.core.item import Item, ItemId, Language
    from roundzero.core.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Observer:
    """How hits are seen. ``all_origins``: the base matters for every hit, also out of scope."""

    ruleset: Ruleset
    language: Language
    all_origins: bool

    def linted(self, name: ItemId, hit: Hit, source: Source | None, linter: str, version: str) -> Observation:
        """A linter's hit."""
        item = self.ruleset.by_id[name]
        return observe(item, hit, source, producer=linter, version=version, language=self.language)

    def own(self, name: ItemId, hit: Hit, source: Source | None) -> Observation:
        """A hit of our own checks."""
        item = self.ruleset.by_id[name]
        return observe(item, hit, source, producer=producer(item), version=__version__, language=self.language)

    def in_scope(self, seen: Observation, file: FileChange) -> bool:
        """Whether anyone wants to know where an observation comes from."""
        return self.all_origins or out_of_scope(self.ruleset.by_id[seen.item], seen, file) is None

    def needs_base(self, file: FileChange, seen: Iterable[Observation]) -> set[ItemId]:
        """The items whose hits at the head must be compared with the base."""
        if file.base is None:
            return set()
        return {
            each.item for each in seen if each.side is Side.HEAD and each.cause is None and self.in_scope(each, file)
        }


def producer(item: Item) -> str:
    """What makes findings of an item that our own checks decide."""
    return item.checkers[0] if item.checkers else "text"
