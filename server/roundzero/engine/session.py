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
from functools import partial
from typing import TYPE_CHECKING, Final

from roundzero.core import planner as plan
from roundzero.core.judge import listed, shown
from roundzero.core.rule_files import holds_packs
from roundzero.engine.change_lane import ChangeLane
from roundzero.engine.fast_lane import FastLane, Look
from roundzero.engine.jobs import Jobs
from roundzero.engine.outlook import Outlook
from roundzero.engine.rhythm import rhythm_of
from roundzero.engine.state import State
from roundzero.engine.telling import NOT_YET, EngineStatus, Listener, Publication
from roundzero.errors import OutsideError, RoundzeroError, UserError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from pathlib import Path

    from roundzero.config import Settings
    from roundzero.core.change import BaseChoice
    from roundzero.core.dismissal import DismissalScope
    from roundzero.core.finding import Finding, FindingId
    from roundzero.core.report import Depth, Report
    from roundzero.core.ruleset import Problem
    from roundzero.core.text import RelPath
    from roundzero.engine.dismissing import Desk
    from roundzero.engine.fixing import TriedFix
    from roundzero.engine.model_access import Complete
    from roundzero.engine.model_lane import ModelLane, ModelRun
    from roundzero.engine.review import ProgressSink, ReviewRequest, Said

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
        self._listener = listener
        self._state = State(root, settings, problems, listener, trusted=trusted)
        self._planner = plan.Planner(rhythm_of(settings), paused=not settings.enable, collected=False)
        self._jobs: Jobs[Look | ModelRun | None] = Jobs(
            self._planner, work=self._work, accept=self._accept, failed=self._failed, told=self._tell_soon
        )
        self._fast = FastLane(self._state)
        self._change = ChangeLane(self._state, post=self._jobs.post, tell=self._tell_soon)
        self._complete = complete
        self._lane: ModelLane | None = None
        self._outlook = Outlook(self._state, self._planner, self._jobs, listener=listener, asks=lambda: self._asks)
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
        if self._lane is not None:
            self._lane.reset()
        if was.enable and not settings.enable:
            self._jobs.post(plan.Stopped())
            self._jobs.post(plan.Paused())
            self._state.forget()
        elif settings.enable and not was.enable:
            self._jobs.post(plan.Resumed())
        self._jobs.post(plan.SettingsChanged(rhythm_of(settings)))

    def pause(self) -> None:
        """Start nothing until resumed, and send nothing more."""
        if self._lane is not None:
            self._lane.stop()
        self._jobs.post(plan.Paused())

    def resume(self) -> None:
        """Go on, unless the settings switch the review off."""
        if self._lane is not None:
            self._lane.reset()
        if self._state.settings.enable:
            self._jobs.post(plan.Resumed())
            if rhythm_of(self._state.settings).model_idle is not None:
                self._jobs.post(plan.ModelAsked())

    def stop(self) -> None:
        """End what runs."""
        if self._lane is not None:
            self._lane.stop()
        self._jobs.post(plan.Stopped())

    @property
    def _asks(self) -> ModelLane | None:
        """The model lane where the user has a model; nobody else pays for its import."""
        return self._model if self._state.settings.model_provider is not None else self._lane

    @property
    def _model(self) -> ModelLane:
        if self._lane is None:
            from roundzero.engine.model_lane import ModelLane  # noqa: PLC0415  where a model is configured

            self._lane = ModelLane(
                self._state,
                post=self._jobs.post,
                tell=self._tell_soon,
                say=lambda text: self._listener.message("error", text),
                complete=self._complete,
            )
        return self._lane

    # --- life ---

    async def start(self) -> None:
        """Open the repository and collect the change. Raises UserError when it cannot be reviewed now."""
        self._jobs.post(plan.RoundAsked())
        self._jobs.spawn(self._warm())
        await self._state.opened()

    async def close(self) -> None:
        """End everything. Safe at any time, and more than once."""
        if self._lane is not None:
            self._lane.stop()
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
        from roundzero.engine.review import review  # noqa: PLC0415  rarely needed at start
        from roundzero.git.repository import Scope  # noqa: PLC0415  as above

        workspace = await self._state.opened()
        if request.depth != "off":
            await self._model.check()
            request = replace(request, consent=True)
        if request.scope is not Scope.STAGED and request.head is None:
            request = replace(request, unsaved=self._texts())
        if (known := self._state.live) is not None and known.recall is not None:
            request = replace(request, at_hand=known.recall.texts.by_blob())
        said: Said | None = None
        if request.depth == "quick" and request.scope is Scope.WORKTREE and request.whole_tree:
            await self._model.ask_now(progress, request.paths)
            said = partial(self._model.asked, paths=request.paths)
        live = self._state.live
        self._state.rounds_asked = True
        reviewing = review(
            workspace,
            replace(request, remember=True),
            self._model.watched(progress) if request.depth == "deep" else progress,
            runner=self._state.patient,
            identify=live.identify if live is not None else None,
            said=said,
            complete=self._complete,
            begins=self._model.joined if request.depth != "off" else None,
        )
        report = await (self._model.directly(reviewing) if request.depth == "deep" else reviewing)
        if request.depth == "deep":
            self._settle(report, whole=request.whole)
        await self._change.recollect()
        if live is not None:
            whole = (finding for finding in live.findings() if finding.seen.path is None)
            self._state.publish({finding.anchor.path for finding in whole if finding.anchor is not None})
        self._jobs.post(plan.RoundAsked())
        return report

    def _settle(self, report: Report, *, whole: bool) -> None:
        """Show what a deep review found in place of what was said before of the same lines."""
        from roundzero.core.finding import State as Standing  # noqa: PLC0415  rarely needed

        live = self._state.live
        if live is None:
            return
        if whole and report.stats.model is not None and not report.stats.model.gaps:
            self._model.deepened = (report.change.base.merge_base, report.change.snapshot)
        heads = {**report.change.head_texts, **{each.path: each for each in report.outside}}
        live.answers.outside |= {each.path: each for each in report.outside}
        found = [
            (each.seen, heads[each.seen.path], each.state)
            for each in report.findings
            if each.seen.source == "model"
            and each.seen.path in heads
            and each.state in {Standing.OPEN, Standing.REFUTED}
        ]
        names = {each.id for each in report.findings}
        known = [each.seen for each in live.findings() if each.id in names and each.seen.source == "model"]
        self._state.publish(live.take_answer(live.answers.settle(found, known=known)))

    async def usual_depth(self) -> Depth:
        """How deep a review goes that nobody chose a depth for."""
        return await self._model.usual_depth()

    def _texts(self) -> dict[RelPath, str]:
        return {path: buffer.text for path, buffer in self._state.buffers.items()}

    async def _commit(self, run: ModelRun) -> None:
        from roundzero.engine.round_of_model import commit_round  # noqa: PLC0415  where a model is asked

        if await commit_round(self._state, run.change, self._model.asked, self._texts()):
            await self._change.recollect()

    async def dismiss(self, name: FindingId, *, scope: DismissalScope, reason: str) -> str:
        """Put a finding aside, at once and for every front end; its state then. Raises UserError, OutsideError."""
        await (await self._desk()).dismiss(name, scope=scope, reason=reason)
        return await self._read_again(name)

    async def reopen(self, name: FindingId) -> str:
        """Take a dismissal back; the finding's state then. Raises UserError, OutsideError."""
        await (await self._desk()).reopen(name)
        return await self._read_again(name)

    async def answer(self, name: FindingId, question: str, text: str) -> str:
        """Keep what a person says to an open question, and ask about its lines anew; the finding's state.

        Raises UserError, OutsideError.
        """
        await (await self._desk()).answer(name, question, text)
        state = await self._read_again(name)
        if self._lane is not None:
            self._lane.ask_again()
        return state

    async def recheck(
        self, name: FindingId | None, *, deep: bool = False, progress: ProgressSink | None = None
    ) -> str | None:
        """Ask the checks again, about one finding or about everything. The finding's state. Raises UserError.

        About a finding of a model one is asked again, and what that shows of the whole change is written down.
        ``deep``: a second look at the one finding of a model, and a check of what it claims.
        """
        live = self._state.live
        if live is None or live.change is None:
            raise UserError(NOT_YET)
        finding = self.finding(name) if name is not None else None
        known = self.state_of(name) if name is not None else None
        if name is not None and known is None:
            raise UserError(f"there is no finding {name} in this change; roundzero/findings lists all")
        if finding is not None and finding.seen.source == "model":
            if deep:
                return await self._confirm(finding, progress)
            run = await self._model.recheck(finding)
            if run is not None and run.whole:
                await self._commit(run)
            return self.state_of(finding.id) or "gone"
        await self._change.again(finding.seen.path if finding is not None else None)
        if name is None:
            return None
        return (self.state_of(name) or "fixed") if finding is None or self.finding(name) is not None else "fixed"

    async def _confirm(self, finding: Finding, progress: ProgressSink | None) -> str:
        """Look at a finding again as a deep review would, and keep what came of it for the branch it was asked on."""
        from roundzero.store.clock import now  # noqa: PLC0415  rarely needed at start

        await self._model.check()
        books = await (await self._desk()).books(owned=True)
        looked = await self._model.confirm(finding, progress)
        books = replace(books, at=now())
        await asyncio.to_thread(books.looked, finding.id, looked.seen, looked.text, looked.state)
        return await self._read_again(finding.id)

    def finding(self, name: FindingId) -> Finding | None:
        """A finding as it is seen now, hidden ones too."""
        return next((finding for finding in self._outlook.settled(None) if finding.id == name), None)

    def state_of(self, name: FindingId) -> str | None:
        """A finding's state as it is seen now, or else as it is remembered; None when it is not known at all."""
        if (finding := self.finding(name)) is not None:
            return finding.state.value
        recall = self._state.live.recall if self._state.live is not None else None
        entry = recall.ledger.entries.get(name) if recall is not None else None
        return entry.state.value if entry is not None else None

    async def _desk(self) -> Desk:
        from roundzero.engine.dismissing import Desk  # noqa: PLC0415  rarely needed at start

        workspace, live = await self._state.opened(), self._state.live
        if live is None or live.change is None:
            raise UserError(NOT_YET)
        return Desk(workspace.git, live, live.change)

    async def _read_again(self, name: FindingId) -> str:
        await self._change.recollect()
        return self.state_of(name) or "gone"

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
            return self._model.look()
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
            self._jobs.spawn(self._commit(found))

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
