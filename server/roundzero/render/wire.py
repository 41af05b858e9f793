"""The report as JSON values, in the shapes of shapes.py.

Invariant: every string in a wire value can be written as UTF-8, none holds a secret of the reviewed texts, and equal
reports give equal values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from roundzero.core.finding import Grounds
from roundzero.render.escape import path_bytes, valid
from roundzero.render.redaction import Redactor
from roundzero.render.stats_wire import stats_wire

if TYPE_CHECKING:
    from roundzero.core.anatomy import Anatomy
    from roundzero.core.change import BaseChoice
    from roundzero.core.finding import Anchor, Edit, Evidence, Finding, Fix
    from roundzero.core.model_part import Mismatch, Strength
    from roundzero.core.report import Coverage, FileSummary, Report, RoundInfo, Verdict
    from roundzero.core.text import Position, RelPath, Span
    from roundzero.render.shapes import (
        AnchorWire,
        BaseWire,
        CoverageWire,
        EditWire,
        EvidenceWire,
        FileWire,
        FindingWire,
        FixWire,
        MismatchWire,
        OldPathBytes,
        PathBytes,
        PositionWire,
        RangeWire,
        ReportWire,
        RoundWire,
        SeverityName,
        StateReasonWire,
        StrengthWire,
        VerdictWire,
    )

T = TypeVar("T")


def to_wire(report: Report) -> ReportWire:
    """The report as JSON values, in the order of the published schema."""
    return writable(raw_wire(report))


def raw_wire(report: Report) -> ReportWire:
    """As ``to_wire``, but strings may hold surrogates: for who makes all of the document valid at once."""
    report = Redactor.of(report).report(report)
    return {
        "schema": 1,
        "tool": {"name": "roundzero", "version": report.tool_version},
        "reviewed_at": report.reviewed_at,
        "verdict": verdict_wire(report.verdict),
        "base": base_wire(report.base),
        "head": {
            "commit": report.head.commit,
            "branch": report.head.branch,
            "dirty": report.head.dirty,
            "snapshot": report.change.snapshot,
        },
        "round": round_wire(report.round),
        "counts": {"P0": report.counts[0], "P1": report.counts[1], "P2": report.counts[2], "P3": report.counts[3]},
        "coverage": coverage_wire(report.coverage),
        "overview": {
            "summary": report.summary,
            "files": [_file(each) for each in report.overview],
            "themes": list(report.themes),
            "mismatches": [_mismatch(each) for each in report.mismatches],
        },
        "checklists": [
            {
                "pack": line.pack,
                "item": line.item,
                "title": line.title,
                "status": line.status.value,
                "findings": list(line.findings),
            }
            for line in report.checklists
        ],
        "strengths": [_strength(each) for each in report.strengths],
        "findings": [_finding(finding) for finding in report.findings],
        "settings_changed": list(report.settings_changed),
        "notices": list(report.notices),
        "stats": stats_wire(report),
    }


def _strength(strength: Strength) -> StrengthWire:
    return {
        "text": strength.text,
        "evidence": [_evidence(each) for each in strength.evidence],
        "first_seen": strength.since,
    }


def _mismatch(mismatch: Mismatch) -> MismatchWire:
    return {
        "said": mismatch.said,
        "text": mismatch.text,
        "commit": mismatch.commit,
        "evidence": [_evidence(each) for each in mismatch.evidence],
    }


def finding_to_wire(finding: Finding) -> FindingWire:
    """One finding as JSON values."""
    return writable(_finding(Redactor().finding(finding)))


def base_to_wire(base: BaseChoice) -> BaseWire:
    """The base as JSON values."""
    return writable(base_wire(base))


def base_wire(base: BaseChoice) -> BaseWire:
    """The same, but strings may hold surrogates."""
    return {"ref": base.ref, "merge_base": base.merge_base, "how": base.how.value, "doubts": list(base.doubts)}


def verdict_wire(verdict: Verdict) -> VerdictWire:
    """The verdict as JSON values; strings may hold surrogates."""
    return {
        "status": verdict.status.value,
        "stale": verdict.stale,
        "depth": verdict.depth,
        "blocking": verdict.blocking,
        "reasons": list(verdict.reasons),
    }


def round_wire(info: RoundInfo) -> RoundWire:
    """The round as JSON values; strings may hold surrogates."""
    return {
        "index": info.index,
        "previous": info.previous,
        "delta_files": info.delta_files,
        "full_files": info.full_files,
    }


def coverage_wire(coverage: Coverage) -> CoverageWire:
    """What was reviewed as JSON values; strings may hold surrogates."""
    return {
        "files": coverage.files,
        "reviewed": coverage.reviewed,
        "added_lines": coverage.added_lines,
        "skipped": [
            {"path": skip.path, **_bytes(skip.path), "kind": skip.kind.value, "reason": skip.reason}
            for skip in coverage.skipped
        ],
    }


def _finding(finding: Finding) -> FindingWire:
    seen = finding.seen
    wire: FindingWire = {
        "id": finding.id,
        "group": finding.group,
        "item": seen.item,
        "severity": cast("SeverityName", seen.severity.name),
        "blocking": finding.blocking,
        "not_blocking_because": finding.not_blocking_because,
        "title": seen.title,
        "why": seen.why or None,
        "trigger": None,
        "base_to_head": None,
        "mechanism": [],
        "consequence": None,
        "severity_reason": None,
        "path": seen.path,
        **_bytes(seen.path),
        "side": seen.side.value,
        "symbol": seen.symbol,
        "range": _range(seen.span) if seen.span is not None else None,
        "in_diff": finding.in_diff,
        "anchor": _anchor(finding.anchor) if finding.anchor is not None else None,
        "origin": finding.origin.value,
        "state": finding.state.value,
        "state_reason": _state_reason(finding),
        "regressions": finding.regressions,
        "first_seen": finding.first_seen,
        "last_seen": finding.last_seen,
        "family": finding.family,
        "related": [],
        "source": seen.source,
        "producer": seen.producer,
        "producer_version": seen.producer_version,
        "evidence": [_evidence(each) for each in seen.evidence],
        "negative_evidence": [],
        "claims": [],
        "open_questions": [],
        "votes": None,
        "suggestions": [],
        "fixes": [_fix(fix) for fix in seen.fixes],
        "checklist": [seen.item],
        "confirmed": None,
        "contradictions": [],
        "reverses": [],
    }
    if seen.anatomy is not None:
        _argue(wire, seen.anatomy)
    return wire


def _argue(wire: FindingWire, case: Anatomy) -> None:
    """Put the case of a model's finding into its wire value."""
    from roundzero.core.reversal import named_in  # noqa: PLC0415  where a model took part

    follows, votes = case.consequence, case.votes
    wire["trigger"] = case.trigger
    wire["base_to_head"] = case.base_to_head
    wire["mechanism"] = [{"text": step.text, "evidence": list(step.evidence)} for step in case.mechanism]
    wire["consequence"] = {"text": follows.text, "class": follows.failure.value} if follows is not None else None
    wire["severity_reason"] = case.severity_reason
    wire["related"] = [
        {"id": name, "kind": "contradicts"} for text in case.reverses if (name := named_in(text)) is not None
    ]
    wire["negative_evidence"] = [
        {"query": each.query, "scope": each.scope, "side": each.side.value, "hits": each.hits}
        for each in case.negative_evidence
    ]
    wire["claims"] = [
        {
            "text": each.text,
            "verdict": each.verdict.value,
            "decisive": each.decisive,
            "probe": each.probe,
            "blobs": list(each.blobs),
        }
        for each in case.claims
    ]
    wire["open_questions"] = [{"text": each.text, "decides": each.decides.value} for each in case.open_questions]
    wire["votes"] = {"for": votes.given, "of": votes.of} if votes is not None else None
    wire["suggestions"] = [{"text": each.text, "kind": each.kind, "verify": each.verify} for each in case.suggestions]
    wire["confirmed"] = case.confirmed
    wire["contradictions"] = list(case.contradictions)
    wire["reverses"] = list(case.reverses)


