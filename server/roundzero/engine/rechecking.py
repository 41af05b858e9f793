"""Looks again at what a model found in earlier rounds, where the code around it has changed.

Finds the texts of then, asks one question for each finding, and says what came of it. Decides nothing by itself: what
proves a fix is core/rechecking's. Invariants: a question that fails costs the recheck of one finding, which stays as it
was, and is told of; nothing is shown of a file that may not leave the machine.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.model_part import Rechecks
from roundzero.core.model_values import Outcome
from roundzero.core.recheck_candidates import candidates, checked_in, is_touched, removed, text_of_then
from roundzero.core.recheck_question import question
from roundzero.core.rechecking import judged
from roundzero.core.remembered import Remembered
from roundzero.core.units import redacted_source
from roundzero.engine.answers import WHY
from roundzero.engine.gaps import Gap, because
from roundzero.engine.in_form import Got, ask_in_form
from roundzero.engine.reminding import Reminded
from roundzero.errors import OutsideError
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from roundzero.core.advance import Recheck
    from roundzero.core.change import Change, Source
    from roundzero.core.finding import FindingId
    from roundzero.core.known_texts import Texts
    from roundzero.core.ledger import Ledger
    from roundzero.core.rechecking import RecheckDraft, Subject
    from roundzero.core.text import RelPath
    from roundzero.engine.quick_review import Asks, Inquiry
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.review import ProgressSink

STAGE: Final = "recheck"

MOST: Final = 40
"""Most findings looked at again in one review, the gravest ones."""

TOO_MANY: Final = "too many at once"
KEPT_BACK: Final = "their file is not sent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is remembered: the ledger, the texts it knows, and those beyond the change that findings quote."""

    ledger: Ledger
    texts: Texts
    quoted: Mapping[RelPath, Source] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rechecked:
    """``kept`` are seen again as of now; ``rechecks`` what became of others; ``unanswered`` stay as they were."""

    kept: tuple[Remembered, ...] = ()
    rechecks: Mapping[FindingId, Recheck] = field(default_factory=dict)
    unanswered: frozenset[FindingId] = frozenset()
    gaps: tuple[str, ...] = ()
    stats: Rechecks = field(default_factory=Rechecks)


async def recheck(  # noqa: PLR0913  each is an independent input
    known: Known,
    inquiry: Inquiry,
    snapshot: Snapshot,
    asking: Asks,
    watch: ProgressSink,
    *,
    said: Collection[FindingId] = (),
    delta: Collection[RelPath] = (),
    until: float | None = None,
) -> Rechecked:
    """Look again at findings that the change may have touched since. ``said`` were raised in this review anyhow.

    ``delta``: the paths that differ from the round before. What is not answered ``until`` a time of the loop's clock
    (None: however long it takes) is given up.
    """
    change = inquiry.change
    found = await asyncio.to_thread(
        candidates,
        known.ledger,
        change,
        known.texts,
        known.quoted,
        inquiry.ruleset,
        covers=inquiry.covers,
        said=said,
        delta=delta,
    )
    subjects = await _with_texts(found, known.texts, snapshot)
    gone = await asyncio.to_thread(_gone, subjects, change)
    touched = [each for each in subjects if each.entry.id not in gone and is_touched(each, change)]
    asked, left = touched[:MOST], touched[MOST:]
    sources = await _showable(asked, known, change, snapshot)
    answers = await _answers(asked, sources, inquiry, asking, watch, until)
    too_many = [(each, TOO_MANY) for each in left]
    return await asyncio.to_thread(_rechecked, answers, too_many, gone, sources, change)


def joined(reminded: Reminded, again: Rechecked) -> Reminded:
    """What is remembered with what looking again gave. What nobody could look at again is stale at most."""
    seen = {each.id for each in again.kept}
    kept = [each for each in reminded.kept if each.id not in seen and each.id not in again.rechecks]
    rechecks = {name: each for name, each in reminded.rechecks.items() if name not in seen}
    for name in again.unanswered & rechecks.keys():
        before = rechecks[name]
        if before.outcome == "failed":
            rechecks[name] = replace(before, outcome="lapsed", proof=replace(before.proof, text=WHY[State.STALE]))
    return Reminded(kept=(*kept, *again.kept), rechecks={**rechecks, **again.rechecks})


def _gone(subjects: Sequence[Subject], change: Change) -> dict[FindingId, Recheck]:
    return {each.entry.id: proof for each in subjects if (proof := removed(each, change)) is not None}


