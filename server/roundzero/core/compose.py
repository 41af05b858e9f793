"""Puts a report together from what a review gave. The time is handed in; everything else follows from the arguments.

Invariant: the report lists exactly the findings that are not hidden and counts the hidden ones by reason.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.checklist import Failure, checklist, what_failed
from roundzero.core.few import few
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.gate import evaluate, gravest
from roundzero.core.judge import IGNORED, View, listed
from roundzero.core.one_a_file import told_once
from roundzero.core.report import Coverage, Depth, FileSummary, Report, RoundInfo, Stats, Verdict, count
from roundzero.core.rule_files import decides_about_reviews
from roundzero.core.statistics import patch_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from roundzero.core.change import Change, Source
    from roundzero.core.finding import Finding
    from roundzero.core.item import ItemId, Language, Severity
    from roundzero.core.model_part import ModelStats
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.suppress import Directive
    from roundzero.core.text import RelPath


_NAMED: Final = 3
"""Most files that a verdict names; the report has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a report says about itself. ``paths``: the files and folders asked for, all when empty.

    ``outside`` are the texts of files beyond the change that findings lie in. ``seconds`` per stage. ``answered`` are
    the items a model looked at wherever they apply, ``spared`` those it is not asked about a change as small as this.
    """

    tool_version: str
    reviewed_at: str
    language: Language = "en"
    depth: Depth = "off"
    notices: tuple[str, ...] = ()
    paths: tuple[RelPath, ...] = ()
    outside: tuple[Source, ...] = ()
    seconds: tuple[tuple[str, float], ...] = ()
    round: RoundInfo = field(default_factory=RoundInfo)
    model: ModelStats | None = None
    answered: frozenset[ItemId] = frozenset()
    spared: frozenset[ItemId] = frozenset()


def compose(
    change: Change,
    findings: Sequence[Finding],
    failures: Sequence[Failure],
    ruleset: Ruleset,
    *,
    directives: Mapping[RelPath, tuple[Directive, ...]],
    about: About,
) -> Report:
    """The report of a review. ``findings`` are all of them, sorted."""
    findings = told_once(findings, ruleset, change)
    shown = tuple(finding for finding in findings if listed(finding))
    view = View(paths=about.paths or None)
    covered = coverage(change, view)
    summaries = overview(change, view)
    messages = what_failed(failures, gaps=True)
    unasked = about.model.gaps if about.model is not None else ()
    verdict = evaluate(findings, covered, messages, depth=about.depth, unasked=unasked)
    return Report(
        tool_version=about.tool_version,
        reviewed_at=about.reviewed_at,
        language=about.language,
        verdict=_restricted(by_own_rules(verdict, change), about.paths),
        base=change.base,
        head=change.head,
        change=change,
        round=about.round,
        counts=count(shown),
        coverage=covered,
        overview=summaries,
        checklists=checklist(
            ruleset,
            change,
            shown,
            failures,
            language=about.language,
            answered=about.answered,
            spared=about.spared,
        ),
        findings=shown,
        settings_changed=settings_changed(change, directives),
        notices=(*about.notices, *what_failed(failures, gaps=False)),
        gravest=gravest(findings),
        outside=about.outside,
        stats=Stats(
            seconds=about.seconds,
            hidden=hidden(findings),
            failures=messages,
            patch_bytes=patch_bytes(change, view),
            deleted_lines=sum(file.deleted for file in summaries),
            model=about.model,
        ),
    )


def narrowed(report: Report, mildest: Severity) -> Report:
    """The report as it is shown to who wants nothing milder. What blocks is always shown.

    For display only: what is remembered of a review does not depend on what was shown of it.
    """
    milder = [each for each in report.findings if each.seen.severity > mildest and not each.blocking]
    if not milder:
        return report
    left = {each.id for each in milder}
    counts = Counter(dict(report.stats.hidden)) + Counter({f"milder than {mildest.name}": len(milder)})
    counts.subtract(dict(hidden(milder)))  # a comment in the code hides them no more than this does
    findings = tuple(each for each in report.findings if each.id not in left)
    checklists = tuple(
        replace(row, findings=tuple(name for name in row.findings if name not in left)) for row in report.checklists
    )
    return replace(
        report,
        findings=findings,
        counts=count(findings),
        checklists=checklists,
        stats=replace(report.stats, hidden=tuple(sorted((+counts).items()))),
    )


def by_own_rules(verdict: Verdict, change: Change) -> Verdict:
    """A verdict by rules that the branch itself changes says so."""
    rules = rules_changed(change)
    if not rules:
        return verdict
    return replace(verdict, reasons=(*verdict.reasons, f"this branch changes what is reviewed: {few(rules, _NAMED)}"))


def _restricted(verdict: Verdict, paths: tuple[RelPath, ...]) -> Verdict:
    """A verdict on a part of the change says so: what blocks elsewhere was not asked for."""
    if not paths:
        return verdict
    return replace(verdict, reasons=(*verdict.reasons, f"only {', '.join(paths)} was asked for"))


def coverage(change: Change, view: View) -> Coverage:
    """What was looked at, and what was not, of what ``view`` asks for.

    A deleted file has nothing to review, though its removal has effects.
    """
    skips = tuple(skip for skip in change.skipped if view.covers(skip.path))
    skipped = {skip.path for skip in skips}
    files = [file for file in change.files if view.covers(file.path)]
    reviewed = sum(1 for file in files if file.path not in skipped)
    return Coverage(
        files=reviewed + len(skipped),
        reviewed=reviewed,
        added_lines=sum(hunk.head_count for file in files for hunk in file.hunks),
        skipped=skips,
    )


def overview(change: Change, view: View) -> tuple[FileSummary, ...]:
    """Every changed path that ``view`` asks for; one that is not reviewed has no line counts."""
    files = [file for file in change.files if view.covers(file.path)]
    reviewed = {file.path for file in files}
    rows = [
        FileSummary(
            path=file.path,
            old_path=file.old_path,
            status=file.status,
            added=sum(hunk.head_count for hunk in file.hunks),
            deleted=sum(hunk.base_count for hunk in file.hunks),
        )
        for file in files
    ]
    rows += [
        FileSummary(path=skip.path, old_path=skip.old_path, status=skip.status, added=0, deleted=0)
        for skip in change.skipped
        if skip.path not in reviewed and view.covers(skip.path)
    ]
    return tuple(sorted(rows, key=lambda row: row.path))


def hidden(findings: Iterable[Finding]) -> tuple[tuple[str, int], ...]:
    """How many findings are not shown, by reason."""
    reasons = Counter(
        IGNORED if finding.hidden is None else finding.hidden
        for finding in findings
        if finding.hidden is not None or (finding.state is State.DISMISSED and finding.state_by == "code")
    )
    return tuple(sorted(reasons.items()))


def settings_changed(change: Change, directives: Mapping[RelPath, tuple[Directive, ...]]) -> tuple[str, ...]:
    """What the branch changes about its own review: settings, packs, ignore file, and comments that dismiss."""
    lines: list[str] = list(rules_changed(change))
    files = {file.path: file for file in change.files}
    for path, found in sorted(directives.items()):
        added = files[path].added if path in files else frozenset()
        said = {
            directive.span: f"{path}:{directive.span.start.line}: {directive.said}"
            for directive in found
            if directive.span.start.line in added
        }
        lines += [said[span] for span in sorted(said)]
    return tuple(lines)


def rules_changed(change: Change) -> tuple[RelPath, ...]:
    """The files among those the branch changes that decide what is reviewed and how."""
    paths = {file.path for file in change.files} | {skip.path for skip in change.skipped}
    return tuple(path for path in sorted(paths) if _is_rule(path, change))


def _is_rule(path: RelPath, change: Change) -> bool:
    file = change.file(path)
    sides = [] if file is None else [side for side in (file.base, file.head) if side is not None]
    return decides_about_reviews(path, (side.text for side in sides))
