"""The one value every renderer takes: what was reviewed, what was found, and the verdict.

What only a model adds to one is in model_part, which a review without a model does not load. Invariant: two reviews of
equal snapshots with equal settings give equal reports but for ``reviewed_at`` and seconds.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from roundzero.core.frozen import dataclass
from roundzero.core.item import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.change import BaseChoice, Change, HeadState, Skip, Source, Status
    from roundzero.core.finding import Finding, FindingId
    from roundzero.core.item import ItemId, Language
    from roundzero.core.model_part import Mismatch, ModelStats, Strength
    from roundzero.core.text import RelPath

_SHORT: Final = len("rz-") + 7

Depth = Literal["off", "quick", "deep"]


class VerdictStatus(Enum):
    """The answer to "may this branch go on?"."""

    LGTM = "LGTM"
    BLOCKED = "BLOCKED"
    INCOMPLETE = "INCOMPLETE"


class ItemStatus(Enum):
    """How one checklist item came out."""

    PASS = "pass"  # noqa: S105  a word of the verdict
    FAIL = "fail"
    NOT_APPLICABLE = "not-applicable"
    NOT_CHECKED = "not-checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Status with reasons in words; bound to (merge base, snapshot), ``stale`` when those have moved on."""

    status: VerdictStatus
    depth: Depth
    blocking: int
    reasons: tuple[str, ...]
    stale: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundInfo:
    """Which committed round this is; all None without a ledger."""

    index: int | None = None
    previous: int | None = None
    delta_files: int = 0
    full_files: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What was looked at. ``files`` counts every changed path, ``added_lines`` those of reviewed files."""

    files: int
    reviewed: int
    added_lines: int
    skipped: tuple[Skip, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSummary:
    """A changed path in the overview, with added and deleted line counts."""

    path: RelPath
    old_path: RelPath | None
    status: Status
    added: int
    deleted: int
    summary: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistLine:
    """The outcome of one item and the findings that fail it. ``why`` and ``severity`` are the item's."""

    pack: str
    item: ItemId
    title: str
    status: ItemStatus
    findings: tuple[FindingId, ...] = ()
    why: str = ""
    severity: Severity = Severity.P3


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Round statistics that cannot be counted from the report; statistics.py counts the rest.

    ``seconds`` per stage; ``failures`` are stages that failed, in words. ``patch_bytes`` are those of the lines added
    and removed. ``model`` None: none took part.
    """

    seconds: tuple[tuple[str, float], ...] = ()
    hidden: tuple[tuple[str, int], ...] = ()
    failures: tuple[str, ...] = ()
    patch_bytes: int = 0
    deleted_lines: int = 0
    model: ModelStats | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything about one review. ``findings`` holds the listed ones, sorted; hidden ones are counted in stats.

    ``gravest`` is the gravest severity past its gates, shown or not; the exit status follows from it. ``outside`` are
    the texts of files beyond the change that findings lie in. ``summary``, ``themes`` and ``mismatches`` are a deep
    review's.
    """

    tool_version: str
    reviewed_at: str
    language: Language
    verdict: Verdict
    base: BaseChoice
    head: HeadState
    change: Change
    round: RoundInfo = field(default_factory=RoundInfo)
    counts: tuple[int, int, int, int]
    coverage: Coverage
    overview: tuple[FileSummary, ...]
    summary: str | None = None
    themes: tuple[str, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()
    checklists: tuple[ChecklistLine, ...]
    strengths: tuple[Strength, ...] = ()
    findings: tuple[Finding, ...]
    settings_changed: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    gravest: Severity | None = None
    outside: tuple[Source, ...] = ()
    stats: Stats = field(default_factory=Stats)


def short_ids(findings: Iterable[Finding]) -> Mapping[FindingId, str]:
    """What people may call each finding: the shortest beginning, of 7 hex digits or more, that no other one has."""
    names = sorted({finding.id for finding in findings})
    length = _SHORT
    for one, other in pairwise(names):
        common = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
        length = max(length, common + 1)
    return {name: name[:length] for name in names}


def order(finding: Finding) -> tuple[int, str, int, str]:
    """Sort key of listed findings: severity, path, line, id."""
    seen = finding.seen
    return (int(seen.severity), seen.path or "", seen.line, finding.id)


def count(findings: tuple[Finding, ...]) -> tuple[int, int, int, int]:
    """Open findings this branch introduced or exposed and that are shown, by severity P0 to P3."""
    from roundzero.core.finding import Origin, State  # noqa: PLC0415  keeps types-only imports lazy

    totals = [0, 0, 0, 0]
    for finding in findings:
        if finding.state is State.OPEN and finding.hidden is None and finding.origin is not Origin.PRE_EXISTING:
            totals[finding.seen.severity] += 1
    return (totals[0], totals[1], totals[2], totals[3])


__all__ = [
    "ChecklistLine", "Coverage", "Depth", "FileSummary", "ItemStatus", "Report", "RoundInfo", "Severity", "Stats",
    "Verdict", "VerdictStatus", "count", "order", "short_ids",
]  # fmt: skip
