"""One review: a request in, a report out. What the command line prints and what an explicit round in an editor gives.

Keeps nothing between reviews. Invariant: equal snapshots and settings give equal reports but for ``reviewed_at`` and
``stats.seconds``.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from roundzero import __version__
from roundzero.core.compose import Occasion, compose
from roundzero.core.finding import Origin
from roundzero.core.judge import judge
from roundzero.core.matching import assign_ids
from roundzero.engine.analysis import Analyst
from roundzero.engine.pool import load_checks, runner_for
from roundzero.engine.repository import Snapshot
from roundzero.engine.sights import combine, failures_of, gaps, lacking
from roundzero.git.repository import Scope
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from roundzero.config import Settings
    from roundzero.core.change import Change
    from roundzero.core.finding import FindingId, Observation
    from roundzero.core.report import Depth, Report
    from roundzero.core.text import RelPath
    from roundzero.engine.pool import Runner
    from roundzero.engine.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """What to review.

    ``base`` and ``head`` are revisions; ``head`` means objects only. ``paths``: show findings of these files and
    folders (none: all). ``diff``: only lines this unified diff adds. ``overlays``: texts that stand for files on disk.
    """

    scope: Scope = Scope.WORKTREE
    base: str | None = None
    head: str | None = None
    paths: tuple[RelPath, ...] = ()
    diff: bytes | None = None
    overlays: Mapping[RelPath, str] = field(default_factory=dict)
    depth: Depth = "off"
    untracked: bool = True
    show_all_origins: bool = False


def no_model(settings: Settings) -> str:
    """Why no model takes part in a review."""
    if settings.model_provider is None:
        return "no model provider is configured"
    return f"the provider {settings.model_provider} is configured, but this version makes no model reviews"


class ProgressSink(Protocol):
    """Someone who watches a review."""

    def stage(self, name: str, done: int, total: int | None) -> None:
        """``done`` of ``total`` steps of a stage are done; None: nobody knows."""


class Unwatched:
    """Nobody watches."""

    def stage(self, name: str, done: int, total: int | None) -> None:
        """Ignore it."""


async def review(
    workspace: Workspace,
    request: ReviewRequest,
    progress: ProgressSink | None = None,
    *,
    runner: Runner | None = None,
    identify: Callable[[Sequence[Observation]], list[FindingId]] | None = None,
) -> Report:
    """Review a change. ``identify`` gives ids, by default first ids.

    Raises UserError when it cannot be made (a base that is none, a diff that does not fit).
    """
    watch = progress or Unwatched()
    clock = _Clock()
    watch.stage("collect", 0, None)
    async with side_by_side() as group:
        collecting = group.create_task(_collect(workspace, request))
        if runner is None:
            group.create_task(load_checks())
    change = collecting.result()
    clock.lap("collect")
    view = workspace.view
    if request.show_all_origins:
        view = replace(view, origins=frozenset(Origin))
    if request.paths:
        view = replace(view, paths=request.paths)
    files = [file for file in change.files if view.covers(file.path)]
    own = runner or runner_for(files)
    analyst = Analyst(
        workspace.ruleset,
        linters=workspace.linters,
        runner=own,
        language=workspace.settings.language,
        all_origins=view.all_origins,
    )
    watch.stage("check", 0, len(files))
    try:
        async with asyncio.TaskGroup() as group:
            looking = group.create_task(
                analyst.files(files, progress=lambda done: watch.stage("check", done, len(files)))
            )
            around = group.create_task(analyst.change(Snapshot(workspace.git, change, workspace.git.common_dir)))
        sights, wide = looking.result(), around.result()
        elsewhere = await analyst.elsewhere(change, lacking(analyst.moved_from(change, sights), sights))
    finally:
        if runner is None:
            await own.close()
    clock.lap("check")
    sight = combine(sights, elsewhere, wide)
    findings = judge(
        change,
        sight,
        workspace.ruleset,
        view=view,
        policy=workspace.policy,
        language=workspace.settings.language,
        identify=identify or assign_ids,
    )
    clock.lap("judge")
    watch.stage("done", len(files), len(files))
    occasion = Occasion(
        tool_version=__version__,
        reviewed_at=datetime.now(UTC).isoformat(timespec="seconds"),
        language=workspace.settings.language,
        notices=tuple(str(problem) for problem in workspace.problems if not problem.lost),
        paths=request.paths,
        outside=tuple(wide.outside.values()),
        seconds=clock.laps(),
    )
    return compose(
        change,
        findings,
        (
            *gaps(workspace.ruleset, [linter.name for linter in workspace.linters], (file.path for file in files)),
            *failures_of(sights, wide),
        ),
        workspace.ruleset,
        directives=sight.directives,
        occasion=occasion,
    )


async def _collect(workspace: Workspace, request: ReviewRequest) -> Change:
    base = await workspace.choose_base(request.base, head=request.head)
    change = await workspace.git.collect(
        base,
        scope=request.scope,
        head=request.head,
        rules=workspace.collect_rules(untracked=request.untracked),
        overlays=request.overlays,
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
