"""The live engine of one repository: takes what an editor says, keeps findings up to date, tells a listener.

What is started when is the planner's decision, what is found the lanes', what a finding is the judge's; here they are
put together. Invariants: every input returns at once; a failure outside is a problem in the status and leaves the
findings as they were; after ``close`` nothing of it runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core import plan
from roundzero.core.judge import listed, shown
from roundzero.core.planner import Planner
from roundzero.core.rule_files import holds_packs
from roundzero.engine.by_id import ById
from roundzero.engine.change_lane import ChangeLane
from roundzero.engine.fast_lane import FastLane, Look
from roundzero.engine.jobs import Jobs
from roundzero.engine.model_on_demand import ModelOnDemand
from roundzero.engine.outlook import Outlook
from roundzero.engine.rhythm import rhythm_of
from roundzero.engine.rounds import Rounds
from roundzero.engine.state import State
from roundzero.engine.telling import NOT_YET, EngineStatus, Listener, Publication
from roundzero.errors import OutsideError, RoundzeroError, UserError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from pathlib import Path

    from roundzero.config import Settings
    from roundzero.core.change import BaseChoice
    from roundzero.core.finding import Finding, FindingId
    from roundzero.core.report import Depth, Report
    from roundzero.core.ruleset import Problem
    from roundzero.core.text import RelPath
    from roundzero.engine.fixing import TriedFix
    from roundzero.engine.inquiring import ModelRun
    from roundzero.engine.model_access import Complete
    from roundzero.engine.review import ProgressSink, ReviewRequest

__all__ = ["Engine", "EngineStatus", "Listener", "Publication"]

_log: Final = logging.getLogger(__name__)


class Engine:
    """See the module."""

    def __init__(
        self,
        *,
        root: Path,
        settings: Settings,
        trusted: bool | None,
        listener: Listener,
        problems: tuple[Problem, ...] = (),
        complete: Complete | None = None,
    ) -> None:
        """Start nothing. ``trusted`` None: the user's list of trusted repositories decides.

        ``problems`` are those of the settings; the status names them. ``complete`` asks the editor's own model.
        """
        self.root = root
        self._state = State(root, settings, problems, listener, trusted=trusted)
        self._planner = Planner(rhythm_of(settings), paused=not settings.enable, collected=False)
        self._jobs: Jobs[Look | ModelRun | None] = Jobs(
            self._planner, work=self._work, accept=self._accept, failed=self._failed, told=self._tell_soon
        )
        self._fast = FastLane(self._state)
        self._change = ChangeLane(self._state, post=self._jobs.post, tell=self._tell_soon)
        self._model = ModelOnDemand(
            self._state,
            post=self._jobs.post,
            tell=self._tell_soon,
            say=lambda text: listener.message("error", text),
            complete=complete,
        )
        self._rounds = Rounds(self._state, model=self._model, change=self._change, post=self._jobs.post)
        self.by_id = ById(self._state, model=self._model, change=self._change, rounds=self._rounds)
        self._outlook = Outlook(
            self._state, self._planner, self._jobs, listener=listener, asks=lambda: self._model.asks
        )
        self._bugs: set[str] = set()

    # --- inputs: each returns at once ---

    def opened(self, path: RelPath, text: str, version: int) -> None:
        """A buffer was opened. ``text`` without byte-order mark."""
        self._state.put(path, text, version, saved=True)
        self._jobs.post(plan.Opened(path, version))

    def edited(self, path: RelPath, text: str, version: int) -> None:
        """A buffer has a new text."""
        back = self._state.put(path, text, version)
        self._jobs.post(plan.Edited(path, version))
        if back:  # what the whole change showed may have been lost while the text was another
            self._jobs.post(plan.Saved(path))

    def saved(self, path: RelPath) -> None:
        """A buffer was written to disk."""
        self._state.note_saved(path)
        self._state.rules_old = self._state.rules_old or holds_packs(path)
        self._jobs.post(plan.Saved(path))

    def closed(self, path: RelPath) -> None:
        """A buffer was closed; the file on disk counts again."""
        self._state.drop(path)
        self._outlook.trouble.pop(path, None)
        self._jobs.post(plan.Closed(path))

    def files_changed(self, paths: Sequence[Path]) -> None:
        """Files on disk changed, git's own among them."""
        inside = [path.relative_to(self.root).as_posix() for path in paths if path.is_relative_to(self.root)]
        self._state.rules_old = self._state.rules_old or any(holds_packs(path) for path in inside)
        self._jobs.post(plan.HeadMoved())

    def settings_changed(self, settings: Settings, problems: tuple[Problem, ...] = ()) -> None:
        """Other settings are in force, or other things are wrong with them."""
        self._state.problems = problems
        was, self._state.settings = self._state.settings, settings
        self._state.rules_old = True
        self._model.reset()
        if was.enable and not settings.enable:
            self._jobs.post(plan.Stopped())
            self._jobs.post(plan.Paused())
            self._state.forget()
        elif settings.enable and not was.enable:
            self._jobs.post(plan.Resumed())
        self._jobs.post(plan.SettingsChanged(rhythm_of(settings)))

    def pause(self) -> None:
        """Start nothing until resumed, and send nothing more."""
        self._model.stop()
        self._jobs.post(plan.Paused())

    def resume(self) -> None:
        """Go on, unless the settings switch the review off."""
        self._model.reset()
        if self._state.settings.enable:
            self._jobs.post(plan.Resumed())
            if rhythm_of(self._state.settings).model_idle is not None:
                self._jobs.post(plan.ModelAsked())

    def stop(self) -> None:
        """End what runs."""
        self._model.stop()
        self._jobs.post(plan.Stopped())

    # --- life ---

    async def start(self) -> None:
        """Open the repository and collect the change. Raises UserError when it cannot be reviewed now."""
        self._jobs.post(plan.RoundAsked())
        self._jobs.spawn(self._warm())
        await self._state.opened()

    async def close(self) -> None:
        """End everything. Safe at any time, and more than once."""
        self._model.stop()
        await self._jobs.close()
        await asyncio.gather(self._change.close(), self._state.close(), return_exceptions=True)

    # --- questions ---

    @property
    def quiet(self) -> bool:
        """Whether nothing runs and nothing is due."""
        return self._jobs.quiet

    def status(self) -> EngineStatus:
        """The state now. No verdict before the first look at the whole change from this base is done."""
        return self._outlook.status()

    def status_of(self, report: Report) -> EngineStatus:
        """The state now, with the change as a report saw it."""
        return self._outlook.status_of(report)

    def report(self) -> Report | None:
        """The change as it stands, without looking again; None before it was collected."""
        return self._outlook.report()

    def findings(self, path: RelPath | None = None) -> tuple[Finding, ...]:
        """The findings that are shown, of a file or of everything."""
        return tuple(finding for finding in self._outlook.settled(path) if shown(finding))

    def listed(self, path: RelPath | None = None) -> tuple[Finding, ...]:
        """The findings that a report lists, dismissed ones too, of a file or of everything."""
        return tuple(finding for finding in self._outlook.settled(path) if listed(finding))

    async def review(self, request: ReviewRequest, progress: ProgressSink | None = None) -> Report:
        """An explicit review, buffers included; one of the whole branch is a round. Raises UserError."""
        return await self._rounds.review(request, progress)

    async def usual_depth(self) -> Depth:
        """How deep a review goes that nobody chose a depth for."""
        return await self._model.lane.usual_depth()

    async def recheck(self) -> None:
        """Ask the checks again about everything. Raises UserError."""
        if self._state.live is None or self._state.live.change is None:
            raise UserError(NOT_YET)
        await self._change.again(None)

    async def last_report(self) -> Report:
        """The report of the last round, or of the change as it stands when there was none. Raises UserError."""
        from roundzero.engine.last_report import last_report  # noqa: PLC0415  rarely needed at start

        workspace, live = await self._state.opened(), self._state.live
        try:
            report = await last_report(workspace)
        except UserError:
            standing = self.report()
            if standing is None:
                raise
            return standing
        stale = report.verdict.stale if live is None else self._outlook.behind(live)
        return replace(report, verdict=replace(report.verdict, stale=stale))

    async def select_base(self, ref: str | None) -> BaseChoice:
        """Compare with another base from now on, for this branch. Raises UserError."""
        workspace = await self._state.opened()
        choice = await workspace.select_base(ref)
        self._outlook.chosen = choice
        self._jobs.post(plan.SettingsChanged(rhythm_of(self._state.settings)))
        return choice

    async def base_text(self, path: RelPath) -> str | None:
        """The text of a file at the merge base; None when it is not there."""
        workspace = await self._state.opened()
        change = self._state.live.change if self._state.live is not None else None
        if change is None:
            return None
        if (file := change.file(path)) is not None:
            return file.base.text if file.base is not None else None
        if change.base.merge_base is None:
            return None
        source = await workspace.git.text_at(change.base.merge_base, path)
        return source.text if source is not None else None

    async def try_fix(self, finding_id: FindingId, index: int, text_now: str) -> TriedFix:
        """Try a fix on a copy of ``text_now``, the text of the finding's file."""
        from roundzero.engine.fixing import Bench, TriedFix  # noqa: PLC0415  rarely needed at start

        live, analyst = self._state.live, self._state.analyst
        known = live.findings() if live is not None else ()
        finding = next((finding for finding in known if finding.id == finding_id), None)
        path = finding.seen.path if finding is not None else None
        file = live.judged(path) if live is not None and path is not None else None
        if finding is None or file is None or analyst is None:
            return TriedFix((), preferred=False, reason="there is no such finding any more")
        workspace = await self._state.opened()
        try:
            return await Bench(workspace.git, analyst).attempt(finding, index, file, text_now)
        except OutsideError as error:
            return TriedFix((), preferred=False, reason=f"it could not be tried: {error}")

    # --- jobs ---

    def _work(self, lane: plan.Lane, path: RelPath | None) -> Coroutine[None, None, Look | ModelRun | None]:
        if lane is plan.Lane.MODEL:
            return self._model.lane.look()
        if lane is plan.Lane.CHANGE or path is None:
            return self._refresh()
        return self._look(path)

    async def _look(self, path: RelPath) -> Look:
        """Look at a buffer as it is when the job begins: what a burst of edits cancels before holds no text."""
        return await self._fast.look(path, self._state.buffers[path])

    async def _refresh(self) -> None:
        await self._change.refresh(self._collected)

    def _collected(self) -> None:
        self._outlook.trouble.clear()
        self._outlook.chosen = None

    def _accept(self, found: Look | ModelRun | None) -> None:
        if isinstance(found, Look):
            self._outlook.trouble.pop(found.path, None)
            self._fast.accept(found)
        elif found is not None and found.whole and found.asked:
            self._jobs.spawn(self._rounds.commit(found))

    def _failed(self, path: RelPath | None, error: BaseException) -> None:
        """What happened is told; the findings stay as they are."""
        if isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            self._failed(path, error.exceptions[0])
        elif isinstance(error, RoundzeroError):
            self._outlook.trouble[path] = str(error)
            _log.warning("%s", error)
        else:
            name = f"{type(error).__name__}: {error}"
            self._outlook.trouble[path] = f"an error of Round Zero's own: {name}"
            if name not in self._bugs:
                self._bugs.add(name)
                _log.error("a job failed", exc_info=error)

    async def _warm(self) -> None:
        with contextlib.suppress(OutsideError):
            await self._state.worker.warm()

    def _tell_soon(self) -> None:
        self._outlook.tell_soon()
