"""The quick depth: one draft for each unit of a change, and what of it holds.

Cuts, gathers, asks, admits; decides nothing about what is shown. Invariant: every hunk is answered for, or there is a
reason in words why it is not; a failure of the model costs the model's findings and nothing else.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from roundzero.core.drafting import Gate, Texts, admit
from roundzero.core.frozen import dataclass
from roundzero.core.model_values import Outcome
from roundzero.core.prompt import VERSION, question
from roundzero.engine.asking import Spent
from roundzero.engine.context import Mentioned, gather, guidance_of, mentioned, parts_of
from roundzero.engine.gaps import HUNKS, NOT_ASKED, because, counted
from roundzero.engine.in_form import ask_in_form
from roundzero.engine.known_facts import KnownFacts
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from roundzero.core.change import Change, Side, Source
    from roundzero.core.finding import Observation
    from roundzero.core.item import ItemId, Language
    from roundzero.core.model_part import Clusters, Confirmations, FactChecks, Rechecks, ToolUse, VoiceStats
    from roundzero.core.model_values import Ask, Draft, Reply, Unit
    from roundzero.core.overview import Overview
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath
    from roundzero.core.units import Cut
    from roundzero.engine.context import Praise, Told
    from roundzero.engine.reminding import Reminded
    from roundzero.engine.repository import Snapshot

R = TypeVar("R")
T = TypeVar("T")

_GATHER_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Answer:
    """How asking about one unit ended. ``draft`` None: for the reason in ``message``, where there is one."""

    unit: Unit
    draft: Draft | None
    outcome: Outcome
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSight:
    """What a model said of a change. ``hunks`` and ``covered`` count; ``gaps``: a sentence on what is not covered.

    ``drafts``: how replies ended. ``gates``: what became of what was drafted. ``answered``: the items that were looked
    at wherever they apply. ``outside``: texts of other files that findings lie in, as the model saw them. From
    ``voices`` on it is about a deep review; ``reminded``: what became of what a model said in earlier rounds.
    ``spared``: the items that are asked about no change as small as this one.
    """

    observations: tuple[Observation, ...] = ()
    hunks: int = 0
    covered: int = 0
    gaps: tuple[str, ...] = ()
    drafts: Mapping[Outcome, int] = field(default_factory=dict)
    gates: Mapping[Gate, int] = field(default_factory=dict)
    capped: int = 0
    model: str = ""
    spent: Spent = field(default_factory=Spent)
    outside: tuple[Source, ...] = ()
    answered: frozenset[ItemId] = frozenset()
    voices: tuple[VoiceStats, ...] = ()
    clusters: Clusters | None = None
    confirmations: Confirmations | None = None
    fact_checks: FactChecks | None = None
    rechecks: Rechecks | None = None
    tools: ToolUse | None = None
    reminded: Reminded | None = None
    overview: Overview | None = None
    spared: frozenset[ItemId] = frozenset()


class Asks(Protocol):
    """Who puts questions: engine/asking.Asking, or somebody who only takes note of them."""

    @property
    def spent(self) -> Spent:
        """What was spent so far."""

    @property
    def over(self) -> Reply | None:
        """Why nothing more is put, once that is so."""

    async def put(self, ask: Ask) -> Reply:
        """The reply to a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What is asked about. ``seen``: what checks saw. ``told``: what people said of lines before.

    ``praised``: what earlier rounds praised and is still there.
    """

    change: Change
    ruleset: Ruleset
    model: str
    language: Language
    max_lines: int
    covers: Callable[[RelPath], bool]
    seen: Sequence[Observation] = ()
    told: Sequence[Told] = ()
    praised: Sequence[Praise] = ()


async def quick_review(
    inquiry: Inquiry,
    snapshot: Snapshot,
    asking: Asks,
    progress: Callable[[int, int], None] | None = None,
    *,
    seconds: float | None = None,
) -> ModelSight:
    """Ask once about every unit. ``progress`` hears how many are answered, of how many.

    What is not answered after so many ``seconds`` (None: however long it takes) is given up.
    """
    ready = await prepare(inquiry, snapshot)
    until = asyncio.get_running_loop().time() + seconds if seconds is not None else None

    async def one(unit: Unit) -> Answer:
        try:
            async with asyncio.timeout_at(until):
                return await ask_unit(unit, inquiry, asking)
        except TimeoutError:
            return Answer(unit, None, Outcome.TIMED_OUT)

    answers = await ask_each(ready.units, one, progress)
    return sight_of(answers, inquiry, ready.texts, parts=ready.parts, spent=asking.spent)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What can be asked: the change cut into ``parts``, its ``units`` with context, and the texts answers may quote."""

    parts: Cut
    units: tuple[Unit, ...]
    texts: Texts


