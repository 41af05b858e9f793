"""External programs that check source text: what a linter is, and how linters are found.

A linter sees texts, never the work tree: unsaved buffers and old versions are checked exactly as they are, and neither
odd paths, links nor a repository's configuration files can interfere. Invariant: a module of this package whose name
does not begin with ``_`` defines ``LINTER``, and what a linter reports stands at core positions of the very text it was
given.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.change import Source
    from roundzero.core.finding import Hit
    from roundzero.core.item import Item, ItemId
    from roundzero.core.suppress import Directive
    from roundzero.core.text import Position


@dataclass(frozen=True, slots=True)
class LinterResult:
    """What one run over several sources gave; the numbers are indices into its sources.

    ``hits``: source, item, hit, in the order of the sources. ``failures``: what was not checked and why, for one source
    or (None) for all. ``syntax_errors``: sources the linter could not read as their language, with the first place.
    ``silenced``: comments in the linter's own language, each as the directive that covers one of the hits.
    """

    hits: tuple[tuple[int, ItemId, Hit], ...] = ()
    failures: tuple[tuple[int | None, str], ...] = ()
    syntax_errors: tuple[tuple[int, Position, str], ...] = ()
    parsed: tuple[int, ...] = ()
    silenced: tuple[tuple[int, Directive], ...] = ()

    def silencers_in(self, source: int) -> tuple[Directive, ...]:
        """The comments in the linter's language in one source."""
        return tuple(directive for at, directive in self.silenced if at == source)


class Linter(Protocol):
    """One external program."""

    @property
    def name(self) -> str:
        """The producer's name in findings."""

    def takes(self, item: Item) -> bool:
        """Whether one of the item's checks is for this linter."""

    def at(self, path: str) -> Linter:
        """The same linter, run from the program at ``path`` (full, or a name to find on PATH) instead of our copy."""

    async def version(self) -> str:
        """The version of the program, as it calls itself."""

    async def run(self, sources: Sequence[Source], items: Sequence[Item]) -> LinterResult:
        """Check sources for the items it takes. What fails is in the result; only cancellation is raised."""


def discover() -> tuple[Linter, ...]:
    """Every linter of this package, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(importlib.import_module(f"{__name__}.{name}").LINTER for name in names)
