"""Whose a ledger is: a row for each branch, that follows it through renaming and is kept for a while when it is gone.

Within a transaction of the caller's; which refs there are and whose heads are related the caller says. Invariant: a
name that is made anew gets a ledger of its own, a generation later.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.store._ledger_file import decoding

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

KEEP_DAYS: Final = 90
"""How long the ledger of a deleted branch is kept."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch's ledger: full ref name, generation from 1, and its key in the database."""

    ref: str
    generation: int
    number: int
    head: str | None


def branches(connection: sqlite3.Connection) -> list[Branch]:
    """Every ledger there is."""
    found = connection.execute("SELECT ref, generation, number, head FROM branches ORDER BY ref, generation")
    with decoding():
        return [Branch(_ref(ref), generation, number, head) for ref, generation, number, head in found]


def latest(connection: sqlite3.Connection, ref: str) -> Branch | None:
    """The current ledger of a ref."""
    row = connection.execute(
        "SELECT generation, number, head FROM branches WHERE ref = ? ORDER BY generation DESC", (_stored(ref),)
    ).fetchone()
    return None if row is None else Branch(ref, *row)


def claim(
    connection: sqlite3.Connection, ref: str, head: str | None, *, refs: Collection[str], related: Collection[str]
) -> Branch:
    """The ledger a branch writes to, as ``LedgerDb.claim`` has it."""
    known = latest(connection, ref)
    if known is not None and (known.head in {None, head} or known.head in related):
        sql = "UPDATE branches SET head = ?, deleted = NULL WHERE number = ?"
        connection.execute(sql, (head, known.number))
        return replace(known, head=head)
    adopted = _renamed(connection, head, refs, related) if known is None else None
    if adopted is not None:
        sql = "UPDATE branches SET ref = ?, generation = 1, head = ?, deleted = NULL WHERE number = ?"
        connection.execute(sql, (_stored(ref), head, adopted.number))
        return Branch(ref, 1, adopted.number, head)
    generation = known.generation + 1 if known is not None else 1
    sql = "INSERT INTO branches (ref, generation, head) VALUES (?, ?, ?)"
    cursor = connection.execute(sql, (_stored(ref), generation, head))
    return Branch(ref, generation, int(cursor.lastrowid or 0), head)


def tidy(connection: sqlite3.Connection, *, at: str, refs: Collection[str]) -> None:
    """Note which branches are gone, and forget those gone for long. ``at`` is the time, ISO 8601."""
    limit = (datetime.fromisoformat(at) - timedelta(days=KEEP_DAYS)).isoformat()
    for branch in branches(connection):
        if branch.ref in refs:
            connection.execute("UPDATE branches SET deleted = NULL WHERE number = ?", (branch.number,))
        else:
            connection.execute(
                "UPDATE branches SET deleted = coalesce(deleted, ?) WHERE number = ?", (at, branch.number)
            )
    old = connection.execute("SELECT number FROM branches WHERE deleted < ?", (limit,)).fetchall()
    for (number,) in old:
        for table in ("events", "entries", "rounds", "reviewed", "dismissals", "reports", "strengths"):
            connection.execute(f"DELETE FROM {table} WHERE branch = ?", (number,))  # noqa: S608  our own names
        connection.execute("DELETE FROM branches WHERE number = ?", (number,))


def _renamed(
    connection: sqlite3.Connection, head: str | None, refs: Collection[str], related: Collection[str]
) -> Branch | None:
    """The ledger of a ref that is no more and whose head is this one, or else belongs to its history."""
    orphans = [each for each in branches(connection) if each.head is not None and each.ref not in refs]
    same = [each for each in orphans if each.head == head] or [each for each in orphans if each.head in related]
    return same[-1] if same else None


def _stored(ref: str) -> str:
    """A ref name in a form that SQLite stores whatever its bytes are; ``_ref`` reads it."""
    return json.dumps(ref)


def _ref(stored: str) -> str:
    return str(json.loads(stored))
