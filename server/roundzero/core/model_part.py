"""What a model adds to a report beside findings: strengths, mismatches, and the numbers of its part of the review.

Values only; a review without a model has none of them and does not load this. Invariant: numbers that can be counted
from others are counted, never kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from roundzero.core.finding import Evidence


@dataclass(frozen=True, slots=True)
class Strength:
    """Something the change does well, with its evidence. ``since``: the round that saw it first."""

    text: str
    evidence: tuple[Evidence, ...]
    since: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """Something the description of the change says, ``said`` in its own words, that the change does not bear out.

    ``text`` says how; ``commit`` is the one whose message says it.
    """

    said: str
    text: str
    evidence: tuple[Evidence, ...]
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class VoiceStats:
    """How often one of the drafts of a deep review was asked for, and how often it could be read."""

    number: int
    asked: int
    ok: int

    @property
    def failed(self) -> int:
        """How often it could not."""
        return self.asked - self.ok


@dataclass(frozen=True, slots=True)
class Clusters:
    """Findings that were drafted and let in, and how many distinct ones they are."""

    drafted: int
    distinct: int

    @property
    def merged(self) -> int:
        """How many went into another."""
        return self.drafted - self.distinct


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmations:
    """Second looks: how many were asked for, how many found that the finding holds, and how many that it does not."""

    asked: int = 0
    held: int = 0
    fell: int = 0

    @property
    def open(self) -> int:
        """How many could not tell, or were not answered."""
        return self.asked - self.held - self.fell


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChecks:
    """Findings whose claims were checked, by how the decisive claim came out; ``unparsable``: nobody could read how.

    ``proposed``: checks by a machine that drafts thought of; ``dropped``: what they proposed that is no such check.
    """

    checked: int = 0
    hold: int = 0
    refuted: int = 0
    unverifiable: int = 0
    unparsable: int = 0
    proposed: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rechecks:
    """Findings of earlier rounds that were looked at again.

    ``failed`` could not be substantiated any more; ``unanswered`` stay as they were.
    """

    fixed: int = 0
    open: int = 0
    failed: int = 0
    unanswered: int = 0

    @property
    def asked(self) -> int:
        """How many there were."""
        return self.fixed + self.open + self.failed + self.unanswered


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """What models looked up: calls of tools, and bytes of what those gave.

    What they did not see: ``unanswered`` calls, by why they gave nothing; ``cut`` results that show a part of what
    there is; ``ended``: conversations that were cut short, by what did it. All in words.
    """

    calls: int = 0
    bytes: int = 0
    unanswered: tuple[tuple[str, int], ...] = ()
    cut: int = 0
    ended: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStats:
    """What a model was asked in a review, and what became of what it said.

    ``hunks`` of the change, of which ``covered`` were answered for; ``gaps`` say of the others why. ``outcomes``: how
    drafts ended, ``gates``: what became of drafted findings, both in words; ``capped`` were let in made milder. What
    was spent is this run's: ``cached`` replies cost nothing. ``cost`` None: no prices are set. From ``voices`` on it is
    about a deep review.
    """

    name: str
    hunks: int = 0
    covered: int = 0
    gaps: tuple[str, ...] = ()
    outcomes: tuple[tuple[str, int], ...] = ()
    gates: tuple[tuple[str, int], ...] = ()
    capped: int = 0
    requests: int = 0
    cached: int = 0
    sent: int = 0
    received: int = 0
    cost: float | None = None
    voices: tuple[VoiceStats, ...] = ()
    clusters: Clusters | None = None
    confirmations: Confirmations | None = None
    fact_checks: FactChecks | None = None
    rechecks: Rechecks | None = None
    tools: ToolUse | None = None

    @property
    def drafts(self) -> int:
        """How many drafts were asked for."""
        return sum(number for _, number in self.outcomes)

    @property
    def answered(self) -> int:
        """How many of them could be read."""
        return dict(self.outcomes).get("ok", 0)
