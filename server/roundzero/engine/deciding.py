"""Makes the report of one review: judges what was seen in the light of what is remembered, and writes the round down.

Looks at nothing itself but for what old code a change newly reaches. Invariant: the report says the round that was
written, and no other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero import __version__
from roundzero.core.advance import Listened
from roundzero.core.compose import Occasion as About
from roundzero.core.compose import compose
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
    from roundzero.core.finding import Finding, FindingId, Observation
    from roundzero.core.judge import View
    from roundzero.core.ledger import Ledger
    from roundzero.core.recognition import Texts
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
            spared=asked.sight.spared if asked is not None else frozenset(),
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
