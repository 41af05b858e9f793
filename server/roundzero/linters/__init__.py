"""External programs that check source text: what a linter is, and how linters are found.

Ruff and ast-grep come with Round Zero. The others are optional: they run where they are installed and the repository is
trusted, and nobody misses them elsewhere. A linter sees texts, never the work tree: unsaved buffers and old versions
are checked exactly as they are, and neither odd paths, links nor a repository's configuration files can interfere; only
what lays code out follows the repository's own configuration. Invariant: a module of this package whose name does not
begin with ``_`` defines ``LINTER`` or, for an optional one, ``OPTIONAL``, and what a linter reports stands at core
positions of the very text it was given.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Protocol

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import ModuleType

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

    async def version(self) -> str:
        """The version of the program, as it calls itself."""

    async def run(self, sources: Sequence[Source], items: Sequence[Item]) -> LinterResult:
        """Check sources for the items it takes. What fails is in the result; only cancellation is raised."""


class Shipped(Linter, Protocol):
    """A linter that comes with Round Zero."""

    def at(self, path: str) -> Linter:
        """The same linter, run from the program at ``path`` (full, or a name to find on PATH) instead of our copy."""


class Optional(Protocol):
    """A linter that runs where somebody has installed it, in trusted repositories only."""

    @property
    def name(self) -> str:
        """The producer's name in findings, the program's name on PATH, and the name in settings."""

    @property
    def slow(self) -> bool:
        """Whether it takes too long to run while somebody types."""

    async def ready(self, own: str | None, root: Path | None) -> Linter | str:
        """The linter, or in a few words why it cannot run here.

        ``own``: the program's path, by the settings. ``root``: the work tree; None: there is none to take a
        configuration from. Only for a repository that is trusted.
        """


def discover() -> tuple[Shipped, ...]:
    """Every linter that comes with Round Zero, by name."""
    found = (getattr(module, "LINTER", None) for module in _modules())
    return tuple(linter for linter in found if linter is not None)


def optional() -> tuple[Optional, ...]:
    """Every optional linter of this package, by name, installed or not."""
    found = (getattr(module, "OPTIONAL", None) for module in _modules())
    return tuple(linter for linter in found if linter is not None)


def _modules() -> Iterator[ModuleType]:
    for name in sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")):
        yield importlib.import_module(f"{__name__}.{name}")
