"""How many points of the checklists a model is asked about a unit: the fewer lines it changes, the fewer.

Five lines that are read against thirty questions get thirty shallow answers. Severity decides what is left out first.
Points that the repository added itself stay: somebody wrote them for just such lines. Invariants: more lines are never
asked less; the question about everything else is always there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.item import Severity
from roundzero.core.prompt import OTHER
from roundzero.core.rule_files import holds_packs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.item import Item, ItemId

SMALL: Final = 5
"""Up to so many changed lines only what may block is asked."""

MIDDLING: Final = 25
"""Up to so many, nothing about mere form (P3)."""


def asked_of(items: Iterable[Item], lines: int) -> tuple[ItemId, ...]:
    """Those of ``items`` to ask about a unit that changes so many ``lines``, in their order."""
    mildest = Severity.P1 if lines <= SMALL else Severity.P2 if lines <= MIDDLING else Severity.P3
    return tuple(
        item.id
        for item in items
        if item.severity <= mildest or item.id == OTHER or item.severity_set or holds_packs(item.origin_file)
    )
