"""The model lane: has a model asked about what of the change it has not answered, and knows its cost and why it waits.

When it runs is the planner's decision, what it may spend the budget's, what is asked ``inquiring``'s. Edits do not end
it: what comes is carried over to the text of now. Invariants: nothing is sent unless the user configured a provider and
the repository is trusted; whatever goes wrong is a state with a reason, and is told once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from roundzero.core import plan
from roundzero.core.finding import State as Standing
from roundzero.core.judge import within
from roundzero.engine.inquiring import Inquiring
from roundzero.engine.lane_state import WAITS, LaneStanding
from roundzero.engine.model_access import SWITCHED_OFF, ModelAccess
from roundzero.engine.telling import NOT_YET, LaneState, ModelStatus
from roundzero.errors import RoundzeroError, UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine

    from roundzero.core.change import Change
    from roundzero.core.finding import Finding
    from roundzero.core.report import Depth
    from roundzero.core.text import RelPath
    from roundzero.engine.asking import Asking
    from roundzero.engine.inquiring import ModelRun
    from roundzero.engine.model_access import Complete
    from roundzero.engine.model_review import Asked
    from roundzero.engine.quick_review import ModelSight
    from roundzero.engine.review import ProgressSink
    from roundzero.engine.second_look import LookedAgain
    from roundzero.engine.state import State

T = TypeVar("T")

_log: Final = logging.getLogger(__name__)

_LATE: Final = 0.2
"""Seconds after the end of a wait at which it is asked again: clocks of two processes differ."""


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
        self._inquiring = Inquiring(state, self._access)
        self._turn = asyncio.Lock()
        self._direct: set[asyncio.Task[object]] = set()
        self.deepened: tuple[str | None, str] | None = None
        """Merge base and snapshot of the last deep review that left no gap."""
        self._timer: asyncio.TimerHandle | None = None

    # --- life ---

    def reset(self) -> None:
        """Look for provider, key and trust again; a person has changed something."""
        self._access.reset()
        self._inquiring.renew()
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
        live, looked = self._state.live, self._inquiring.looked
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
                self._inquiring.forget_failed()
            try:
                run = await self._inquiring.run(live, workspace, asking, progress, paths)
                if not run.done:
                    self._wait(asking)
                self._standing.end(run.answers)
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
        self._inquiring.doubt(finding.seen)
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
            this = await self._inquiring.prepared(live, workspace, change)
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
        self._inquiring.renew()
        if self._state.settings.model_mode in {"onIdle", "onSave"}:
            self._post(plan.ModelAsked())

    def asked(self, change: Change, paths: Collection[RelPath] = ()) -> Asked | None:
        """What was said, as it holds for the texts of a change, for a review that asks nobody. None: nothing was.

        ``paths``: of these files and folders, if any are given.
        """
        from roundzero.engine.model_review import Asked, stats_of  # noqa: PLC0415  off the start-up path

        live, looked = self._state.live, self._inquiring.looked
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
