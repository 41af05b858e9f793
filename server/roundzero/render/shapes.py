"""The shapes of the JSON report and of the event stream, schema 1. Fields may be added, never changed.

The one source of the published schemas (tools/generate.py). TypedDict comes from typing_extensions because pydantic
cannot read typing's own before Python 3.12; nothing here validates. Invariant: a shape names exactly what is written,
in the published order.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from roundzero.render.stats_shapes import StatsWire  # noqa: TC001  read when schemas are made

SeverityName = Literal["P0", "P1", "P2", "P3"]
SideName = Literal["head", "base"]


class PathBytes(TypedDict, total=False):
    """What goes with a path that is not UTF-8."""

    path_bytes: str


class OldPathBytes(TypedDict, total=False):
    """The same for an old path."""

    old_path_bytes: str


class ToolWire(TypedDict):
    """Who wrote the report."""

    name: str
    version: str


class VerdictWire(TypedDict):
    """The answer."""

    status: Literal["LGTM", "BLOCKED", "INCOMPLETE"]
    stale: bool
    depth: Literal["off", "quick", "deep"]
    blocking: int
    reasons: list[str]


class BaseWire(TypedDict):
    """What the change was compared with."""

    ref: str | None
    merge_base: str | None
    how: Literal["explicit", "pull-request", "upstream", "latest-merge-base", "head", "empty-tree"]
    doubts: list[str]


class HeadWire(TypedDict):
    """What was reviewed."""

    commit: str | None
    branch: str | None
    dirty: bool
    snapshot: str


class RoundWire(TypedDict):
    """Which round of the ledger it is."""

    index: int | None
    previous: int | None
    delta_files: int
    full_files: int


class CountsWire(TypedDict):
    """Shown open findings, introduced and exposed."""

    P0: int
    P1: int
    P2: int
    P3: int


class SkippedWire(TypedDict):
    """A changed path that was not reviewed."""

    path: str
    path_bytes: NotRequired[str]
    kind: Literal["by-rule", "not-checked"]
    reason: str


class CoverageWire(TypedDict):
    """What was looked at."""

    files: int
    reviewed: int
    added_lines: int
    skipped: list[SkippedWire]


class FileWire(TypedDict):
    """A changed path."""

    path: str
    path_bytes: NotRequired[str]
    old_path: str | None
    old_path_bytes: NotRequired[str]
    status: Literal["added", "modified", "deleted", "renamed", "mode"]
    added: int
    deleted: int
    summary: str | None


class ChecklistWire(TypedDict):
    """How an item came out."""

    pack: str
    item: str
    title: str
    status: Literal["pass", "fail", "not-applicable", "not-checked"]
    findings: list[str]


class PositionWire(TypedDict):
    """Line and column from 1; columns count code points."""

    line: int
    column: int


class RangeWire(TypedDict):
    """A stretch of text; the end is exclusive."""

    start: PositionWire
    end: PositionWire


class EvidenceWire(TypedDict):
    """A line that supports a finding. ``blob`` is the git object id of the bytes read."""

    path: str
    path_bytes: NotRequired[str]
    side: SideName
    line: int
    quote: str
    role: str
    verified: Literal["exact", "moved", "whitespace", "missing"]
    blob: str


class MismatchWire(TypedDict):
    """Something a commit message says, in its own words, that the change does not bear out, and how."""

    said: str
    text: str
    commit: str | None
    evidence: list[EvidenceWire]


class OverviewWire(TypedDict):
    """The change in short; all but the files is a deep review's."""

    summary: str | None
    files: list[FileWire]
    themes: list[str]
    mismatches: list[MismatchWire]


class StrengthWire(TypedDict):
    """Something the change does well. ``first_seen``: the round that saw it first, null where there are none."""

    text: str
    evidence: list[EvidenceWire]
    first_seen: int | None


class MechanismWire(TypedDict):
    """A step of the mechanism; ``evidence`` holds indices from 0 into the finding's evidence."""

    text: str
    evidence: list[int]


ConsequenceWire = TypedDict("ConsequenceWire", {"text": str, "class": str})
"""What follows, and its class."""


class AnchorWire(TypedDict):
    """The nearest changed line."""

    path: str
    path_bytes: NotRequired[str]
    line: int


class StateReasonWire(TypedDict):
    """Why a finding is in its state. ``quote`` is what stands at the place, where that is the proof."""

    text: str | None
    path: str | None
    path_bytes: NotRequired[str]
    line: int | None
    commit: str | None
    by: str | None
    at: str | None
    expires: str | None
    quote: str | None


