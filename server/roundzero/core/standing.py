"""Findings of now in the light of what is remembered: families, what the ledger knows, what people put aside.

Pure, between judge and compose. Invariants: what is dismissed never blocks; of a family one blocks; an entry nobody
saw is listed only when its state says something about this round.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.advance import dismissed, gone, recalled, remains
from roundzero.core.compose import hidden
from roundzero.core.dismissal import covered
from roundzero.core.families import families, one_blocker
from roundzero.core.finding import State
from roundzero.core.gate import gate
from roundzero.core.judge import listed, shown
from roundzero.core.report import order

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import Finding
    from roundzero.core.gate import GatePolicy
    from roundzero.core.judge import View
    from roundzero.core.ledger import Entry, Ledger
    from roundzero.core.recognition import Texts
    from roundzero.core.report import Report
    from roundzero.core.ruleset import Ruleset

UNSEEN: Final = "remembered, and not checked in this review"


def related(findings: Sequence[Finding], ledger: Ledger) -> list[Finding]:
    """The findings with their families; a family that is remembered keeps its name."""
    known = {name: entry.family for name, entry in ledger.entries.items() if entry.family is not None}
    named = families([finding for finding in findings if shown(finding)], known)
    return [
        finding.but(family=named[finding.id]) if named.get(finding.id) is not None else finding for finding in findings
    ]


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
    still = [at for at, finding in enumerate(known) if finding.state is State.OPEN]
    found = covered(dismissals, [known[at].seen for at in still], [known[at].id for at in still], now)
    for number, dismissal in found.items():
        known[still[number]] = dismissed(known[still[number]], dismissal)
    gated = (gate(finding.but(counts=finding.counts and finding.state is State.OPEN), policy) for finding in known)
    return one_blocker(sorted(gated, key=order))


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
