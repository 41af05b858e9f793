"""Runs a subcommand's asynchronous part, and ends it in order when the system asks the program to end.

SIGTERM and SIGHUP take the way of an interrupt: work is cancelled, children are killed, temporary folders go.
Invariant: a signal that the person chose to have ignored (``nohup``) stays ignored.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work``. Raises KeyboardInterrupt when the program was asked to end, however it was asked."""
    ended = False
    results: list[T] = []
    # A child that is killed while its transport closes is reaped there, and asyncio then warns of a stranger's end.
    logging.getLogger("asyncio").setLevel(logging.ERROR)

    async def watched() -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  a coroutine that runs is in a task

        def end() -> None:
            nonlocal ended
            ended = True
            task.cancel()

        if sys.platform != "win32":
            for name in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(name) is signal.SIG_DFL:
                    asyncio.get_running_loop().add_signal_handler(name, end)
        results.append(await work)  # not the task's, which is spelt out on the way back to the old SIGINT handler

    try:
        asyncio.run(watched())
    except asyncio.CancelledError:
        if ended:
            raise KeyboardInterrupt from None
        raise
    return results[0]