async def prepare(inquiry: Inquiry, snapshot: Snapshot, facts: KnownFacts | None = None) -> Prepared:
    """Cut, gather and read: all that comes before asking, for whoever asks. ``facts``: as for ``gathered``."""
    parts = await parts_of(
        inquiry.change, inquiry.ruleset, snapshot, max_lines=inquiry.max_lines, covers=inquiry.covers
    )
    units, others = await gathered(parts.units, inquiry, snapshot, facts)
    return Prepared(parts, units, await asyncio.to_thread(Texts.of, inquiry.change, others))


async def ask_each(
    todo: Sequence[T], ask: Callable[[T], Awaitable[R]], progress: Callable[[int, int], None] | None = None
) -> list[R]:
    """Ask about all side by side; the budget says how many at once. ``progress`` hears of it if there is any."""
    done = 0

    async def one(each: T) -> R:
        nonlocal done
        answer = await ask(each)
        done += 1
        if progress is not None:
            progress(done, len(todo))
        return answer

    if progress is not None and todo:
        progress(0, len(todo))
    async with side_by_side() as group:
        tasks = [group.create_task(one(each)) for each in todo]
    return [task.result() for task in tasks]


async def ask_unit(unit: Unit, inquiry: Inquiry, asking: Asks, *, note: str = "", temperature: float = 0.0) -> Answer:
    """One question, and once more what was wrong when the reply could not be read. ``note``: as core/prompt has it."""
    from roundzero.providers._reply_draft import FORM  # noqa: PLC0415  off the start-up path

    asked = question(unit, inquiry.ruleset.by_id, language=inquiry.language, schema=FORM.schema(), note=note)
    got = await ask_in_form(asking, asked, FORM, model=inquiry.model, temperature=temperature)
    return Answer(unit, got.value, got.outcome, got.message)


async def gathered(
    units: Sequence[Unit], inquiry: Inquiry, snapshot: Snapshot, facts: KnownFacts | None = None
) -> tuple[tuple[Unit, ...], tuple[tuple[Side, Source], ...]]:
    """The units with context, without it where the repository could not be asked, and other texts shown in part.

    ``facts``: what is known of files already; None: nothing but what is kept between runs.
    """
    if not units:
        return (), ()
    async with side_by_side() as group:
        guiding = group.create_task(guidance_of(snapshot))
        looking = group.create_task(_looked_up(units, inquiry, snapshot, facts or KnownFacts(snapshot.keep_in)))
    known, others = looking.result()
    return tuple(replace(unit, guidance=guiding.result()) for unit in known), others


