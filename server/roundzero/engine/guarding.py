"""Puts the overview of a deep review into its report, and tells at any depth which earlier praise a change undoes.

Invariants: a strength is told to be undone in the round that undid it, and in no other; what cannot be read or written
costs a notice and nothing else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.overview import with_overview
from roundzero.engine.overviewing import keep, praised
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from roundzero.core.overview import Overview
    from roundzero.core.report import Report
    from roundzero.engine.memory import Memory
    from roundzero.engine.repository import Snapshot


async def guarded(report: Report, memory: Memory, snapshot: Snapshot, overview: Overview | None) -> Report:
    """The report with what the change is as a whole, and with what is said of earlier praise. Writes that down.

    ``overview`` None: none was made.
    """
    index, new = report.round.index, overview.strengths if overview is not None else ()
    common = snapshot.git.common_dir
    try:
        found = await praised(common, memory.branch, snapshot.change, snapshot, index=index)
        if memory.writes and memory.branch is not None and index is not None and (new or found.guard.undone):
            await keep(common, memory.branch, index, found.written(new, index))
    except OutsideError as error:
        report = replace(report, notices=(*report.notices, str(error)))
        return with_overview(report, overview, new) if overview is not None else report
    report = replace(report, notices=(*report.notices, *found.notices))
    return with_overview(report, overview, found.strengths(new, index)) if overview is not None else report
