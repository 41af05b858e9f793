"""The model lane: asks a model about what of the change it has not answered, and knows its cost and why it waits.

When it runs is the planner's decision, what it may spend the budget's, what is let in the gates'; what was said lives
on in ``answers``. Edits do not end it: what comes is carried over to the text of now. Invariants: nothing is sent
unless the user configured a provider and the repository is trusted; a unit is asked about once for as long as its text
and what is known around it stay the same; whatever goes wrong is a state with a reason, and is told once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from roundzero.core import planner as plan
from roundzero.core.finding import State as Standing
from roundzero.core.frozen import dataclass
from roundzero.core.judge import within
from roundzero.engine.kept_answers import KeptAnswers
from roundzero.engine.lane_state import WAITS, LaneStanding
from roundzero.engine.model_access import SWITCHED_OFF, ModelAccess
from roundzero.engine.telling import NOT_YET, LaneState, ModelStatus
from roundzero.engine.unit_keys import keys_of
from roundzero.errors import RoundzeroError, UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping

    from roundzero.core.change import Change, Source
    from roundzero.core.drafting import Texts
    from roundzero.core.finding import Finding, Observation
    from roundzero.core.linemap import LineMap
    from roundzero.core.model_values import Unit
    from roundzero.core.report import Depth
    from roundzero.core.text import RelPath
    from roundzero.core.units import Cut
    from roundzero.engine.answers import Said
    from roundzero.engine.asking import Asking
    from roundzero.engine.known_facts import KnownFacts
    from roundzero.engine.live import Live
    from roundzero.engine.looked_at import LookedAt
    from roundzero.engine.model_access import Complete
    from roundzero.engine.model_review import Asked
    from roundzero.engine.quick_review import Answer, Inquiry, ModelSight
    from roundzero.engine.review import ProgressSink
    from roundzero.engine.second_look import LookedAgain
    from roundzero.engine.state import State
    from roundzero.engine.workspace import Workspace

T = TypeVar("T")

_log: Final = logging.getLogger(__name__)

_LATE: Final = 0.2
"""Seconds after the end of a wait at which it is asked again: clocks of two processes differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRun:
    """One run over a change. ``whole``: everything that could be asked about is answered. ``asked`` counts units."""

    change: Change
    asked: int
    whole: bool


@dataclass(frozen=True, slots=True)
class _Round:
    """What one run asks about: units with their keys, and what was said of each before."""

    inquiry: Inquiry
    parts: Cut
    units: tuple[tuple[Unit, str], ...]
    texts: Texts
    before: Mapping[str, list[tuple[Said, int]]]