async def _looked_up(
    units: Sequence[Unit], inquiry: Inquiry, snapshot: Snapshot, facts: KnownFacts
) -> tuple[tuple[Unit, ...], tuple[tuple[Side, Source], ...]]:
    from roundzero.engine.repository import BridgedRepository  # noqa: PLC0415  off the start-up path

    stop = threading.Event()
    until = asyncio.get_running_loop().time() + _GATHER_SECONDS
    bridge = BridgedRepository(snapshot, asyncio.get_running_loop())

    def look(mentions: Mentioned, seconds: float) -> tuple[tuple[Unit, ...], tuple[tuple[Side, Source], ...]]:
        from roundzero.index.limit import TimeLimit  # noqa: PLC0415  heavy
        from roundzero.index.symbols import RepositorySymbols  # noqa: PLC0415  as above

        with facts.open() as store:
            symbols = RepositorySymbols(bridge, inquiry.change, store, TimeLimit(seconds, stop.is_set))
            return gather(
                units,
                inquiry.change,
                symbols,
                mentions,
                known=facts.known,
                seen=inquiry.seen,
                told=inquiry.told,
                praised=inquiry.praised,
            )

    try:
        try:
            async with asyncio.timeout_at(until):
                mentions = await mentioned(units, snapshot, bridge)
        except TimeoutError:
            mentions = Mentioned()
        return await asyncio.to_thread(look, mentions, until - asyncio.get_running_loop().time())
    finally:
        stop.set()
        bridge.close()


def sight_of(
    answers: Sequence[Answer], inquiry: Inquiry, texts: Texts, *, parts: Cut, spent: Spent | None = None
) -> ModelSight:
    """What holds of the answers there are. ``parts``: all that could be asked about. ``texts``: what may be quoted.

    Pure. A unit of ``parts`` without an answer is not covered; whoever asks later says why.
    """
    seen: list[Observation] = []
    gates: Counter[Gate] = Counter()
    drafts: Counter[Outcome] = Counter()
    left: Counter[str] = Counter(each.reason.partition(":")[0] for each in parts.uncovered for _ in each.hunks)
    covered = capped = 0
    for answer in answers:
        drafts[answer.outcome] += 1
        if answer.draft is None:
            left[because(answer.outcome, answer.message)] += len(answer.unit.hunks)
            continue
        covered += len(answer.unit.hunks)
        admission = admit(
            answer.draft,
            answer.unit,
            inquiry.change,
            texts,
            inquiry.ruleset,
            producer=inquiry.model,
            version=VERSION,
            said=(*inquiry.seen, *seen),
        )
        gates.update(admission.counts)
        capped += admission.capped
        seen += admission.observations
    if (unasked := parts.hunks - covered - left.total()) > 0:
        left[NOT_ASKED] += unasked
    rest = ", ".join(f"{number} {reason}" for reason, number in left.items())
    gap = counted(HUNKS, parts.hunks, covered=covered, hunks=parts.hunks, left=rest)
    return ModelSight(
        observations=tuple(seen),
        hunks=parts.hunks,
        covered=covered,
        gaps=(gap,) if left else (),
        drafts=dict(drafts),
        gates=dict(gates),
        capped=capped,
        model=inquiry.model,
        spent=spent or Spent(),
        outside=outside_of(seen, texts, inquiry),
        answered=_answered(parts, answers, seen),
        spared=parts.spared,
    )


def outside_of(seen: Sequence[Observation], texts: Texts, inquiry: Inquiry) -> tuple[Source, ...]:
    """The texts beyond the change that findings lie in."""
    shown = {each.path for each in seen}
    return tuple(
        source for (path, _), source in texts.plain.items() if path in shown and inquiry.change.file(path) is None
    )


def _answered(parts: Cut, answers: Sequence[Answer], seen: Sequence[Observation]) -> frozenset[ItemId]:
    """The items that every unit they apply to was answered for, one by one."""
    if parts.uncovered:
        return frozenset()
    asked = {item for unit in parts.units for item in unit.items}
    found = {each.item for each in seen}
    said = {
        (answer.unit.path, answer.unit.hunks): {*answer.draft.answered, *found}
        for answer in answers
        if answer.draft is not None
    }
    silent = {item for unit in parts.units for item in unit.items if item not in said.get((unit.path, unit.hunks), ())}
    return frozenset(asked - silent)
