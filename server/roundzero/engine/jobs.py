"""Carries out what the planner decides: starts, cancels and reaps jobs, and keeps its one timer.

Knows nothing of files or findings. The only place that makes tasks for a live engine. Invariants: events are handled in
the order they come, each at once; an ended job is told to the planner exactly once, a cancelled one never.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from roundzero.core import plan

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from roundzero.core.planner import Planner
    from roundzero.core.text import RelPath

_log: Final = logging.getLogger(__name__)

T = TypeVar("T")

CLOSE_SECONDS: Final = 5.0
"""A task that does not end when cancelled is left behind after this."""


class Jobs(Generic[T]):
    """The jobs of one engine. ``work`` makes a job's coroutine, ``accept`` takes its result."""

    def __init__(
        self,
        planner: Planner,
        *,
        work: Callable[[plan.Lane, RelPath | None], Coroutine[None, None, T]],
        accept: Callable[[T], None],
        failed: Callable[[RelPath | None, BaseException], None],
        told: Callable[[], None],
    ) -> None:
        """Start nothing. ``failed`` hears whose error it was (None: the change lane's), ``told`` of handled events."""
        self._planner = planner
        self._work = work
        self._accept = accept
        self._failed = failed
        self._told = told
        self._running: dict[int, asyncio.Task[T]] = {}
        self._results: dict[int, T] = {}
        self._others: set[asyncio.Task[object]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self.closed = False

    @property
    def running(self) -> bool:
        """Whether a job runs."""
        return bool(self._running)

    @property
    def quiet(self) -> bool:
        """Whether nothing runs and nothing is due."""
        return not self._running and self._planner.due is None

    def post(self, event: plan.Event) -> None:
        """Take in an event and carry out its effects."""
        if self.closed:
            return
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for effect in self._planner.handle(event, loop.time()):
            match effect:
                case plan.Start(job, lane, path, _):
                    self._start(job, lane, path)
                case plan.Cancel(job):
                    if (task := self._running.pop(job, None)) is not None:
                        self._keep(task)
                        task.cancel()
                case plan.Accept(job) | plan.Rebase(job):
                    self._accept(self._results.pop(job))
                case plan.WakeAt(at):
                    self._timer = loop.call_at(at, self.post, plan.Tick())
        self._told()

    def spawn(self, work: Coroutine[None, None, object]) -> None:
        """Run something beside the jobs. What goes wrong with it is the change lane's."""
        task = asyncio.ensure_future(work)
        self._keep(task)
        task.add_done_callback(self._spawned)

    async def close(self) -> None:
        """Cancel everything and wait for it to end."""
        self.closed = True
        if self._timer is not None:
            self._timer.cancel()
        tasks = [task for task in {*self._others, *self._running.values()} if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_SECONDS)

    def _keep(self, task: asyncio.Task[T] | asyncio.Task[object]) -> None:
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    def _spawned(self, task: asyncio.Task[object]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None and not self.closed:
            self._failed(None, error)
            self._told()

    def _start(self, number: int, lane: plan.Lane, path: RelPath | None) -> None:
        task = asyncio.ensure_future(self._work(lane, path))
        self._running[number] = task
        _log.debug("job %d: %s %s", number, lane.value, path or "")
        task.add_done_callback(lambda done: self._end(number, path, done))

    def _end(self, number: int, path: RelPath | None, task: asyncio.Task[T]) -> None:
        error = None if task.cancelled() else task.exception()
        if self._running.pop(number, None) is None:
            return
        if error is not None:
            self._failed(path, error)
        elif not task.cancelled():
            self._results[number] = task.result()
        self.post(plan.Finished(number, failed=number not in self._results))
        self._results.pop(number, None)
