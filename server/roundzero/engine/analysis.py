"""Runs every check over changed files, and joins what they saw with items. Decides nothing about what is shown.

Linters look at all heads in one batch (``linting``), Python checks run beside them (``own_checks``). The base is looked
at only where the head has a hit in scope, and in other files only where a hit's line was removed (``moved_blocks``),
because a moved block is no new defect. Invariant: what fails costs its own results and becomes a ``Failure``; nothing
is ever silently *clean*.
"""

from __future__ import annotations

import asyncio
from copy import copy
from typing import TYPE_CHECKING

from roundzero import __version__
from roundzero.core.frozen import dataclass
from roundzero.engine.gathering import Applying, Gathering
from roundzero.engine.linting import Linting
from roundzero.engine.moved_blocks import MovedBlocks
from roundzero.engine.observer import Observer, producer
from roundzero.engine.own_checks import OwnChecks
from roundzero.engine.sights import ChangeSight, Elsewhere, FileSight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from roundzero.core.change import Change, FileChange
    from roundzero.core.item import ItemId, Language
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath
    from roundzero.engine.pool import Runner
    from roundzero.engine.repository import Snapshot
    from roundzero.linters import Linter


@dataclass(frozen=True, slots=True)
class Early:
    """Someone who wants what the linters saw when our own checks take longer than ``seconds``."""

    seconds: float
    tell: Callable[[list[FileSight]], None]


class Analyst:
    """Runs one ruleset's checks. ``all_origins``: look at the base for every hit, also out of scope."""

    def __init__(
        self,
        ruleset: Ruleset,
        *,
        linters: Sequence[Linter],
        runner: Runner,
        language: Language = "en",
        all_origins: bool = False,
    ) -> None:
        """Run nothing yet."""
        self.ruleset = ruleset
        self._observer = Observer(ruleset, language, all_origins)
        self._linting = Linting(self._observer, linters)
        self._own = OwnChecks(self._observer, runner)
        self._moved = MovedBlocks(self._observer)
        self._checked = Applying(ruleset.checked)

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of the producers that ran, by name."""
        return {**{producer(item): __version__ for item in self._own.items}, **self._linting.versions}

    def but(self, *, runner: Runner) -> Analyst:
        """The same rules, and what linters are known to see in bases, with Python checks running elsewhere."""
        other = copy(self)
        other._own = OwnChecks(self._observer, runner)  # noqa: SLF001  its own kind
        return other

    async def files(
        self,
        files: Sequence[FileChange],
        *,
        progress: Callable[[int], None] | None = None,
        early: Early | None = None,
    ) -> list[FileSight]:
        """Look at files. ``progress`` is told how many are done.

        ``early`` is told what the linters saw when our own checks are not done in time.
        """
        gatherings = [Gathering(file) for file in files]
        async with asyncio.TaskGroup() as group:
            by_linter = [group.create_task(self._linting.heads(name, gatherings)) for name in self._linting.names]
            own = group.create_task(self._own.heads(gatherings, progress))
            if early is not None:
                await asyncio.wait([own], timeout=early.seconds)
                linting = set(by_linter)
                while linting and not own.done():
                    _, left = await asyncio.wait({own, *linting}, return_when=asyncio.FIRST_COMPLETED)
                    linting &= left
                if not own.done():
                    early.tell(self._done(gatherings))
        return self._done(gatherings)

    def moved_from(self, change: Change, sights: Iterable[FileSight]) -> dict[RelPath, frozenset[ItemId]]:
        """The files some hit's line may have been moved from, by path, with the items of those hits."""
        return self._moved.sources(change, sights)

    def removed_texts(self, file: FileChange) -> frozenset[str]:
        """The collapsed lines that the change removed from a file."""
        return self._moved.removed_texts(file)

    async def elsewhere(self, change: Change, wanted: Mapping[RelPath, frozenset[ItemId]]) -> Elsewhere:
        """Look at the bases of files for some items."""
        gatherings = [Gathering(file) for file in change.files if file.path in wanted]
        if not gatherings:
            return Elsewhere()
        rows = [(gathering, set(wanted[gathering.file.path])) for gathering in gatherings]
        async with asyncio.TaskGroup() as group:
            for gathering, needed in rows:
                group.create_task(self._own.base(gathering, needed))
            for name in self._linting.names:
                group.create_task(self._linting.bases(name, rows))
        return Elsewhere(
            tuple(seen for gathering in gatherings for seen in gathering.base),
            frozenset((gathering.file.path, item) for gathering in gatherings for item in gathering.known),
        )

    async def change(self, snapshot: Snapshot) -> ChangeSight:
        """Look at the change as a whole."""
        return await self._own.change(snapshot)

    def _done(self, gatherings: Iterable[Gathering]) -> list[FileSight]:
        return [gathering.done(self._checked, self._own.wide) for gathering in gatherings]
