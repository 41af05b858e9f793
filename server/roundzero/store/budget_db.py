"""What was asked of models, in the user's state folder: one budget for all windows and command lines of a user.

Keeps times, digests of questions and numbers; never a text, an address or a key. Deciding is core/budget. Invariants: a
request is charged in the same transaction that permits it; a charge whose process died keeps what it reserved until
its window has passed, and keeps nobody waiting; one question is not asked by two processes at once; a clock that was
wrong and is put right delays nobody by more than the longest window. The clock is read inside the transaction: who
waited for it, or slept meanwhile, does not take for the future what others noted since.
"""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.core.budget import DAY, Charge, Shortage, Tally, Wait, decide, tally
from roundzero.core.frozen import dataclass
from roundzero.store._sqlite import reading, writing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from roundzero.core.budget import Limits

LEASE: Final = 300.0
"""Seconds after which a request is taken to be over: longer than the longest a request may last."""

AHEAD: Final = 900.0
"""Seconds that a time may lie ahead of now; one that is further ahead was noted while the clock was wrong."""

_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS charges ("
    "number INTEGER PRIMARY KEY, at REAL NOT NULL, question TEXT NOT NULL, tokens INTEGER NOT NULL, "
    "cost REAL NOT NULL, until REAL NOT NULL, who TEXT NOT NULL DEFAULT '')"
)
_HOLDS: Final = (
    "CREATE TABLE IF NOT EXISTS holds (provider TEXT PRIMARY KEY, until REAL NOT NULL, why TEXT NOT NULL, "
    "made REAL NOT NULL DEFAULT 0) WITHOUT ROWID"
)


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to send one request."""

    number: int


def budget_file() -> Path:
    """Where the user's budget is kept."""
    import platformdirs  # noqa: PLC0415  off the start-up path

    return Path(platformdirs.user_state_dir("roundzero", appauthor=False)) / "budget.sqlite3"


class BudgetDb:
    """The budget of one user. Methods raise OutsideError when the file cannot be used: then nothing may be asked."""

    def __init__(self, path: Path | None = None) -> None:
        """Use ``path``, by default the user's own file; the first reservation creates it."""
        self.path = path if path is not None else budget_file()

    def reserve(
        self, question: str, *, provider: str, tokens: int, cost: float, limits: Limits, clock: Callable[[], float]
    ) -> Lease | Wait:
        """Charge a request before it is sent, or say until when to wait. ``question`` is its digest."""
        with writing(self.path, _SCHEMA) as connection:
            now = clock()
            _add(connection, "charges", "who TEXT NOT NULL DEFAULT ''")
            _open_holds(connection)
            _set_back(connection, now)
            connection.execute("DELETE FROM charges WHERE at < ? AND until < ?", (now - DAY, now))
            _bury(connection, now)
            if (held := _held(connection, provider, now)) is not None:
                return held
            row = connection.execute(
                "SELECT max(until) FROM charges WHERE question = ? AND until > ?", (question, now)
            ).fetchone()
            if row[0] is not None:
                return Wait(Shortage.ASKED, float(row[0]))
            wait = decide(_charges(connection), tokens, cost, limits, now)
            if wait is not None:
                return wait
            cursor = connection.execute(
                "INSERT INTO charges (at, question, tokens, cost, until, who) VALUES (?, ?, ?, ?, ?, ?)",
                (now, question, tokens, cost, now + LEASE, f"{_here()} {os.getpid()}"),
            )
            return Lease(int(cursor.lastrowid or 0))

    def settle(self, lease: Lease, *, tokens: int, cost: float) -> None:
        """A request is over and took so much."""
        with writing(self.path, _SCHEMA) as connection:
            connection.execute(
                "UPDATE charges SET tokens = ?, cost = ?, until = 0 WHERE number = ?", (tokens, cost, lease.number)
            )

    def withdraw(self, lease: Lease) -> None:
        """A request was never sent; it costs nothing."""
        with writing(self.path, _SCHEMA) as connection:
            connection.execute("DELETE FROM charges WHERE number = ?", (lease.number,))

    def hold(self, provider: str, *, until: float, why: str, clock: Callable[[], float]) -> None:
        """Leave a provider alone until a time; of several times the last counts."""
        with writing(self.path, _SCHEMA) as connection:
            now = clock()
            _open_holds(connection)
            _set_back(connection, now)
            connection.execute(
                "INSERT INTO holds (provider, until, why, made) VALUES (?, ?, ?, ?) ON CONFLICT (provider) DO UPDATE "
                "SET until = excluded.until, why = excluded.why, made = excluded.made "
                "WHERE excluded.until > holds.until",
                (provider, until, why, now),
            )

    def tally(self, now: float) -> Tally:
        """What the windows hold now."""
        with reading(self.path) as connection:
            known = [] if connection is None or not _has(connection, "charges") else _charges(connection)
        return tally(known, now)


def _open_holds(connection: sqlite3.Connection) -> None:
    connection.execute(_HOLDS)
    _add(connection, "holds", "made REAL NOT NULL DEFAULT 0")


def _add(connection: sqlite3.Connection, table: str, column: str) -> None:
    """Give a table of an older version a column that it has now."""
    columns = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    if column.split(maxsplit=1)[0] not in columns:
        connection.execute(f"ALTER TABLE {table} ADD COLUMN {column}")


def _set_back(connection: sqlite3.Connection, now: float) -> None:
    """Take what was noted while the clock was ahead as noted now: it grants nothing twice, and is over in time."""
    ahead = now + AHEAD
    connection.execute("UPDATE charges SET until = max(0, until - at + ?), at = ? WHERE at > ?", (now, now, ahead))
    connection.execute("UPDATE holds SET until = until - made + ?, made = ? WHERE made > ?", (now, now, ahead))


def _bury(connection: sqlite3.Connection, now: float) -> None:
    """End the requests of processes that are no more; what they reserved stays charged."""
    for (who,) in connection.execute("SELECT DISTINCT who FROM charges WHERE until > ?", (now,)).fetchall():
        if _is_dead(str(who)):
            connection.execute("UPDATE charges SET until = 0 WHERE who = ?", (who,))


@cache
def _here() -> str:
    """What process numbers mean something in: this machine, or a container of it."""
    with suppress(OSError):
        return f"{platform.node()} {Path('/proc/self/ns/pid').readlink()}"
    return platform.node()


def _is_dead(who: str) -> bool:
    """Whether a process of here is no more; of others nobody knows."""
    where, _, number = who.rpartition(" ")
    if where != _here() or not number.isdecimal() or sys.platform == "win32":
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _charges(connection: sqlite3.Connection) -> list[Charge]:
    return [Charge(*row) for row in connection.execute("SELECT at, tokens, cost, until FROM charges")]


def _held(connection: sqlite3.Connection, provider: str, now: float) -> Wait | None:
    row = connection.execute("SELECT until, why FROM holds WHERE provider = ?", (provider,)).fetchone()
    return Wait(Shortage.HELD, float(row[0]), why=str(row[1])) if row is not None and row[0] > now else None


def _has(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone() is not None
