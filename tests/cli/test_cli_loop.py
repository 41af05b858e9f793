"""The loop of a subcommand: what ends it, and that nothing waits for what cannot come."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
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


def test_asking_again_does_not_disturb_what_puts_away() -> None:
    """However often somebody interrupts: all of it is put away, and it is one interrupt."""
    put_away: list[int] = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.get_running_loop().create_future()
        finally:
            for number in range(20):
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.sleep(0)
                put_away.append(number)

    with pytest.raises(KeyboardInterrupt):
        run(work())
    assert put_away == [*range(20)]


def test_who_interrupts_when_the_work_is_done_is_heard() -> None:
    """Nothing is printed after it."""

    async def work() -> int:
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.get_running_loop().create_future()
        return 1

    with pytest.raises(KeyboardInterrupt):
        run(work())


def test_who_has_waited_long_is_let_go() -> None:
    """Work that never ends to put away does not hold a person who asks again."""
    code = """if True:
        import asyncio, os, signal
        from roundzero.cli import _loop
        _loop.PATIENCE = -1.0
        async def work():
            os.kill(os.getpid(), signal.SIGINT)
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.get_running_loop().create_future()
        _loop.run(work())
    """
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == -signal.SIGINT


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
