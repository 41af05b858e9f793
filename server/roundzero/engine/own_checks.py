"""Runs our own checks, checkers and text rules, over changed files and over the change as a whole.

Where they run is the runner's business. Invariant: what a checker could not look at costs its own items, and a base it
could not read is unknown, never *clean*.
"""

from __future__ import annotations

import asyncio
import itertools
from functools import cached_property
from typing import TYPE_CHECKING

from roundzero.checkers import is_wide
from roundzero.core.change import FileChange, Side, Source, Status
from roundzero.core.checklist import Failure
from roundzero.core.item import CheckerCheck, TextCheck
from roundzero.core.linemap import Hunk
from roundzero.engine.gathering import CHECKS, Applying
from roundzero.engine.sights import ChangeSight
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from roundzero.checkers.run import FileResult
    from roundzero.core.finding import Hit, Observation
    from roundzero.core.item import Item, ItemId
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath
    from roundzero.engine.gathering import Gathering
    from roundzero.engine.observer import Observer
    from roundzero.engine.pool import Runner
    from roundzero.engine.repository import Snapshot


class OwnChecks:
    """The checks of one ruleset that are ours."""

    def __init__(self, observer: Observer, runner: Runner) -> None:
        """Run nothing yet."""
        self.items = own_items(observer.ruleset)
        self._observer = observer
        self._runner = runner

    @cached_property
    def wide(self) -> frozenset[ItemId]:
        """The items that look at the change as a whole."""
        return frozenset(item.id for item in self._wide)

    async def heads(self, gatherings: Sequence[Gathering], progress: Callable[[int], None] | None) -> None:
        """Check files, as many at a time as pays. ``progress`` is told how many are done."""
        for _ in gatherings:
            await asyncio.sleep(0)  # let the linters write the texts and start first: they run beside us
        todo, done, applying = iter(gatherings), itertools.count(1), Applying(self.items)

        async def take() -> None:
            for gathering in todo:
                items = applying.to(gathering.file.path)
                if items:
                    await self._check(gathering, items)
                if progress is not None:
                    progress(next(done))

        async with asyncio.TaskGroup() as group:
            for _ in range(self._runner.parallel):
                group.create_task(take())

    async def base(self, gathering: Gathering, needed: set[ItemId]) -> None:
        """Look at a base for some items, as if it were a new file."""
        base = gathering.file.base
        items = tuple(item for item in self.items if item.id in needed)
        if base is None or not items:
            return
        names = {item.id for item in items}
        gathering.based |= names
        try:
            result = await self._runner.check_file(_alone(base), items)
        except OutsideError:
            gathering.unbased |= names
            return
        gathering.unbased |= names & result.not_checked
        gathering.base += [self._seen(name, hit, gathering.file, base=True) for name, hit in result.head]
        if result.unparsed is not None:
            gathering.base_parsing.failed[CHECKS] = (result.unparsed.position, result.unparsed.message)

    async def change(self, snapshot: Snapshot) -> ChangeSight:
        """Look at the change as a whole."""
        items = self._wide
        if not items:
            return ChangeSight()
        names = frozenset(item.id for item in items)
        try:
            result = await self._runner.check_change(snapshot, items)
        except OutsideError as error:
            return ChangeSight(failures=(Failure(message=f"checks of the whole change: {error}", items=names),))
        seen: list[Observation] = []
        sources: dict[tuple[RelPath, Side], Source | None] = {}
        for name, hit in result.hits:
            if hit.path is not None and hit.span is not None and (hit.path, hit.side) not in sources:
                try:
                    sources[hit.path, hit.side] = await _source(snapshot, hit.path, hit.side)
                except OutsideError:
                    sources[hit.path, hit.side] = None
            source = sources.get((hit.path, hit.side)) if hit.path is not None else None
            seen.append(self._observer.own(name, hit, source))
        outside = {
            path: source
            for (path, side), source in sources.items()
            if source is not None and side is Side.HEAD and snapshot.change.file(path) is None
        }
        failures = tuple(Failure(message=str(each), items=each.items) for each in result.failures)
        silent = frozenset(item for failure in failures for item in failure.items)
        return ChangeSight(tuple(seen), failures, names - silent, outside)

    async def _check(self, gathering: Gathering, items: frozenset[ItemId]) -> None:
        file = gathering.file
        try:
            result = await self._runner.check_file(file, self.items)
        except OutsideError as error:
            gathering.silence(f"{file.path}: {error}", items)
            return
        self._note(gathering, result)
        seen = [self._seen(name, hit, file) for name, hit in result.head]
        if file.base is not None:
            needed = self._observer.needs_base(file, seen)
            if self._observer.all_origins:
                await self.base(gathering, needed)
            else:
                gathering.based |= needed
                gathering.unbased |= result.unbased
                gathering.base += [self._seen(name, hit, file, base=True) for name, hit in result.base]
        gathering.head[CHECKS] = seen

    @staticmethod
    def _note(gathering: Gathering, result: FileResult) -> None:
        """Write down what was not checked."""
        if result.unparsed is not None:
            gathering.silent |= result.unparsed.items
            gathering.head_parsing.failed[CHECKS] = (result.unparsed.position, result.unparsed.message)
        if result.base_unparsed is not None:
            gathering.uncompared |= result.base_unparsed.items
            gathering.base_parsing.failed[CHECKS] = (result.base_unparsed.position, result.base_unparsed.message)
        for failure in result.failures:
            gathering.silence(f"{gathering.file.path}: {failure}", failure.items)

    def _seen(self, name: ItemId, hit: Hit, file: FileChange, *, base: bool = False) -> Observation:
        return self._observer.own(name, hit, file.base if base or hit.side is Side.BASE else file.head)

    @cached_property
    def _wide(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if any(is_wide(name) for name in item.checkers))


def own_items(ruleset: Ruleset) -> tuple[Item, ...]:
    """The items that are checked by checks of ours."""
    own = (CheckerCheck, TextCheck)
    return tuple(item for item in ruleset.checked if any(isinstance(check, own) for check in item.checks))


def _alone(source: Source) -> FileChange:
    lines = source.index.line_count
    hunks = (Hunk(0, 0, 1, lines),) if lines else ()
    return FileChange(path=source.path, status=Status.ADDED, base=None, head=source, hunks=hunks)


async def _source(snapshot: Snapshot, path: RelPath, side: Side) -> Source | None:
    file = snapshot.change.file(path)
    if file is not None:
        return file.head if side is Side.HEAD else file.base
    return await snapshot.read(path, side)
