"""What goes beyond LSP: our own notification and requests, in both directions. Their shapes are in shapes.py.

All of it is optional for a client.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from roundzero.render.wire import base_wire, coverage_wire, round_wire, verdict_wire, writable

if TYPE_CHECKING:
    from roundzero.core.change import HeadState
    from roundzero.engine.session import EngineStatus
    from roundzero.engine.telling import ModelStatus
    from roundzero.lsp.shapes import ModelLaneWire, StatusHeadWire, StatusWire

STATUS: Final = "roundzero/status"
FINDINGS: Final = "roundzero/findings"
BASE_TEXT: Final = "roundzero/baseText"
COMPLETE: Final = "roundzero/complete"
"""Sent by us, to a client that announced ``modelProvider``."""


def status_wire(uri: str, status: EngineStatus) -> StatusWire:
    """The state of the review of the repository at ``uri``."""
    counts = status.counts
    wire: StatusWire = {
        "uri": uri,
        "verdict": verdict_wire(status.verdict) if status.verdict is not None else None,
        "counts": {"P0": counts[0], "P1": counts[1], "P2": counts[2], "P3": counts[3]},
        "hidden": status.hidden,
        "base": base_wire(status.base) if status.base is not None else None,
        "head": _head(status.head) if status.head is not None else None,
        "round": round_wire(status.round),
        "coverage": coverage_wire(status.coverage) if status.coverage is not None else None,
        "model": _model(status.model),
        "running": status.running,
        "paused": status.paused,
        "problems": list(status.problems),
    }
    return writable(wire)


def _model(model: ModelStatus) -> ModelLaneWire:
    until = datetime.fromtimestamp(model.until, UTC).isoformat(timespec="seconds") if model.until is not None else None
    return {
        "state": model.state.value,
        "until": until,
        "tokens": model.tokens,
        "cost": round(model.cost, 6),
        "requests": model.requests,
        "cached": model.cached,
        "hunks": model.hunks,
        "covered": model.covered,
        "reasons": list(model.reasons),
        "name": model.model,
        "stage": model.stage,
    }


def _head(head: HeadState) -> StatusHeadWire:
    return {"commit": head.commit, "branch": head.branch, "dirty": head.dirty}
