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
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from roundzero import __version__
from roundzero.core import planner as plan
from roundzero.core.compose import Occasion, compose, coverage
from roundzero.core.gate import evaluate
from roundzero.core.judge import listed, shown
from roundzero.core.report import count, order
from roundzero.engine.change_lane import ChangeLane
from roundzero.engine.fast_lane import FastLane, Look
from roundzero.engine.jobs import Jobs
from roundzero.engine.state import Buffer, State
from roundzero.engine.telling import EngineStatus, Listener, Publication
from roundzero.errors import OutsideError, RoundzeroError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from pathlib import Path

    from roundzero.config import Settings
    from roundzero.core.change import BaseChoice
    from roundzero.core.finding import Finding, FindingId
    from roundzero.core.report import Report
    from roundzero.core.ruleset import Problem
    from roundzero.core.text import RelPath
    from roundzero.engine.fixing import TriedFix
    from roundzero.engine.review import ProgressSink, ReviewRequest

__all__ = ["Engine", "EngineStatus", "Listener", "Publication"]

log = logging.getLogger(__name__)

STATUS_SECONDS: Final = 0.1
"""Least time between two statuses: each counts all findings, and nobody reads faster."""

_RULE_FILES: Final = (".roundzero",)


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
    ) -> None:
        """Start nothing. ``trusted`` None: the user's list of trusted repositories decides.

        ``problems`` are those of the settings; the status names them.
        """
        self.root = root
        self.trusted = trusted
        self._listener = listener
        self._state = State(root, settings, problems, listener)
        self._planner = plan.Planner(_rhythm(settings), paused=not settings.enable, collected=False)
        self._jobs: Jobs[Look | None] = Jobs(
            self._planner, work=self._work, accept=self._accept, failed=self._failed, told=self._tell_soon
        )
        self._fast = FastLane(self._state)
        self._change = ChangeLane(self._state, post=self._jobs.post, tell=self._tell_soon)
        self._trouble: dict[RelPath | None, str] = {}
        self._status = EngineStatus()
        self._telling = False
        self._told = 0.0
        self._bugs: set[str] = set()

    # --- inputs: each returns at once ---

    def opened(self, path: RelPath, text: str, version: int) -> None:
        """A buffer was opened. ``text`` without byte-order mark."""
        self._state.buffers[path] = Buffer(text, version)
        self._jobs.post(plan.Opened(path, version))

    def edited(self, path: RelPath, text: str, version: int) -> None:
        """A buffer has a new text."""
        self._state.buffers[path] = Buffer(text, version)
        self._jobs.post(plan.Edited(path, version))

    def saved(self, path: RelPath) -> None:
        """A buffer was written to disk."""
        self._state.rules_old = self._state.rules_old or _is_rule_file(path)
        self._jobs.post(plan.Saved(path))

    def closed(self, path: RelPath) -> None:
        """A buffer was closed; the file on disk counts again."""
        self._state.buffers.pop(path, None)
        self._trouble.pop(path, None)
        self._jobs.post(plan.Closed(path))

    def files_changed(self, paths: Sequence[Path]) -> None:
        """Files on disk changed, git's own among them."""
        inside = [path.relative_to(self.root).as_posix() for path in paths if path.is_relative_to(self.root)]
        self._state.rules_old = self._state.rules_old or any(_is_rule_file(path) for path in inside)
        self._jobs.post(plan.HeadMoved())

    def settings_changed(self, settings: Settings, problems: tuple[Problem, ...] = ()) -> None:
        """Other settings are in force, or other things are wrong with them."""
        self._state.problems = problems
        was, self._state.settings = self._state.settings, settings
        self._state.rules_old = True
        if was.enable and not settings.enable:
            self._jobs.post(plan.Stopped())
            self._jobs.post(plan.Paused())
            self._state.forget()
        elif settings.enable and not was.enable:
            self._jobs.post(plan.Resumed())
        self._jobs.post(plan.SettingsChanged(_rhythm(settings)))

    def pause(self) -> None:
        """Start nothing until resumed."""
        self._jobs.post(plan.Paused())

    def resume(self) -> None:
        """Go on, unless the settings switch the review off."""
        if self._state.settings.enable:
            self._jobs.post(plan.Resumed())

    def stop(self) -> None:
        """End what runs."""
        self._jobs.post(plan.Stopped())

    # --- life ---

    async def start(self) -> None:
        """Open the repository and collect the change. Raises UserError when it cannot be reviewed now."""
        self._jobs.post(plan.RoundAsked())
        self._jobs.spawn(self._warm())
        await self._state.opened()

    async def close(self) -> None:
        """End everything. Safe at any time, and more than once."""
        await self._jobs.close()
        await asyncio.gather(self._change.close(), self._state.close(), return_exceptions=True)

    # --- questions ---

    @property
    def quiet(self) -> bool:
        """Whether nothing runs and nothing is due."""
        return self._jobs.quiet

    def status(self) -> EngineStatus:
        """The state now."""
        live, paused = self._state.live, self._planner.paused
        running = self._jobs.running
        trouble = tuple(dict.fromkeys(self._trouble.values()))
        wrong = tuple(str(problem) for problem in self._state.problems)
        if live is None or live.change is None or self._state.workspace is None:
            return EngineStatus(paused=paused, running=running, problems=(*trouble, *wrong))
        wrong += tuple(str(problem) for problem in self._state.workspace.ruleset.problems if not problem.lost)
        findings = live.findings()
        visible = tuple(finding for finding in findings if shown(finding))
        covered = coverage(live.change, live.rules.view)
        failures = tuple(sorted({failure.message for failure in live.failures()}))
        return EngineStatus(
            verdict=replace(evaluate(findings, covered, failures, depth="off"), stale=bool(trouble)),
            counts=count(visible),
            base=live.change.base,
            head=live.change.head,
            coverage=covered,
            hidden=len(findings) - len(visible),
            paused=paused,
            running=running,
            problems=(*trouble, *failures, *wrong),
        )

    def status_of(self, report: Report) -> EngineStatus:
        """The state now, with the change as a report saw it."""
        return replace(
            self.status(),
            verdict=report.verdict,
            counts=report.counts,
            base=report.base,
            head=report.head,
            coverage=report.coverage,
            hidden=sum(number for _, number in report.stats.hidden),
            round=report.round,
        )

    def findings(self, path: RelPath | None = None) -> tuple[Finding, ...]:
        """The findings that are shown, of a file or of everything."""
        return self._state.findings(path)

    def listed(self, path: RelPath | None = None) -> tuple[Finding, ...]:
        """The findings that a report lists, dismissed ones too, of a file or of everything."""
        found = self._state.live.findings(path) if self._state.live is not None else []
        return tuple(finding for finding in found if listed(finding))

    def report(self) -> Report | None:
        """The change as it stands, without looking again; None before it was collected."""
        live = self._state.live
        if live is None or live.change is None:
            return None
        occasion = Occasion(
            tool_version=__version__,
            reviewed_at=datetime.now(UTC).isoformat(timespec="seconds"),
            language=self._state.settings.language,
        )
        return compose(
            live.change,
            sorted(live.findings(), key=order),
            live.failures(),
            live.rules.ruleset,
            directives=live.directives(),
            occasion=occasion,
        )

    async def review(self, request: ReviewRequest, progress: ProgressSink | None = None) -> Report:
        """An explicit review, buffers included. Raises UserError."""
        from roundzero.engine.review import review  # noqa: PLC0415  rarely needed at start
        from roundzero.git.repository import Scope  # noqa: PLC0415  as above

        workspace = await self._state.opened()
        if request.scope is Scope.WORKTREE and request.head is None:
            texts = {path: buffer.text for path, buffer in self._state.buffers.items()}
            request = replace(request, overlays={**texts, **request.overlays})
        live = self._state.live
        self._state.rounds_asked = True
        report = await review(
            workspace,
            request,
            progress,
            runner=self._state.worker,
            identify=live.identify if live is not None else None,
        )
        if live is not None:
            whole = (finding for finding in live.findings() if finding.seen.path is None)
            self._state.publish({finding.anchor.path for finding in whole if finding.anchor is not None})
        self._jobs.post(plan.RoundAsked())
        return report

    async def select_base(self, ref: str | None) -> BaseChoice:
        """Compare with another base from now on, for this branch. Raises UserError."""
        workspace = await self._state.opened()
        choice = await workspace.select_base(ref)
        self._jobs.post(plan.SettingsChanged(_rhythm(self._state.settings)))
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

    def _work(self, lane: plan.Lane, path: RelPath | None) -> Coroutine[None, None, Look | None]:
        if lane is plan.Lane.CHANGE or path is None:
            return self._refresh()
        return self._fast.look(path, self._state.buffers[path])

    async def _refresh(self) -> None:
        await self._change.refresh(self._trouble.clear)

    def _accept(self, found: Look | None) -> None:
        if found is not None:
            self._trouble.pop(found.path, None)
            self._fast.accept(found)

    def _failed(self, path: RelPath | None, error: BaseException) -> None:
        """What happened is told; the findings stay as they are."""
        if isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            self._failed(path, error.exceptions[0])
        elif isinstance(error, RoundzeroError):
            self._trouble[path] = str(error)
            log.warning("%s", error)
        else:
            name = f"{type(error).__name__}: {error}"
            self._trouble[path] = f"an error of Round Zero's own: {name}"
            if name not in self._bugs:
                self._bugs.add(name)
                log.error("a job failed", exc_info=error)

    async def _warm(self) -> None:
        with contextlib.suppress(OutsideError):
            await self._state.worker.warm()

    # --- telling ---

    def _tell_soon(self) -> None:
        if not self._telling and not self._jobs.closed:
            self._telling = True
            loop = asyncio.get_running_loop()
            loop.call_at(max(loop.time(), self._told + STATUS_SECONDS), self._tell)

    def _tell(self) -> None:
        self._telling = False
        if self._jobs.closed:
            return
        self._told = asyncio.get_running_loop().time()
        status = self.status()
        if status != self._status:
            self._status = status
            self._listener.status_changed(status)


def _rhythm(settings: Settings) -> plan.Rhythm:
    debounce = settings.debounce_ms / 1000
    return plan.Rhythm(debounce, max_delay=max(4 * debounce, 0.4), on_type=settings.run == "onType")


def _is_rule_file(path: str) -> bool:
    return path.split("/", 1)[0] in _RULE_FILES
