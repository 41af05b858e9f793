"""The live engine of one repository: takes what an editor says, keeps findings up to date, tells a listener.

What is started when is the planner's decision, what is found the analysis', what a finding is the judge's; here they
are put together. Invariants: every input returns at once; a failure outside is a problem in the status and leaves the
findings as they were; after ``close`` nothing of it runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from roundzero import __version__
from roundzero.core import planner as plan
from roundzero.core.compose import Occasion, compose, coverage
from roundzero.core.gate import evaluate
from roundzero.core.judge import shown
from roundzero.core.rebase import carry, edit_map
from roundzero.core.report import count, order
from roundzero.engine.analysis import Analyst, Early
from roundzero.engine.jobs import Jobs
from roundzero.engine.live import Live, Rules
from roundzero.engine.pool import Worker
from roundzero.engine.repository import Snapshot
from roundzero.engine.sights import Elsewhere, FileSight
from roundzero.engine.telling import EngineStatus, Listener, Publication
from roundzero.errors import OutsideError, RoundzeroError, UserError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Mapping, Sequence
    from pathlib import Path

    from roundzero.config import Settings
    from roundzero.core.change import BaseChoice, Change, FileChange
    from roundzero.core.finding import Finding, FindingId
    from roundzero.core.item import ItemId
    from roundzero.core.report import Report
    from roundzero.core.text import RelPath
    from roundzero.engine.fixing import TriedFix
    from roundzero.engine.review import ProgressSink, ReviewRequest
    from roundzero.engine.watch import Watch
    from roundzero.engine.workspace import Workspace

__all__ = ["Engine", "EngineStatus", "Listener", "Publication"]

log = logging.getLogger(__name__)

EARLY_SECONDS: Final = 0.2
"""When our own checks take longer than this, what the linters saw is shown first."""

BATCH: Final = 16
"""Files analysed together while the whole change is refreshed: few enough that a keystroke's job comes in between."""

_RULE_FILES: Final = (".roundzero",)


@dataclass(frozen=True, slots=True)
class _Buffer:
    text: str
    version: int


@dataclass(slots=True)
class _Look:
    """What a fast job found. ``file`` None: the text is the base's."""

    path: RelPath
    buffer: _Buffer | None
    file: FileChange | None
    sight: FileSight | None = None
    wanted: Mapping[RelPath, frozenset[ItemId]] = field(default_factory=dict)
    takers: Mapping[RelPath, frozenset[ItemId]] = field(default_factory=dict)
    elsewhere: Elsewhere = field(default_factory=Elsewhere)


