"""The model's part of one review: whether there is one, what it is told, and what it costs.

Between review.py, which knows what was seen, and quick_review.py, which asks. Invariants: without a provider or without
consent nothing is sent; whatever goes wrong costs the model's findings and is said in one sentence; equal snapshots and
answers give equal questions, so that a second review of the same change asks nothing.
"""

from __future__ import annotations

import json
import logging
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.model_part import ModelStats
from roundzero.engine.model_access import NO_PROVIDER
from roundzero.errors import RoundzeroError, UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from roundzero.config import Settings
    from roundzero.core.change import Change
    from roundzero.core.finding import Observation
    from roundzero.core.judge import View
    from roundzero.core.known_texts import Texts
    from roundzero.core.ledger import Ledger
    from roundzero.core.model_values import Ask, Reply
    from roundzero.core.report import Depth
    from roundzero.core.ruleset import Problem
    from roundzero.engine.asking import Asking, Spent
    from roundzero.engine.memory import Memory
    from roundzero.engine.model_access import Complete
    from roundzero.engine.quick_review import Inquiry, ModelSight
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.review import ProgressSink, ReviewRequest
    from roundzero.engine.workspace import Workspace
    from roundzero.providers import Endpoint, Provider

    Begins = Callable[[Asking], None]

_log: Final = logging.getLogger(__name__)

NOT_TRUSTED: Final = (
    "the model was not asked, because this repository is not trusted; trust it (roundzero trust), or ask for one review"
    " with --model quick"
)


@dataclass(frozen=True, slots=True)
class Choice:
    """How deep a review goes that nobody chose a depth for. ``notice``: what a person should know of it."""

    depth: Depth
    notice: str | None = None


def choose_depth(settings: Settings, *, trusted: bool) -> Choice:
    """The depth by the settings: off without a provider, without trust, and where model reviews are switched off."""
    if settings.model_provider is None or settings.model_mode == "off":
        return Choice("off")
    if not trusted:
        return Choice("off", NOT_TRUSTED)
    return Choice(settings.model_depth)


def check_depth(depth: Depth, settings: Settings, problems: Iterable[Problem]) -> None:
    """Raises UserError for a depth that a person asked for and cannot have. ``problems`` are those of the settings."""
    if depth != "off" and settings.model_provider is None:
        raise UserError(f"--model {depth}: {NO_PROVIDER}, or use --model off{misnamed(problems)}")


