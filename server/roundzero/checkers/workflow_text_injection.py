"""workflow-text-injection: an expression puts text that outsiders write into a script of a workflow.

The text is inserted before the shell, or what an action hands its script to, reads the script. Does not judge the words
a shell splits afterwards: what comes through the environment is data there. Invariant: one hit for each expression of a
file, where it is first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._outside_text import OutsideText
from roundzero.checkers._workflows import EXPRESSION, is_workflow_path, parse_workflow
from roundzero.core.change import Side
from roundzero.core.finding import Hit, evidence_at
from roundzero.core.item import Severity
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._workflows import Job, Step, Text, Workflow
    from roundzero.core.change import Source

_EVENTS_WITH_RIGHTS: Final = frozenset(
    {"pull_request_target", "workflow_run", "issues", "issue_comment", "discussion", "discussion_comment", "gollum"}
)
"""Events that outsiders raise and that run with the repository's secrets and a token that may write."""
_SECRET: Final = regex(r"\bsecrets\.(?!GITHUB_TOKEN\b)\w+")
_SCRIPTS: Final = ("script", "inlineScript", "inline-script", "cmd", "run")
"""What actions call an input that they run as a script."""
MOST_PLACES: Final = 4


class WorkflowTextInjection(TextChecker):
    """Finds expressions in scripts that insert what outsiders write."""

    name = "workflow-text-injection"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at every step that runs a script."""
        text = source.text
        if not is_workflow_path(source.path) or "${{" not in text or ("github." not in text and "jq" not in text):
            return
        workflow = parse_workflow(text)
        if workflow is None:
            return
        outside = OutsideText(workflow, text)
        places: dict[str, list[tuple[int, int, Severity]]] = {}
        for job, step in workflow.steps():
            script = _script(step)
            if script is None:
                continue
            severity = _severity(workflow, job, step, text)
            for match in EXPRESSION.finditer(text, script.start, script.end):
                body = " ".join(match["body"].split())
                if not _is_literal(body, step) and outside.is_in(body, job, step):
                    places.setdefault(body, []).append((match.start(), match.end(), severity))
        for found in places.values():
            start, end, _ = found[0]
            yield Hit(
                path=source.path,
                span=source.index.span(start, end),
                subject=code(text[start:end]),
                evidence=tuple(
                    evidence_at(source, source.index.position(other).line, "the other", Side.HEAD)
                    for other, _, _ in found[1 : 1 + MOST_PLACES]
                ),
                severity=min(severity for _, _, severity in found),
            )


def _script(step: Step) -> Text | None:
    if step.run is not None:
        return step.run
    return next((step.inputs[name] for name in _SCRIPTS if name in step.inputs), None)


def _is_literal(body: str, step: Step) -> bool:
    """Whether a script in JavaScript is given the text as JSON, which is a literal there."""
    uses = step.uses.value if step.run is None and step.uses is not None else ""
    return uses.startswith("actions/github-script") and re.fullmatch(r"toJSON\([^()]*\)", body) is not None


def _severity(workflow: Workflow, job: Job, step: Step, text: str) -> Severity:
    """P0 with rights an outsider lacks; P2 where the same person may change the workflow as well."""
    if workflow.triggers & _EVENTS_WITH_RIGHTS:
        return Severity.P0
    texts = [*workflow.env.values(), *job.env.values(), *step.env.values(), *step.inputs.values()]
    if step.run is not None:
        texts.append(step.run)
    return Severity.P0 if any(_SECRET.search(text, each.start, each.end) for each in texts) else Severity.P2


CHECKER: Final = WorkflowTextInjection
