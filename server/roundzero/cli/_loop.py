"""Runs a subcommand's asynchronous part, and ends it in order when the system asks the program to end.

An interrupt, SIGTERM and SIGHUP take one way: work is cancelled, children are killed, temporary folders go. Asking
again does not disturb that, since an exception in the middle of what the loop does would leave others waiting without
end; only who has waited for ``PATIENCE`` seconds is let go at once. What breaks where nobody waits for it, in a
callback of the loop, ends the work as well: whoever waits for what it would have done would never get it. Invariant: a
signal that the person chose to have ignored (``nohup``) stays ignored.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, Final, TypeVar

from roundzero.proc import reaping_without_threads

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")

PATIENCE: Final = 5.0
"""Seconds that putting away may take before another interrupt ends the program as it is."""


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
    if isinstance(end.reason, KeyboardInterrupt):
        raise end.reason
    return results[0]


class _End:
    """Why the work ends early. Only the first reason counts: what broke may break again while the work puts away."""

    def __init__(self) -> None:
        self.reason: BaseException | None = None
        self._since = 0.0
        self._task: asyncio.Task[Any] | None = None

    def watch(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any] | None) -> None:
        self._task = task
        loop.set_exception_handler(self._see)
        if sys.platform != "win32":
            for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(name) not in {signal.SIG_IGN, None}:
                    loop.add_signal_handler(name, self._asked, loop, name)

    def _see(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if "handle" in context and isinstance(error, Exception):
            self._because(error)
        else:
            loop.default_exception_handler(context)

    def _asked(self, loop: asyncio.AbstractEventLoop, name: signal.Signals) -> None:
        if self.reason is not None and loop.time() - self._since > PATIENCE:
            loop.remove_signal_handler(name)
            signal.signal(name, signal.SIG_DFL)
            os.kill(os.getpid(), name)
        self._since = loop.time() if self.reason is None else self._since
        self._because(KeyboardInterrupt())

    def _because(self, reason: BaseException) -> None:
        if self.reason is None and self._task is not None:
            self.reason = reason
            self._task.cancel()
