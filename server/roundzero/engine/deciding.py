"""Makes the report of one review: judges what was seen in the light of what is remembered, and writes the round down.

Looks at nothing itself but for what old code a change newly reaches. Invariant: the report says the round that was
written, and no other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero import __version__
from roundzero.core.advance import Listened
from roundzero.core.change import Status
from roundzero.core.compose import About, compose
from roundzero.core.item import Prose
from roundzero.core.judge import judge
from roundzero.core.recognition import recognise
from roundzero.core.rule_files import SHARED_FILE
from roundzero.core.standing import local, related, standing, unmoved, with_remains
from roundzero.engine.exposure import reach
from roundzero.engine.memory import blobs_of, everywhere, settings_digest
from roundzero.engine.sights import failures_of, gaps
from roundzero.engine.whole import SECONDS_ON_REQUEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.change import Change
    from roundzero.core.checklist import Failure
    from roundzero.core.finding import Finding, FindingId, Observation
    from roundzero.core.judge import View
    from roundzero.core.known_texts import Texts
    from roundzero.core.ledger import Ledger
    from roundzero.core.report import Report, RoundInfo
    from roundzero.engine.looking import Looked
    from roundzero.engine.review import Identify, ReviewRequest
    from roundzero.engine.workspace import Workspace


async def decide(  # noqa: PLR0913  each is an independent input
    workspace: Workspace,
    request: ReviewRequest,
    change: Change,
    view: View,
    looked: Looked,
    *,
    identify: Identify | None,
    now: str,
) -> Report:
    """Judge what was seen in the light of what is remembered, and write the round down."""
    memory, asked = looked.memory, looked.asked
    newly = await reach(looked.sight, workspace.around(change), workspace.ruleset, seconds=SECONDS_ON_REQUEST)
    sight = replace(looked.sight, reached=newly.lines)
    judged = judge(
        change,
        sight,
        workspace.ruleset,
        view=view,
        policy=workspace.policy,
        language=workspace.settings.language,
        identify=lambda seen: (identify or _by_ledger)(seen, memory.ledger, memory.texts),
    )
    judged = related(judged, memory.ledger)
    occasion = memory.occasion(
        change,
        at=now,
        settings=settings_digest(workspace, view, request.depth if asked is not None and asked.complete else ""),
    )
    occasion = replace(occasion, uncommitted=looked.uncommitted, rechecks=looked.rechecks)
    # Before the round is written, after which it is part of the ledger.
    as_known = unmoved(memory.ledger, looked.uncommitted, looked.wide.listened)
    info = memory.info(occasion)

    def report_of(info: RoundInfo) -> Report:
        given = standing(
            judged,
            as_known,
            memory.texts,
            dismissals=(*memory.dismissals, *looked.shared),
            policy=workspace.policy,
            settings=occasion.round.settings,
            index=info.index,
            now=now,
        )
        about = _about(workspace, request, looked, _only_here(given, looked, workspace, now), info=info, now=now)
        failures = _failures(workspace, looked)
        return compose(change, given, failures, workspace.ruleset, directives=sight.directives, about=about)

    report = report_of(info)
    this = replace(occasion.round, verdict=report.verdict.status, counts=report.counts)
    written = replace(occasion, round=this, versions=looked.versions)
    index = await memory.commit(judged, _listened(workspace, change, looked), written, blobs_of(change))
    if index != info.index:
        report = report_of(replace(info, index=index, previous=None if index is None else index - 1 or None))
    if request.remember:
        remains = memory.remains(looked.rechecks, view, now=now, whole=request.whole)
        report = with_remains(report, judged, remains, view, workspace.ruleset)
    return report


def _about(
    workspace: Workspace,
    request: ReviewRequest,
    looked: Looked,
    only_here: tuple[str, ...],
    *,
    info: RoundInfo,
    now: str,
) -> About:
    asked = looked.asked
    problems = (str(problem) for problem in workspace.problems if not problem.lost)
    return About(
        tool_version=__version__,
        reviewed_at=now,
        language=workspace.settings.language,
        notices=(*problems, *looked.complaints, *looked.memory.notices, *only_here),
        paths=request.paths,
        outside=looked.outside,
        round=info,
        depth=request.depth,
        model=asked.stats if asked is not None else None,
        answered=asked.sight.answered if asked is not None else frozenset(),
        spared=asked.sight.spared if asked is not None else frozenset(),
    )


def _failures(workspace: Workspace, looked: Looked) -> tuple[Failure, ...]:
    """What was not checked, by programs that are missing and by those that failed."""
    running = [linter.name for linter in workspace.linters]
    paths = (sight.path for sight in looked.sights)
    return (*gaps(workspace.ruleset, running, paths), *failures_of(looked.sights, looked.wide))


def _listened(workspace: Workspace, change: Change, looked: Looked) -> Listened:
    """Where silence means something."""
    heard = Listened(
        files={each.path: each.listened for each in looked.sights},
        wide=looked.wide.listened,
        unread=frozenset(
            each.path for each in change.skipped if not each.binary and each.status not in (Status.DELETED, Status.MODE)
        ),
    )
    return everywhere(heard, looked.memory.texts, frozenset(item.id for item in workspace.ruleset.checked))


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


def _only_here(findings: Sequence[Finding], looked: Looked, workspace: Workspace, now: str) -> tuple[str, ...]:
    """A word on dismissals that CI and other clones know nothing of."""
    memory = looked.memory
    number = local(findings, memory.ledger, memory.dismissals, looked.shared, now)
    if not number:
        return ()
    language = workspace.settings.language
    count = str(number) if language == "zh" else f"{number} dismissal" + ("" if number == 1 else "s")
    return (_ONLY_HERE[number != 1].text(language).format(count, SHARED_FILE),)
