"""The drafts of a deep review: every voice on every unit, and the distinct findings they come to.

Asks and merges; what of that stands a second look is for engine/deepening. Every question goes through ``asking``,
whose cache makes a review that was interrupted go on where it was. Invariants: nothing that was drafted and let in is
dropped; a draft that fails, or for which there is no time, is counted and costs its vote.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING

from roundzero.core.deep import VOICES, Drafted
from roundzero.core.drafting import Gate, Texts, admit
from roundzero.core.frozen import dataclass
from roundzero.core.model_part import Clusters, VoiceStats
from roundzero.core.model_values import Outcome
from roundzero.core.prompt import BLANKED, VERSION
from roundzero.core.reading import blanked, read_by
from roundzero.core.toolbox import Used
from roundzero.core.votes import merge
from roundzero.engine.gaps import DRAFTS, HUNKS, MAY_COME, Gap, because, counted
from roundzero.engine.quick_review import Answer, ModelSight, ask_each, ask_unit, prepare
from roundzero.engine.whole_review import SaidOfWhole, WholeAnswer, ask_whole, to_ask

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from roundzero.core.change import Side, Source
    from roundzero.core.deep import Voice
    from roundzero.core.finding import Observation
    from roundzero.core.gate import GatePolicy
    from roundzero.core.item import ItemId
    from roundzero.core.model_values import Unit
    from roundzero.core.text import RelPath
    from roundzero.engine.known_facts import KnownFacts
    from roundzero.engine.quick_review import Asks, Inquiry, Prepared
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.review import ProgressSink
    from roundzero.engine.toolbox import Toolbox

    _Sources = Mapping[tuple[RelPath, Side], Source]

STAGE = "draft"


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """How deep: which ``voices``, the ``policy`` their votes are held to, and when to stop.

    ``until`` is a time of the loop's clock; None: it takes what it takes.
    """

    policy: GatePolicy
    voices: Sequence[Voice] = VOICES
    until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepDrafts:
    """What five drafts came to. ``seen`` are the distinct findings, ``texts`` those they were checked against.

    ``sight`` has the numbers, and no findings yet. ``used``: what was looked up. ``probes``: checks by a machine that
    drafts proposed, and what of that was none.
    """

    sight: ModelSight
    seen: tuple[Observation, ...]
    texts: Texts
    ready: Prepared
    used: Used
    probes: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class _Heard:
    """One voice's answer about a unit. ``shown``: texts it looked up."""

    voice: Voice
    answer: Answer
    shown: tuple[tuple[Side, Source], ...] = ()
    used: Used = field(default_factory=Used)


async def deep_drafts(  # noqa: PLR0913  each is an independent input
    inquiry: Inquiry,
    snapshot: Snapshot,
    asking: Asks,
    toolbox: Toolbox,
    watch: ProgressSink,
    depth: Depth,
    *,
    facts: KnownFacts | None = None,
) -> DeepDrafts:
    """Ask every voice about every unit, and put together what they found. ``facts``: as for ``prepare``."""
    ready = await prepare(inquiry, snapshot, facts)
    neutral = any(voice.neutral for voice in depth.voices)
    blank = await asyncio.to_thread(blanked, ready.texts.sources) if neutral else {}
    whole = await to_ask(inquiry, snapshot, ready.units)
    answers: list[WholeAnswer] = [] if whole is None else [WholeAnswer(whole=whole)]

    async def of_the_whole() -> None:
        if whole is not None:
            answers[0] = await ask_whole(whole, inquiry, snapshot, asking, toolbox, until=depth.until)

    also = (of_the_whole,) if whole is not None and whole.items else ()
    heard = await _drafts(ready, inquiry, asking, toolbox, watch, depth, blank=blank, also=also)
    said = answers[0] if answers else None
    sight, seen, texts = await asyncio.to_thread(_merged, heard, said, ready, blank, inquiry, depth)
    used = sum((each.used for each in answers), sum((each.used for each in heard), Used()))
    read = [
        each for each in (*(one.answer.draft for one in heard), *(one.draft for one in answers)) if each is not None
    ]
    probes = (sum(each.probes for each in read), sum(each.dropped_probes for each in read))
    return DeepDrafts(sight=sight, seen=seen, texts=texts, ready=ready, used=used, probes=probes)


