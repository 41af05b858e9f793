"""The change lane: collects the change, looks at what is not open in the editor, and at the change as a whole.

Invariant: after a run, every file of the change is known as it was collected, open ones as their own lane finds them.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from roundzero.core import planner as plan
from roundzero.engine.analysis import Analyst
from roundzero.engine.fast_lane import Look
from roundzero.engine.live import Live, Rules
from roundzero.engine.pool import Worker
from roundzero.engine.repository import Snapshot
from roundzero.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from roundzero.core.change import Change
    from roundzero.core.text import RelPath
    from roundzero.engine.state import Buffer, State
    from roundzero.engine.watch import Watch
    from roundzero.engine.workspace import Workspace
    from roundzero.git.repository import Git

BATCH: Final = 16
"""Files analysed together: few enough that a keystroke's job comes in between."""


class ChangeLane:
    """See the module. ``post`` takes events for the planner, ``tell`` says that there is news for the status."""

    def __init__(self, state: State, *, post: Callable[[plan.Event], None], tell: Callable[[], None]) -> None:
        """Start nothing."""
        self._state = state
        self._post = post
        self._tell = tell
        self._wide = Worker()
        self._watch: Watch | None = None
        self._watched: Git | None = None

    async def close(self) -> None:
        """End the process and the watch."""
        if self._watch is not None:
            await self._watch.close()
        await self._wide.close()

    async def refresh(self, collected: Callable[[], None]) -> None:
        """Collect the change and look at what differs from what is known. ``collected`` is called in between."""
        state = self._state
        await state.opened()
        live, analyst, workspace = await self._renew_rules()
        try:
            base = await workspace.choose_base()
        except UserError as error:
            base = await workspace.git.base_at_head(str(error))
        buffers = dict(state.buffers)
        overlays = {path: buffer.text for path, buffer in buffers.items()}
        change = await workspace.git.collect(base, rules=workspace.collect_rules(), overlays=overlays)
        async with state.replacing:
            left = live.install(change)
        collected()
        state.publish(left)
        self._post(plan.Collected(self._outdated(live, buffers)))
        await self._look_around(live, analyst, change)
        await self._look_at_all(live, analyst, Snapshot(workspace.git, change, workspace.git.common_dir))

    def _outdated(self, live: Live, collected: dict[RelPath, Buffer]) -> frozenset[RelPath]:
        """The open files whose results are not of the change just installed."""
        assert live.change is not None  # noqa: S101  just installed
        files = {file.path: file for file in live.change.files}
        return frozenset(
            path
            for path, buffer in self._state.buffers.items()
            if buffer is not collected.get(path)
            or (live.file(path) is not None if path not in files else not live.fresh(files[path]))
        )

    async def _renew_rules(self) -> tuple[Live, Analyst, Workspace]:
        """Load the rules again if they changed; what judges by them, and the workspace they belong to."""
        from roundzero.engine.workspace import load_rules  # noqa: PLC0415  off the import path

        state = self._state
        workspace = await state.opened()
        if state.live is not None and state.analyst is not None and not state.rules_old:
            return state.live, state.analyst, workspace
        settings = state.settings
        ruleset = workspace.ruleset
        if state.rules_old or workspace.settings is not settings:
            state.rules_old = False
            try:
                ruleset = await asyncio.to_thread(load_rules, state.root, settings)
            except BaseException:
                state.rules_old = True
                raise
        if state.settings is not settings:
            state.rules_old = True
        state.workspace = workspace = workspace.but(settings=settings, ruleset=ruleset, problems=state.problems)
        view = workspace.view
        rules = Rules(
            ruleset=ruleset,
            view=view,
            policy=workspace.policy,
            language=settings.language,
            linters=tuple(linter.name for linter in workspace.linters),
        )
        state.analyst = analyst = Analyst(
            ruleset,
            linters=workspace.linters,
            runner=state.worker,
            language=settings.language,
            all_origins=view.all_origins,
        )
        live, old = Live(rules), state.live
        state.live = live
        if old is not None:
            live.inherit(old)
        return live, analyst, workspace

    async def _look_around(self, live: Live, analyst: Analyst, change: Change) -> None:
        """Look at the changed files that are not open."""
        buffers = self._state.buffers
        todo = [file for file in change.files if file.path not in buffers and not live.fresh(file)]
        for at in range(0, len(todo), BATCH):
            batch = [file for file in todo[at : at + BATCH] if file.path not in buffers]
            for sight, file in zip(await analyst.files(batch), batch, strict=True):
                found = Look(file.path, live, file, sight)
                await found.trace(analyst, change)
                if file.path not in buffers:
                    found.take()
                    self._state.publish(live.judge(file.path))
            self._tell()

    async def _look_at_all(self, live: Live, analyst: Analyst, snapshot: Snapshot) -> None:
        """Run the checks of the change as a whole, in a process of their own that ends with them."""
        now = (snapshot.change.base.merge_base, snapshot.change.head.commit, snapshot.change.snapshot)
        if live.wide_of != now:
            try:
                wide = await analyst.but(runner=self._wide).change(snapshot)
            finally:
                await self._wide.close()
            live.wide_of = None if wide.failures else now
            self._state.publish(live.take_wide(wide, snapshot.change))
        await self._watch_over(snapshot.git)

    async def _watch_over(self, git: Git) -> None:
        """Watch git's own files, from after the first diagnostics on."""
        if self._watched is git:
            return
        from roundzero.engine.watch import Watch  # noqa: PLC0415  after the first diagnostics

        if self._watch is not None:
            await self._watch.close()
        self._watch = Watch(git.watch_files(), lambda: self._post(plan.HeadMoved()))
        self._watched = git
