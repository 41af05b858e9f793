"""What a live engine says, and to whom.

Values only. Invariant: a publication is the whole truth about what one file shows, never a difference.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, Protocol

from roundzero.core.frozen import dataclass
from roundzero.core.report import RoundInfo

if TYPE_CHECKING:
    from roundzero.core.change import BaseChoice, HeadState, Source
    from roundzero.core.finding import Finding
    from roundzero.core.report import Coverage, Verdict
    from roundzero.core.text import RelPath


NOT_YET: Final = "nothing was reviewed yet; wait for the review to begin"
"""Why a question about the change has no answer before it was collected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """The findings one file shows. ``version`` is the buffer's, None when it is not open; ``source`` their text."""

    path: RelPath
    version: int | None
    findings: tuple[Finding, ...]
    source: Source | None


class LaneState(Enum):
    """What the model is doing, in the words of ``roundzero/status``."""

    OFF = "off"
    IDLE = "idle"
    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    OFFLINE = "offline"
    BUDGET_SPENT = "budget-spent"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """What the model lane is doing, and what it cost so far.

    ``until`` says when a wait ends, in seconds since the epoch. ``covered`` of the change's ``hunks`` were looked at;
    ``reasons`` say why the rest were not, or why nothing is asked. ``stage`` is that of a deep review, as its progress
    names it.
    """

    state: LaneState = LaneState.OFF
    until: float | None = None
    tokens: int = 0
    cost: float = 0.0
    requests: int = 0
    cached: int = 0
    hunks: int = 0
    covered: int = 0
    reasons: tuple[str, ...] = ()
    model: str | None = None
    stage: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStatus:
    """The state of a review. Without a collected change everything about it is None."""

    verdict: Verdict | None = None
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)
    base: BaseChoice | None = None
    head: HeadState | None = None
    coverage: Coverage | None = None
    hidden: int = 0
    paused: bool = False
    running: bool = False
    problems: tuple[str, ...] = ()
    model: ModelStatus = field(default_factory=ModelStatus)
    round: RoundInfo = field(default_factory=RoundInfo)


class Listener(Protocol):
    """Who is told. Called on the loop; must return at once."""

    def published(self, publication: Publication) -> None:
        """A file's findings are known anew."""

    def status_changed(self, status: EngineStatus) -> None:
        """The state is another."""

    def message(self, level: Literal["info", "warning", "error"], text: str) -> None:
        """Something a person should know."""