def misnamed(problems: Iterable[Problem]) -> str:
    """The provider that somebody tried to configure, to stand behind a sentence that there is none; or nothing."""
    told = (str(each) for each in problems)
    return next((f" ({each})" for each in told if "model.provider" in each or "_MODEL_PROVIDER" in each), "")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model said, and the numbers of it."""

    sight: ModelSight
    stats: ModelStats

    @property
    def complete(self) -> bool:
        """Whether it has looked at everything it could be asked about."""
        return not self.sight.gaps


async def ask_model(  # noqa: PLR0913  each is an independent input
    workspace: Workspace,
    request: ReviewRequest,
    change: Change,
    view: View,
    *,
    seen: Sequence[Observation],
    memory: Memory,
    watch: ProgressSink,
    complete: Complete | None = None,
    begins: Begins | None = None,
) -> Asked:
    """Ask about a change. ``seen`` is what checks saw. Raises UserError only about ``record`` and ``replay``.

    ``complete`` asks the editor's own model. ``begins`` hears who asks before anything is asked.
    """
    from roundzero.engine.quick_review import ModelSight  # noqa: PLC0415  off the start-up path

    name = workspace.settings.model_name or workspace.settings.model_provider or ""
    try:
        sight = await _asked(
            workspace, request, change, view, seen=seen, memory=memory, watch=watch, complete=complete, begins=begins
        )
    except RoundzeroError as error:
        if isinstance(error, UserError) and (request.record is not None or request.replay is not None):
            raise
        sight = ModelSight(model=name, gaps=(f"the model was not asked: {error}",))
    except Exception:  # noqa: BLE001  a bug of this part must not cost what checks found
        _log.exception("the model's part of a review failed")
        sight = ModelSight(model=name, gaps=("the model was not asked: an internal error, see the log",))
    return Asked(sight, stats_of(sight, workspace.settings))


async def _asked(  # noqa: PLR0913  as above
    workspace: Workspace,
    request: ReviewRequest,
    change: Change,
    view: View,
    *,
    seen: Sequence[Observation],
    memory: Memory,
    watch: ProgressSink,
    complete: Complete | None,
    begins: Begins | None,
) -> ModelSight:
    from roundzero.engine.asking import Asking  # noqa: PLC0415  off the start-up path
    from roundzero.engine.hosting import model_name, post_for  # noqa: PLC0415  as above
    from roundzero.engine.quick_review import quick_review  # noqa: PLC0415  as above
    from roundzero.engine.telling import LaneState  # noqa: PLC0415  as above
    from roundzero.providers._recording import recorded_model  # noqa: PLC0415  as above

    settings = workspace.settings
    post = await post_for(
        settings,
        consent=request.consent or request.replay is not None,
        environ=workspace.environ,
        complete=complete,
        record=request.record,
        replay=request.replay,
    )
    name = recorded_model(request.replay) if request.replay is not None else model_name(settings)
    inquiry = inquiry_of(workspace, change, view, model=name or "", seen=seen, ledger=memory.ledger, texts=memory.texts)
    waits = False

    def heard() -> None:
        nonlocal waits
        if (asking.state in {LaneState.WAITING, LaneState.BUDGET_SPENT}) is not waits:
            waits = not waits
            watch.stage("wait", 0 if waits else 1, None if waits else 1)

    asking = Asking(replace(post, once=True), heard)
    if begins is not None:
        begins(asking)
    if request.depth == "deep":
        from roundzero.engine.deepening import deepen  # noqa: PLC0415  as above

        unsaved = request.unsaved if request.diff is None and not request.overlays else None
        return await deepen(
            workspace,
            inquiry,
            view,
            memory,
            asking,
            watch,
            seconds=request.model_seconds,
            unsaved=unsaved,
            untracked=request.untracked,
        )
    return await quick_review(
        inquiry,
        workspace.around(change),
        asking,
        lambda done, total: watch.stage("model", done, total),
        seconds=request.model_seconds,
    )


def inquiry_of(  # noqa: PLR0913  each is an independent input
    workspace: Workspace,
    change: Change,
    view: View,
    *,
    model: str,
    seen: Sequence[Observation],
    ledger: Ledger,
    texts: Texts,
) -> Inquiry:
    """What is asked about a change, in the light of what was seen and is remembered."""
    from roundzero.engine.context import told  # noqa: PLC0415  off the start-up path
    from roundzero.engine.quick_review import Inquiry  # noqa: PLC0415  as above

    return Inquiry(
        change=change,
        ruleset=workspace.ruleset,
        model=model,
        language=workspace.settings.language,
        max_lines=workspace.settings.model_max_unit_lines,
        covers=view.covers,
        seen=seen,
        told=told(ledger, texts),
    )


def stats_of(sight: ModelSight, settings: Settings) -> ModelStats:
    """The numbers of a model's part, with its cost where there are prices."""
    from roundzero.engine.hosting import limits_of  # noqa: PLC0415  off the start-up path

    spent = sight.spent
    priced = settings.model_price_input is not None or settings.model_price_output is not None
    return ModelStats(
        name=sight.model,
        hunks=sight.hunks,
        covered=sight.covered,
        gaps=sight.gaps,
        outcomes=tuple(sorted((outcome.value, number) for outcome, number in sight.drafts.items())),
        gates=tuple(sorted((gate.value, number) for gate, number in sight.gates.items())),
        capped=sight.capped,
        requests=spent.requests,
        cached=spent.cached,
        sent=spent.sent,
        received=spent.received,
        cost=round(limits_of(settings).cost(spent.sent, spent.received), 6) if priced else None,
        voices=sight.voices,
        clusters=sight.clusters,
        confirmations=sight.confirmations,
        fact_checks=sight.fact_checks,
        rechecks=sight.rechecks,
        tools=sight.tools,
    )


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request as it would be sent. ``address`` is empty where no HTTP request of ours is made."""

    address: str
    body: bytes


@dataclass(slots=True)
class _Noting:
    """Takes note of the questions and answers none."""

    spent: Spent
    over: Reply | None = None
    asks: list[Ask] = field(default_factory=list)

    async def put(self, ask: Ask) -> Reply:
        from roundzero.core.model_values import Outcome, Reply  # noqa: PLC0415  off the start-up path

        self.asks.append(ask)
        return Reply(outcome=Outcome.CANCELLED)


async def outgoing(
    inquiry: Inquiry, snapshot: Snapshot, settings: Settings, environ: Mapping[str, str]
) -> list[Outgoing]:
    """Every request about a change, as it would be sent, without a key. Sends nothing.

    Raises UserError when the settings name no provider, or not enough of one.
    """
    from roundzero.engine.asking import Spent  # noqa: PLC0415  off the start-up path
    from roundzero.engine.hosting import post_for  # noqa: PLC0415  as above
    from roundzero.engine.quick_review import quick_review  # noqa: PLC0415  as above

    post = await post_for(settings, consent=False, environ=environ, complete=_nobody)
    noting = _Noting(Spent())
    await quick_review(inquiry, snapshot, noting)
    return [_as_sent(ask, post.provider, post.endpoint) for ask in noting.asks]


def _as_sent(ask: Ask, provider: Provider, endpoint: Endpoint | None) -> Outgoing:
    from roundzero.providers import HttpProvider  # noqa: PLC0415  off the start-up path

    if isinstance(provider, HttpProvider) and endpoint is not None:
        request = provider.encode(ask, endpoint)
        return Outgoing(request.url, request.body)
    question = ask.question
    said = {"system": question.system, "turns": [[turn.role, turn.text] for turn in question.turns]}
    return Outgoing("", json.dumps(said, ensure_ascii=False).encode("utf-8", "replace"))


async def _nobody(prompt: str, schema: Mapping[str, object]) -> str:
    """The model of an editor that is not there."""
    del prompt, schema
    return ""
