"""The loop of a subcommand: what ends it, and that nothing waits for what cannot come."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from roundzero import proc
from roundzero.cli._loop import run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_callback_that_breaks_ends_the_work_that_waits_for_it() -> None:
    """Its error comes out, once, and the work may still put away what it holds."""
    put_away: list[str] = []

    def callback(loop: asyncio.AbstractEventLoop) -> None:
        loop.call_soon(callback, loop)
        raise MemoryError

    async def work() -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(callback, loop)
        try:
            await loop.create_future()
        finally:
            await asyncio.sleep(0)
            put_away.append("all")

    with pytest.raises(MemoryError):
        run(work())
    assert put_away == ["all"]


def test_programs_are_waited_for_without_a_thread_each(tmp_path: Path) -> None:
    """A thread that finds no room to begin in would be waited for without a limit."""
    code = "import sys; sys.stdin.read()"

    async def work() -> int:
        children = [await proc.Child.start([sys.executable, "-c", code], tmp_path) for _ in range(3)]
        count = threading.active_count()
        for child in children:
            await child.close()
        return count

    before, watcher = threading.active_count(), asyncio.get_child_watcher()
    assert run(work()) == before
    assert asyncio.get_child_watcher() is watcher, "loops in other threads would share it"
