"""Asks a model about the units of a change that have no answer yet, and takes what holds of each answer at once.

Whether one may be asked now, who waits and what a person hears of it is the model lane's; what was said lives on in
``answers``. Invariant: a unit is asked about once for as long as its text and what is known around it stay the same,
unless somebody doubts what was said.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.frozen import dataclass
from roundzero.core.judge import within
from roundzero.engine.kept_answers import KeptAnswers
from roundzero.engine.unit_keys import keys_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from roundzero.core.change import Change, Source
    from roundzero.core.drafting import Texts
    from roundzero.core.finding import Observation
    from roundzero.core.linemap import LineMap
    from roundzero.core.model_values import Unit
    from roundzero.core.text import RelPath
    from roundzero.core.units import Cut
    from roundzero.engine.answers import Said
    from roundzero.engine.asking import Asking
    from roundzero.engine.known_facts import KnownFacts
    from roundzero.engine.live import Live
    from roundzero.engine.looked_at import LookedAt
    from roundzero.engine.model_access import ModelAccess
    from roundzero.engine.quick_review import Answer, Inquiry
    from roundzero.engine.review import ProgressSink
    from roundzero.engine.state import State
    from roundzero.engine.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRun:
    """One run over a change. ``whole``: everything that could be asked about is answered. ``asked`` counts units.

    ``done``: nothing of it is to be asked again, either. ``answers`` are those there are, if this run looked for them.
    """

    change: Change
    asked: int
    whole: bool
    done: bool
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Questions:
    """What there is to ask about a change: units with their keys, and what was said of each before."""

    inquiry: Inquiry
    parts: Cut
    units: tuple[tuple[Unit, str], ...]
    texts: Texts
    before: Mapping[str, list[tuple[Said, int]]]


class Inquiring:
    """See the module. ``looked``: what the last run looked at; None before there was one."""

    def __init__(self, state: State, access: ModelAccess) -> None:
        """Ask nothing yet."""
        self._state = state
        self._access = access
        self.looked: LookedAt | None = None
        self._doubted: list[Observation] = []
        self._again: set[str] = set()
        """What is to be asked again, whatever it was answered: findings, and their units until each is answered."""
        self._facts: KnownFacts | None = None
        self._done: object = None
        self._renewals = 0
        """How often there came to be more to ask than the change tells: what runs meanwhile does not ask it."""
        self._kept = KeptAnswers()

    def renew(self) -> None:
        """There is more to ask than the change tells."""
        self._renewals += 1

    def doubt(self, seen: Observation) -> None:
        """Ask about the unit of a finding again, whatever it was answered."""
        self._doubted.append(seen)
        self._renewals += 1

    def forget_failed(self) -> None:
        """Ask again what got no good answer."""
        self._kept.forget_failed()

    async def run(
        self,
        live: Live,
        workspace: Workspace,
        asking: Asking,
        progress: ProgressSink | None,
        paths: Collection[RelPath],
    ) -> ModelRun:
        """Ask what has no answer yet about the change that ``live`` has. Raises OutsideError of git."""
        from roundzero.engine.context import shows  # noqa: PLC0415  off the start-up path
        from roundzero.engine.quick_review import ask_each  # noqa: PLC0415  as above

        change = live.change
        assert change is not None  # noqa: S101  the lane asked
        settings = workspace.settings
        asked_how = (workspace.ruleset.digest, settings.language, settings.model_max_unit_lines, self._access.made_of)
        held = (id(live.answers), live.answers.forgotten, self._renewals)
        signature = (change.base.merge_base, change.snapshot, asked_how, held)
        if self._done == signature and not self._doubted:
            return ModelRun(change=change, asked=0, whole=True, done=True)
        this = await self.prepared(live, workspace, change)
        doubts, self._doubted = self._doubted, []
        self._again |= {key for unit, key in this.units if any(shows(unit, each.path, each.line) for each in doubts)}
        todo = [
            (unit, key)
            for unit, key in this.units
            if not self._knows(live, unit, key) and (not paths or any(within(unit.path, each) for each in paths))
        ]
        known = self._kept.all()
        answers = {key: known[key] for _, key in this.units if key in known}

        async def one(row: tuple[Unit, str]) -> Answer:
            unit, key = row
            answers[key] = await self._put(unit, key, this, asking)
            return answers[key]

        def heard(done: int, total: int) -> None:
            if progress is not None:
                progress.stage("model", done, total)

        await ask_each(todo, one, heard)
        await self._conclude(this, answers, change)
        whole = len(answers) == len(this.units) and all(answer.draft is not None for answer in answers.values())
        done = whole and not any(key in self._again for _, key in this.units)
        if done:
            self._done = signature
        return ModelRun(change=change, asked=len(todo), whole=whole, done=done, answers=tuple(answers.values()))

    async def prepared(self, live: Live, workspace: Workspace, change: Change) -> Questions:
        """What there is to ask about a change. Raises OutsideError of git."""
        from roundzero.core.known_texts import Texts as Recognised  # noqa: PLC0415  off the start-up path
        from roundzero.core.ledger import Ledger  # noqa: PLC0415  as above
        from roundzero.engine.hosting import model_name  # noqa: PLC0415  as above
        from roundzero.engine.known_facts import KnownFacts as Known  # noqa: PLC0415  as above
        from roundzero.engine.model_review import inquiry_of  # noqa: PLC0415  as above
        from roundzero.engine.quick_review import prepare  # noqa: PLC0415  as above

        settings, recall = workspace.settings, live.recall
        inquiry = inquiry_of(
            workspace,
            change,
            live.rules.view,
            model=model_name(settings),
            seen=live.checked(),
            ledger=recall.ledger if recall is not None else Ledger(),
            texts=recall.texts_with(change.head_texts) if recall is not None else Recognised(),
        )
        snapshot = workspace.around(change)
        if self._facts is None or self._facts.keep_in != snapshot.keep_in:
            self._facts = Known(snapshot.keep_in)
        ready = await prepare(inquiry, snapshot, self._facts)
        asked_of = f"{settings.model_provider} {settings.model_base_url} {inquiry.model}"
        keys = await asyncio.to_thread(keys_of, ready.units, inquiry, asked_of)
        rows = tuple(zip(ready.units, keys, strict=True))
        for path in live.answers.paths:
            if (file := change.file(path)) is not None and file.head is not None:
                live.answers.follow(path, file.head)
        before = {key: live.answers.within(unit, key, keys) for unit, key in rows}
        return Questions(inquiry, ready.parts, rows, ready.texts, before)

    def _knows(self, live: Live, unit: Unit, key: str) -> bool:
        """Whether a unit need not be looked at: what was said of it stands, and nobody doubts it."""
        kept = self._kept.good(key) is not None
        stands = kept and key not in self._again and live.answers.answered(unit.path, key)
        return key in self._kept.failed or stands

    async def _put(self, unit: Unit, key: str, this: Questions, asking: Asking) -> Answer:
        """Ask about one unit, and take what holds of the answer at once."""
        from roundzero.engine.quick_review import ask_unit, sight_of  # noqa: PLC0415  off the start-up path

        doubted, answer = key in self._again, self._kept.good(key)
        if doubted or answer is None:
            via = self._access.anew() if doubted else asking
            answer = await ask_unit(unit, this.inquiry, via)
        answer = replace(answer, unit=unit)
        self._kept.take(key, answer)
        if answer.draft is None:
            return answer
        self._again.discard(key)
        sight = await asyncio.to_thread(sight_of, [answer], this.inquiry, this.texts, parts=this.parts)
        live = self._state.live
        if live is None or live.change is None:
            return answer
        sources: dict[RelPath, Source] = {each.path: each for each in sight.outside}
        live.answers.outside |= sources
        sources |= this.inquiry.change.head_texts
        moved = await self._moved({each.path for each in sight.observations}, sources)
        live = self._state.live or live
        changed = live.answers.take(unit, key, this.before[key], sight.observations, sources, moved=moved)
        self._state.publish(live.take_answer(changed))
        return answer

    async def _moved(
        self, paths: Iterable[RelPath | None], asked: Mapping[RelPath, Source]
    ) -> dict[RelPath, tuple[Source, LineMap]]:
        """Where lines went in the files that were edited since they were asked about."""
        from roundzero.core.linemap import LineMap as Lines  # noqa: PLC0415  off the start-up path

        live, workspace = self._state.live, self._state.workspace
        found: dict[RelPath, tuple[Source, LineMap]] = {}
        for path in sorted({path for path in paths if path is not None}):
            file = live.change.file(path) if live is not None and live.change is not None else None
            then, now = asked.get(path), file.head if file is not None else None
            if workspace is not None and then is not None and now is not None and then.text != now.text:
                found[path] = now, Lines(await workspace.git.hunks(then.text, now.text))
        return found

    async def _conclude(self, this: Questions, answers: Mapping[str, Answer], change: Change) -> None:
        """Say what is answered now, and why the rest is not."""
        from roundzero.engine.looked_at import LookedAt  # noqa: PLC0415  off the start-up path
        from roundzero.engine.quick_review import sight_of  # noqa: PLC0415  as above

        known = [replace(answers[key], unit=unit) for unit, key in this.units if key in answers]
        sight = await asyncio.to_thread(sight_of, known, this.inquiry, this.texts, parts=this.parts)
        self.looked = LookedAt(this.inquiry, this.texts, this.parts, tuple(known), sight)
        live = self._state.live
        if live is None:
            return
        answered: dict[RelPath, set[str]] = defaultdict(set)
        for unit, key in this.units:
            if key in answers and answers[key].draft is not None:
                answered[unit.path].add(key)
        live.answers.know(answered)
        self._kept.forget_failed(but=[key for _, key in this.units])
        if live.change is not None and live.change.snapshot == change.snapshot:
            self._state.publish(live.take_answer(live.answers.prune([unit for unit, _ in this.units])))
