"""The checks that no keystroke waits for: of files in between those it does, of the whole change in a process apart.

Does not know what is checked. Invariant: a check that a keystroke waits for never stands behind one of these for longer
than it takes to stop it, unless it was stopped ``TURNS`` times before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.engine.worker_link import Worker

if TYPE_CHECKING:
    from roundzero.checkers.run import FileResult
    from roundzero.checkers.run_change import ChangeResult
    from roundzero.core.change import FileChange
    from roundzero.core.item import Item
    from roundzero.engine.repository import Snapshot


class Patient:
    """A ``Runner`` on the worker of somebody who types."""

    parallel: Final = 1

    def __init__(self, worker: Worker) -> None:
        """Start nothing. The worker is its owner's to close."""
        self._worker = worker

    async def check_file(self, file: FileChange, items: tuple[Item, ...]) -> FileResult:
        """See Runner."""
        return await self._worker.check_between(file, items)

    async def check_change(self, snapshot: Snapshot, items: tuple[Item, ...]) -> ChangeResult:
        """See Runner. In a process that ends with it: it needs much memory, for something that is rare."""
        apart = Worker(wide=True)
        try:
            return await apart.check_change(snapshot, items)
        finally:
            await apart.close()

    async def close(self) -> None:
        """See Runner. Nothing of its own outlives a call."""
