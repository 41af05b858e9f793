"""The report as events, one JSON object a line: ``start``, ``progress``, ``finding``, ``end``.

The objects inside are those of the JSON report. ``opening`` and ``progress`` are for a caller that writes while the
review runs; ``render`` gives the whole stream afterwards. Invariant: ``start`` is first, ``end`` last, each once.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from roundzero.render.escape import json_safe, valid
from roundzero.render.wire import to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.report import Report
    from roundzero.render.look import Look
    from roundzero.render.shapes import EndEvent, FindingEvent, ProgressEvent, StartEvent


def render(report: Report, look: Look) -> str:  # noqa: ARG001  every format takes a look
    """The whole stream."""
    return opening(report.tool_version) + results(report)


def opening(tool_version: str) -> str:
    """The first line."""
    start: StartEvent = {"event": "start", "schema": 1, "tool": {"name": "roundzero", "version": tool_version}}
    return _line(start)


def progress(stage: str, done: int, total: int | None) -> str:
    """A line for a stage."""
    event: ProgressEvent = {"event": "progress", "stage": valid(stage), "done": done, "total": total}
    return _line(event)


def results(report: Report) -> str:
    """The lines after the review: every finding, and the end."""
    wire = to_wire(report)
    end: EndEvent = {
        "event": "end",
        "reviewed_at": wire["reviewed_at"],
        "verdict": wire["verdict"],
        "base": wire["base"],
        "head": wire["head"],
        "round": wire["round"],
        "counts": wire["counts"],
        "coverage": wire["coverage"],
        "overview": wire["overview"],
        "checklists": wire["checklists"],
        "strengths": wire["strengths"],
        "settings_changed": wire["settings_changed"],
        "notices": wire["notices"],
        "stats": wire["stats"],
    }
    findings: list[FindingEvent] = [{"event": "finding", "finding": finding} for finding in wire["findings"]]
    return "".join(_line(each) for each in findings) + _line(end)


def _line(event: Mapping[str, object]) -> str:
    return json_safe(json.dumps(event, ensure_ascii=False, separators=(",", ":"))) + "\n"
