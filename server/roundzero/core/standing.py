"""Findings of now in the light of what is remembered: families, what the ledger knows, what people put aside.

Pure, between judge and compose. Invariants: what is dismissed never blocks; of a family one blocks; an entry nobody
saw is listed only when its state says something about this round.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.advance import rests_on_edits
from roundzero.core.compose import hidden
from roundzero.core.dismissal import covered
from roundzero.core.families import families, one_blocker
from roundzero.core.finding import State
from roundzero.core.gate import gate
from roundzero.core.judge import listed, shown
from roundzero.core.recalled import dismissed, gone, recalled, remains
from roundzero.core.report import order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import Finding
    from roundzero.core.gate import GatePolicy
    from roundzero.core.item import ItemId
    from roundzero.core.judge import View
    from roundzero.core.known_texts import Texts
    from roundzero.core.ledger import Entry, Ledger
    from roundzero.core.report import Report
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath

UNSEEN: Final = "remembered, and not checked in this review"


def related(findings: Sequence[Finding], ledger: Ledger) -> list[Finding]:
    """The findings with their families; a family that is remembered keeps its name."""
    known = {name: entry.family for name, entry in ledger.entries.items() if entry.family is not None}
    named = families([finding for finding in findings if shown(finding)], known)
    return [
        finding.but(family=named[finding.id]) if named.get(finding.id) is not None else finding for finding in findings
    ]


def unmoved(ledger: Ledger, uncommitted: Collection[RelPath], wide: Collection[ItemId]) -> Ledger:
    """The ledger as a review of a commit takes it: what only uncommitted edits fixed is not back when it is seen."""
    if not uncommitted:
        return ledger
    entries = {
        name: replace(entry, state=State.OPEN)
        if entry.state is State.FIXED and rests_on_edits(entry.sighting, uncommitted, wide)
        else entry
        for name, entry in ledger.entries.items()
    }
    return replace(ledger, entries=entries)


def local(
    findings: Sequence[Finding], ledger: Ledger, dismissals: Iterable[Dismissal], shared: Iterable[Dismissal], now: str
) -> int:
    """How many dismissals of this clone put a listed finding aside that nothing shared does.

    ``dismissals`` are the local ones beside entries.
    """
    aside = [each for each in findings if listed(each) and each.state is State.DISMISSED and each.state_by != "code"]
    own = {entry.id: entry.dismissal for entry in ledger.entries.values() if entry.state is State.DISMISSED}
    for_all = covered(shared, [each.seen for each in aside], [each.id for each in aside], now)
    beside = covered(dismissals, [each.seen for each in aside], [each.id for each in aside], now)
    names: set[str] = set()
    for at, each in enumerate(aside):
        dismissal = own.get(each.id) or beside.get(at)
        if dismissal is not None and at not in for_all:
            names.add(dismissal.name)
    return len(names)


def standing(  # noqa: PLR0913  each is an independent input
    findings: Sequence[Finding],
    ledger: Ledger,
    texts: Texts,
    *,
    dismissals: Iterable[Dismissal],
    policy: GatePolicy,
    settings: str,
    index: int | None,
    now: str,
) -> list[Finding]:
    """The findings with what is remembered and dismissed, gated again and sorted."""
    known = [recalled(finding, ledger, texts, settings=settings, index=index) for finding in findings]
    found = put_aside(dismissals, known, now)
    for at, dismissal in found.items():
        known[at] = dismissed(known[at], dismissal)
    gated = (gated_again(finding, policy) for finding in known)
    return one_blocker(sorted(gated, key=order))


def put_aside(dismissals: Iterable[Dismissal], findings: Sequence[Finding], now: str) -> dict[int, Dismissal]:
    """Which open findings are dismissed beside the ledger's entries, by index."""
    still = [at for at, finding in enumerate(findings) if finding.state is State.OPEN]
    found = covered(dismissals, [findings[at].seen for at in still], [findings[at].id for at in still], now)
    return {still[number]: dismissal for number, dismissal in found.items()}


def gated_again(finding: Finding, policy: GatePolicy) -> Finding:
    """A finding whose state or severity may be another than the one it was gated in."""
    return gate(finding.but(counts=finding.counts and finding.state is State.OPEN), policy)


def with_remains(report: Report, findings: Sequence[Finding], ledger: Ledger, view: View, ruleset: Ruleset) -> Report:
    """The report with what left in its round or is stale; what else nobody saw is counted as hidden.

    ``findings`` are all of the review, hidden ones too.
    """
    rest: list[Finding] = []
    changed = {file.path for file in report.change.files} | {skip.path for skip in report.change.skipped}
    for entry in gone(ledger, frozenset(finding.id for finding in findings)):
        item = ruleset.by_id.get(entry.sighting.item)
        if item is None or (entry.state is State.OPEN and entry.sighting.path not in {*changed, None}):
            continue
        reason = _reason(entry, view)
        seen = entry.sighting.observation()
        if not seen.why:
            seen = replace(seen, why=item.why.text(report.language))
        finding = remains(entry)
        rest.append(finding.but(seen=seen, hidden=reason, not_blocking_because=f"it is {entry.state.value}"))
    if not rest:
        return report
    counts = dict(report.stats.hidden)
    for reason, number in hidden(each for each in rest if each.hidden is not None):
        counts[reason] = counts.get(reason, 0) + number
    return replace(
        report,
        findings=tuple(sorted((*report.findings, *(each for each in rest if listed(each))), key=order)),
        stats=replace(report.stats, hidden=tuple(sorted(counts.items()))),
    )


def _reason(entry: Entry, view: View) -> str | None:
    """Why an entry nobody saw is not listed."""
    if entry.state in {State.OPEN, State.DISMISSED}:
        return UNSEEN
    if entry.sighting.severity > view.min_severity:
        return f"milder than {view.min_severity.name}"
    return None