async def _with_texts(found: Sequence[Subject], texts: Texts, snapshot: Snapshot) -> list[Subject]:
    """The subjects with the texts they were checked in, and what changed from there, as far as git has them."""
    wanted = {
        blob: each.again.text.path
        for each in found
        for blob in checked_in(each)
        if blob and blob != each.again.text.blob
    }
    near = texts.by_blob()
    olds = {blob: near[blob] for blob in wanted if blob in near}
    olds |= {each.again.text.blob: each.again.text for each in found}
    try:
        missing = {blob: path for blob, path in wanted.items() if blob not in olds}
        olds |= await snapshot.git.texts(missing) if missing else {}
        then = [text_of_then(each, olds) for each in found]
        pairs = [(old.text, each.again.text.text) for each, old in zip(found, then, strict=True) if old is not None]
        hunks = iter(await snapshot.git.hunks_of(pairs))
    except OutsideError:
        return list(found)
    return [
        replace(each, then=old, hunks=next(hunks)) if old is not None else each
        for each, old in zip(found, then, strict=True)
    ]


async def _showable(
    subjects: Sequence[Subject], known: Known, change: Change, snapshot: Snapshot
) -> Mapping[tuple[RelPath, Side], Source]:
    """The redacted texts that the subjects are about or quote, without those that may not leave the machine."""
    if not subjects:
        return {}
    beyond = [(Side.HEAD, source) for source in (*known.texts.heads.values(), *known.quoted.values())]
    plain = {(source.path, side): source for side, source in beyond} | dict(change.sides)
    wanted = {(each.again.text.path, Side.HEAD) for each in subjects}
    wanted |= {(proof.path, proof.side) for each in subjects for proof in each.again.seen.evidence}
    wanted &= plain.keys()
    moved = {file.path: file.old_path for file in change.files if file.old_path is not None}
    try:
        if not await snapshot.may_share():
            return {}
        heads = {path for path, side in wanted if side is Side.HEAD}
        bases = {path for path, side in wanted if side is Side.BASE}
        old = {moved[path] for path in heads if path in moved}
        async with side_by_side() as group:
            at_head = group.create_task(snapshot.shareable(heads, Side.HEAD))
            at_base = group.create_task(snapshot.shareable(bases | old, Side.BASE))
    except OutsideError:
        return {}
    allowed = {(path, Side.HEAD) for path in at_head.result() if moved.get(path) in {None, *at_base.result()}}
    allowed |= {(path, Side.BASE) for path in at_base.result()}
    chosen = {key: plain[key] for key in wanted & allowed}
    return await asyncio.to_thread(lambda: {key: redacted_source(source) for key, source in chosen.items()})


async def _answers(
    subjects: Sequence[Subject],
    sources: Mapping[tuple[RelPath, Side], Source],
    inquiry: Inquiry,
    asking: Asks,
    watch: ProgressSink,
    until: float | None,
) -> list[tuple[Subject, Got[RecheckDraft] | None]]:
    """What is said of each; None where it may not be asked about."""
    if not subjects:
        return []
    from roundzero.providers._reply_recheck import FORM  # noqa: PLC0415  off the start-up path

    done = 0
    watch.stage(STAGE, 0, len(subjects))

    async def one(subject: Subject) -> Got[RecheckDraft] | None:
        nonlocal done
        asked = question(subject, sources, language=inquiry.language, schema=FORM.schema())
        got: Got[RecheckDraft] | None = None
        if asked is not None:
            try:
                async with asyncio.timeout_at(until):
                    got = await ask_in_form(asking, asked, FORM, model=inquiry.model)
            except TimeoutError:
                got = Got(None, Outcome.TIMED_OUT)
        done += 1
        watch.stage(STAGE, done, len(subjects))
        return got

    async with side_by_side() as group:
        tasks = [group.create_task(one(subject)) for subject in subjects]
    return [(subject, task.result()) for subject, task in zip(subjects, tasks, strict=True)]


def _rechecked(
    answers: Sequence[tuple[Subject, Got[RecheckDraft] | None]],
    left: Sequence[tuple[Subject, str]],
    gone: Mapping[FindingId, Recheck],
    sources: Mapping[tuple[RelPath, Side], Source],
    change: Change,
) -> Rechecked:
    kept: list[Remembered] = []
    rechecks = dict(gone)
    silent: dict[FindingId, str] = {subject.entry.id: why for subject, why in left}
    causes: dict[str, tuple[Outcome, str]] = {}
    for subject, got in answers:
        if got is None:
            silent[subject.entry.id] = KEPT_BACK
        elif got.value is None:
            why = silent[subject.entry.id] = because(got.outcome, got.message)
            causes.setdefault(why, (got.outcome, got.message))
        else:
            result = judged(subject, got.value, sources, change)
            if isinstance(result, Remembered):
                kept.append(result)
            elif result is not None:
                rechecks[subject.entry.id] = result
    total = len(answers) + len(left)
    reasons = Counter(silent.values())
    gaps = tuple(
        Gap(f"{number} of {total} earlier findings were not rechecked: {why}", *causes.get(why, ()))
        for why, number in sorted(reasons.items())
    )
    outcomes = Counter(each.outcome for each in rechecks.values())
    stats = Rechecks(
        fixed=outcomes["negated"],
        open=len(kept),
        failed=outcomes["failed"],
        unanswered=len(silent),
    )
    return Rechecked(kept=tuple(kept), rechecks=rechecks, unanswered=frozenset(silent), gaps=gaps, stats=stats)
