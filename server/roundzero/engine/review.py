"""One review: a request in, a report out. What the command line prints and what an explicit round in an editor gives.

Keeps nothing between reviews but the ledger's round, when asked to. Invariant: equal snapshots, settings and ledgers
give equal reports but for ``reviewed_at`` and ``stats.seconds``.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from roundzero import __version__
from roundzero.core.advance import Listened
from roundzero.core.compose import Occasion as About
from roundzero.core.compose import compose, narrowed
from roundzero.core.finding import Origin
from roundzero.core.item import Prose, Severity
from roundzero.core.judge import judge
from roundzero.core.recognition import recognise
from roundzero.core.rule_files import SHARED_FILE
from roundzero.core.standing import local, related, standing, unmoved, with_remains
from roundzero.engine.analysis import Analyst
from roundzero.engine.exposure import reach
from roundzero.engine.last_report import keep
from roundzero.engine.memory import Memory, blobs_of, everywhere, remember, settings_digest, shared_dismissals
from roundzero.engine.pool import load_checks, runner_for
from roundzero.engine.sights import combine, failures_of, gaps, lacking
from roundzero.engine.whole import SECONDS_ON_REQUEST
from roundzero.git.repository import Scope
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from roundzero.core.advance import Recheck
    from roundzero.core.change import Change, Source
    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import Finding, FindingId, Observation
    from roundzero.core.judge import Sight, View
    from roundzero.core.ledger import Ledger
    from roundzero.core.recognition import Texts
    from roundzero.core.remembered import Remembered
    from roundzero.core.report import Depth, Report, RoundInfo
    from roundzero.core.text import RelPath
    from roundzero.engine.model_access import Complete
    from roundzero.engine.model_review import Asked
    from roundzero.engine.pool import Runner
    from roundzero.engine.quick_review import Inquiry
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.sights import ChangeSight, Elsewhere, FileSight
    from roundzero.engine.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """What to review.

    ``base`` and ``head`` are revisions; ``head`` means objects only. ``paths``: show findings of these files and
    folders (none: all). ``diff``: only lines this unified diff adds. ``overlays``: texts that stand for files on disk.
    ``unsaved``: an editor's buffers; to whoever asks they are the work tree, so they restrict nothing.
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
) -> Report:
    """Review a change. ``identify`` gives ids, by default those of the ledger's entries.

    ``said`` knows what a model has said of a change already; where it gives None, one is asked. ``complete`` asks the
    editor's own model, where there is one.
    Raises UserError when it cannot be made (a base that is none, a diff that does not fit).
    """
    watch = progress or Unwatched()
    clock = _Clock()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    watch.stage("collect", 0, None)
    async with side_by_side() as group:
        collecting = group.create_task(_collect(workspace, request))
        if runner is None:
            group.create_task(load_checks())
    change = collecting.result()
    clock.lap("collect")
    view = _view(workspace, request)
    looked = await _look(workspace, request, change, view, watch=watch, runner=runner, now=now)
    clock.lap("check")
    if request.depth != "off":
        asked = said(change) if said is not None else None
        if asked is None:
            asked = await _ask(workspace, request, change, view, looked, watch=watch, complete=complete)
        looked = replace(looked, asked=asked)
        memory, beyond = looked.memory, {each.path: each for each in looked.asked.sight.outside} if looked.asked else {}
        memory.texts = replace(memory.texts, heads={**beyond, **memory.texts.heads})
        clock.lap("model")
    looked = await _remind(workspace, change, view, looked)
    report = await _decide(workspace, request, change, view, looked, identify=identify, now=now)
    clock.lap("judge")
    watch.stage("done", len(looked.sights), len(looked.sights))
    report = replace(report, stats=replace(report.stats, seconds=clock.laps()))
    report = await keep(workspace.git.common_dir, looked.memory, request, report)
    return narrowed(report, workspace.view.min_severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """What was seen in a change and what is remembered of it. ``complaints``: what is wrong with shared dismissals.

    ``asked``: what a model said; None: none was asked. ``kept``: what one said in earlier rounds and still holds;
    ``rechecks``: what became of what it said and does not.
    """

    sights: Sequence[FileSight]
    wide: ChangeSight
    elsewhere: Elsewhere
    memory: Memory
    uncommitted: frozenset[RelPath]
    shared: tuple[Dismissal, ...]
    complaints: tuple[str, ...]
    versions: Mapping[str, str]
    asked: Asked | None = None
    kept: tuple[Remembered, ...] = ()
    rechecks: Mapping[FindingId, Recheck] = field(default_factory=dict)

    @property
    def sight(self) -> Sight:
        """All that was seen, by whomever."""
        seen = combine(self.sights, self.elsewhere, self.wide)
        said = self.asked.sight.observations if self.asked is not None else ()
        return replace(seen, head=(*seen.head, *said, *(each.seen for each in self.kept)))

    @property
    def outside(self) -> tuple[Source, ...]:
        """The texts of files beyond the change that something was seen in."""
        texts = {each.text.path: each.text for each in self.kept if each.seen.cause is not None}
        texts |= {each.path: each for each in self.asked.sight.outside} if self.asked is not None else {}
        return tuple({**texts, **self.wide.outside}.values())


async def _ask(  # noqa: PLR0913  each is an independent input
    workspace: Workspace,
    request: ReviewRequest,
    change: Change,
    view: View,
    looked: _Looked,
    *,
    watch: ProgressSink,
    complete: Complete | None,
) -> Asked:
    from roundzero.engine.model_review import ask_model  # noqa: PLC0415  most reviews ask nobody

    memory = looked.memory
    return await ask_model(
        workspace,
        request,
        change,
        view,
        seen=looked.sight.head,
        ledger=memory.ledger,
        texts=memory.texts,
        watch=watch,
        complete=complete,
    )


async def _remind(workspace: Workspace, change: Change, view: View, looked: _Looked) -> _Looked:
    """What a model said in earlier rounds, whether or not one was asked now."""
    if all(entry.sighting.source == "check" for entry in looked.memory.ledger.entries.values()):
        return looked
    from roundzero.engine.reminding import remind  # noqa: PLC0415  where a model took part

    found = await asyncio.to_thread(remind, looked.memory, change, view, workspace.ruleset, looked.asked)
    return replace(looked, kept=found.kept, rechecks=found.rechecks)


async def inquire(workspace: Workspace, request: ReviewRequest) -> tuple[Inquiry, Snapshot]:
    """What a model would be asked about in a review, and of what. Asks nobody and writes nothing. Raises as review."""
    from roundzero.engine.hosting import model_name  # noqa: PLC0415  most reviews ask nobody
    from roundzero.engine.model_review import inquiry_of  # noqa: PLC0415  as above

    change = await _collect(workspace, request)
    view = _view(workspace, request)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    looked = await _look(workspace, request, change, view, watch=Unwatched(), runner=None, now=now)
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


async def _look(  # noqa: PLR0913  each is an independent input
    workspace: Workspace,
    request: ReviewRequest,
    change: Change,
    view: View,
    *,
    watch: ProgressSink,
    runner: Runner | None,
    now: str,
) -> _Looked:
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
        async with side_by_side() as group:
            looking = group.create_task(
                analyst.files(files, progress=lambda done: watch.stage("check", done, len(files)))
            )
            around = group.create_task(analyst.change(workspace.around(change)))
            sharing = group.create_task(shared_dismissals(workspace.git, change, workspace.ruleset))
            remembering = group.create_task(_remember(workspace, request, change, now))
            comparing = group.create_task(_uncommitted(workspace, request))
        sights, wide = looking.result(), around.result()
        elsewhere = await analyst.elsewhere(change, lacking(analyst.moved_from(change, sights), sights))
    finally:
        if runner is None:
            await own.close()
    shared, complaints = sharing.result()
    memory = remembering.result()
    memory.texts = replace(memory.texts, heads={**wide.outside, **memory.texts.heads})
    return _Looked(
        sights=sights,
        wide=wide,
        elsewhere=elsewhere,
        memory=memory,
        uncommitted=comparing.result(),
        shared=shared,
        complaints=complaints,
        versions=analyst.versions,
    )


async def _decide(  # noqa: PLR0913  each is an independent input
    workspace: Workspace,
    request: ReviewRequest,
    change: Change,
    view: View,
    looked: _Looked,
    *,
    identify: Identify | None,
    now: str,
) -> Report:
    """Judge what was seen in the light of what is remembered, and write the round down."""
    sights, wide, memory = looked.sights, looked.wide, looked.memory
    known, texts = memory.ledger, memory.texts
    sight, asked = looked.sight, looked.asked
    around = workspace.around(change)
    newly = await reach(sight, around, workspace.ruleset, seconds=SECONDS_ON_REQUEST)
    sight = replace(sight, reached=newly.lines)
    judged = judge(
        change,
        sight,
        workspace.ruleset,
        view=view,
        policy=workspace.policy,
        language=workspace.settings.language,
        identify=lambda seen: (identify or _by_ledger)(seen, known, texts),
    )
    judged = related(judged, known)
    occasion = memory.occasion(
        change,
        at=now,
        settings=settings_digest(workspace, view, request.depth if asked is not None and asked.complete else ""),
    )
    occasion = replace(occasion, uncommitted=looked.uncommitted, rechecks=looked.rechecks)
    as_known = unmoved(known, looked.uncommitted, wide.listened)
    info = memory.info(occasion)
    running = [linter.name for linter in workspace.linters]
    failures = (
        *gaps(workspace.ruleset, running, (sight.path for sight in sights)),
        *failures_of(sights, wide),
    )

    def report_of(info: RoundInfo) -> Report:
        given = standing(
            judged,
            as_known,
            texts,
            dismissals=(*memory.dismissals, *looked.shared),
            policy=workspace.policy,
            settings=occasion.round.settings,
            index=info.index,
            now=now,
        )
        problems = (str(problem) for problem in workspace.problems if not problem.lost)
        about = About(
            tool_version=__version__,
            reviewed_at=now,
            language=workspace.settings.language,
            notices=(*problems, *looked.complaints, *memory.notices, *_only_here(given, looked, workspace, now)),
            paths=request.paths,
            outside=looked.outside,
            round=info,
            depth=request.depth,
            model=asked.stats if asked is not None else None,
            answered=asked.sight.answered if asked is not None else frozenset(),
        )
        return compose(change, given, failures, workspace.ruleset, directives=sight.directives, occasion=about)

    report = report_of(info)
    heard = Listened(files={each.path: each.listened for each in sights}, wide=wide.listened)
    heard = everywhere(heard, texts, frozenset(item.id for item in workspace.ruleset.checked))
    this = replace(occasion.round, verdict=report.verdict.status.value, counts=report.counts)
    written = replace(occasion, round=this, versions=looked.versions)
    index = await memory.commit(judged, heard, written, blobs_of(change))
    if index != info.index:
        report = report_of(replace(info, index=index, previous=None if index is None else index - 1 or None))
    if request.remember:
        remains = memory.remains(looked.rechecks, view, now=now, whole=request.whole)
        report = with_remains(report, judged, remains, view, workspace.ruleset)
    return report


def _view(workspace: Workspace, request: ReviewRequest) -> View:
    # However little is shown, all of it is remembered: severities are chosen last.
    view = replace(workspace.view, min_severity=Severity.P3)
    if request.show_all_origins:
        view = replace(view, origins=frozenset(Origin))
    return replace(view, paths=request.paths) if request.paths else view


async def _remember(workspace: Workspace, request: ReviewRequest, change: Change, now: str) -> Memory:
    if not request.remember:
        return Memory()
    return await remember(workspace.git, change, whole=request.whole, at=now)


async def _uncommitted(workspace: Workspace, request: ReviewRequest) -> frozenset[RelPath]:
    """The paths in which the work tree, buffers included, differs from a commit that is reviewed as the branch."""
    if request.scope is not Scope.COMMITTED or not request.remember or not request.whole or workspace.git.bare:
        return frozenset()
    rules = workspace.collect_rules(untracked=request.untracked)
    base = await workspace.git.base_at_head("")
    edits = await workspace.git.collect(base, rules=rules, overlays=request.unsaved)
    names = [(each.path, each.old_path) for each in edits.files]
    names += [(each.path, each.old_path) for each in edits.skipped]
    return frozenset(path for pair in names for path in pair if path is not None)


def _by_ledger(seen: Sequence[Observation], ledger: Ledger, texts: Texts) -> list[FindingId]:
    return recognise(ledger, seen, texts)


_ONLY_HERE: Final = (
    Prose(
        "{} is only in this clone; roundzero ledger dismiss --shared writes it to {}",
        "{} 条忽略仅存在于此克隆；roundzero ledger dismiss --shared 会把它写入 {}",
    ),
    Prose(
        "{} are only in this clone; roundzero ledger dismiss --shared writes them to {}",
        "{} 条忽略仅存在于此克隆；roundzero ledger dismiss --shared 会把它们写入 {}",
    ),
)


def _only_here(findings: Sequence[Finding], looked: _Looked, workspace: Workspace, now: str) -> tuple[str, ...]:
    """A word on dismissals that CI and other clones know nothing of."""
    memory = looked.memory
    number = local(findings, memory.ledger, memory.dismissals, looked.shared, now)
    if not number:
        return ()
    language = workspace.settings.language
    count = str(number) if language == "zh" else f"{number} dismissal" + ("" if number == 1 else "s")
    return (_ONLY_HERE[number != 1].text(language).format(count, SHARED_FILE),)


async def _collect(workspace: Workspace, request: ReviewRequest) -> Change:
    base = await workspace.choose_base(request.base, head=request.head)
    change = await workspace.git.collect(
        base,
        scope=request.scope,
        head=request.head,
        rules=workspace.collect_rules(untracked=request.untracked),
        overlays={**request.unsaved, **request.overlays} if request.scope is Scope.WORKTREE else request.overlays,
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
