"""One review: a request in, a report out. What the command line prints and what an explicit round in an editor gives.

Keeps nothing between reviews but the ledger's round, when asked to. Invariant: equal snapshots, settings and ledgers
give equal reports but for ``reviewed_at`` and ``stats.seconds``.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from roundzero.core.frozen import dataclass
from roundzero.git.repository import Scope
from roundzero.proc import side_by_side
from roundzero.store.clock import now

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from roundzero.core.change import Change, Source
    from roundzero.core.finding import FindingId, Observation
    from roundzero.core.item import Item
    from roundzero.core.judge import View
    from roundzero.core.known_texts import Texts
    from roundzero.core.ledger import Ledger
    from roundzero.core.report import Depth, Report
    from roundzero.core.text import RelPath
    from roundzero.engine.looking import Looked
    from roundzero.engine.model_access import Complete
    from roundzero.engine.model_review import Asked, Begins
    from roundzero.engine.pool import Runner
    from roundzero.engine.quick_review import Inquiry
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """What to review.

    ``base`` and ``head`` are revisions; ``head`` means objects only. ``paths``: show findings of these files and
    folders (none: all). ``diff``: only lines this unified diff adds. ``overlays``: texts that stand for files on disk.
    ``unsaved``: an editor's buffers; to whoever asks they are the work tree, so they restrict nothing. ``at_hand``:
    earlier texts by blob, of which git may have none.
    ``remember``: read the ledger, and write a round if the review is one of the whole branch.

    ``consent``: source may be sent to a model, because the repository is trusted or a person asked for one in this
    run. ``record`` and ``replay`` are folders of what it was asked and answered. ``model_seconds``: how long to wait
    for it (None: as long as it takes).
    """

    scope: Scope = Scope.WORKTREE
    base: str | None = None
    head: str | None = None
    paths: tuple[RelPath, ...] = ()
    diff: bytes | None = None
    overlays: Mapping[RelPath, str] = field(default_factory=dict)
    unsaved: Mapping[RelPath, str] = field(default_factory=dict)
    at_hand: Mapping[str, Source] = field(default_factory=dict)
    depth: Depth = "off"
    untracked: bool = True
    show_all_origins: bool = False
    remember: bool = False
    consent: bool = False
    record: Path | None = None
    replay: Path | None = None
    model_seconds: float | None = None

    @property
    def whole_tree(self) -> bool:
        """Whether it looks at all that an editor has before it, whatever of it is shown."""
        return not (self.overlays or self.diff is not None or self.head is not None or self.base is not None)

    @property
    def whole(self) -> bool:
        """Whether this is a review of the whole branch, which may be a round."""
        restricted = self.paths or self.overlays or self.diff is not None or self.head is not None
        return not restricted and self.scope in {Scope.WORKTREE, Scope.COMMITTED}


Identify: TypeAlias = "Callable[[Sequence[Observation], Ledger, Texts], list[FindingId]]"
"""Gives observations their ids, by what is remembered and what became of the texts it was seen in."""


Said: TypeAlias = "Callable[[Change], Asked | None]"
"""What a model has said of a change already."""


class ProgressSink(Protocol):
    """Someone who watches a review."""

    def stage(self, name: str, done: int, total: int | None) -> None:
        """``done`` of ``total`` steps of a stage are done; None: nobody knows."""


class Unwatched:
    """Nobody watches."""

    def stage(self, name: str, done: int, total: int | None) -> None:
        """Ignore it."""


async def review(  # noqa: PLR0913  each is an independent input
    workspace: Workspace,
    request: ReviewRequest,
    progress: ProgressSink | None = None,
    *,
    runner: Runner | None = None,
    identify: Identify | None = None,
    said: Said | None = None,
    complete: Complete | None = None,
    begins: Begins | None = None,
    alone: bool = False,
) -> Report:
    """Review a change. ``identify`` gives ids, by default those of the ledger's entries.

    ``alone``: this process does nothing else meanwhile and ends soon, so that it may be copied to work twice as fast.
    ``said`` knows what a model has said of a change already; where it gives None, one is asked. ``complete`` asks the
    editor's own model, where there is one; ``begins`` hears who asks a model before anything is asked.
    Raises UserError when it cannot be made (a base that is none, a diff that does not fit).
    """
    watch = progress or Unwatched()
    clock = _Clock()
    at = now()
    watch.stage("collect", 0, None)
    async with side_by_side() as group:
        collecting = group.create_task(_collect(workspace, request))
        group.create_task(_load(collecting, workspace.ruleset.checked if runner is None else None))
    change = collecting.result()
    clock.lap("collect")
    from roundzero.engine.looking import look  # noqa: PLC0415  loaded while git was waited for

    workspace = await _with_conventions(workspace, change)
    view = _view(workspace, request)
    looked = await look(workspace, request, change, view, watch=watch, runner=runner, now=at, alone=alone)
    clock.lap("check")
    if request.depth != "off":
        asked = said(change) if said is not None else None
        if asked is None:
            asked = await _ask(workspace, request, change, view, looked, watch=watch, complete=complete, begins=begins)
        looked = replace(looked, asked=asked)
        memory, beyond = looked.memory, {each.path: each for each in looked.asked.sight.outside} if looked.asked else {}
        memory.texts = replace(memory.texts, heads={**beyond, **memory.texts.heads})
        clock.lap("model")
    from roundzero.core.compose import narrowed  # noqa: PLC0415  as above
    from roundzero.engine.deciding import decide  # noqa: PLC0415  as above
    from roundzero.engine.last_report import keep  # noqa: PLC0415  as above

    looked = await _remind(workspace, change, view, looked)
    report = await decide(workspace, request, change, view, looked, identify=identify, now=at)
    overview = looked.asked.sight.overview if looked.asked is not None else None
    if overview is not None or looked.memory.praised:
        from roundzero.engine.guarding import guarded  # noqa: PLC0415  where a deep review took place

        report = await guarded(report, looked.memory, workspace.around(change), overview)
    clock.lap("judge")
    watch.stage("done", len(looked.sights), len(looked.sights))
    report = replace(report, stats=replace(report.stats, seconds=clock.laps()))
    report = await keep(workspace.git.common_dir, looked.memory, request, report)
    return narrowed(report, workspace.view.min_severity)


async def _with_conventions(workspace: Workspace, change: Change) -> Workspace:
    """The same with those conventions in force that the repository obeys, where the change has to do with one."""
    if not (items := workspace.conventions):
        return workspace
    from roundzero.core.ruleset import Problem  # noqa: PLC0415  few have conventions
    from roundzero.engine.conventions import SECONDS_ON_REQUEST, concerned, count  # noqa: PLC0415  as above

    if not concerned(items, change):
        return workspace
    counted = await count(
        items,
        workspace.git,
        change,
        workspace.linters,
        seconds=SECONDS_ON_REQUEST,
        keep_in=workspace.git.common_dir,
    )
    workspace = workspace.keeping(counted.tallies)
    if counted.complete:
        return workspace
    names = ", ".join(item.id for item in items)
    missing = Problem(names, 0, "the cases in the repository are not counted yet; the next review goes on", lost=True)
    rules = replace(workspace.ruleset, problems=(*workspace.ruleset.problems, missing))
    return replace(workspace, ruleset=rules)


async def _ask(  # noqa: PLR0913  each is an independent input
    workspace: Workspace,
    request: ReviewRequest,
    change: Change,
    view: View,
    looked: Looked,
    *,
    watch: ProgressSink,
    complete: Complete | None,
    begins: Begins | None,
) -> Asked:
    from roundzero.engine.model_review import ask_model  # noqa: PLC0415  most reviews ask nobody

    return await ask_model(
        workspace,
        request,
        change,
        view,
        seen=looked.sight.head,
        memory=looked.memory,
        watch=watch,
        complete=complete,
        begins=begins,
    )


async def _remind(workspace: Workspace, change: Change, view: View, looked: Looked) -> Looked:
    """What a model said in earlier rounds, whether or not one was asked now."""
    if all(entry.sighting.source == "check" for entry in looked.memory.ledger.entries.values()):
        return looked
    from roundzero.engine.reminding import beside_deep  # noqa: PLC0415  where a model took part

    asked, memory = looked.asked, looked.memory
    if asked is not None and asked.sight.reminded is not None:
        found = asked.sight.reminded
    else:
        seen = asked.sight.observations if asked is not None else ()
        complete = asked is not None and asked.complete
        found, seen = await asyncio.to_thread(
            beside_deep, memory, change, view, workspace.ruleset, seen, complete=complete
        )
        if asked is not None:
            looked = replace(looked, asked=replace(asked, sight=replace(asked.sight, observations=seen)))
    return replace(looked, kept=found.kept, rechecks=found.rechecks)


async def inquire(workspace: Workspace, request: ReviewRequest) -> tuple[Inquiry, Snapshot]:
    """What a model would be asked about in a review, and of what. Asks nobody and writes nothing. Raises as review."""
    from roundzero.engine.hosting import model_name  # noqa: PLC0415  most reviews ask nobody
    from roundzero.engine.looking import look  # noqa: PLC0415  as above
    from roundzero.engine.model_review import inquiry_of  # noqa: PLC0415  as above

    change = await _collect(workspace, request)
    view = _view(workspace, request)
    at = now()
    looked = await look(workspace, request, change, view, watch=Unwatched(), runner=None, now=at)
    inquiry = inquiry_of(
        workspace,
        change,
        view,
        model=model_name(workspace.settings),
        seen=looked.sight.head,
        ledger=looked.memory.ledger,
        texts=looked.memory.texts,
    )
    return inquiry, workspace.around(change)


_NEEDED_FIRST: Final = ("core.finding", "core.report", "core.judge", "core.checklist", "engine.analysis")
_NEEDED_LATER: Final = (
    "core.ledger", "core.advance", "core.recognition", "store.ledger_db", "engine.memory", "engine.looking",
    "core.compose", "core.standing", "engine.deciding", "engine.last_report", "render.kept",
)  # fmt: skip


async def _load(collecting: asyncio.Task[Change], items: Sequence[Item] | None) -> None:
    """Import what the rest of a review needs, while git is waited for. The loop turns after every module.

    ``items`` are those that are checked in this process; None: another one checks them.
    What is missing when the change is there is imported where it is used.
    """
    for name in _NEEDED_FIRST:
        import_module(f"roundzero.{name}")
        await asyncio.sleep(0)
    if items is not None:
        from roundzero.engine.pool import load_checks  # noqa: PLC0415  as the rest

        await load_checks(items)
    for name in _NEEDED_LATER:
        if collecting.done():
            return
        import_module(f"roundzero.{name}")
        await asyncio.sleep(0)


def _view(workspace: Workspace, request: ReviewRequest) -> View:
    from roundzero.core.finding import Origin  # noqa: PLC0415  loaded while git was waited for
    from roundzero.core.item import Severity  # noqa: PLC0415  as above

    # However little is shown, all of it is remembered: severities are chosen last.
    view = replace(workspace.view, min_severity=Severity.P3)
    if request.show_all_origins:
        view = replace(view, origins=frozenset(Origin))
    return replace(view, paths=request.paths) if request.paths else view


async def _collect(workspace: Workspace, request: ReviewRequest) -> Change:
    base = await workspace.choose_base(request.base, head=request.head)
    change = await workspace.git.collect(
        base,
        scope=request.scope,
        head=request.head,
        rules=workspace.collect_rules(untracked=request.untracked),
        overlays={**request.unsaved, **request.overlays} if request.scope is Scope.WORKTREE else request.overlays,
        at_once=True,
    )
    if request.diff is not None:
        change = await workspace.git.restrict(change, request.diff)
    return change


class _Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self._started = self._last = time.monotonic()
        self._laps: list[tuple[str, float]] = []

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self._laps.append((name, round(now - self._last, 4)))
        self._last = now

    def laps(self) -> tuple[tuple[str, float], ...]:
        return (*self._laps, ("total", round(time.monotonic() - self._started, 4)))