class Engine:
    """See the module."""

    def __init__(self, *, root: Path, settings: Settings, trusted: bool | None, listener: Listener) -> None:
        """Start nothing. ``trusted`` None: the user's list of trusted repositories decides."""
        self.root = root
        self.trusted = trusted
        self._settings = settings
        self._listener = listener
        self._planner = plan.Planner(_rhythm(settings), paused=not settings.enable)
        self._buffers: dict[RelPath, _Buffer] = {}
        self._workspace: Workspace | None = None
        self._analyst: Analyst | None = None
        self._live: Live | None = None
        self._rules_old = False
        self._collected = asyncio.Event()
        self._refreshing = asyncio.Lock()
        self._worker = Worker()
        self._wide = Worker()
        self._watch: Watch | None = None
        self._jobs: Jobs[_Look | None] = Jobs(
            self._planner, work=self._work, accept=self._accept, failed=self._failed, told=self._tell_soon
        )
        self._trouble: tuple[str, ...] = ()
        self._status = EngineStatus()
        self._telling = False
        self._asked = False
        self._bugs: set[str] = set()

    # --- inputs: each returns at once ---

    def opened(self, path: RelPath, text: str, version: int) -> None:
        """A buffer was opened. ``text`` without byte-order mark."""
        self._buffers[path] = _Buffer(text, version)
        self._jobs.post(plan.Opened(path, version))

    def edited(self, path: RelPath, text: str, version: int) -> None:
        """A buffer has a new text."""
        self._buffers[path] = _Buffer(text, version)
        self._jobs.post(plan.Edited(path, version))

    def saved(self, path: RelPath) -> None:
        """A buffer was written to disk."""
        self._rules_old = self._rules_old or _is_rule_file(path)
        self._jobs.post(plan.Saved(path))

    def closed(self, path: RelPath) -> None:
        """A buffer was closed; the file on disk counts again."""
        self._buffers.pop(path, None)
        self._jobs.post(plan.Closed(path))

    def files_changed(self, paths: Sequence[Path]) -> None:
        """Files on disk changed, git's own among them."""
        inside = [path.relative_to(self.root).as_posix() for path in paths if path.is_relative_to(self.root)]
        self._rules_old = self._rules_old or any(_is_rule_file(path) for path in inside)
        self._jobs.post(plan.HeadMoved())

    def settings_changed(self, settings: Settings) -> None:
        """Other settings are in force."""
        was, self._settings = self._settings, settings
        self._rules_old = True
        self._collected.clear()
        if was.enable and not settings.enable:
            self._jobs.post(plan.Stopped())
            self._jobs.post(plan.Paused())
            self._forget_all()
        elif settings.enable and not was.enable:
            self._jobs.post(plan.Resumed())
        self._jobs.post(plan.SettingsChanged(_rhythm(settings)))

    def pause(self) -> None:
        """Start nothing until resumed."""
        self._jobs.post(plan.Paused())

    def resume(self) -> None:
        """Go on, unless the settings switch the review off."""
        if self._settings.enable:
            self._jobs.post(plan.Resumed())

    def stop(self) -> None:
        """End what runs."""
        self._jobs.post(plan.Stopped())

    # --- life ---

    async def start(self) -> None:
        """Open the repository and collect the change. Raises UserError when it cannot be reviewed."""
        from roundzero.git.repository import Git  # noqa: PLC0415  git starts before the rest is imported

        git = await Git.open(self.root)
        try:
            self._jobs.spawn(self._warm())
            from roundzero.engine.workspace import Workspace  # noqa: PLC0415  as above

            self._workspace = await Workspace.open(self.root, settings=self._settings, environ=os.environ, git=git)
        except BaseException:
            await git.close()
            raise
        self._jobs.post(plan.RoundAsked())

    async def close(self) -> None:
        """End everything. Safe at any time, and more than once."""
        await self._jobs.close()
        if self._watch is not None:
            await self._watch.close()
        await asyncio.gather(self._worker.close(), self._wide.close(), return_exceptions=True)
        if self._workspace is not None:
            await self._workspace.git.close()

    # --- questions ---

    @property
    def quiet(self) -> bool:
        """Whether nothing runs and nothing is due."""
        return self._jobs.quiet

    def status(self) -> EngineStatus:
        """The state now."""
        live, paused = self._live, self._planner.paused
        running = self._jobs.running
        if live is None or live.change is None or self._workspace is None:
            return EngineStatus(paused=paused, running=running, problems=self._trouble)
        findings = live.findings()
        visible = tuple(finding for finding in findings if shown(finding))
        covered = coverage(live.change)
        failures = tuple(sorted({failure.message for failure in live.failures()}))
        return EngineStatus(
            verdict=replace(evaluate(findings, covered, failures, depth="off"), stale=bool(self._trouble)),
            counts=count(visible),
            base=live.change.base,
            head=live.change.head,
            coverage=covered,
            hidden=len(findings) - len(visible),
            paused=paused,
            running=running,
            problems=(*self._trouble, *failures, *(str(problem) for problem in self._workspace.problems)),
        )

    def findings(self, path: RelPath | None = None) -> tuple[Finding, ...]:
        """The findings that are shown, of a file or of everything."""
        return tuple(finding for finding in self._all(path) if shown(finding))

    def report(self) -> Report | None:
        """The change as it stands, without looking again; None before it was collected."""
        live = self._live
        if live is None or live.change is None:
            return None
        occasion = Occasion(
            tool_version=__version__,
            reviewed_at=datetime.now(UTC).isoformat(timespec="seconds"),
            language=self._settings.language,
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

        workspace = await self._opened_workspace()
        if request.scope is Scope.WORKTREE and request.head is None:
            texts = {path: buffer.text for path, buffer in self._buffers.items()}
            request = replace(request, overlays={**texts, **request.overlays})
        live = self._live
        self._asked = True
        report = await review(
            workspace,
            request,
            progress,
            runner=self._worker,
            identify=live.identify if live is not None else None,
        )
        if live is not None:
            whole = (finding for finding in live.findings() if finding.seen.path is None)
            self._publish({finding.anchor.path for finding in whole if finding.anchor is not None})
        self._jobs.post(plan.RoundAsked())
        return report

    async def select_base(self, ref: str | None) -> BaseChoice:
        """Compare with another base from now on, for this branch. Raises UserError."""
        workspace = await self._opened_workspace()
        choice = await workspace.select_base(ref)
        self._jobs.post(plan.SettingsChanged(_rhythm(self._settings)))
        return choice

    async def base_text(self, path: RelPath) -> str | None:
        """The text of a file at the merge base; None when it is not there."""
        workspace = await self._opened_workspace()
        change = self._live.change if self._live is not None else None
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

        finding = next((finding for finding in self._all() if finding.id == finding_id), None)
        path = finding.seen.path if finding is not None else None
        file = self._live.file(path) if self._live is not None and path is not None else None
        if finding is None or file is None or self._analyst is None:
            return TriedFix((), preferred=False, reason="there is no such finding any more")
        workspace = await self._opened_workspace()
        try:
            return await Bench(workspace.git, self._analyst).attempt(finding, index, file, text_now)
        except OutsideError as error:
            return TriedFix((), preferred=False, reason=f"it could not be tried: {error}")

    # --- jobs ---

    def _work(self, lane: plan.Lane, path: RelPath | None) -> Coroutine[None, None, _Look | None]:
        return self._refresh() if lane is plan.Lane.CHANGE or path is None else self._look(path, self._buffers[path])

    def _failed(self, error: BaseException) -> None:
        """What happened is told; the findings stay as they are."""
        if isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            self._failed(error.exceptions[0])
        elif isinstance(error, RoundzeroError):
            self._trouble = (str(error),)
            log.warning("%s", error)
        else:
            name = f"{type(error).__name__}: {error}"
            self._trouble = (f"an error of Round Zero's own: {name}",)
            if name not in self._bugs:
                self._bugs.add(name)
                log.error("a job failed", exc_info=error)

    async def _warm(self) -> None:
        with contextlib.suppress(OutsideError):
            await self._worker.warm()

    # --- the fast lane ---

    async def _look(self, path: RelPath, buffer: _Buffer) -> _Look:
        """Look at one buffer."""
        await self._collected.wait()
        live, analyst, workspace = self._live, self._analyst, self._workspace
        assert live is not None and analyst is not None and workspace is not None  # noqa: S101, PT018  collected
        async with self._refreshing:
            assert live.change is not None  # noqa: S101  collected
            live.change = change = await workspace.git.refresh(live.change, path, buffer.text)
        file = change.file(path)
        found = _Look(path, buffer, file)
        if file is None or live.fresh(file):
            return found
        early = Early(EARLY_SECONDS, lambda sights: self._show_early(live, found, sights[0]))
        found.sight = (await analyst.files([file], early=early))[0]
        await self._trace(live, analyst, change, found)
        return found

    async def _trace(self, live: Live, analyst: Analyst, change: Change, found: _Look) -> None:
        """Find out where hits of a file may have come from, and which of other files may have come from it."""
        assert found.file is not None and found.sight is not None  # noqa: S101, PT018  it was looked at
        found.wanted = analyst.moved_from(change, [found.sight])
        found.takers = live.takers(found.path, analyst.removed_texts(found.file))
        wanted = dict(found.wanted)
        if found.takers:
            wanted[found.path] = frozenset().union(*found.takers.values())
        found.elsewhere = await analyst.elsewhere(change, live.missing(wanted, found.sight))

    def _show_early(self, live: Live, found: _Look, sight: FileSight) -> None:
        if found.file is not None and self._buffers.get(found.path) is found.buffer and live is self._live:
            live.take(found.file, sight, {}, Elsewhere(), complete=False)
            self._publish(live.judge(found.path))

    def _accept(self, found: _Look | None) -> None:
        live = self._live
        if found is None or live is None or live.change is None:
            return
        file = live.change.file(found.path)
        if found.file is None:
            if file is None:
                live.drop(found.path)
                self._publish([found.path])
            return
        if found.sight is not None:
            if file is None or not _same_base(file, found.file):
                return
            self._take(live, found)
        self._publish(live.judge(found.path))

    def _take(self, live: Live, found: _Look) -> None:
        assert found.file is not None and found.sight is not None  # noqa: S101, PT018  callers looked
        live.take(found.file, found.sight, found.wanted, found.elsewhere)
        live.link(found.path, found.takers)

    # --- the change lane ---

    async def _refresh(self) -> None:
        """Collect the change and look at what differs from what is known."""
        workspace = await self._opened_workspace()
        live = await self._renew_rules(workspace)
        workspace = await self._opened_workspace()
        analyst = self._analyst
        assert analyst is not None  # noqa: S101  renewed with the rules
        try:
            base = await workspace.choose_base()
        except UserError as error:
            base = await workspace.git.base_at_head(str(error))
        buffers = dict(self._buffers)
        change = await workspace.git.collect(
            base,
            rules=workspace.collect_rules(),
            overlays={path: buffer.text for path, buffer in buffers.items()},
        )
        self._trouble = ()
        left = live.install(change)
        self._collected.set()
        self._publish(left)
        again = frozenset(
            path for path, buffer in self._buffers.items() if self._is_old(live, path, buffer, buffers.get(path))
        )
        self._jobs.post(plan.Collected(again))
        await self._look_around(live, analyst, change)
        await self._look_at_all(live, analyst, Snapshot(workspace.git, change))

    def _is_old(self, live: Live, path: RelPath, buffer: _Buffer, collected: _Buffer | None) -> bool:
        assert live.change is not None  # noqa: S101  just installed
        file = live.change.file(path)
        return buffer is not collected or (live.file(path) is not None if file is None else not live.fresh(file))

    async def _renew_rules(self, workspace: Workspace) -> Live:
        from roundzero.engine.workspace import load_rules  # noqa: PLC0415  off the import path

        if self._live is not None and not self._rules_old:
            return self._live
        settings = self._settings
        ruleset = workspace.ruleset
        if self._rules_old or workspace.settings is not settings:
            self._rules_old = False
            try:
                ruleset = await asyncio.to_thread(load_rules, self.root, settings)
            except BaseException:
                self._rules_old = True
                raise
        if self._settings is not settings:
            self._rules_old = True
        self._workspace = workspace = workspace.but(settings=settings, ruleset=ruleset, problems=())
        view = workspace.view
        rules = Rules(ruleset=ruleset, view=view, policy=workspace.policy, language=settings.language)
        self._analyst = Analyst(
            ruleset,
            linters=workspace.linters,
            runner=self._worker,
            language=settings.language,
            all_origins=view.all_origins,
        )
        self._live, old = Live(rules), self._live
        if old is not None:
            self._live.inherit(old)
        return self._live

    async def _look_around(self, live: Live, analyst: Analyst, change: Change) -> None:
        """Look at the changed files that are not open."""
        todo = [file for file in change.files if file.path not in self._buffers and not live.fresh(file)]
        for at in range(0, len(todo), BATCH):
            batch = [file for file in todo[at : at + BATCH] if file.path not in self._buffers]
            for sight, file in zip(await analyst.files(batch), batch, strict=True):
                found = _Look(file.path, None, file, sight)
                await self._trace(live, analyst, change, found)
                if file.path not in self._buffers:
                    self._take(live, found)
                    self._publish(live.judge(file.path))
            self._tell_soon()

    async def _look_at_all(self, live: Live, analyst: Analyst, snapshot: Snapshot) -> None:
        """Run the checks of the change as a whole, in a process of their own that ends with them."""
        now = (snapshot.change.base.merge_base, snapshot.change.head.commit, snapshot.change.snapshot)
        if live.wide_of != now:
            try:
                wide = await analyst.but(runner=self._wide).change(snapshot)
            finally:
                await self._wide.close()
            live.wide_of = None if wide.failures else now
            self._publish(live.take_wide(wide, snapshot.change))
        if self._watch is None:
            from roundzero.engine.watch import Watch  # noqa: PLC0415  after the first diagnostics

            files = snapshot.git.watch_files()
            self._watch = Watch(files, lambda: self._jobs.post(plan.HeadMoved()))

    # --- telling ---

    def _publish(self, paths: Iterable[RelPath]) -> None:
        for path in sorted(set(paths)):
            self._listener.published(self._publication(path))

    def _publication(self, path: RelPath) -> Publication:
        findings = self.findings(path)
        if self._asked and self._live is not None:
            findings += tuple(
                finding
                for finding in self._live.findings()
                if finding.seen.path is None
                and finding.anchor is not None
                and finding.anchor.path == path
                and shown(finding)
            )
        file = self._live.file(path) if self._live is not None else None
        source = file.head if file is not None else None
        buffer = self._buffers.get(path)
        if source is not None and buffer is not None and buffer.text != source.text:
            moved = edit_map(source.text, buffer.text)
            findings = tuple(
                replace(finding, seen=there) for finding in findings for there in carry([finding.seen], path, moved)
            )
            source = type(source)(path, buffer.text, source.blob, encoding=source.encoding, bom=source.bom)
        return Publication(
            path=path, version=buffer.version if buffer is not None else None, findings=findings, source=source
        )

    def _tell_soon(self) -> None:
        if not self._telling and not self._jobs.closed:
            self._telling = True
            asyncio.get_running_loop().call_soon(self._tell)

    def _tell(self) -> None:
        self._telling = False
        if self._jobs.closed:
            return
        status = self.status()
        if status != self._status:
            self._status = status
            self._listener.status_changed(status)

    def _forget_all(self) -> None:
        live, self._live = self._live, None
        paths = {finding.seen.path for finding in live.findings() if finding.seen.path is not None} if live else set()
        self._publish(paths)

    def _all(self, path: RelPath | None = None) -> list[Finding]:
        return self._live.findings(path) if self._live is not None else []

    async def _opened_workspace(self) -> Workspace:
        if self._workspace is None:
            raise UserError(f"{self.root} is not being reviewed yet; try again in a moment")
        return self._workspace


def _rhythm(settings: Settings) -> plan.Rhythm:
    debounce = settings.debounce_ms / 1000
    return plan.Rhythm(debounce, max_delay=max(4 * debounce, 0.4), on_type=settings.run == "onType")


def _is_rule_file(path: str) -> bool:
    return path.split("/", 1)[0] in _RULE_FILES


def _same_base(one: FileChange, other: FileChange) -> bool:
    return (one.base.blob if one.base else None) == (other.base.blob if other.base else None)
