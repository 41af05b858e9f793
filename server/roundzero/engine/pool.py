"""Where Python checks run when somebody waits for all of them: in this process, or in it and a worker beside it.

The worker's side of it is ``worker_link``, which an editor's engine uses alone. Does not know what is checked.
Invariant: however many processes there are, a file's result is the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
from typing import TYPE_CHECKING, Final, Protocol

from roundzero.engine.repository import BridgedRepository
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roundzero.checkers.run import FileResult
    from roundzero.checkers.run_change import ChangeResult
    from roundzero.core.change import FileChange
    from roundzero.core.item import Item
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.worker_link import Worker

WORTH_A_PROCESS: Final = 1_200_000
"""Characters of changed files from which a second process pays: its start costs what checking 400,000 does.

Measured on two processors: below that little is gained where the second is free, and where it is not, all is lost.
"""


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


class Both:
    """This process and one worker side by side, for a change that is worth starting a process for."""

    parallel: Final = 3
    """The worker has a second file at hand, so that it never waits until this process has time for it."""

    def __init__(self) -> None:
        """Start nothing."""
        from roundzero.engine.worker_link import Worker as There  # noqa: PLC0415  for large changes only

        self._here = InProcess()
        self._there = There()
        self._idle: list[InProcess | Worker] = [self._here, self._there, self._there]

    async def warm(self) -> None:
        """Start the worker now. One that cannot be started says so to who asks it."""
        with contextlib.suppress(OutsideError):
            await self._there.warm()

    async def check_file(self, file: FileChange, items: tuple[Item, ...]) -> FileResult:
        """See Runner."""
        runner = self._idle.pop() if self._idle else self._here
        try:
            return await runner.check_file(file, items)
        finally:
            self._idle.append(runner)

    async def check_change(self, snapshot: Snapshot, items: tuple[Item, ...]) -> ChangeResult:
        """See Runner."""
        return await self._here.check_change(snapshot, items)

    async def close(self) -> None:
        """See Runner."""
        await self._here.close()
        await self._there.close()


def runner_for(files: Sequence[FileChange]) -> Runner:
    """What checks these files soonest when somebody waits for all of them."""
    size = sum(len(file.head.text) for file in files if file.head is not None)
    return Both() if worth_a_process(size) else InProcess()


def worth_a_process(characters: int) -> bool:
    """Whether checking that much text is done sooner by two processes."""
    return characters > WORTH_A_PROCESS and (os.cpu_count() or 1) > 1
