"""What goes beyond LSP: our own notification and requests, in both directions. Their shapes are in shapes.py.

All of it is optional for a client.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast

from roundzero.render.escape import path_bytes, valid

if TYPE_CHECKING:
    from roundzero.core.change import BaseChoice, HeadState, Skip
    from roundzero.core.report import Coverage, RoundInfo, Verdict
    from roundzero.engine.session import EngineStatus
    from roundzero.engine.telling import ModelStatus
    from roundzero.lsp.shapes import LaneState, ModelLaneWire, StatusHeadWire, StatusWire
    from roundzero.render.shapes import BaseWire, CoverageWire, RoundWire, SkippedWire, VerdictWire

STATUS: Final = "roundzero/status"
FINDINGS: Final = "roundzero/findings"
BASE_TEXT: Final = "roundzero/baseText"
COMPLETE: Final = "roundzero/complete"
"""Sent by us, to a client that announced ``modelProvider``."""


def status_wire(uri: str, status: EngineStatus) -> StatusWire:
    """The state of the review of the repository at ``uri``."""
    counts = status.counts
    return {
        "uri": uri,
        "verdict": _verdict(status.verdict) if status.verdict is not None else None,
        "counts": {"P0": counts[0], "P1": counts[1], "P2": counts[2], "P3": counts[3]},
        "hidden": status.hidden,
        "base": _base(status.base) if status.base is not None else None,
        "head": _head(status.head) if status.head is not None else None,
        "round": _round(status.round),
        "coverage": _coverage(status.coverage) if status.coverage is not None else None,
        "model": _model(status.model),
        "running": status.running,
        "paused": status.paused,
        "problems": [valid(problem) for problem in status.problems],
    }


def _model(model: ModelStatus) -> ModelLaneWire:
    until = datetime.fromtimestamp(model.until, UTC).isoformat(timespec="seconds") if model.until is not None else None
    return {
        "state": cast("LaneState", model.state),
        "until": until,
        "tokens": model.tokens,
        "cost": round(model.cost, 6),
        "requests": model.requests,
        "cached": model.cached,
        "hunks": model.hunks,
        "covered": model.covered,
        "reasons": [valid(reason) for reason in model.reasons],
        "name": valid(model.model) if model.model is not None else None,
    }


def _verdict(verdict: Verdict) -> VerdictWire:
    return {
        "status": verdict.status.value,
        "stale": verdict.stale,
        "depth": verdict.depth,
        "blocking": verdict.blocking,
        "reasons": [valid(reason) for reason in verdict.reasons],
    }


def _base(base: BaseChoice) -> BaseWire:
    return {
        "ref": base.ref,
        "merge_base": base.merge_base,
        "how": base.how.value,
        "doubts": [valid(doubt) for doubt in base.doubts],
    }


def _head(head: HeadState) -> StatusHeadWire:
    return {"commit": head.commit, "branch": head.branch, "dirty": head.dirty}


def _round(info: RoundInfo) -> RoundWire:
    return {
        "index": info.index,
        "previous": info.previous,
        "delta_files": info.delta_files,
        "full_files": info.full_files,
    }


def _coverage(coverage: Coverage) -> CoverageWire:
    return {
        "files": coverage.files,
        "reviewed": coverage.reviewed,
        "added_lines": coverage.added_lines,
        "skipped": [_skipped(skip) for skip in coverage.skipped],
    }


def _skipped(skip: Skip) -> SkippedWire:
    skipped: SkippedWire = {"path": valid(skip.path), "kind": skip.kind.value, "reason": valid(skip.reason)}
    if (data := path_bytes(skip.path)) is not None:
        skipped["path_bytes"] = data
    return skipped
