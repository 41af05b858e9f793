"""A report's numbers as JSON values, in the shapes of stats_shapes.py.

Counts nothing itself: ``core/statistics`` does. Invariant: equal reports give equal values, but for the seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.finding import Origin, State
from roundzero.core.report import ItemStatus
from roundzero.core.statistics import statistics

if TYPE_CHECKING:
    from roundzero.core.model_part import ModelStats
    from roundzero.core.report import Report
    from roundzero.render.stats_shapes import DeepWire, DraftsWire, FactChecksWire, StatsWire


def stats_wire(report: Report) -> StatsWire:
    """The numbers, in the order of the published schema. Strings may hold surrogates."""
    numbers, model = statistics(report), report.stats.model
    return {
        "seconds": dict(report.stats.seconds),
        "hidden": dict(report.stats.hidden),
        "failures": list(report.stats.failures),
        "patch_bytes": report.stats.patch_bytes,
        "deleted_lines": report.stats.deleted_lines,
        "items": {
            "pass": numbers.items[ItemStatus.PASS],
            "fail": numbers.items[ItemStatus.FAIL],
            "not_applicable": numbers.items[ItemStatus.NOT_APPLICABLE],
            "not_checked": numbers.items[ItemStatus.NOT_CHECKED],
        },
        "origins": {
            "introduced": numbers.origins[Origin.INTRODUCED],
            "exposed": numbers.origins[Origin.EXPOSED],
            "pre_existing": numbers.origins[Origin.PRE_EXISTING],
        },
        "states": {
            "open": numbers.states[State.OPEN],
            "stale": numbers.states[State.STALE],
            "unconfirmed": numbers.states[State.UNCONFIRMED],
            "fixed": numbers.states[State.FIXED],
            "dismissed": numbers.states[State.DISMISSED],
            "refuted": numbers.states[State.REFUTED],
            "superseded": numbers.states[State.SUPERSEDED],
        },
        "new": numbers.new,
        "returned": numbers.returned,
        "blocking_unchanged": numbers.unchanged,
        "model": model.name if model is not None else None,
        "hunks": {"total": model.hunks, "covered": model.covered} if model is not None else None,
        "drafts": _drafts(model) if model is not None else None,
        "fact_checks": _fact_checks(model) if model is not None else None,
        "tokens": {"sent": model.sent, "received": model.received} if model is not None else None,
        "cost": model.cost if model is not None else None,
        **_deep(model),
    }


def _deep(model: ModelStats | None) -> DeepWire:
    if model is None:
        return {"voices": [], "clusters": None, "confirmations": None, "rechecks": None, "tools": None}
    clusters, second, again, tools = model.clusters, model.confirmations, model.rechecks, model.tools
    return {
        "voices": [
            {"number": each.number, "asked": each.asked, "ok": each.ok, "failed": each.failed} for each in model.voices
        ],
        "clusters": {"drafted": clusters.drafted, "distinct": clusters.distinct, "merged": clusters.merged}
        if clusters is not None
        else None,
        "confirmations": {"asked": second.asked, "held": second.held, "fell": second.fell, "open": second.open}
        if second is not None
        else None,
        "rechecks": {
            "asked": again.asked,
            "fixed": again.fixed,
            "open": again.open,
            "failed": again.failed,
            "unanswered": again.unanswered,
        }
        if again is not None
        else None,
        "tools": {
            "calls": tools.calls,
            "bytes": tools.bytes,
            "unanswered": dict(tools.unanswered),
            "cut": tools.cut,
            "ended": dict(tools.ended),
        }
        if tools is not None
        else None,
    }


def _fact_checks(model: ModelStats) -> FactChecksWire | None:
    facts = model.fact_checks
    if facts is None:
        return None
    return {
        "checked": facts.checked,
        "hold": facts.hold,
        "refuted": facts.refuted,
        "unparsable": facts.unparsable,
        "unverifiable": facts.unverifiable,
        "proposed": facts.proposed,
        "dropped": facts.dropped,
    }


def _drafts(model: ModelStats) -> DraftsWire:
    return {
        "asked": model.drafts,
        "ok": model.answered,
        "failed": model.drafts - model.answered,
        "outcomes": {outcome: number for outcome, number in model.outcomes if outcome != "ok"},
        "gates": dict(model.gates),
        "capped": model.capped,
        "requests": model.requests,
        "cached": model.cached,
    }