async def _drafts(  # noqa: PLR0913  each is an independent input
    ready: Prepared,
    inquiry: Inquiry,
    asking: Asks,
    toolbox: Toolbox,
    watch: ProgressSink,
    depth: Depth,
    *,
    blank: _Sources,
    also: Sequence[Callable[[], Awaitable[None]]] = (),
) -> list[_Heard]:
    """Every voice on every unit. A voice's first drafts come before the next one's, so that votes come in evenly.

    ``blank``: the texts as a neutral voice reads them. ``also`` is asked after them, and seen as one draft more.
    """
    from roundzero.engine.agent import agent_draft  # noqa: PLC0415  off the start-up path

    heard: list[_Heard] = []

    async def one(voice: Voice, unit: Unit) -> None:
        shown: tuple[tuple[Side, Source], ...] = ()
        used = Used()
        if voice.tools:
            found = await agent_draft(unit, inquiry, asking, toolbox, voice, until=depth.until)
            answer, shown, used = found.answer, found.shown, found.used
        else:
            note = BLANKED if voice.neutral else ""
            try:
                async with asyncio.timeout_at(depth.until):
                    read = read_by(voice, unit, blank)
                    answer = await ask_unit(read, inquiry, asking, note=note, temperature=voice.temperature)
            except TimeoutError:
                answer = Answer(unit, None, Outcome.TIMED_OUT)
        answer = replace(answer, unit=unit)
        heard.append(_Heard(voice, answer, shown, used))

    def asked(voice: Voice, unit: Unit) -> Callable[[], Awaitable[None]]:
        return lambda: one(voice, unit)

    todo = [*(asked(voice, unit) for voice in depth.voices for unit in ready.units), *also]
    await ask_each(todo, lambda ask: ask(), lambda done, of: watch.stage(STAGE, done, of))
    place = {unit: at for at, unit in enumerate(ready.units)}
    return sorted(heard, key=lambda each: (each.voice.number, place[each.answer.unit]))


def _merged(
    heard: Sequence[_Heard],
    whole: WholeAnswer | None,
    ready: Prepared,
    blank: _Sources,
    inquiry: Inquiry,
    depth: Depth,
) -> tuple[ModelSight, tuple[Observation, ...], Texts]:
    """What of the drafts holds, as distinct findings with their votes. ``whole``: the one about all of the change."""
    looked_up = [each for one in heard for each in one.shown]
    texts = _with(ready.texts, (*looked_up, *(whole.shown if whole is not None else ())))
    unsaid = _as_blank(texts, blank) if blank else texts
    drafted: list[Drafted] = []
    gates: Counter[Gate] = Counter()
    capped = 0
    answered: dict[Unit, frozenset[int]] = {}
    clean: dict[tuple[Unit, int], frozenset[ItemId]] = {}
    for each in heard:
        unit, draft, voice = each.answer.unit, each.answer.draft, each.voice
        if draft is None:
            continue
        answered[unit] = answered.get(unit, frozenset()) | {voice.number}
        clean[unit, voice.number] = frozenset(name for name in unit.items if name in draft.answered)
        admission = admit(
            draft,
            unit,
            inquiry.change,
            unsaid if voice.neutral else texts,
            inquiry.ruleset,
            producer=inquiry.model,
            version=VERSION,
            said=inquiry.seen,
        )
        gates.update(admission.counts)
        capped += admission.capped
        drafted += [Drafted(voice.number, unit, seen) for seen in admission.observations]
    everywhere = SaidOfWhole.of(whole, inquiry, texts)
    drafted += everywhere.drafted
    seen = merge(drafted, {**answered, **everywhere.answered}, {**clean, **everywhere.clean})
    covered, gaps = _covered(heard, ready, answered, depth)
    sight = ModelSight(
        hunks=ready.parts.hunks,
        covered=covered,
        gaps=(*gaps, *everywhere.gaps),
        drafts=dict(Counter(each.answer.outcome for each in heard)),
        gates=dict(gates + everywhere.gates),
        capped=capped + everywhere.capped,
        model=inquiry.model,
        answered=_looked_for(ready, clean, seen)
        | (everywhere.looked_for(seen) if not ready.parts.uncovered else frozenset()),
        spared=ready.parts.spared | everywhere.spared,
        voices=tuple(_stats_of(voice, heard) for voice in depth.voices),
        clusters=Clusters(len(drafted), len(seen)),
    )
    return sight, seen, texts


