"""Which expressions of a workflow hold text that people outside of the repository write.

Titles, bodies, branch names and messages of the events that start the workflow, followed through ``env`` and through
outputs of steps and jobs that a script sets from them. What actions put out is not known, and taken to be safe.
Invariant: an expression that only compares such text does not hold it, nor does one that no event here fills.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._scripts import written
from roundzero.checkers._shell import LONGEST, VARIABLE
from roundzero.checkers._workflows import EXPRESSION
from roundzero.core.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

    from roundzero.checkers._workflows import Job, Step, Text, Workflow

_OUTSIDE: Final = regex(
    r"github\.(?:(?P<pull>head_ref\b|event\.pull_request\."
    r"(?:title|body|head\.(?:ref|label|repo\.(?:default_branch|description|homepage)))\b)"
    r"|event\.(?:(?P<issue>issue\.(?:title|body)\b)"
    r"|(?P<discussion>discussion\.(?:title|body)\b)"
    r"|(?P<comment>comment\.body\b)"
    r"|(?P<review>review\.body\b)"
    r"|(?P<pages>pages(?:\.\*|\[\d+\])\.page_name\b)"
    r"|(?P<push>(?:commits(?:\.\*|\[\d+\])|head_commit)\.(?:message|(?:author|committer)\.(?:email|name))\b)"
    r"|(?P<run>workflow_run\.(?:head_branch|display_title|head_commit\.(?:message|author\.(?:email|name)))\b"
    r"|workflow_run\.pull_requests(?:\.\*|\[\d+\])\.head\.ref\b)))"
)
_FILLED_BY: Final[Mapping[str, frozenset[str]]] = {
    "pull": frozenset({"pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment"}),
    "issue": frozenset({"issues", "issue_comment"}),
    "discussion": frozenset({"discussion", "discussion_comment"}),
    "comment": frozenset({"issue_comment", "pull_request_review_comment", "commit_comment", "discussion_comment"}),
    "review": frozenset({"pull_request_review"}),
    "pages": frozenset({"gollum"}),
    "push": frozenset({"push"}),
    "run": frozenset({"workflow_run"}),
}
"""The events that fill each kind of text; with all others the expression is empty."""
_DECIDES: Final = regex(
    r"\b(?:contains|startsWith|endsWith|hashFiles)\s*\((?:[^()]|\([^()]*\))*\)|(?<![\w.\[\]*-])[\w.\[\]*-]+\s*[!=]=\s*'[^']*'"
)
_CARRIER: Final = regex(
    r"(?<![\w.-])(?P<name>env\.[\w-]+|steps\.[\w-]+\.outputs\.[\w-]+|needs\.[\w-]+\.outputs\.[\w-]+)"
)
_ASSIGNED: Final = regex(r"(?:^|[\s;&|(])(?P<name>[A-Za-z_]\w*)=(?P<value>[^\n]*)")
_PUT_OUT: Final = regex(
    r"(?P<name>[\w-]+)=(?P<value>[^\n]*?)>>\s*[\"']?\$\{?GITHUB_(?:OUTPUT|ENV)\b"
    r"|::set-output name=(?P<old>[\w-]+)::(?P<told>[^\n]*)"
)
_CLEANS: Final = regex(
    r"\btr\s+-(?:cd|dc|c\b|C)|\[\^[^\]]*\]|@uri|@sh|\b(?:sha\d+sum|md5sum|shasum|wc|cut\s+-c|base64|slugify)\b"
)
"""What leaves nothing of a text that a shell would read."""
_ASKED: Final = regex(r"\bjq\b[^|\n]*\.(?:title|body|head\.ref|headRefName)\b|\$\{?GITHUB_HEAD_REF\b")
MOST_HOPS: Final = 4
MOST_CARRIERS: Final = 200
"""What carries such text is followed up to this number: no person wrote a workflow with more of it."""


class OutsideText:
    """Answers for one workflow; what carries such text is found once."""

    def __init__(self, workflow: Workflow, text: str) -> None:
        """Follow the text through a workflow; ``text`` is the file it was read from."""
        self._text = text
        self._triggers = workflow.triggers
        self._anywhere: frozenset[str] = self._variables(workflow.env, frozenset())
        self._in_job: dict[str, frozenset[str]] = {}
        for _ in range(MOST_HOPS):
            before = (self._anywhere, dict(self._in_job))
            for job in workflow.jobs:
                self._follow(job)
            if before == (self._anywhere, self._in_job):
                break

    def is_in(self, body: str, job: Job, step: Step) -> bool:
        """Whether the body of an expression in a step holds such text."""
        known = self._anywhere | self._in_job.get(job.key, frozenset())
        return self._holds(body, known | self._variables(step.env, known))

    def _follow(self, job: Job) -> None:
        known = self._anywhere | self._in_job.get(job.key, frozenset())
        known |= self._variables(job.env, known)
        for step in job.steps:
            if len(known) > MOST_CARRIERS:
                break
            known |= frozenset(self._put_out(step, known | self._variables(step.env, known)))
        self._in_job[job.key] = known
        if len(self._anywhere) > MOST_CARRIERS:
            return
        self._anywhere |= frozenset(
            f"needs.{job.key}.outputs.{name}"
            for name, value in job.outputs.items()
            if self._any_holds(value.value, known)
        )

    def _variables(self, env: Mapping[str, Text], known: frozenset[str]) -> frozenset[str]:
        return frozenset(f"env.{name}" for name, value in env.items() if self._any_holds(value.value, known))

    def _any_holds(self, text: str, known: frozenset[str]) -> bool:
        return any(self._holds(match["body"], known) for match in EXPRESSION.finditer(text))

    def _holds(self, body: str, known: frozenset[str]) -> bool:
        left = _DECIDES.sub(" ", body)
        if any(self._is_filled(match.lastgroup or "") for match in _OUTSIDE.finditer(left)):
            return True
        return any(match["name"] in known for match in _CARRIER.finditer(left))

    def _is_filled(self, kind: str) -> bool:
        """Whether an event that starts the workflow fills this kind of text. Who calls a workflow is not known."""
        return not self._triggers or "workflow_call" in self._triggers or bool(_FILLED_BY[kind] & self._triggers)

    def _put_out(self, step: Step, known: frozenset[str]) -> Iterator[str]:
        """What a script sets from such text: outputs of its step, and variables of the steps after it."""
        if step.run is None:
            return
        variables = {name.removeprefix("env.") for name in known if name.startswith("env.")}
        for line in written(self._text, step.run)[1].split("\n"):
            if len(line) > LONGEST or line.lstrip().startswith("#"):
                continue
            for match in _PUT_OUT.finditer(line):
                if self._carries(match["value"] or match["told"] or "", variables, known):
                    yield from _named(match, step)
            for match in _ASSIGNED.finditer(line):
                if self._carries(match["value"], variables, known):
                    variables.add(match["name"])
                elif match["name"] in VARIABLE.findall(match["value"]):
                    variables.discard(match["name"])

    def _carries(self, value: str, variables: set[str], known: frozenset[str]) -> bool:
        if _CLEANS.search(value) is not None:
            return False
        if self._any_holds(value, known) or _ASKED.search(value) is not None:
            return True
        return any(name in variables for name in VARIABLE.findall(value))


def _named(match: re.Match[str], step: Step) -> Iterator[str]:
    """The expression by which later steps read what a line puts out."""
    if "GITHUB_ENV" in match.group():
        yield f"env.{match['name']}"
    elif step.id:
        yield f"steps.{step.id}.outputs.{match['name'] or match['old']}"
