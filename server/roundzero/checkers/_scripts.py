"""The shell texts of a file: a script is one, a workflow has one in every step, a Dockerfile in every RUN.

Here-documents that a shell reads are texts of their own. Does not read what other files hold. Invariant: ``offset``
plus an offset in the shell's text is an offset in the source's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._shell import parse_shell
from roundzero.checkers._workflows import is_workflow_path, parse_workflow
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.checkers._shell import Command, Shell
    from roundzero.checkers._workflows import Job, Step, Text, Workflow
    from roundzero.core.change import Source
    from roundzero.core.text import Span

SHELLS: Final = frozenset({"bash", "sh", "dash", "zsh", "ksh"})
MOST_NESTED: Final = 3
TEST_RUNNERS: Final = r"(?:py\.?test|ctest|tox|nox|jest|vitest|phpunit|rspec)"
TEST_TOOLS: Final = r"(?:npm|yarn|pnpm|make|go|cargo|bazel(?:isk)?|mvn|gradlew?|swift|dotnet|mix|sbt|flutter|deno|bun)"
"""Patterns of programs that run tests, and of those that do with ``test`` behind them."""

_RUN: Final = regex(
    r"^[ \t]*RUN[ \t]+(?:--\S+[ \t]+)*(?!\[|<<)(?P<script>(?:[^\n]*\\[ \t]*\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*)*[^\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
_RUNS_ANOTHER: Final = frozenset({"sudo", "ssh", "su", "env", "docker", "podman", "nsenter", "chroot", "xargs", "time"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One shell text of a source, and the step of a workflow it is, if any."""

    source: Source
    offset: int
    shell: Shell
    workflow: Workflow | None = None
    job: Job | None = None
    step: Step | None = None

    def span(self, start: int, end: int) -> Span:
        """Where a stretch of the shell text stands in the file."""
        return self.source.index.span(self.offset + start, self.offset + end)

    def line(self, command: Command) -> str:
        """The line of the text on which a command ends, for what stands outside of its words."""
        text = self.shell.text
        start = text.rfind("\n", 0, command.start) + 1
        end = text.find("\n", command.end)
        return text[start : end if end >= 0 else len(text)]


def is_shell_script(source: Source) -> bool:
    """Whether a file is a shell script, by its name or its first line."""
    return language_of(source.path) == "bash" or (
        "." not in source.path.rpartition("/")[2]
        and source.text.startswith("#!")
        and source.text.partition("\n")[0].split()[-1].rpartition("/")[2] in SHELLS
    )


def is_dockerfile(source: Source) -> bool:
    """Whether a file says how an image is built."""
    name = source.path.rpartition("/")[2]
    return name.startswith(("Dockerfile", "Containerfile")) or name.endswith(".dockerfile")


def scripts(source: Source) -> Iterator[Script]:
    """Every shell text of a file."""
    if is_shell_script(source):
        yield from _with_nested(Script(source=source, offset=0, shell=parse_shell(source.text)), MOST_NESTED)
    elif is_dockerfile(source):
        for match in _RUN.finditer(source.text):
            yield Script(source=source, offset=match.start("script"), shell=parse_shell(match["script"]))
    elif is_workflow_path(source.path) and (workflow := parse_workflow(source.text)) is not None:
        for job, step in workflow.steps():
            if step.run is not None and _is_shell(step):
                offset, text = written(source.text, step.run)
                script = Script(
                    source=source, offset=offset, shell=parse_shell(text), workflow=workflow, job=job, step=step
                )
                yield from _with_nested(script, MOST_NESTED)


def written(text: str, scalar: Text) -> tuple[int, str]:
    """A scalar's content as it is written, and where it begins; what folds is on one line."""
    raw = text[scalar.start : scalar.end]
    if raw[:1] in {"|", ">"}:
        header = raw.find("\n") + 1
        body = raw[header:] if header else ""
        return scalar.start + header, body if raw[0] == "|" else body.replace("\n", " ")
    if raw[:1] in {'"', "'"} and raw[-1:] == raw[:1] and len(raw) > 1:
        return scalar.start + 1, raw[1:-1]
    return scalar.start, raw


def _is_shell(step: Step) -> bool:
    return step.shell == "" or step.shell.split()[0] in SHELLS


def _with_nested(script: Script, levels: int) -> Iterator[Script]:
    yield script
    for command in script.shell.commands if levels else ():
        if command.body is None or not _reads_shell(command):
            continue
        start, end = command.body
        yield from _with_nested(
            Script(
                source=script.source,
                offset=script.offset + start,
                shell=parse_shell(script.shell.text[start:end]),
                workflow=script.workflow,
                job=script.job,
                step=script.step,
            ),
            levels - 1,
        )


def _reads_shell(command: Command) -> bool:
    """Whether what a command reads is run by a shell: it is one, or hands over to one."""
    if command.name in SHELLS or command.name == "ssh":
        return True
    return command.name in _RUNS_ANOTHER and any(word.plain.rpartition("/")[2] in SHELLS for word in command.arguments)
