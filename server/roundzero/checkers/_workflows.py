"""What a workflow of GitHub Actions says: what starts it, its jobs, their steps, and where the text of each value lies.

Only the shape that GitHub documents is read; templates, other systems' files and what does not parse give None. Does
not expand expressions. Invariant: ``Text.start`` to ``Text.end`` is the value as written, quotes or block included.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from yaml.nodes import Node

    from roundzero.core.change import Side, Source
    from roundzero.core.ports import Repository
    from roundzero.core.text import RelPath

_PLACE: Final = regex(r"(?:^|.*/)\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml")
_ACTION: Final = regex(r"(?:.*/)?action\.ya?ml")
EXPRESSION: Final = regex(r"\$\{\{(?P<body>(?:(?!\$\{\{).){0,2000}?)\}\}", re.DOTALL)
"""An expression. No person writes a longer one, and one that nothing closes is none."""
_HOSTED: Final = regex(
    r"(?:ubuntu|windows|macos)-[\w.-]+|\$\{\{.*"
    r"|(?:blacksmith|buildjet|depot|warp|namespace|nscloud|ubicloud|runs-on|cirun|codebuild|runner=|arc)[-=/].*",
    re.DOTALL,
)
"""Machines of GitHub and of those who rent out others for one job each, and labels that an expression gives."""


@dataclass(frozen=True, slots=True)
class Text:
    """One scalar: its value, and where it is written."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step. ``start`` is where it begins; ``inputs`` are what it hands to an action."""

    start: int
    id: str
    name: str
    uses: Text | None
    run: Text | None
    condition: Text | None
    shell: str
    goes_on: bool
    env: Mapping[str, Text]
    inputs: Mapping[str, Text]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job. ``key`` is its key, ``name`` what its check is called, ``start`` and ``end`` where the key stands.

    ``is_shared``: it may run on a machine that is not thrown away afterwards.
    """

    key: str
    name: str
    start: int
    end: int
    is_shared: bool
    condition: Text | None
    env: Mapping[str, Text]
    outputs: Mapping[str, Text]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A workflow, or a composite action as the one job of a workflow whose triggers are not known.

    ``awaited`` are the names of the workflows after which it starts.
    """

    name: str
    triggers: frozenset[str]
    awaited: tuple[Text, ...]
    env: Mapping[str, Text]
    jobs: tuple[Job, ...]

    def steps(self) -> Iterator[tuple[Job, Step]]:
        """Every step with its job."""
        for job in self.jobs:
            for step in job.steps:
                yield job, step


def is_workflow_path(path: RelPath) -> bool:
    """Whether workflows, or composite actions, live at such a path."""
    return _PLACE.fullmatch(path) is not None or _ACTION.fullmatch(path) is not None


def workflows(repository: Repository, side: Side) -> Iterator[tuple[Source, Workflow | None]]:
    """The workflows that GitHub starts, on one side; None for a text that is none."""
    for path in sorted(repository.paths(side)):
        if path.startswith(".github/workflows/") and is_workflow_path(path):
            source = repository.read(path, side)
            if source is not None:
                yield source, parse_workflow(source.text)


@lru_cache(maxsize=16)
def parse_workflow(text: str) -> Workflow | None:
    """The workflow in a text; None where it is none."""
    import yaml  # noqa: PLC0415  only where a workflow is looked at

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = yaml.compose(text, Loader=loader)
    except (yaml.YAMLError, RecursionError):
        return None
    top = _mapping(root)
    jobs = _mapping(top.get("jobs"))
    if jobs:
        keys = _keys(top.get("jobs"))
        starts = top.get("on", top.get("true"))
        return Workflow(
            name=_value(top.get("name")),
            triggers=_triggers(starts),
            awaited=_awaited(starts),
            env=_texts(top.get("env")),
            jobs=tuple(_job(keys[key], node) for key, node in jobs.items()),
        )
    runs = _mapping(top.get("runs"))
    if _value(runs.get("using")) == "composite":
        key = _keys(root)["runs"]
        job = Job(
            key="runs",
            name="runs",
            start=key.start,
            end=key.end,
            is_shared=False,
            condition=None,
            env={},
            outputs={},
            steps=_steps(runs.get("steps")),
        )
        return Workflow(name=_value(top.get("name")), triggers=frozenset(), awaited=(), env={}, jobs=(job,))
    return None


def _job(key: Text, node: Node) -> Job:
    job = _mapping(node)
    return Job(
        key=key.value,
        name=_value(job.get("name")) or key.value,
        start=key.start,
        end=key.end,
        is_shared="container" not in job and _is_shared(job.get("runs-on")),
        condition=_text(job.get("if")),
        env=_texts(job.get("env")),
        outputs=_texts(job.get("outputs")),
        steps=_steps(job.get("steps")),
    )


def _steps(node: Node | None) -> tuple[Step, ...]:
    found = []
    for each in _sequence(node):
        step = _mapping(each)
        found.append(
            Step(
                start=each.start_mark.index,
                id=_value(step.get("id")),
                name=_value(step.get("name")),
                uses=_text(step.get("uses")),
                run=_text(step.get("run")),
                condition=_text(step.get("if")),
                shell=_value(step.get("shell")),
                goes_on=_value(step.get("continue-on-error")) not in {"", "false"},
                env=_texts(step.get("env")),
                inputs=_texts(step.get("with")),
            )
        )
    return tuple(found)


def _triggers(node: Node | None) -> frozenset[str]:
    if node is None:
        return frozenset()
    single = _value(node)
    if single:
        return frozenset({single})
    return frozenset(_mapping(node)) | {_value(each) for each in _sequence(node)}


def _awaited(node: Node | None) -> tuple[Text, ...]:
    named = _mapping(_mapping(node).get("workflow_run")).get("workflows")
    found = [_text(named), *map(_text, _sequence(named))]
    return tuple(text for text in found if text is not None and text.value)


def _is_shared(node: Node | None) -> bool:
    """Whether ``runs-on`` names labels, none of which is a machine for one job or is only known when it runs."""
    labels = [_value(node), *map(_value, _sequence(node)), *map(_value, _mapping(node).values())]
    named = [label for label in labels if label]
    return bool(named) and not any(_HOSTED.fullmatch(label) for label in named)


def _mapping(node: Node | None) -> dict[str, Node]:
    return {key.value: value for key, value in _pairs(node)}


def _keys(node: Node | None) -> dict[str, Text]:
    return {key.value: Text(key.value, key.start_mark.index, key.end_mark.index) for key, _ in _pairs(node)}


def _pairs(node: Node | None) -> list[tuple[Node, Node]]:
    """The entries of a mapping whose keys are plain. What a node is shows in its value: a text, nodes or pairs."""
    pairs = node.value if node is not None and not isinstance(node.value, str) else ()
    return [each for each in pairs if isinstance(each, tuple) and isinstance(each[0].value, str)]


def _sequence(node: Node | None) -> list[Node]:
    parts = node.value if node is not None and not isinstance(node.value, str) else ()
    return [each for each in parts if not isinstance(each, tuple)]


def _text(node: Node | None) -> Text | None:
    if node is None or not isinstance(node.value, str):
        return None
    return Text(node.value, node.start_mark.index, node.end_mark.index)


def _texts(node: Node | None) -> dict[str, Text]:
    found = {key: _text(value) for key, value in _mapping(node).items()}
    return {key: text for key, text in found.items() if text is not None}


def _value(node: Node | None) -> str:
    text = _text(node)
    return text.value if text is not None else ""
