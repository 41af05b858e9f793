"""Runs a subcommand's asynchronous part, and ends it in order when the system asks the program to end.

SIGTERM and SIGHUP take the way of an interrupt: work is cancelled, children are killed, temporary folders go. What
breaks where nobody waits for it, in a callback of the loop, ends the work as well: whoever waits for what it would have
done would never get it. Invariant: a signal that the person chose to have ignored (``nohup``) stays ignored.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from roundzero.proc import reaping_without_threads

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work``. Raises KeyboardInterrupt when the program was asked to end, however it was asked."""
    results: list[T] = []
    end = _End()
    # A child that is killed while its transport closes is reaped there, and asyncio then warns of a stranger's end.
    logging.getLogger("asyncio").setLevel(logging.ERROR)

    async def watched() -> None:
        end.watch(asyncio.get_running_loop(), asyncio.current_task())
        results.append(await work)  # not the task's, which is spelt out on the way back to the old SIGINT handler

    try:
        with reaping_without_threads():
            asyncio.run(watched())
    except asyncio.CancelledError:
        if end.reason is not None:
            raise end.reason from None
        raise
    return results[0]


class _End:
    """Why the work ends early. Only the first reason counts: what broke may break again while the work puts away."""

    def __init__(self) -> None:
        self.reason: BaseException | None = None
        self._task: asyncio.Task[Any] | None = None

    def watch(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any] | None) -> None:
        self._task = task
        loop.set_exception_handler(self._see)
        if sys.platform != "win32":
            for name in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(name) is signal.SIG_DFL:
                    loop.add_signal_handler(name, self._because, KeyboardInterrupt())

    def _see(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if "handle" in context and isinstance(error, Exception):
            self._because(error)
        else:
            loop.default_exception_handler(context)

    def _because(self, reason: BaseException) -> None:
        if self.reason is None and self._task is not None:
            self.reason = reason
            self._task.cancel()