class RelatedWire(TypedDict):
    """Another finding that has to do with this one."""

    id: str
    kind: Literal["duplicate", "same-cause", "contradicts", "conditional-on"]


class NegativeEvidenceWire(TypedDict):
    """A search that found this often."""

    query: str
    scope: str
    side: SideName
    hits: int


class ClaimWire(TypedDict):
    """A claim and what became of it. ``blobs`` are the object ids of the texts it was checked against."""

    text: str
    verdict: Literal["verified", "refuted", "unverifiable"]
    decisive: bool
    probe: str | None
    blobs: list[str]


class QuestionWire(TypedDict):
    """What the snapshot cannot decide."""

    text: str
    decides: str


VotesWire = TypedDict("VotesWire", {"for": int, "of": int})
"""Drafts that raised a finding, of how many."""


class SuggestionWire(TypedDict):
    """What to do."""

    text: str
    kind: Literal["fix", "mitigation", "test", "doc", "split"]
    verify: str | None


class EditWire(TypedDict):
    """Replace ``old_text`` at ``range`` by ``new_text``."""

    path: str
    path_bytes: NotRequired[str]
    range: RangeWire
    old_text: str
    new_text: str


class FixWire(TypedDict):
    """A fix. ``preferred``: it was tried, and the finding was gone."""

    title: str
    safe: bool
    preferred: bool
    edits: list[EditWire]


class FindingWire(TypedDict):
    """A finding.

    Of a deep review: ``confirmed`` is how a second look at it ended, null without one; ``contradictions`` what other
    drafts, that look and a fact check said against it; ``reverses`` which earlier advice or praise it takes back.
    """

    id: str
    group: str
    item: str
    severity: SeverityName
    blocking: bool
    not_blocking_because: str | None
    title: str
    why: str | None
    trigger: str | None
    base_to_head: str | None
    mechanism: list[MechanismWire]
    consequence: ConsequenceWire | None
    severity_reason: str | None
    path: str | None
    path_bytes: NotRequired[str]
    side: SideName
    symbol: str | None
    range: RangeWire | None
    in_diff: bool
    anchor: AnchorWire | None
    origin: Literal["introduced", "exposed", "pre-existing"]
    state: Literal["open", "stale", "unconfirmed", "fixed", "dismissed", "refuted", "superseded"]
    state_reason: StateReasonWire | None
    regressions: int
    first_seen: int | None
    last_seen: int | None
    family: str | None
    related: list[RelatedWire]
    source: Literal["check", "model"]
    producer: str
    producer_version: str
    evidence: list[EvidenceWire]
    negative_evidence: list[NegativeEvidenceWire]
    claims: list[ClaimWire]
    open_questions: list[QuestionWire]
    votes: VotesWire | None
    suggestions: list[SuggestionWire]
    fixes: list[FixWire]
    checklist: list[str]
    confirmed: bool | None
    contradictions: list[str]
    reverses: list[str]


class ReportWire(TypedDict):
    """The whole report."""

    schema: Literal[1]
    tool: ToolWire
    reviewed_at: str
    verdict: VerdictWire
    base: BaseWire
    head: HeadWire
    round: RoundWire
    counts: CountsWire
    coverage: CoverageWire
    overview: OverviewWire
    checklists: list[ChecklistWire]
    strengths: list[StrengthWire]
    findings: list[FindingWire]
    settings_changed: list[str]
    notices: list[str]
    stats: StatsWire


class StartEvent(TypedDict):
    """The first line."""

    event: Literal["start"]
    schema: Literal[1]
    tool: ToolWire


class ProgressEvent(TypedDict):
    """A stage moved on. ``total`` may grow, and is null where nobody knows."""

    event: Literal["progress"]
    stage: str
    done: int
    total: int | None


class FindingEvent(TypedDict):
    """A finding, in the report's order."""

    event: Literal["finding"]
    finding: FindingWire


class EndEvent(TypedDict):
    """The last line: all of the report but its findings."""

    event: Literal["end"]
    reviewed_at: str
    verdict: VerdictWire
    base: BaseWire
    head: HeadWire
    round: RoundWire
    counts: CountsWire
    coverage: CoverageWire
    overview: OverviewWire
    checklists: list[ChecklistWire]
    strengths: list[StrengthWire]
    settings_changed: list[str]
    notices: list[str]
    stats: StatsWire


Event = StartEvent | ProgressEvent | FindingEvent | EndEvent
"""A line of the ndjson format."""
