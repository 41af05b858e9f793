"""check-no-longer-reported: a workflow that ran for proposed changes went, and nothing reports its checks any more.

A hint: which checks a branch requires is a setting of the host, not a file; one that is required and never reported
blocks every change, one that was the only gate leaves none. Invariant: a job whose name a remaining workflow has is
not missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._workflows import is_workflow_path, parse_workflow, workflows
from roundzero.core.change import Side, Status
from roundzero.core.few import few
from roundzero.core.finding import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.change import Change
    from roundzero.core.ports import GrepHit, Repository

_GATES: Final = frozenset({"pull_request", "pull_request_target", "merge_group"})
MOST_NAMED: Final = 4


class CheckNoLongerReported(ChangeChecker):
    """Finds deleted workflows whose checks are gone."""

    name = "check-no-longer-reported"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Compare the jobs of deleted workflows with those that remain."""
        gone = [file for file in change.files if file.status is Status.DELETED and is_workflow_path(file.path)]
        if not gone:
            return
        here = [workflow for _, workflow in workflows(repository, Side.HEAD) if workflow is not None]
        reported = {job.name for workflow in here for job in workflow.jobs}
        for file in gone:
            workflow = parse_workflow(file.base.text) if file.base is not None else None
            if workflow is None or not workflow.triggers & _GATES:
                continue
            missed = [job.name for job in workflow.jobs if job.name not in reported]
            if missed:
                yield Hit(path=file.path, span=None, subject=code(few(missed, MOST_NAMED)))


CHECKER: Final = CheckNoLongerReported
