"""step-skipped-on-failure: logs of a test run are packed or uploaded by a step that a failing test skips.

A step without a condition runs only while all before it succeeded. Judged are steps that pack or upload what is named
after logs, reports or screenshots, after a step of the same job that runs tests; what a build makes is none of them.
Invariant: a step that has a condition is no hit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._scripts import TEST_RUNNERS, TEST_TOOLS
from roundzero.checkers._shell import LONGEST
from roundzero.checkers._workflows import is_workflow_path, parse_workflow
from roundzero.core.finding import Hit
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._workflows import Step
    from roundzero.core.change import Source

_TESTS: Final = regex(
    rf"(?<![\w])(?:{TEST_RUNNERS}|e2e|unit[ _-]?tests?|playwright|cypress"
    rf"|{TEST_TOOLS}\s(?:[\w:.-]{{1,40}}\s+){{0,6}}?(?:run\s+)?test"
    r"|run[\w-]*tests?\.(?:sh|py)|run[ _-](?:[\w-]+[ _-])?tests?)(?![\w/])"
    r"|run\w*[_-](?:\w+[_-])?tests?\w*\.(?:sh|py)\b",
    re.IGNORECASE,
)
_KEPT: Final = regex(
    r"(?<![a-z])(?:logs?|(?:test|junit|playwright|e2e)[-_. ]?(?:reports?|results?)"
    r"|screenshots?|videos?|traces?|core[-_]?dumps?|crash\w*)(?![a-z])",
    re.IGNORECASE,
)
_FORGIVES: Final = regex(r"\|\|\s*(?:true|:|echo|exit 0)")
_PACKS: Final = regex(r"^\s*(?:\|[-+]?\s+)?(?:tar\s+-?\w*c|zip\s+-|gzip\s|7z\s+a)", re.MULTILINE)
_NO_LOGS: Final = regex(
    r"change[-_ ]?logs?|catalog|release|login|\.(?:whl|jar|war|deb|rpm|apk|exe|msi|dmg|dll|so|vsix|gem|nupkg|crate)\b",
    re.IGNORECASE,
)


class StepSkippedOnFailure(TextChecker):
    """Finds steps that keep what is needed when tests fail, and do not run then."""

    name = "step-skipped-on-failure"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at the steps after those that test."""
        if not is_workflow_path(source.path) or (workflow := parse_workflow(source.text)) is None:
            return
        for job in workflow.jobs:
            tested = False
            for step in job.steps:
                if tested and step.condition is None and _keeps(step):
                    yield _hit(source, step)
                tested = tested or (_runs_tests(step) and not step.goes_on)


def _runs_tests(step: Step) -> bool:
    """Whether a step runs tests whose failure ends it."""
    if step.run is None:
        return False
    lines = [line[:LONGEST] for line in step.run.value.split("\n") if line.lstrip()[:1] not in {"", "#"}]
    failing = [line for line in lines if _FORGIVES.search(line) is None]
    return any(_TESTS.search(line) is not None for line in failing) or (
        bool(failing) and _TESTS.search(step.name) is not None
    )


def _keeps(step: Step) -> bool:
    if step.run is not None:
        text = step.run.value
        return _PACKS.search(text) is not None and text.count("\n") <= 1 and _is_kept(f"{step.name} {text}")
    uses = step.uses.value if step.uses is not None else ""
    if not uses.startswith("actions/upload-artifact@"):
        return False
    texts = [step.name, *(step.inputs[key].value for key in ("name", "path") if key in step.inputs)]
    return any(map(_is_kept, texts)) and not any(_NO_LOGS.search(text) for text in texts)


def _is_kept(text: str) -> bool:
    return _KEPT.search(text.replace("_", "-")) is not None and _NO_LOGS.search(text) is None


def _hit(source: Source, step: Step) -> Hit:
    at = step.uses or step.run
    start, end = (at.start, at.end) if at is not None else (step.start, step.start)
    first = source.text[start:end].split("\n")
    if at is step.run and first[0][:1] in {"|", ">"} and len(first) > 1:
        start += len(first[0]) + 1 + len(first[1]) - len(first[1].lstrip())
        first = [first[1].strip()]
    return Hit(
        path=source.path,
        span=source.index.span(start, start + len(first[0].rstrip())),
        subject=code(step.name or first[0]),
    )


CHECKER: Final = StepSkippedOnFailure
