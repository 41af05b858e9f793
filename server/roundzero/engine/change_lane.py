"""The change lane: collects the change, looks at what is not open in the editor, and at the change as a whole.

Invariant: after a run, every file of the change is known as it was collected, open ones as their own lane finds them.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from roundzero.core import plan
from roundzero.core.rule_files import LEDGER_FILE, SHARED_FILE
from roundzero.engine.analysis import Analyst
from roundzero.engine.exposure import reach
from roundzero.engine.fast_lane import Look
from roundzero.engine.live import Live
from roundzero.engine.rules import Rules
from roundzero.engine.whole import SECONDS_WHILE_TYPING
from roundzero.errors import OutsideError, UserError
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable

    from roundzero.core.change import Change
    from roundzero.core.text import RelPath
    from roundzero.engine.recall import Recall
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.state import Buffer, State
    from roundzero.engine.watch import Watch
    from roundzero.engine.workspace import Workspace
    from roundzero.git.repository import Git

_log: Final = logging.getLogger(__name__)

BATCH: Final = 16
"""Files analysed together: few enough that a keystroke's job comes in between."""


class ChangeLane:
    """See the module. ``post`` takes events for the planner, ``tell`` says that there is news for the status."""

    def __init__(self, state: State, *, post: Callable[[plan.Event], None], tell: Callable[[], None]) -> None:
        """Start nothing."""
        self._state = state
        self._post = post
        self._tell = tell
        self._watch: Watch | None = None
        self._watched: Git | None = None
        self._counting: asyncio.Task[None] | None = None
        self._counted: tuple[object, ...] = ()
        """Of which rules and base the conventions were counted, or are being."""
        self._remembering = asyncio.Lock()
        """Held from reading the ledger until what was read is taken: an older reading never replaces a newer one."""
        self._seen_key = ""
        """What git looked like before the last collection, for what moves while nobody watches yet."""

    async def close(self) -> None:
        """End the counting and the watch."""
        if self._watch is not None:
            await self._watch.close()
        if self._counting is not None:
            self._counting.cancel()
            await asyncio.wait([self._counting])

    async def refresh(self, collected: Callable[[], None]) -> None:
        """Collect the change and look at what differs from what is known. ``collected`` is called in between."""
        state = self._state
        await state.opened()
        live, analyst, workspace = await self._renew_rules()
        analyst = analyst.but(runner=state.patient)
        self._seen_key = await workspace.git.head_key()
        try:
            base = await workspace.choose_base()
        except UserError as error:
            base = await workspace.git.base_at_head(str(error))
        buffers = dict(state.buffers)
        overlays = {path: buffer.text for path, buffer in buffers.items()}
        async with side_by_side() as group:
            collecting = group.create_task(
                workspace.git.collect(base, rules=workspace.collect_rules(), overlays=overlays)
            )
            group.create_task(_load_memory(workspace.git))
        change = collecting.result()
        async with self._remembering:
            remembered = await recollect(workspace, change, live.recall)
            async with state.replacing:
                left = live.install(change)
            if remembered is not None:
                left |= live.remember(remembered)
        collected()
        state.publish(left)
        self._post(plan.Collected(self._outdated(live, buffers)))
        await self._look_around(live, analyst, change)
        await self._look_at_all(live, analyst, workspace.around(change))
        live.looked = change.base
        state.publish(live.settle())
        self._count_conventions(workspace, change)

    def _count_conventions(self, workspace: Workspace, change: Change) -> None:
        """Begin to count how the base keeps its conventions, unless that is known or somebody is at it."""
        if not (items := workspace.conventions) or (self._counting is not None and not self._counting.done()):
            return
        of = (items, change.base.merge_base)
        if of != self._counted:
            self._counted = of
            self._counting = asyncio.ensure_future(self._count(workspace, change))

    async def _count(self, workspace: Workspace, change: Change) -> None:
        """Count, and have the change looked at by other rules if that makes others."""
        from roundzero.engine.conventions import SECONDS_IN_BACKGROUND, concerned, count  # noqa: PLC0415  few have any

        items, git = workspace.conventions, workspace.git
        if not concerned(items, change):
            self._counted = ()
            return
        try:
            counted = await count(
                items, git, change, workspace.linters, seconds=SECONDS_IN_BACKGROUND, keep_in=git.common_dir
            )
        except OutsideError as error:
            _log.warning("conventions were not counted: %s", error)
            self._counted = ()
            return
        if not counted.complete:
            self._counted = ()  # the next refresh goes on
        elif workspace.keeping(counted.tallies).ruleset.digest != workspace.ruleset.digest:
            self._state.tallies = counted.tallies
            self._state.rules_old = True
            self._post(plan.HeadMoved())

    async def again(self, path: RelPath | None) -> None:
        """Look again at a file, or at everything, though nothing has changed, and at the change as a whole."""
        state = self._state
        live, analyst, workspace = state.live, state.analyst, state.workspace
        if live is None or live.change is None or analyst is None or workspace is None:
            return
        change, analyst = live.change, analyst.but(runner=state.patient)
        files = [file for file in change.files if path in {None, file.path}]
        for at in range(0, len(files), BATCH):
            batch = files[at : at + BATCH]
            for sight, file in zip(await analyst.files(batch), batch, strict=True):
                await self._take_again(live, analyst, Look(file.path, live, file, sight))
        live.wide_of = None
        await self._look_at_all(live, analyst, workspace.around(change))
        state.publish(live.settle())
        self._tell()

    async def _take_again(self, live: Live, analyst: Analyst, found: Look) -> None:
        """Take what was seen, unless the file is another by now: then a look of its own is on its way."""
        if live.change is None or live is not self._state.live:
            return
        await found.trace(analyst, live.change)
        if live.change.file(found.path) is found.file and live is self._state.live:
            found.take()
            self._state.publish(live.judge(found.path))

    async def recollect(self) -> None:
        """Read the ledger and the dismissals again, for the change as it is known."""
        state = self._state
        async with self._remembering:
            live, workspace = state.live, state.workspace
            if live is None or live.change is None or workspace is None:
                return
            remembered = await recollect(workspace, live.change, live.recall)
            if remembered is not None:
                state.publish(live.remember(remembered))
                self._tell()

    def _outdated(self, live: Live, collected: dict[RelPath, Buffer]) -> frozenset[RelPath]:
        """The open files whose results are not of the change just installed."""
        assert live.change is not None  # noqa: S101  just installed
        files = {file.path: file for file in live.change.files}
        return frozenset(
            path
            for path, buffer in self._state.buffers.items()
            if buffer is not collected.get(path)
            or (live.files.file(path) is not None if path not in files else not live.files.fresh(files[path]))
        )

    async def _renew_rules(self) -> tuple[Live, Analyst, Workspace]:
        """Load the rules again if they changed; what judges by them, and the workspace they belong to."""
        from roundzero.engine.workspace import load_rules  # noqa: PLC0415  off the import path

        state = self._state
        workspace = await state.opened()
        if state.live is not None and state.analyst is not None and not state.rules_old:
            return state.live, state.analyst, workspace
        settings = state.settings
        ruleset = workspace.rules or workspace.ruleset
        if state.rules_old or workspace.settings is not settings:
            state.rules_old = False
            try:
                ruleset = await asyncio.to_thread(load_rules, state.root, settings)
            except BaseException:
                state.rules_old = True
                raise
        if state.settings is not settings:
            state.rules_old = True
        state.workspace = workspace = await workspace.but(
            settings=settings, ruleset=ruleset, problems=state.problems, hurried=True
        )
        state.workspace = workspace = workspace.keeping(state.tallies)
        ruleset = workspace.ruleset
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
        todo = [file for file in change.files if file.path not in buffers and not live.files.fresh(file)]
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
        """Run the checks of the change as a whole."""
        now = (snapshot.change.base.merge_base, snapshot.change.head.commit, snapshot.change.snapshot)
        if live.wide_of != now:
            wide = await analyst.change(snapshot)
            live.wide_of = None if wide.failures else now
            self._state.publish(live.take_wide(wide, snapshot.change))
        await self._look_who_reaches(live, analyst, snapshot)
        await self._watch_over(snapshot.git)

    async def _look_who_reaches(self, live: Live, analyst: Analyst, snapshot: Snapshot) -> None:
        """Find out which symbols of old findings the change newly reaches, also in texts that are edited meanwhile."""
        edited = [file for file in snapshot.change.files if not live.files.fresh(file)]
        sights = await analyst.files(edited) if edited else []
        seen = live.seen_of(snapshot.change, sights)
        known = await reach(seen, snapshot, live.rules.ruleset, seconds=SECONDS_WHILE_TYPING)
        self._state.publish(live.take_reach(known))

    async def _watch_over(self, git: Git) -> None:
        """Watch git's own files, from after the first diagnostics on."""
        if self._watched is git:
            return
        from roundzero.engine.watch import Watch  # noqa: PLC0415  after the first diagnostics

        if self._watch is not None:
            await self._watch.close()
        self._watch = Watch(
            git.watch_files(), lambda: self._post(plan.HeadMoved()), database=git.common_dir / LEDGER_FILE
        )
        self._watched = git
        if await git.head_key() != self._seen_key:
            self._post(plan.HeadMoved())


