"""workflow-awaits-nothing: a workflow starts after another one, and no workflow of the repository has that name.

GitHub finds the other by its name and is silent where there is none: what waits never runs again. Names that hold a
pattern or an expression are not judged, nor those of GitHub's own, which lie in no file, nor anything while a workflow
cannot be read. Invariant: a name that was dead before the change is no hit, unless the change
wrote it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._workflows import is_workflow_path, parse_workflow, workflows
from roundzero.core.change import Side
from roundzero.core.finding import Anchor, Hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.checkers._workflows import Workflow
    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import GrepHit, Repository

_SPECIAL: Final = frozenset("*?[]{}$!")
_OWN: Final = ("pages", "codeql", "code quality", "dependabot", "dependency graph", "automatic dependency", "copilot")
"""How the names of workflows begin that GitHub runs by itself."""


class WorkflowAwaitsNothing(ChangeChecker):
    """Finds names of workflows that lead nowhere."""

    name = "workflow-awaits-nothing"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at all workflows, when the change touches one."""
        touched = [file for file in change.files if is_workflow_path(file.path)]
        if not touched:
            return
        found_here = list(workflows(repository, Side.HEAD))
        if any(workflow is None for _, workflow in found_here):
            return
        here, before = _names(found_here), _names(workflows(repository, Side.BASE))
        for source, workflow in found_here:
            for text in workflow.awaited if workflow is not None else ():
                if text.value in here or _SPECIAL & set(text.value) or text.value.lower().startswith(_OWN):
                    continue
                span = source.index.span(text.start, text.end)
                file = change.file(source.path)
                is_written = file is not None and span.start.line in file.added
                went = _went(text.value, touched) if text.value in before else None
                if is_written or went is not None:
                    cause = None if is_written else went
                    yield Hit(path=source.path, span=span, subject=code(text.value), cause=cause)


def _names(rows: Iterable[tuple[Source, Workflow | None]]) -> frozenset[str]:
    """What workflows are called: their names, and for those without one their paths."""
    return frozenset((workflow.name if workflow is not None else "") or source.path for source, workflow in rows)


def _went(name: str, touched: Iterable[FileChange]) -> Anchor | None:
    """Where a workflow of a name was taken away or renamed."""
    for file in touched:
        workflow = parse_workflow(file.base.text) if file.base is not None else None
        if file.base is not None and workflow is not None and (workflow.name or file.base.path) == name:
            return Anchor(file.path, file.first_changed_line)
    return None


CHECKER: Final = WorkflowAwaitsNothing
