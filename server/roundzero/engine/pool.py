"""Where Python checks run when somebody waits for all of them: in this process, or in it and a second one beside it.

The second is a copy of this one where that may be made (``forked``), else a worker, which has to load and be sent all
it needs; of its conversation ``worker_link`` knows, which an editor's engine uses alone. Does not know what is checked.
Invariant: however many processes there are, a file's result is the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
from typing import TYPE_CHECKING, Final, Protocol, cast

from roundzero.engine.repository import BridgedRepository

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roundzero.checkers.run import FileResult
    from roundzero.checkers.run_change import ChangeResult
    from roundzero.core.change import FileChange
    from roundzero.core.item import Item
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.worker_link import Worker

WORTH_A_PROCESS: Final = 1_200_000
"""Characters of changed files from which a worker pays: its start costs what checking 400,000 does.

Measured on two processors: below that little is gained where the second is free, and where it is not, all is lost.
"""

WORTH_A_COPY: Final = 200_000
"""Characters of changed files from which a copy pays: to make it, and the memory it comes to hold, costs what checking
100,000 does.
"""

AHEAD: Final = 16
"""Files that the second process has at hand, so that it never waits until this one has time for it."""


class Runner(Protocol):
    """Runs checks of our own over one file or a change. Every method may raise OutsideError: *not checked*."""

    @property
    def parallel(self) -> int:
        """How many files it is worth giving it at once."""

    async def check_file(self, file: FileChange, items: tuple[Item, ...]) -> FileResult:
        """See checkers.run.check_file."""

    async def check_change(self, snapshot: Snapshot, items: tuple[Item, ...]) -> ChangeResult:
        """See checkers.run_change.check_change."""

    async def close(self) -> None:
        """Let go of processes."""


async def load_checks(items: Iterable[Item]) -> None:
    """Import what ``InProcess`` needs for these items.

    The loop turns after every module, so that git is waited for meanwhile.
    """
    from roundzero import checkers  # noqa: PLC0415  heavy

    for _ in checkers.load(name for item in items for name in item.checkers):
        await asyncio.sleep(0)
    import roundzero.checkers.run  # noqa: PLC0415  as above
    import roundzero.checkers.run_change  # noqa: PLC0415  as above

    await asyncio.sleep(0)
    import roundzero.index.symbols  # noqa: F401, PLC0415  as above


class InProcess:
    """Runs the checks right here. The loop stalls meanwhile, so it is for who waits for the result anyway.

    The cycle collector rests until ``close``: syntax trees have no cycles, and it would walk them all again and again
    (measured: a quarter of the time over 100 files).
    """

    parallel: Final = 1

    def __init__(self) -> None:
        """Let the collector rest."""
        self._collecting = gc.isenabled()
        gc.disable()

    async def check_file(self, file: FileChange, items: tuple[Item, ...]) -> FileResult:
        """See Runner. Lets the loop turn before."""
        from roundzero.checkers.run import FileResult, check_file  # noqa: PLC0415  heavy

        await asyncio.sleep(0)
        return check_file(file, items) or FileResult()

    async def check_change(self, snapshot: Snapshot, items: tuple[Item, ...]) -> ChangeResult:
        """See Runner. Runs in a thread, since it waits for git on this loop."""
        for _ in snapshot.change.files:
            await asyncio.sleep(0)  # let the linters start first: the thread would get in the way of writing the texts
        from roundzero.checkers.run_change import ChangeResult  # noqa: PLC0415  heavy
        from roundzero.engine.whole import SECONDS_ON_REQUEST, check_whole  # noqa: PLC0415  as above

        repository = BridgedRepository(snapshot, asyncio.get_running_loop())
        checked = asyncio.to_thread(
            check_whole,
            snapshot.change,
            repository,
            items,
            keep_in=snapshot.keep_in,
            seconds=SECONDS_ON_REQUEST,
            should_stop=repository.is_closed,
        )
        try:
            return await checked or ChangeResult()
        finally:
            repository.close()

    async def close(self) -> None:
        """Let the collector work again."""
        if self._collecting:
            gc.enable()


class Forked:
    """A copy of this process, which has the files of one change and all that checks them: only results cross."""

    def __init__(self, files: Sequence[FileChange], items: tuple[Item, ...]) -> None:
        """Make the copy. Raises OSError where there is no room for it."""
        from roundzero.checkers.run import FileResult, check_file  # noqa: PLC0415  heavy
        from roundzero.forked import Copy  # noqa: PLC0415  off the start-up path

        self._numbers = {id(file): number for number, file in enumerate(files)}
        self._files = files
        self._items = items
        self._copy = Copy(lambda number: check_file(files[number], items) or FileResult())

    @property
    def pid(self) -> int:
        """The process id of the copy."""
        return self._copy.pid

    def has(self, file: FileChange, items: tuple[Item, ...]) -> bool:
        """Whether it is there and can check a file for these items."""
        return self._copy.alive and id(file) in self._numbers and items == self._items

    async def check_file(self, file: FileChange, items: tuple[Item, ...]) -> FileResult:
        """See Runner. Only for a file that it has."""
        del items
        return cast("FileResult", await self._copy.ask(self._numbers[id(file)]))

    async def close(self) -> None:
        """End the copy."""
        self._copy.close()


class Both:
    """This process and a second one side by side, for a change that is worth it. ``there`` is closed with it."""

    parallel: Final = 1 + AHEAD

    def __init__(self, there: Worker | Forked) -> None:
        """Start nothing."""
        self._here = InProcess()
        self._there = there
        self._free = AHEAD

    async def check_file(self, file: FileChange, items: tuple[Item, ...]) -> FileResult:
        """See Runner."""
        there = self._there
        if not self._free or (isinstance(there, Forked) and not there.has(file, items)):
            return await self._here.check_file(file, items)
        self._free -= 1
        try:
            return await there.check_file(file, items)
        finally:
            self._free += 1

    async def check_change(self, snapshot: Snapshot, items: tuple[Item, ...]) -> ChangeResult:
        """See Runner."""
        return await self._here.check_change(snapshot, items)

    async def close(self) -> None:
        """See Runner."""
        await self._here.close()
        await self._there.close()


def processors() -> int:
    """How many processors this process may use, which may be fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def runner_for(files: Sequence[FileChange], items: tuple[Item, ...], *, alone: bool) -> Runner:
    """What checks files for ``items`` soonest when somebody waits for all of them.

    ``alone``: this process does nothing else, and may be copied.
    """
    size = sum(len(file.head.text) for file in files if file.head is not None)
    if processors() > 1:
        from roundzero.forked import can_fork  # noqa: PLC0415  off the start-up path

        if alone and can_fork():
            with contextlib.suppress(OSError):
                return Both(Forked(files, items)) if size > WORTH_A_COPY else InProcess()
        if size > WORTH_A_PROCESS:
            from roundzero.engine.worker_link import Worker as There  # noqa: PLC0415  for large changes only

            return Both(There())
    return InProcess()