async def _load_memory(git: Git) -> None:
    """Import what reads a ledger, where there is one, while git collects."""
    await asyncio.sleep(0)
    if (git.common_dir / LEDGER_FILE).is_file():
        import roundzero.engine.memory  # noqa: PLC0415  a first review has nothing to remember

        await asyncio.sleep(0)
        import roundzero.engine.recall  # noqa: F401, PLC0415  as above


async def recollect(workspace: Workspace, change: Change, known: Recall | None) -> Recall | None:
    """What is remembered of the branch of a change; None when that is nothing, and has been."""
    git = workspace.git
    there = (git.common_dir / LEDGER_FILE).is_file() or git.may_have(SHARED_FILE, change)
    if not there and known is None:
        return None
    from roundzero.engine.memory import remember, settings_digest, shared_dismissals  # noqa: PLC0415  as in _load_memory
    from roundzero.engine.recall import Recall  # noqa: PLC0415  as above
    from roundzero.store.clock import now  # noqa: PLC0415  as above

    at = now()
    at_hand = known.texts.by_blob() if known is not None else None
    memory = await remember(git, change, whole=False, at=at, at_hand=at_hand)
    shared, complaints = await shared_dismissals(git, change, workspace.ruleset)
    return Recall(
        memory.ledger,
        memory.texts,
        dismissals=memory.dismissals,
        shared=shared,
        settings=settings_digest(workspace, workspace.view),
        at=at,
        notices=(*complaints, *memory.notices),
        quoted=memory.quoted,
    )
