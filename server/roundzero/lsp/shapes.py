"""The shapes of our extensions to the protocol, as published in schema/.

Types only: the server writes plain JSON and never loads this module, which costs milliseconds of its start. Shapes
inside are the report's (render/shapes), so that one reader serves both. Invariant: fields may be added, never changed.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  as below
from typing import Final, Literal

from typing_extensions import TypedDict

from roundzero.render import shapes  # noqa: TC001  the schemas are made from the real types

LaneState = Literal["off", "idle", "waiting", "running", "paused", "offline", "budget-spent"]


class ModelLaneWire(TypedDict):
    """The model lane. ``until`` says when a wait ends, as ISO 8601.

    ``tokens``, ``cost``, ``requests`` and ``cached`` count this session; ``covered`` of the change's ``hunks`` were
    looked at, and ``reasons`` say why others were not or why nothing is asked. ``name`` is the model's, ``stage`` what
    it is asked for in a deep review (``draft``, ``recheck``, ``confirm``, ``fact-check``, ``overview``).
    """

    state: LaneState
    until: str | None
    tokens: int
    cost: float
    requests: int
    cached: int
    hunks: int
    covered: int
    reasons: list[str]
    name: str | None
    stage: str | None


class StatusHeadWire(TypedDict):
    """What is reviewed."""

    commit: str | None
    branch: str | None
    dirty: bool


class StatusWire(TypedDict):
    """Parameters of ``roundzero/status``: the state of one repository's review. ``uri`` is its root.

    ``verdict`` is null until the change as a whole was looked at from this base; ``counts`` are of what is known.
    """

    uri: str
    verdict: shapes.VerdictWire | None
    counts: shapes.CountsWire
    hidden: int
    base: shapes.BaseWire | None
    head: StatusHeadWire | None
    round: shapes.RoundWire
    coverage: shapes.CoverageWire | None
    model: ModelLaneWire
    running: bool
    paused: bool
    problems: list[str]


class FindingsParams(TypedDict, total=False):
    """Parameters of ``roundzero/findings``: of one document or repository, or of everything when left out."""

    uri: str


class FindingsResult(TypedDict):
    """Result of ``roundzero/findings``."""

    findings: list[shapes.FindingWire]


class BaseTextParams(TypedDict):
    """Parameters of ``roundzero/baseText``."""

    uri: str


class BaseTextResult(TypedDict):
    """Result of ``roundzero/baseText``. ``text`` is None where the file is not at the base."""

    text: str | None


class CompleteParams(TypedDict):
    """Parameters of ``roundzero/complete``, which the server sends: what to ask, and the JSON schema of the answer."""

    prompt: str
    schema: Mapping[str, object]


class CompleteResult(TypedDict):
    """Result of ``roundzero/complete``; a bare string is taken too."""

    text: str


class FindingStateWire(TypedDict):
    """Result of ``roundzero.dismiss``, ``reopen``, ``answer`` and, with an id, ``recheck``."""

    id: str
    state: str


PUBLISHED: Final[Mapping[str, type]] = {
    "status": StatusWire,
    "findings-params": FindingsParams,
    "findings-result": FindingsResult,
    "base-text-params": BaseTextParams,
    "base-text-result": BaseTextResult,
    "finding-state": FindingStateWire,
    "complete-params": CompleteParams,
    "complete-result": CompleteResult,
}
"""Shapes by the name of their schema."""
