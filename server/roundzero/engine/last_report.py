"""The report of a branch's last round: kept when the round is written, shown again later.

Makes no review: what has changed since is not looked at, only whether anything has. Invariant: a report that is shown
again is marked stale unless the merge base and the snapshot are what they were.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.compose import narrowed
from roundzero.engine.ledger_of_branch import found
from roundzero.errors import OutsideError, UserError
from roundzero.git.repository import Scope
from roundzero.store.ledger_db import LedgerDb
from roundzero.store.report_db import ReportDb

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from roundzero.core.finding import FindingId, Origin
    from roundzero.core.report import Report
    from roundzero.engine.memory import Memory
    from roundzero.engine.review import ReviewRequest
    from roundzero.engine.workspace import Workspace
    from roundzero.render.kept import Kept
    from roundzero.store.ledger_branches import Branch


async def keep(common_dir: Path, memory: Memory, request: ReviewRequest, report: Report) -> Report:
    """Keep the report of a round; the report, with a notice when it could not be kept. What is no round is not kept."""
    index = report.round.index
    if memory.branch is None or not memory.writes or index is None:
        return report
    from roundzero.render.kept import pack  # noqa: PLC0415  off the start-up path

    data = pack(report, scope=request.scope.value, base=request.base, untracked=request.untracked)
    try:
        await asyncio.to_thread(ReportDb(common_dir).keep, memory.branch, index, data)
    except OutsideError as error:
        return replace(report, notices=(*report.notices, str(error)))
    return report


def origins_in(common_dir: Path, branch: Branch | None, index: int | None) -> Mapping[FindingId, Origin] | None:
    """The findings that the report of a round lists, and what of each is the branch's; None where it was not kept."""
    from roundzero.render.kept import unpack  # noqa: PLC0415  off the start-up path

    try:
        row = ReportDb(common_dir).kept(branch) if branch is not None else None
        if row is None or row[0] != index:
            return None
        return {each.id: each.origin for each in unpack(row[1]).report.findings}
    except (OutsideError, ValueError):
        return None


async def last_report(workspace: Workspace) -> Report:
    """The report of the branch's last round. Raises UserError when there is none, OutsideError for a broken file."""
    git = workspace.git
    ledgers = LedgerDb(git.common_dir)
    branch = await found(ledgers, git, await git.branch_ref(), await git.head_commit())
    rounds = await asyncio.to_thread(ledgers.rounds, branch)
    if branch is None or not rounds:
        raise UserError("there is no round of this branch yet; roundzero review makes one")
    row = await asyncio.to_thread(ReportDb(git.common_dir).kept, branch)
    if row is None or row[0] != rounds[-1].index:
        raise UserError(f"the report of round {rounds[-1].index} was not kept; roundzero review makes it again")
    from roundzero.render.kept import unpack  # noqa: PLC0415  off the start-up path

    try:
        kept = unpack(row[1])
    except ValueError as error:
        raise UserError(
            f"the report of round {row[0]} was kept by another version of Round Zero; roundzero review makes it again"
        ) from error
    stale = await _moved_on(workspace, kept)
    report = replace(kept.report, verdict=replace(kept.report.verdict, stale=stale))
    return narrowed(report, workspace.view.min_severity)


async def _moved_on(workspace: Workspace, kept: Kept) -> bool:
    """Whether the same review would be of another change by now; also when none could be made."""
    was = kept.report
    try:
        base = await workspace.choose_base(kept.base)
        if base.merge_base != was.base.merge_base:
            return True
        rules = workspace.collect_rules(untracked=kept.untracked)
        change = await workspace.git.collect(base, scope=Scope(kept.scope), rules=rules)
    except UserError:
        return True
    return change.snapshot != was.change.snapshot
