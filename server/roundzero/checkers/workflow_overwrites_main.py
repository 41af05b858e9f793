"""workflow-overwrites-main: a workflow that starts by itself force-pushes to the main branch, or empties the workflows.

Only ``origin`` and branches that are called main, master or trunk, or named by the repository's own default, are
judged: mirrors and branches of generated pages are made to be overwritten. One that only a person starts is left alone.
Invariant: without a push in the same job nothing is reported, nor in a job that checks out another repository.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._scripts import scripts
from roundzero.checkers._workflows import is_workflow_path
from roundzero.core.finding import Hit
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._scripts import Script
    from roundzero.checkers._shell import Command
    from roundzero.checkers._workflows import Job
    from roundzero.core.change import Source

_BY_HAND: Final = frozenset({"workflow_dispatch", "workflow_call", "repository_dispatch"})
_MAIN: Final = regex(r"(?:refs/heads/)?(?:main|master|trunk|\$\{\{\s*github\.event\.repository\.default_branch\s*\}\})")
_OURS: Final = regex(r"origin|.*\$\{\{\s*github\.repository\s*\}\}.*|.*\$\{?GITHUB_REPOSITORY\b.*")
_FORCES: Final = regex(r"--force(?:-with-lease(?:=.*)?|-if-includes)?|--mirror|-[a-zA-Z]*f[a-zA-Z]*")
_WORKFLOWS: Final = regex(r"(?:.*/)?\.github(?:/workflows)?(?:/?|/\*|/\*\*|/\*\.ya?ml|/\*\.\*)")
_SWITCHES: Final = frozenset({"checkout", "switch"})


class WorkflowOverwritesMain(TextChecker):
    """Finds pushes that discard what others pushed to the main branch, and removals of all workflows."""

    name = "workflow-overwrites-main"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at what the scripts of a workflow push and remove."""
        if not is_workflow_path(source.path) or "git" not in source.text or "push" not in source.text:
            return
        all_scripts = [each for each in scripts(source) if each.workflow is not None and each.job is not None]
        pushing = {
            script.job.key
            for script in all_scripts
            if script.job is not None and any(_git(each, "push") is not None for each in script.shell.commands)
        }
        elsewhere = {
            script.job.key for script in all_scripts if script.job is not None and _is_elsewhere(script, script.job)
        }
        for script in all_scripts:
            workflow, job = script.workflow, script.job
            if workflow is None or job is None or job.key not in pushing - elsewhere or workflow.triggers <= _BY_HAND:
                continue
            branch, is_emptied = "", False
            for command in script.shell.commands:
                branch = _switched_to(command) or branch
                if _overwrites(command, branch) or (not is_emptied and _empties(command)):
                    is_emptied = is_emptied or _empties(command)
                    yield _hit(script, command)


def _is_elsewhere(script: Script, job: Job) -> bool:
    """Whether a job works in another repository, or one it makes, so that ``origin`` may be anything."""
    for step in job.steps:
        named = step.inputs.get("repository")
        if named is not None and _OURS.fullmatch(named.value) is None:
            return True
    for command in script.shell.commands:
        remote = _git(command, "remote")
        if _git(command, "clone") is not None or _git(command, "init") is not None:
            return True
        if remote and remote[0] in {"set-url", "add"} and "origin" in remote and _OURS.fullmatch(remote[-1]) is None:
            return True
    return False


def _hit(script: Script, command: Command) -> Hit:
    text = script.shell.text[command.start : command.end]
    return Hit(path=script.source.path, span=script.span(command.start, command.end), subject=code(text))


def _git(command: Command, subcommand: str) -> list[str] | None:
    """The words after a subcommand of git, options between the two aside."""
    if command.name != "git":
        return None
    words = [word.plain for word in command.arguments]
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in {"-C", "-c", "--git-dir", "--work-tree"} else words[1:]
    return words[1:] if words and words[0] == subcommand else None


def _switched_to(command: Command) -> str:
    """The branch a command switches to."""
    for subcommand in _SWITCHES:
        words = _git(command, subcommand)
        if words and "--" not in words:
            named = [word for word in words if not word.startswith("-")]
            return named[0] if named else ""
    return ""


def _overwrites(command: Command, branch: str) -> bool:
    words = _git(command, "push")
    if words is None or any(word in {"--delete", "-d", "--tags", "--dry-run", "-n"} for word in words):
        return False
    forces = any(_FORCES.fullmatch(word) for word in words)
    remote, *refs = [word for word in words if not word.startswith("-")] or ["origin"]
    if _OURS.fullmatch(remote) is None:
        return False
    if not refs:
        return forces and _MAIN.fullmatch(branch) is not None
    return any(
        (forces or ref.startswith("+"))
        and _MAIN.fullmatch(branch if ref == "HEAD" else ref.removeprefix("+").rpartition(":")[2]) is not None
        for ref in refs
    )


def _empties(command: Command) -> bool:
    words = [word.plain for word in command.arguments]
    if command.name == "rm" or _git(command, "rm") is not None:
        return any(_WORKFLOWS.fullmatch(word) for word in words)
    return False


CHECKER: Final = WorkflowOverwritesMain
