"""A finding and its entry: a finding of now with what the ledger knows of it, and an entry as a finding.

Pure, one at a time; ``standing`` does it for a review. Invariant: being seen changes neither what people decided nor a
severity, unless there is a reason for another.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.finding import Finding, Grounds, Origin, State, fingerprint
from roundzero.core.ledger import LIVE_OR_DISMISSED, with_answers
from roundzero.core.regrading import may_be_regraded, regrade_reason
from roundzero.core.sighting import Sighting

if TYPE_CHECKING:
    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import FindingId
    from roundzero.core.known_texts import Texts
    from roundzero.core.ledger import Entry, Ledger


def recalled(finding: Finding, ledger: Ledger, texts: Texts, *, settings: str, index: int | None = None) -> Finding:
    """A finding of now with what the ledger knows of it. Gate it again afterwards.

    ``settings`` is the digest of now. ``index``: the round this review is or will be; None where none is committed.
    """
    entry = ledger.entries.get(finding.id)
    if entry is None:
        return finding.but(first_seen=index, last_seen=index) if index is not None else finding
    blob = texts.blob(finding.seen.path, finding.seen.side)
    severity = finding.seen.severity
    if severity is not entry.sighting.severity:
        changed = may_be_regraded(entry, ledger, settings)
        if regrade_reason(entry.sighting, Sighting.of(finding.seen, blob), settings_changed=changed) is None:
            severity = entry.sighting.severity
    seen, anatomy = finding.seen, with_answers(finding.seen.anatomy, entry.sighting.anatomy)
    if severity is not seen.severity or anatomy is not seen.anatomy:
        seen = replace(seen, severity=severity, anatomy=anatomy)
    finding = finding.but(
        seen=seen,
        first_seen=entry.first_seen if entry.first_seen is not None else index,
        last_seen=index if index is not None else entry.last_seen,
        regressions=entry.regressions + (entry.state is State.FIXED),
        family=entry.family if finding.family is None else finding.family,
    )
    return finding if finding.state is State.DISMISSED else _standing(finding, entry, ledger, blob)


def gone(ledger: Ledger, there: frozenset[FindingId]) -> tuple[Entry, ...]:
    """Entries a report lists though nobody saw them: still live, dismissed, or left in the last round.

    ``there`` are the ids of the findings of now.
    """
    last = ledger.last.index if ledger.last is not None else None
    return tuple(
        entry
        for name, entry in sorted(ledger.entries.items())
        if name not in there and (entry.state in LIVE_OR_DISMISSED or (last is not None and entry.left == last))
    )


def dismissed(finding: Finding, dismissal: Dismissal) -> Finding:
    """The finding as somebody dismissed it."""
    grounds = Grounds(at=dismissal.at or None, expires=dismissal.expires)
    return finding.but(
        state=State.DISMISSED, state_text=dismissal.reason, state_by=dismissal.by, grounds=grounds, blocking=False
    )


def remains(entry: Entry) -> Finding:
    """An entry as a finding, for a report on what nobody saw this time."""
    seen, proof = entry.sighting, entry.proof
    place = Grounds(
        path=proof.path if proof is not None else None,
        line=proof.line if proof is not None else None,
        quote=proof.quote if proof is not None else None,
        commit=proof.commit if proof is not None else None,
        at=entry.since or None,
    )
    finding = Finding(
        id=entry.id,
        group=fingerprint(seen.item, seen.path, seen.symbol, seen.anchor_text),
        seen=seen.observation(),
        origin=Origin.INTRODUCED,
        in_diff=False,
        anchor=None,
        state=entry.state,
        state_text=proof.text if proof is not None else None,
        grounds=place if proof is not None else None,
        first_seen=entry.first_seen,
        last_seen=entry.last_seen,
        regressions=entry.regressions,
        family=entry.family,
    )
    return dismissed(finding, entry.dismissal) if entry.dismissal is not None else finding


def _standing(finding: Finding, entry: Entry, ledger: Ledger, blob: str) -> Finding:
    """The finding in a state that being seen does not change."""
    dismissal = entry.dismissal
    if entry.state is State.DISMISSED and dismissal is not None:
        return dismissed(finding, dismissal)
    if entry.state is State.SUPERSEDED:
        target = ledger.target(entry.id)
        text = f"part of {target.id}" if target is not None else "part of another finding"
        return finding.but(state=State.SUPERSEDED, state_text=text)
    if entry.state is State.REFUTED and entry.sighting.blob == blob:
        return finding.but(state=State.REFUTED, state_text=entry.proof.text if entry.proof is not None else None)
    return finding
