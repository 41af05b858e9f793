"""What a model lane is doing, in the contract's words, and what a person must hear of it.

Knows neither questions nor budget: the lane says what happened. Invariant: each cause that a person can do something
about is told once.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from roundzero.engine.asking import Asking
    from roundzero.engine.quick_review import Answer
    from roundzero.engine.review import ProgressSink

WAITS: Final = frozenset({"waiting", "budget-spent"})
"""States that end by themselves, where it is known when."""

_WAIT: Final = "wait"
_STAGES: Final = frozenset({"draft", "recheck", "confirm", "fact-check", "overview", _WAIT})
"""Stages of a deep review in which a model is asked, as its progress names them."""

_CAUSES: Final = {
    "unauthorised": "the model's host refuses the key",
    "offline": "the model's host cannot be reached",
    "quota": "the model is not asked for now",
}
"""What is told, by how asking ended; the rest is in the status."""


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
        self.seen: tuple[str, float | None] = ("idle", None)
        """The last state of whoever asks that says something, and until when it lasts."""
        self._say = say
        self._said_of: set[str] = set()

    def begin(self) -> None:
        """A run begins."""
        self.running, self.seen, self.cause = True, ("idle", None), None

    def heard(self, asking: Asking | None) -> None:
        """The one who asks is in another state; the last one that says something is kept past its end."""
        if asking is not None and asking.state.value != "idle":
            self.seen = (asking.state.value, asking.until)

    def now(self, *, paused: bool) -> tuple[str, float | None]:
        """The state, and until when it lasts in seconds since the epoch."""
        if self.stage is not None:
            return ("waiting" if self.waits else "running"), None
        if paused:
            return "paused", None
        name, until = self.seen
        ahead = until is not None and until > time.time()
        if self.running:
            return (name, until) if name in {*WAITS, "offline"} else ("running", None)
        if name in WAITS:
            return (name, until) if ahead or (name == "budget-spent" and until is None) else ("idle", None)
        return (name, until) if name in {"offline", "paused"} else ("idle", None)

    def watched(self, progress: ProgressSink | None, tell: Callable[[], None]) -> ProgressSink:
        """Who watches a deep review, so that the lane shows its stage. ``tell``: that it has gone on."""
        return _Watched(self, progress, tell)

    def rest(self) -> None:
        """What a person waited for is over."""
        self.stage, self.waits = None, False

    def end(self, answers: Collection[Answer]) -> None:
        """The state that a run leaves behind, also where the one who asks did not even try, and what to tell of it."""
        self._complain(answers)
        outcomes = {answer.outcome.value for answer in answers}
        if "unauthorised" in outcomes:
            self.seen = ("paused", None)
        elif "offline" in outcomes:
            self.seen = ("offline", None)
        elif "quota" in outcomes and self.seen[0] not in WAITS:
            self.seen = ("budget-spent", None)

    def _complain(self, answers: Iterable[Answer]) -> None:
        for answer in answers:
            words = _CAUSES.get(answer.outcome.value)
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
