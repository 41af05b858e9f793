"""The items in force for one review, after packs and settings were put together.

A value: loading is packs/loader.py, running is the engine. Invariant: ids are unique; ``digest`` changes when anything
that can change a result does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from roundzero.core.item import Item, ItemId


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was set: a file, or another source in words, and the line from 1, 0 where there is none."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        """The place as editors and terminals link it."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a pack or a configuration file, and ignored. ``line`` from 1, 0 when unknown.

    ``lost``: an item or a pack was dropped, so that something is not checked.
    ``whole``: nothing of the file counts, so that a review by what is left would not be the one that was asked for.
    """

    file: str
    line: int
    message: str
    whole: bool = False
    lost: bool = False

    def __str__(self) -> str:
        """The problem as editors and terminals link it."""
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


@dataclass(frozen=True)
class Ruleset:
    """All items known, enabled or not, in the packs' order, and what was wrong while loading them."""

    items: tuple[Item, ...]
    digest: str
    problems: tuple[Problem, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[ItemId, Item]:
        """Items by full name; aliases lead to the item they became."""
        table = {alias: item for item in self.items for alias in item.aliases}
        table.update({item.id: item for item in self.items})
        return table

    def able(self, linters: Collection[str]) -> Ruleset:
        """The rules where these are the optional linters that run: what only another could check is off."""
        names = frozenset(linters)
        items = tuple(
            replace(item, enabled=False) if item.enabled and item.needs_linter and not item.linters & names else item
            for item in self.items
        )
        return self if items == self.items else replace(self, items=items)

    @cached_property
    def checked(self) -> tuple[Item, ...]:
        """Enabled items that have a check."""
        return tuple(item for item in self.items if item.enabled and item.checks)