def _state_reason(finding: Finding) -> StateReasonWire | None:
    if finding.state_text is None and finding.state_by is None:
        return None
    grounds = finding.grounds or Grounds()
    return {
        "text": finding.state_text,
        "path": grounds.path,
        **_bytes(grounds.path),
        "line": grounds.line,
        "commit": grounds.commit,
        "by": finding.state_by,
        "at": grounds.at,
        "expires": grounds.expires,
        "quote": grounds.quote,
    }


def _file(file: FileSummary) -> FileWire:
    old = _bytes(file.old_path)
    old_bytes: OldPathBytes = {"old_path_bytes": old["path_bytes"]} if "path_bytes" in old else {}
    return {
        "path": file.path,
        **_bytes(file.path),
        "old_path": file.old_path,
        **old_bytes,
        "status": file.status.value,
        "added": file.added,
        "deleted": file.deleted,
        "summary": file.summary,
    }


def _evidence(evidence: Evidence) -> EvidenceWire:
    return {
        "path": evidence.path,
        **_bytes(evidence.path),
        "side": evidence.side.value,
        "line": evidence.line,
        "quote": evidence.quote,
        "role": evidence.role,
        "verified": evidence.verified.value,
        "blob": evidence.blob,
    }


def _fix(fix: Fix) -> FixWire:
    """``preferred`` stays false: a report offers fixes, only the editor has tried one."""
    return {"title": fix.title, "safe": fix.safe, "preferred": False, "edits": [_edit(edit) for edit in fix.edits]}


def _edit(edit: Edit) -> EditWire:
    return {
        "path": edit.path,
        **_bytes(edit.path),
        "range": _range(edit.span),
        "old_text": edit.old_text,
        "new_text": edit.new_text,
    }


def _anchor(anchor: Anchor) -> AnchorWire:
    return {"path": anchor.path, **_bytes(anchor.path), "line": anchor.line}


def _range(span: Span) -> RangeWire:
    return {"start": _position(span.start), "end": _position(span.end)}


def _position(position: Position) -> PositionWire:
    return {"line": position.line, "column": position.column}


def _bytes(path: RelPath | None) -> PathBytes:
    raw = path_bytes(path) if path is not None else None
    return {"path_bytes": raw} if raw is not None else {}


def writable(value: T) -> T:
    """The value with every string writable as UTF-8."""
    return cast("T", _cleaned(value))


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return valid(value)
    if isinstance(value, dict):
        return {valid(key): _cleaned(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
    return value
