"""Decides what to start, cancel and accept, and when to wake: events in, effects out.

It holds the state of the automatic lanes and nothing else; it knows no clock (``now`` comes with each event, in seconds
of any monotonic clock), starts nothing and waits for nothing. What a job does is the engine's business.
Invariants: at most one job per file and lane; no file is looked at before the change was collected under the rules in
force; a result is accepted only for the version that is current; whoever follows ``WakeAt`` alone reaches a state in
which nothing is due; a model is asked when nothing else is about to run, and edits never end its job.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final, assert_never

from roundzero.core.frozen import dataclass
from roundzero.core.plan import (
    Accept,
    Cancel,
    Closed,
    Collected,
    Edited,
    Effect,
    Event,
    Finished,
    HeadMoved,
    Lane,
    ModelAsked,
    Opened,
    Paused,
    Rebase,
    Resumed,
    Rhythm,
    RoundAsked,
    Saved,
    SettingsChanged,
    Start,
    Stopped,
    Tick,
    WakeAt,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.text import RelPath

PARALLEL: Final = 2
"""Fast jobs at once: each is three processes and a worker, and a person looks at one file at a time."""

SETTLE: Final = 0.1
"""Seconds a burst of repository events (a checkout, a save with its watched-file echo) is given to end."""

RETRY: Final = 1.0
"""Seconds after which a failed job is tried once more: a process was killed, a file went while it was read."""


@dataclass(frozen=True, slots=True)
class _Job:
    number: int
    version: int
    since: float
    late: bool


@dataclass(slots=True)
class _Work:
    """One lane of one file.

    ``since``: the oldest wish no job has taken up. ``due``: when to start one. ``failed``: the last job did.
    """

    version: int = 0
    since: float | None = None
    due: float | None = None
    job: _Job | None = None
    failed: bool = False

    def ask(self, now: float, delay: float, rhythm: Rhythm) -> None:
        """Want a result, ``delay`` from now at the earliest and ``max_delay`` after the oldest wish at the latest."""
        self.since = self.wished(now)
        self.due = min(now + delay, self.since + rhythm.max_delay)

    def wished(self, now: float) -> float:
        """Since when a result is wanted."""
        return now if self.since is None else self.since

    def drop(self) -> Iterator[Effect]:
        """End the running job; what it was to answer is open again."""
        if self.job is not None:
            yield Cancel(self.job.number)
            self.since = self.job.since if self.since is None else min(self.since, self.job.since)
            self.job = None

    def outdate(self) -> Iterator[Effect]:
        """End the running job unless it is the one that keeps someone served who never pauses."""
        if self.job is not None and not self.job.late:
            yield from self.drop()


@dataclass(slots=True)
class Planner:
    """The state of the automatic lanes. ``collected``: the change is known under the rules in force."""

    rhythm: Rhythm = field(default_factory=Rhythm)
    paused: bool = False
    collected: bool = True
    _files: dict[RelPath, _Work] = field(default_factory=dict)
    _change: _Work = field(default_factory=_Work)
    _model: _Work = field(default_factory=_Work)
    _jobs: int = 0

    @property
    def running(self) -> int:
        """Number of jobs started and not ended."""
        return sum(work.job is not None for work in self._all())

    @property
    def asking(self) -> bool:
        """Whether a job of the model lane runs."""
        return self._model.job is not None

    @property
    def behind(self) -> bool:
        """Whether an edit waits that will not be looked at by itself: until it is saved, or the pause ends."""
        return any(work.since is not None and (self.paused or work.due is None) for work in self._files.values())

    @property
    def due(self) -> float | None:
        """When something waits to be started, the earliest time; None while paused or with nothing to do."""
        if self.paused:
            return None
        fast = [work.due for work in self._files.values() if work.due is not None and work.job is None]
        if not self.collected or self._free() <= 0:
            fast = []
        change = [self._change.due] if self._change.due is not None and self._change.job is None else []
        model = [self._model.due] if self._model.due is not None and self._may_ask() else []
        return min(fast + change + model, default=None)

    def handle(self, event: Event, now: float) -> list[Effect]:
        """Take in an event; the effects are to be carried out in order, at once."""
        effects = list(self._take(event, now))
        effects += self._start(now)
        if (due := self.due) is not None:
            effects.append(WakeAt(due))
        return effects

    def _take(self, event: Event, now: float) -> Iterator[Effect]:  # noqa: C901, PLR0912  one arm per event
        match event:
            case Opened(path, version):
                yield from self._open(path, version, now)
            case Edited(path, version):
                yield from self._edit(path, version, now)
            case Saved(path):
                work = self._files.get(path)
                if work is not None and work.since is not None and work.job is None:
                    work.ask(now, 0, self.rhythm)
                self._change.ask(now, SETTLE, self.rhythm)
                if self.rhythm.model_on_save:
                    self._want_model(now, SETTLE)
            case Closed(path):
                if (work := self._files.pop(path, None)) is not None:
                    yield from work.drop()
                self._model.version += 1
                self._change.ask(now, SETTLE, self.rhythm)
            case HeadMoved():
                yield from self._change.outdate()
                self._change.ask(now, SETTLE, self.rhythm)
            case SettingsChanged(rhythm):
                yield from self._begin_anew(rhythm, now)
            case RoundAsked():
                self._change.ask(now, 0, self.rhythm)
            case ModelAsked():
                self._want_model(now, 0)
            case Collected(paths):
                self.collected = True
                if self.rhythm.model_idle is not None and self._model.due is None:
                    self._want_model(now, self.rhythm.model_idle)
                for path in paths & self._files.keys():  # a running look goes on: somebody waits for it
                    self._files[path].ask(now, 0, self.rhythm)
            case Finished(job, failed):
                yield from self._finish(job, now, failed=failed)
            case Paused():
                self.paused = True
                yield from self._stop_asking(now)
            case Resumed():
                self.paused = False
            case Stopped():
                for work in self._all():
                    yield from work.drop()
                    work.since = work.due = None
            case Tick():
                pass
            case _:
                assert_never(event)

    def _open(self, path: RelPath, version: int, now: float) -> Iterator[Effect]:
        if (known := self._files.pop(path, None)) is not None:
            yield from known.drop()
        work = self._files[path] = _Work(version)
        self._model.version += 1
        work.ask(now, 0, self.rhythm)
        self._need_change(now, 0)

    def _edit(self, path: RelPath, version: int, now: float) -> Iterator[Effect]:
        work = self._files.setdefault(path, _Work())
        work.version = version
        self._model.version += 1
        if self.rhythm.model_idle is not None:
            self._want_model(now, self.rhythm.model_idle)
        yield from work.outdate()
        if self.rhythm.on_type:
            work.ask(now, self.rhythm.debounce, self.rhythm)
        else:
            work.since = work.wished(now)
            work.due = None
        self._need_change(now, self.rhythm.debounce)

    def _need_change(self, now: float, delay: float) -> None:
        """Collect the change for files that wait for it, when nothing else is about to: it failed or was stopped."""
        if not self.collected and self._change.job is None and self._change.due is None:
            self._change.ask(now, delay, self.rhythm)

    def _begin_anew(self, rhythm: Rhythm, now: float) -> Iterator[Effect]:
        self.rhythm = rhythm
        self.collected = False
        yield from self._model.drop()
        self._model.since = self._model.due = None
        for work in (*self._files.values(), self._change):
            yield from work.drop()
            work.ask(now, 0, rhythm)

    def _stop_asking(self, now: float) -> Iterator[Effect]:
        """End the model's job, because it spends; it goes on from where it was when the pause ends."""
        if self._model.job is not None:
            yield from self._model.drop()
            self._model.due = now

    def _want_model(self, now: float, delay: float) -> None:
        """Ask a model so long from now: unlike other lanes it may wait as long as somebody types."""
        self._model.since = self._model.wished(now)
        self._model.due = now + delay

    def _may_ask(self) -> bool:
        """Whether nothing that costs nothing is running or about to: a model is told what the checks saw."""
        free = all(work.job is None and work.due is None for work in (*self._files.values(), self._change))
        return free and self.collected and self._model.job is None

    def _finish(self, number: int, now: float, *, failed: bool) -> Iterator[Effect]:
        for work in self._all():
            if work.job is None or work.job.number != number:
                continue
            job, work.job = work.job, None
            work.failed, again = failed, failed and not work.failed
            if again and work.due is None:
                work.since, work.due = work.wished(now), now + RETRY
            if failed:
                return
            yield Accept(number) if work is self._change or job.version == work.version else Rebase(number)
            return

    def _start(self, now: float) -> Iterator[Effect]:
        if self.paused:
            return
        waiting: list[tuple[float, RelPath | None, _Work]] = [
            (work.wished(now), path, work) for path, work in self._files.items() if _is_due(work, now)
        ]
        waiting.sort(key=lambda entry: (entry[0], entry[1] or ""))
        waiting = waiting[: max(0, self._free()) if self.collected else 0]
        if _is_due(self._change, now):
            waiting.append((self._change.wished(now), None, self._change))
        if not waiting and _is_due(self._model, now) and self._may_ask():
            waiting.append((self._model.wished(now), None, self._model))
        for since, path, work in waiting:
            self._jobs += 1
            work.job = _Job(self._jobs, work.version, since, late=now >= since + self.rhythm.max_delay)
            work.since = work.due = None
            if path is not None:
                yield Start(self._jobs, Lane.FAST, path, work.version)
            else:
                yield Start(self._jobs, Lane.CHANGE if work is self._change else Lane.MODEL, None, None)

    def _free(self) -> int:
        return PARALLEL - sum(work.job is not None for work in self._files.values())

    def _all(self) -> Iterator[_Work]:
        yield from self._files.values()
        yield self._change
        yield self._model


def _is_due(work: _Work, now: float) -> bool:
    return work.job is None and work.due is not None and work.due <= now
