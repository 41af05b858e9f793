"""The time as everything that outlives a run has it: the ledger, reports, dismissals.

Budgets and timers have clocks of their own, in seconds. Invariant: two times compare as their texts do, whoever wrote
them and wherever, because all are in UTC and of one form.
"""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """The time: ISO 8601, in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
