"""What one review sees and remembers: runs the checks over a change, and reads its ledger beside them.

Decides nothing about findings. Invariant: everything that was started for a look has ended when it returns.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from roundzero.core.change import Status
from roundzero.core.frozen import dataclass
from roundzero.engine.analysis import Analyst
from roundzero.engine.memory import Memory, remember, shared_dismissals
from roundzero.engine.own_checks import own_items
from roundzero.engine.pool import runner_for
from roundzero.engine.sights import combine, lacking
from roundzero.git.repository import Scope
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roundzero.core.advance import Recheck
    from roundzero.core.change import Change, FileChange, Skip, Source
    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import FindingId
    from roundzero.core.judge import Sight, View
    from roundzero.core.remembered import Remembered
    from roundzero.core.text import RelPath
    from roundzero.engine.model_review import Asked
    from roundzero.engine.pool import Runner
    from roundzero.engine.review import ProgressSink, ReviewRequest
    from roundzero.engine.sights import ChangeSight, Elsewhere, FileSight
    from roundzero.engine.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
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


async def look(  # noqa: PLR0913  each is an independent input
    workspace: Workspace,
    request: ReviewRequest,
    change: Change,
    view: View,
    *,
    watch: ProgressSink,
    runner: Runner | None,
    now: str,
    alone: bool = False,
) -> Looked:
    """Look at a change. Our own checks run in ``runner``; None: where they are done soonest. ``alone`` as in review."""
    files = [file for file in change.files if view.covers(file.path)]
    own = runner or runner_for(files, own_items(workspace.ruleset), alone=alone)
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
            comparing = group.create_task(_left_out(workspace, request, change))
        sights, wide = looking.result(), around.result()
        elsewhere = await analyst.elsewhere(change, lacking(analyst.moved_from(change, sights), sights))
    finally:
        if runner is None:
            await own.close()
    shared, complaints = sharing.result()
    memory = remembering.result()
    memory.texts = replace(memory.texts, heads={**wide.outside, **memory.texts.heads})
    return Looked(
        sights=sights,
        wide=wide,
        elsewhere=elsewhere,
        memory=memory,
        uncommitted=comparing.result(),
        shared=shared,
        complaints=complaints,
        versions=analyst.versions,
    )


async def _remember(workspace: Workspace, request: ReviewRequest, change: Change, now: str) -> Memory:
    if not request.remember:
        return Memory()
    return await remember(workspace.git, change, whole=request.whole, at=now, at_hand=request.at_hand)


async def _left_out(workspace: Workspace, request: ReviewRequest, change: Change) -> frozenset[RelPath]:
    """The paths with edits, in buffers too, that a review for the record leaves out: it says nothing new of them.

    Of a commit that is reviewed as the branch: whatever is not in it. Else untracked files that are not to be seen.
    """
    rules = workspace.collect_rules(untracked=request.untracked)
    of_commit = request.scope is Scope.COMMITTED
    if not request.remember or not request.whole or workspace.git.bare or (rules.untracked and not of_commit):
        return frozenset()
    base = await workspace.git.base_at_head("")
    edits = await workspace.git.collect(base, rules=replace(rules, untracked=True), overlays=request.unsaved)
    reviewed = {each.path for each in change.files} | {each.path for each in change.skipped}
    found: list[FileChange | Skip] = [*edits.files, *edits.skipped]
    return frozenset(
        path
        for each in found
        if of_commit or (each.status is not Status.MODIFIED and each.path not in reviewed)
        for path in (each.path, each.old_path)
        if path is not None
    )
