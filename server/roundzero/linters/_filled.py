"""A temporary folder filled with files for one run of a program, and gone afterwards.

Does not know what is written. Invariants: whoever stops waiting, at whatever moment and however often, leaves no folder
behind, also when the loop ends meanwhile; and nothing is written any more once the removing begins.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from roundzero.errors import OutsideError
from roundzero.scratch import Scratch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

_SECONDS_AT_ONCE: Final = 0.004
"""For which files are written or removed between two turns of the loop."""


@asynccontextmanager
async def filled(room: int, written: Callable[[Path], Iterator[None]]) -> AsyncIterator[Path]:
    """A folder of our own with room for so many bytes, once ``written`` has taken its last step in it.

    Raises OutsideError when it cannot be made or written.
    """
    folder = Scratch(room)
    writing = _Steps(written(folder.path))
    try:
        try:
            await _take(writing, folder)
        except OSError as error:
            raise OutsideError(
                f"a text could not be written for a program to read: {error.strerror or error}; make room, or set"
                " TMPDIR to a folder on a disk that has some"
            ) from error
        yield folder.path
    finally:
        writing.end()
        removing = asyncio.ensure_future(_remove(folder))
        removing.add_done_callback(lambda _: folder.remove())  # it is gone by now, unless the loop ends
        await asyncio.shield(removing)


class _Steps:
    """Small steps, taken on the loop or in a thread, until there are none left or they are ended."""

    def __init__(self, steps: Iterator[None]) -> None:
        self._steps: Iterator[None] | None = steps
        self._lock = threading.Lock()

    def take(self) -> bool:
        """Take one; False when there is none."""
        with self._lock:
            for _ in self._steps or ():
                return True
        return False

    def take_all(self) -> None:
        while self.take():
            pass

    def end(self) -> None:
        """Let nobody take another. Waits for one that is being taken."""
        with self._lock:
            self._steps = None


async def _take(steps: _Steps, folder: Scratch) -> None:
    """Take steps in a folder without holding up the loop.

    Nothing waits for memory; there a thread would only wait for the interpreter, at each step, while checks run on the
    loop (measured: until they were all done). A disk may take its time.
    """
    if not folder.in_memory:
        await asyncio.to_thread(steps.take_all)
        return
    began = time.monotonic()
    while steps.take():
        if time.monotonic() - began > _SECONDS_AT_ONCE:
            await asyncio.sleep(0)
            began = time.monotonic()


async def _remove(folder: Scratch) -> None:
    if folder.in_memory:
        with suppress(OSError):  # what stays is removed afterwards
            await _take(_Steps(_emptied(folder.path)), folder)
    else:
        await asyncio.to_thread(folder.remove)


def _emptied(folder: Path) -> Iterator[None]:
    for place, _, names in os.walk(folder):
        for name in names:
            os.unlink(f"{place}/{name}")  # noqa: PTH108  thousands of them
            yield
