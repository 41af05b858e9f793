"""When a finding that is known may have another severity than the one in force, and why.

Pure. A severity is settled when a finding is first seen, so that nobody argues about it in every round. Invariant: it
changes only for one of the reasons named here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.ledger import rules_of

if TYPE_CHECKING:
    from roundzero.core.ledger import Entry, Ledger
    from roundzero.core.sighting import Sighting

CODE_CHANGED: Final = "the code changed"
SETTINGS_CHANGED: Final = "the settings or the checklists changed"
NEW_EVIDENCE: Final = "there is new evidence"
LOOKED_DEEPLY: Final = "a deep review looked at it"


def may_be_regraded(entry: Entry, ledger: Ledger, settings: str) -> bool:
    """Whether other settings may have decided about an entry's severity since it was seen. ``settings``: of now.

    Of one that the last round did not see, nobody noticed when they changed.
    """
    last = ledger.last
    return last is not None and (last.rules != rules_of(settings) or (entry.last_seen or 0) < last.index)


def regrade_reason(old: Sighting, new: Sighting, *, settings_changed: bool) -> str | None:
    """Why a severity other than the one in force may stand; None when it is the same, or must stay."""
    if old.severity is new.severity:
        return None
    if old.anchor_text != new.anchor_text:
        return CODE_CHANGED
    if new.source == "check" and settings_changed:
        return SETTINGS_CHANGED
    if new.source == "check" and old.producer_version != new.producer_version:
        return f"the rule changed in {new.producer} {new.producer_version}"
    if {(each.path, each.quote) for each in new.evidence} - {(each.path, each.quote) for each in old.evidence}:
        return NEW_EVIDENCE
    return LOOKED_DEEPLY if settled_deeply(new) and settled_deeply(new) != settled_deeply(old) else None


def settled_deeply(seen: Sighting) -> tuple[object, ...] | None:
    """What a deep review made of something; None where there was none. How many drafts raised it is no reason."""
    case = seen.anatomy
    if case is None or case.votes is None:
        return None
    return (case.confirmed, tuple(sorted(claim.verdict.value for claim in case.claims if claim.decisive)))