class ModelLane:
    """See the module. ``post`` takes events for the planner, ``tell`` says that there is news, ``say`` pops up."""

    def __init__(
        self,
        state: State,
        *,
        post: Callable[[plan.Event], None],
        tell: Callable[[], None],
        say: Callable[[str], None],
        complete: Complete | None = None,
    ) -> None:
        """Start nothing. ``complete`` asks the editor's own model."""
        self._state = state
        self._post = post
        self._tell = tell
        self._standing = LaneStanding(say)
        self._access = ModelAccess(
            state, heard=self._heard, complain=lambda text: self._standing.say_once("settings", text), complete=complete
        )
        self._turn = asyncio.Lock()
        self._direct: set[asyncio.Task[object]] = set()
        self._doubted: list[Observation] = []
        self._again: set[str] = set()
        """What is to be asked again, whatever it was answered: findings, and their units until each is answered."""
        self.deepened: tuple[str | None, str] | None = None
        """Merge base and snapshot of the last deep review that left no gap."""
        self._timer: asyncio.TimerHandle | None = None
        self._looked: LookedAt | None = None
        self._facts: KnownFacts | None = None
        self._done: object = None
        self._renewals = 0
        """How often there came to be more to ask than the change tells: what runs meanwhile does not ask it."""
        self._kept = KeptAnswers()

    # --- life ---

    def reset(self) -> None:
        """Look for provider, key and trust again; a person has changed something."""
        self._access.reset()
        self._renewals += 1
        self._rest()

    def stop(self) -> None:
        """End what was asked for directly, and wait for nothing. Jobs are the planner's to end."""
        self._rest()
        for task in self._direct:
            task.cancel()

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- state ---

    def status(self, *, paused: bool) -> ModelStatus:
        """What it is doing, what it cost, and how much of the change it has looked at."""
        settings, why = self._state.settings, self._access.why_off
        sight, spent = self._sight, self._access.spent()
        paused = paused or self._access.broken is not None
        state, until = (LaneState.OFF, None) if why is not None else self._standing.now(paused=paused)
        known = (why,) if why is not None else (self._access.broken, self._standing.trouble, self._standing.cause)
        reasons = tuple(each for each in known if each is not None)
        return ModelStatus(
            state=state,
            until=until,
            tokens=spent.tokens if spent is not None else 0,
            cost=spent.cost if spent is not None else 0.0,
            requests=spent.requests if spent is not None else 0,
            cached=spent.cached if spent is not None else 0,
            hunks=sight.hunks if sight is not None else 0,
            covered=sight.covered if sight is not None else 0,
            reasons=(*reasons, *(sight.gaps if sight is not None else ())),
            model=settings.model_name or settings.model_provider,
            stage=self._standing.stage,
        )

    def unasked(self) -> tuple[str, ...]:
        """What of the change it should have looked at and has not, for a verdict; () before it ever ran."""
        sight = self._sight
        if sight is None:
            return ()
        return (*sight.gaps, *((self._standing.trouble,) if self._standing.trouble is not None else ()))

    @property
    def depth(self) -> Depth:
        """How deep the change was looked at so far."""
        change = self._state.live.change if self._state.live is not None else None
        if change is not None and self.deepened == (change.base.merge_base, change.snapshot):
            return "deep"
        return "quick" if self._sight is not None else "off"

    @property
    def _sight(self) -> ModelSight | None:
        """What a model has said, with the hunks counted that the change has now. None: nothing, or it may not speak."""
        live, looked = self._state.live, self._looked
        if looked is None or live is None or live.change is None or self._access.why_off not in {None, SWITCHED_OFF}:
            return None
        return looked.now(live.change)

    def _heard(self) -> None:
        self._standing.heard(self._access.asking)
        self._tell()

    # --- running ---

    async def look(
        self, progress: ProgressSink | None = None, *, wanted: bool = False, paths: Collection[RelPath] = ()
    ) -> ModelRun | None:
        """Ask about what has no answer yet; None when nothing may be asked. Raises OutsideError of git.

        ``wanted``: a person waits for it, so that questions that got no good answer are asked again. ``paths``: only
        about these files and folders, if any are given.
        """
        async with self._turn:
            self._rest()
            live, workspace = self._state.live, self._state.workspace
            if live is None or live.change is None or workspace is None:
                return None
            try:
                asking = await self._access.ready(workspace, wanted=wanted)
            except UserError as error:
                _log.info("no model is asked: %s", error)
                self._tell()
                return None
            self._standing.begin()
            self._access.look_again()
            if wanted:
                self._kept.forget_failed()
            try:
                run = await self._look(live, workspace, asking, progress, paths)
                self._standing.trouble = None
                return run
            except Exception as error:
                if wanted and isinstance(error, RoundzeroError):
                    raise
                self._standing.trouble = _in_words(error)
                return None
            finally:
                self._standing.running = False
                self._tell()

    async def check(self, *, wanted: bool = True) -> None:
        """Raises UserError with what to do when no model may be asked. ``wanted``: a person asks for one."""
        await self._access.ready(await self._state.opened(), wanted=wanted)

    async def usual_depth(self) -> Depth:
        """Quick where a model may be asked without a person asking for it, else off."""
        try:
            await self.check(wanted=False)
        except UserError:
            return "off"
        return self._state.settings.model_depth

    async def ask_now(self, progress: ProgressSink | None = None, paths: Collection[RelPath] = ()) -> ModelRun | None:
        """What ``look`` does, for a person who waits. Raises UserError with what to do when nothing may be asked."""
        await self.check()
        if self._state.live is None or self._state.live.change is None:
            raise UserError(NOT_YET)
        return await self.directly(self.look(progress, wanted=True, paths=paths))

    async def directly(self, work: Coroutine[Any, Any, T]) -> T:
        """Do what a person waits for. It ends when the lane is stopped, too."""
        task = asyncio.ensure_future(work)
        self._direct.add(task)
        try:
            return await task
        finally:
            task.cancel()
            self._direct.discard(task)
            if not self._direct:
                self._access.settle()
            self._standing.rest()
            self._tell()

    def joined(self, asking: Asking) -> None:
        """Somebody else asks for a person who waits; what that costs counts here."""
        self._access.beside.append(asking)

    def watched(self, progress: ProgressSink | None) -> ProgressSink:
        """Who watches a deep review, so that the status shows what a model is asked for."""
        return self._standing.watched(progress, self._tell)

    async def recheck(self, finding: Finding) -> ModelRun | None:
        """Ask the unit of a finding again, whatever it was answered. Raises UserError, OutsideError."""
        await self.check()
        self._doubted.append(finding.seen)
        self._renewals += 1
        return await self.ask_now()

    async def confirm(self, finding: Finding, progress: ProgressSink | None = None) -> LookedAgain:
        """A second look at one finding, and a check of what it claims. Raises UserError, OutsideError."""
        await self.check()
        return await self.directly(self._confirm(finding, self.watched(progress)))

    async def _confirm(self, finding: Finding, progress: ProgressSink | None) -> LookedAgain:
        from roundzero.engine.second_look import LookedAgain, look_again  # noqa: PLC0415  rarely asked for

        async with self._turn:
            live, workspace = self._state.live, self._state.workspace
            if live is None or live.change is None or workspace is None:
                raise UserError(NOT_YET)
            change = live.change
            now = next((each for each in live.settled() if each.id == finding.id), None)
            if now is None or now.seen.path is None or now.state is not Standing.OPEN:
                state = "gone" if now is None else now.state.value
                raise UserError(f"{finding.id} is {state}, so there is nothing to confirm; ask the model again")
            text = change.head_texts.get(now.seen.path) or live.answers.outside.get(now.seen.path)
            if text is None:
                raise UserError(f"the text of {now.seen.path} is not at hand; ask for a deep review")
            asking = await self._access.ready(workspace, wanted=True)
            this = await self._prepared(live, workspace, change)
            seen, why = await look_again(
                now.seen, this.inquiry, this.texts, workspace, asking, recall=live.recall, progress=progress
            )
            if why:
                raise UserError(why)
            looked = LookedAgain.of(seen, text)
            live = self._state.live or live
            changed = live.answers.settle([(seen, text, looked.state)], known=[now.seen])
            self._state.publish(live.take_answer(changed))
            return looked

    def ask_again(self) -> None:
        """Look again at what is to be asked: something about the change is known anew."""
        self._renewals += 1
        if self._state.settings.model_mode in {"onIdle", "onSave"}:
            self._post(plan.ModelAsked())

    def asked(self, change: Change, paths: Collection[RelPath] = ()) -> Asked | None:
        """What was said, as it holds for the texts of a change, for a review that asks nobody. None: nothing was.

        ``paths``: of these files and folders, if any are given.
        """
        from roundzero.engine.model_review import Asked, stats_of  # noqa: PLC0415  off the start-up path

        live, looked = self._state.live, self._looked
        if live is None or looked is None or self._access.why_off not in {None, SWITCHED_OFF}:
            return None
        seen = tuple(each for file in change.files for each in live.answers.holding_in(file.path, file.head))
        sight = looked.now(change)
        if paths and change.snapshot == looked.change.snapshot:
            sight = looked.of(paths)
        if paths:
            seen = tuple(each for each in seen if each.path is not None and any(within(each.path, at) for at in paths))
        there = {each.path for each in seen}
        outside = tuple(source for path, source in live.answers.outside.items() if path in there)
        sight = replace(sight, observations=seen, outside=outside, spent=self._access.spent() or sight.spent)
        return Asked(sight, stats_of(sight, self._state.settings))

    async def _look(
        self,
        live: Live,
        workspace: Workspace,
        asking: Asking,
        progress: ProgressSink | None,
        paths: Collection[RelPath],
    ) -> ModelRun | None:
        from roundzero.engine.context import shows  # noqa: PLC0415  off the start-up path
        from roundzero.engine.quick_review import ask_each  # noqa: PLC0415  as above

        change = live.change
        assert change is not None  # noqa: S101  look() asked
        settings = workspace.settings
        asked_how = (workspace.ruleset.digest, settings.language, settings.model_max_unit_lines, self._access.made_of)
        held = (id(live.answers), live.answers.forgotten, self._renewals)
        signature = (change.base.merge_base, change.snapshot, asked_how, held)
        if self._done == signature and not self._doubted:
            return ModelRun(change=change, asked=0, whole=True)
        this = await self._prepared(live, workspace, change)
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
        if whole and not any(key in self._again for _, key in this.units):
            self._done = signature
        else:
            self._wait(asking)
        self._standing.end(answers.values())
        return ModelRun(change=change, asked=len(todo), whole=whole)

    def _knows(self, live: Live, unit: Unit, key: str) -> bool:
        """Whether a unit need not be looked at: what was said of it stands, and nobody doubts it."""
        kept = self._kept.good(key) is not None
        stands = kept and key not in self._again and live.answers.answered(unit.path, key)
        return key in self._kept.failed or stands

    async def _prepared(self, live: Live, workspace: Workspace, change: Change) -> _Round:
        from roundzero.core.known_texts import Texts as Recognised  # noqa: PLC0415  as above
        from roundzero.core.ledger import Ledger  # noqa: PLC0415  off the start-up path
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
        return _Round(inquiry, ready.parts, rows, ready.texts, before)

    async def _put(self, unit: Unit, key: str, this: _Round, asking: Asking) -> Answer:
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

    async def _conclude(self, this: _Round, answers: Mapping[str, Answer], change: Change) -> None:
        """Say what is answered now, and why the rest is not."""
        from roundzero.engine.looked_at import LookedAt  # noqa: PLC0415  off the start-up path
        from roundzero.engine.quick_review import sight_of  # noqa: PLC0415  as above

        known = [replace(answers[key], unit=unit) for unit, key in this.units if key in answers]
        sight = await asyncio.to_thread(sight_of, known, this.inquiry, this.texts, parts=this.parts)
        self._looked = LookedAt(this.inquiry, this.texts, this.parts, tuple(known), sight)
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

    def _wait(self, asking: Asking) -> None:
        """Come back when what was waited for is there: one timer, and none when nobody knows when."""
        until = self._standing.seen[1] or asking.until
        automatic = self._state.settings.model_mode in {"onIdle", "onSave"}
        if until is None or not automatic or self._standing.seen[0] not in WAITS:
            return
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(max(_LATE, until - time.time() + _LATE), self._post, plan.ModelAsked())


def _in_words(error: Exception) -> str:
    """What kept the model from being asked. A bug costs what it would have said, and is logged with its stack."""
    if isinstance(error, RoundzeroError):
        _log.warning("%s", error)
        return f"the model was not asked: {error}"
    _log.error("the model lane failed", exc_info=error)
    return "the model was not asked: an internal error, see the log"
