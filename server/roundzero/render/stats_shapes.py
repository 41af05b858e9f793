"""The shapes of a report's numbers, schema 1. Fields may be added, never changed.

Apart from shapes.py for their number alone; the same holds. Invariant: a shape names exactly what is written, in the
published order.
"""

from __future__ import annotations

from typing_extensions import TypedDict


class OriginsWire(TypedDict):
    """Listed open findings by origin; pre-existing ones are listed when asked for."""

    introduced: int
    exposed: int
    pre_existing: int


class StatesWire(TypedDict):
    """Listed findings by state."""

    open: int
    stale: int
    unconfirmed: int
    fixed: int
    dismissed: int
    refuted: int
    superseded: int


ItemsWire = TypedDict("ItemsWire", {"pass": int, "fail": int, "not_applicable": int, "not_checked": int})
"""Items that are on, by how they came out."""


class DraftsWire(TypedDict):
    """Drafts of a model.

    ``outcomes`` are the failed ones by how they ended. ``gates``: what became of the findings that were drafted;
    ``capped`` of those let in were made milder. ``requests`` were sent in this run, ``cached`` replies were at hand.
    """

    asked: int
    ok: int
    failed: int
    outcomes: dict[str, int]
    gates: dict[str, int]
    capped: int
    requests: int
    cached: int


class HunksWire(TypedDict):
    """Changed hunks, and those that a model looked at."""

    total: int
    covered: int


class VoiceWire(TypedDict):
    """One of the drafts of a deep review: how often it was asked for, and how often it could be read."""

    number: int
    asked: int
    ok: int
    failed: int


class ClustersWire(TypedDict):
    """Findings that were drafted and let in, how many distinct ones they are, and how many went into another."""

    drafted: int
    distinct: int
    merged: int


class ConfirmationsWire(TypedDict):
    """Second looks: asked for, and how they ended; ``open`` ones could not tell, or were not answered."""

    asked: int
    held: int
    fell: int
    open: int


class FactChecksWire(TypedDict):
    """Findings of a model whose claims were checked, by how the decisive one came out.

    ``proposed``: checks by a machine that drafts thought of; ``dropped``: what they proposed that is no such check.
    """

    checked: int
    hold: int
    refuted: int
    unparsable: int
    unverifiable: int
    proposed: int
    dropped: int


class RechecksWire(TypedDict):
    """Findings of earlier rounds that were looked at again; ``failed`` could not be substantiated any more."""

    asked: int
    fixed: int
    open: int
    failed: int
    unanswered: int


class ToolsWire(TypedDict):
    """What models looked up: calls of tools, and bytes of what those gave.

    ``unanswered`` calls, by why they gave nothing; ``cut`` results show a part of what there is; ``ended``:
    conversations that were cut short, by the limit, or by the reply in the middle that came to nothing.
    """

    calls: int
    bytes: int
    unanswered: dict[str, int]
    cut: int
    ended: dict[str, int]


class TokensWire(TypedDict):
    """Tokens sent and received."""

    sent: int
    received: int


class DeepWire(TypedDict):
    """What only a deep review has numbers of."""

    voices: list[VoiceWire]
    clusters: ClustersWire | None
    confirmations: ConfirmationsWire | None
    rechecks: RechecksWire | None
    tools: ToolsWire | None


class StatsWire(TypedDict):
    """Round statistics. ``seconds`` per stage, ``hidden`` findings per reason.

    ``patch_bytes``: of the lines added and removed. ``new``: findings first seen in this round, ``returned``: open ones
    that were fixed before; null without a round. ``blocking_unchanged``: blocking on lines the branch did not touch.
    From ``model`` on everything is null where no model took part, and ``cost`` where no prices are set; what is a deep
    review's is null or empty in others.
    """

    seconds: dict[str, float]
    hidden: dict[str, int]
    failures: list[str]
    patch_bytes: int
    deleted_lines: int
    items: ItemsWire
    origins: OriginsWire
    states: StatesWire
    new: int | None
    returned: int | None
    blocking_unchanged: int
    model: str | None
    hunks: HunksWire | None
    drafts: DraftsWire | None
    fact_checks: FactChecksWire | None
    tokens: TokensWire | None
    cost: float | None
    voices: list[VoiceWire]
    clusters: ClustersWire | None
    confirmations: ConfirmationsWire | None
    rechecks: RechecksWire | None
    tools: ToolsWire | None