def _as_blank(texts: Texts, blank: _Sources) -> Texts:
    """The texts for what a neutral voice says: ``blank`` those it was shown, and what others looked up alike."""
    more = {key: source for key, source in texts.sources.items() if key not in blank}
    return Texts({**blank, **blanked(more)}, texts.plain, texts.sources)


def _with(texts: Texts, shown: Iterable[tuple[Side, Source]]) -> Texts:
    """The texts with those that were looked up, of which the change's own are known already."""
    more = {(source.path, side): source for side, source in shown if (source.path, side) not in texts.plain}
    if not more:
        return texts
    from roundzero.core.units import redacted_source  # noqa: PLC0415  only where something was looked up

    return replace(
        texts,
        sources={**texts.sources, **{key: redacted_source(source) for key, source in more.items()}},
        plain={**texts.plain, **more},
    )


def _covered(
    heard: Sequence[_Heard], ready: Prepared, answered: Mapping[Unit, frozenset[int]], depth: Depth
) -> tuple[int, tuple[str, ...]]:
    """How many hunks enough drafts answered for, and sentences on what there is no draft of.

    A draft that a host could not make costs its vote; one that was not asked for, or may come yet, is missing.
    """
    enough = min(depth.policy.support, len(depth.voices))
    left: Counter[str] = Counter(each.reason.partition(":")[0] for each in ready.parts.uncovered for _ in each.hunks)
    covered = 0
    failed: list[Answer] = []
    for unit in ready.units:
        if len(answered.get(unit, ())) >= enough:
            covered += len(unit.hunks)
            continue
        without = [each.answer for each in heard if each.answer.unit is unit and not each.answer.draft]
        why = Counter(because(answer.outcome, answer.message) for answer in without)
        left[why.most_common(1)[0][0]] += len(unit.hunks)
        failed += without
    if left:
        rest = ", ".join(f"{number} {reason}" for reason, number in left.items())
        one = failed[0] if len({answer.outcome for answer in failed}) == 1 and not ready.parts.uncovered else None
        cause = (one.outcome, one.message) if one is not None else ()
        hunks = ready.parts.hunks
        return covered, (Gap(counted(HUNKS, hunks, covered=covered, hunks=hunks, left=rest), *cause),)
    missing = [each.answer for each in heard if each.answer.outcome in MAY_COME]
    if not missing:
        return covered, ()
    first = missing[0]
    why = Counter(because(answer.outcome, answer.message) for answer in missing)
    reasons = next(iter(why)) if len(why) == 1 else ", ".join(f"{number} {reason}" for reason, number in why.items())
    text = counted(DRAFTS, len(heard), count=len(missing), total=len(heard), why=reasons)
    return covered, (Gap(text, first.outcome, first.message),)


def _looked_for(
    ready: Prepared, clean: Mapping[tuple[Unit, int], frozenset[ItemId]], seen: Iterable[Observation]
) -> frozenset[ItemId]:
    """The items that were looked for wherever they apply, one by one, by some draft."""
    if ready.parts.uncovered:
        return frozenset()
    found = {each.item for each in seen}
    named: dict[Unit, set[ItemId]] = {unit: set() for unit in ready.units}
    for (unit, _), items in clean.items():
        named[unit] |= items
    asked = {item for unit in ready.units for item in unit.items}
    silent = {item for unit in ready.units for item in unit.items if item not in named[unit] | found}
    return frozenset(asked - silent)


def _stats_of(voice: Voice, heard: Iterable[_Heard]) -> VoiceStats:
    own = [each.answer for each in heard if each.voice.number == voice.number]
    return VoiceStats(voice.number, len(own), sum(answer.draft is not None for answer in own))
