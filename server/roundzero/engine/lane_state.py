"""What a model lane is doing, in the contract's words, and what a person must hear of it.

Knows neither questions nor budget: the lane says what happened. Invariant: each cause that a person can do something
about is told once.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from roundzero.engine.telling import LaneState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from roundzero.engine.asking import Asking
    from roundzero.engine.quick_review import Answer
    from roundzero.engine.review import ProgressSink

WAITS: Final = frozenset({LaneState.WAITING, LaneState.BUDGET_SPENT})
"""States that end by themselves, where it is known when."""

_WAIT: Final = "wait"
_STAGES: Final = frozenset({"draft", "recheck", "confirm", "fact-check", "overview", _WAIT})
"""Stages of a deep review in which a model is asked, as its progress names them."""


class LaneStanding:
    """See the module. ``say`` pops up. ``trouble``: what kept the last run from its end, in words.

    ``cause``: why answers did not come in the last run, as it was told.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        """Nothing has happened."""
        self.running = False
        self.trouble: str | None = None
        self.cause: str | None = None
        self.stage: str | None = None
        """What a model is asked for beside the lane's runs, for a person who waits for a deep review."""
        self.waits = False
        self.seen: tuple[LaneState, float | None] = (LaneState.IDLE, None)
        """The last state of whoever asks that says something, and until when it lasts."""
        self._say = say
        self._said_of: set[str] = set()

    def begin(self) -> None:
        """A run begins."""
        self.running, self.seen, self.cause = True, (LaneState.IDLE, None), None

    def heard(self, asking: Asking | None) -> None:
        """The one who asks is in another state; the last one that says something is kept past its end."""
        if asking is not None and asking.state is not LaneState.IDLE:
            self.seen = (asking.state, asking.until)

    def now(self, *, paused: bool) -> tuple[LaneState, float | None]:
        """The state, and until when it lasts in seconds since the epoch."""
        if self.stage is not None:
            return (LaneState.WAITING if self.waits else LaneState.RUNNING), None
        if paused:
            return LaneState.PAUSED, None
        state, until = self.seen
        ahead = until is not None and until > time.time()
        if self.running:
            return (state, until) if state in {*WAITS, LaneState.OFFLINE} else (LaneState.RUNNING, None)
        lasts = state in {LaneState.OFFLINE, LaneState.PAUSED}
        if state in WAITS:
            lasts = ahead or (state is LaneState.BUDGET_SPENT and until is None)
        return (state, until) if lasts else (LaneState.IDLE, None)

    def watched(self, progress: ProgressSink | None, tell: Callable[[], None]) -> ProgressSink:
        """Who watches a deep review, so that the lane shows its stage. ``tell``: that it has gone on."""
        return _Watched(self, progress, tell)

    def rest(self) -> None:
        """What a person waited for is over."""
        self.stage, self.waits = None, False

    def end(self, answers: Collection[Answer]) -> None:
        """The state that a run leaves behind, also where the one who asks did not even try, and what to tell of it."""
        self._complain(answers)
        from roundzero.core.model_values import Outcome  # noqa: PLC0415  off the start-up path

        outcomes = {answer.outcome for answer in answers}
        if Outcome.UNAUTHORISED in outcomes:
            self.seen = (LaneState.PAUSED, None)
        elif Outcome.OFFLINE in outcomes:
            self.seen = (LaneState.OFFLINE, None)
        elif Outcome.QUOTA in outcomes and self.seen[0] not in WAITS:
            self.seen = (LaneState.BUDGET_SPENT, None)

    def _complain(self, answers: Iterable[Answer]) -> None:
        """Tell how asking ended where somebody can do something about it; the rest is in the status."""
        from roundzero.core.model_values import Outcome  # noqa: PLC0415  off the start-up path

        causes = {
            Outcome.UNAUTHORISED: "the model's host refuses the key",
            Outcome.OFFLINE: "the model's host cannot be reached",
            Outcome.QUOTA: "the model is not asked for now",
        }
        for answer in answers:
            words = causes.get(answer.outcome)
            if words is not None and answer.draft is None:
                text = f"{words}{': ' if answer.message else ''}{answer.message}"
                self.cause = self.cause or text
                self.say_once(answer.outcome.value, text)

    def say_once(self, cause: str, text: str) -> None:
        """Tell of a cause, and never again."""
        if cause not in self._said_of:
            self._said_of.add(cause)
            self._say(text)


class _Watched:
    """Passes progress on, and notes the stages in which a model is asked. Each step of one has cost something."""

    def __init__(self, standing: LaneStanding, progress: ProgressSink | None, tell: Callable[[], None]) -> None:
        self._standing = standing
        self._progress = progress
        self._tell = tell

    def stage(self, name: str, done: int, total: int | None) -> None:
        standing = self._standing
        if name in _STAGES:
            standing.waits = name == _WAIT and not done
            standing.stage = name if name != _WAIT else standing.stage or "draft"
            self._tell()
        if self._progress is not None:
            self._progress.stage(name, done, total)
