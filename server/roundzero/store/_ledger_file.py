"""The ledger's file: opened, brought to the schema of now, and set aside when it is no good.

Knows no tables but by the statements that make them. Writers take the lock before they read: under WAL a deferred
transaction that turns to writing fails at once, whatever the patience. Invariants: reading creates no file; every
failure leaves as an OutsideError that says what became of the file; a file is renamed, never deleted.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from roundzero.errors import OutsideError
from roundzero.store._sqlite import BUSY_SECONDS, refuse_links

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

SCHEMA: Final = 3
"""The number of the schema (SQLite's user_version)."""

WITH_STRENGTHS: Final = 3
"""The first schema that has strengths; a file that was only read since keeps its old one."""

_MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        """CREATE TABLE branches (number INTEGER PRIMARY KEY, ref TEXT NOT NULL, generation INTEGER NOT NULL,
            head TEXT, deleted TEXT, UNIQUE (ref, generation))""",
        """CREATE TABLE events (number INTEGER PRIMARY KEY, branch INTEGER NOT NULL, id TEXT NOT NULL, round INTEGER,
            data TEXT NOT NULL)""",
        """CREATE TABLE entries (branch INTEGER NOT NULL, id TEXT NOT NULL, data TEXT NOT NULL,
            PRIMARY KEY (branch, id)) WITHOUT ROWID""",
        """CREATE TABLE rounds (branch INTEGER NOT NULL, number INTEGER NOT NULL, after INTEGER NOT NULL,
            data TEXT NOT NULL, PRIMARY KEY (branch, number)) WITHOUT ROWID""",
        """CREATE TABLE reviewed (branch INTEGER NOT NULL, path TEXT NOT NULL, blob TEXT NOT NULL,
            PRIMARY KEY (branch, path)) WITHOUT ROWID""",
        """CREATE TABLE dismissals (branch INTEGER NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL,
            PRIMARY KEY (branch, name)) WITHOUT ROWID""",
    ),
    ("CREATE TABLE reports (branch INTEGER PRIMARY KEY, round INTEGER NOT NULL, data BLOB NOT NULL)",),
    (
        """CREATE TABLE strengths (branch INTEGER NOT NULL, name TEXT NOT NULL, first INTEGER NOT NULL, left INTEGER,
            data TEXT NOT NULL, PRIMARY KEY (branch, name)) WITHOUT ROWID""",
    ),
)
"""Statements that lead from each schema number to the next."""


class LedgerFile:
    """One database file."""

    def __init__(self, path: Path) -> None:
        """Name the file; open nothing."""
        self.path = path

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection for reading; None where there is no database yet."""
        refuse_links(self.path)
        if not self.path.is_file():
            yield None
            return
        with self._connected(only_read=True) as connection:
            if _version(connection) == 0:
                yield None
                return
            connection.execute("BEGIN")
            yield connection
            connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the write lock from its start."""
        refuse_links(self.path)
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
        except OSError as error:
            raise OutsideError(f"{self.path} cannot be written ({error.strerror}); check its permissions") from error
        with self._connected() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            for number in range(_version(connection), SCHEMA):
                for statement in _MIGRATIONS[number]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number + 1}")
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _connected(self, *, only_read: bool = False) -> Iterator[sqlite3.Connection]:
        import sqlite3  # noqa: PLC0415  off the start-up path

        connection: sqlite3.Connection | None = None
        try:
            inode = self.path.stat().st_ino
            connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
            if only_read and not _may_open(connection) and not self._has_log():
                connection.close()
                connection = sqlite3.connect(f"{self.path.absolute().as_uri()}?immutable=1", uri=True)
                connection.isolation_level = None
            _check(connection)
            yield connection
        except _NewerError as error:
            aside = self._set_aside(inode, f"newer-{error.version}")
            raise OutsideError(
                f"{self.path} was written by a newer version of Round Zero and set aside as {aside}; "
                "reviews go on without it; update, then move the file back"
            ) from error
        except sqlite3.DatabaseError as error:
            if _is_damage(error):
                aside = self._set_aside(inode, "damaged")
                raise OutsideError(
                    f"{self.path} is damaged ({error}) and was set aside as {aside}; reviews go on without a ledger"
                ) from error
            raise OutsideError(f"{self.path} cannot be used ({error}); reviews go on without a ledger") from error
        except (json.JSONDecodeError, RowError) as error:
            aside = self._set_aside(inode, "damaged")
            raise OutsideError(
                f"{self.path} holds rows that cannot be read and was set aside as {aside}; "
                "reviews go on without a ledger"
            ) from error
        except OSError as error:
            raise OutsideError(f"{self.path} cannot be read ({error.strerror}); check its permissions") from error
        finally:
            if connection is not None:
                connection.close()

    def _has_log(self) -> bool:
        """Whether something is written that is not in the file itself yet."""
        log = self.path.with_name(f"{self.path.name}-wal")
        return log.exists() and log.stat().st_size > 0

    def _set_aside(self, inode: int, why: str) -> str:
        """Move the file out of the way, unless another process did; the new name."""
        for number in range(1, 1000):
            target = self.path.with_name(f"ledger-{why}-{number}.sqlite3")
            if target.exists():
                continue
            try:
                if self.path.stat().st_ino == inode:
                    for suffix in ("", "-wal", "-shm"):
                        part = self.path.with_name(self.path.name + suffix)
                        if part.exists():
                            part.rename(target.with_name(target.name + suffix))
            except OSError:
                return "(it could not be moved)"
            return target.name
        return "(it could not be moved)"


class _NewerError(Exception):
    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.version = version


class RowError(ValueError):
    """A row that cannot be decoded."""


@contextmanager
def decoding() -> Iterator[None]:
    """Where rows are decoded: whatever nobody of us has written is a RowError."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise RowError(str(error)) from error


def _may_open(connection: sqlite3.Connection) -> bool:
    """Whether SQLite can read as it likes to: in a folder nobody can write it cannot put its own files beside."""
    import sqlite3  # noqa: PLC0415  loaded by now

    try:
        _version(connection)
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}
    except sqlite3.DatabaseError:
        return True
    return True


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file is at fault, and not who may write, room on the disk, or another process.

    Our statements are the same always: one that SQLite refuses (SQLITE_ERROR) met tables that are not ours.
    """
    import sqlite3  # noqa: PLC0415  loaded by now

    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # text that is not UTF-8
        return isinstance(error, sqlite3.OperationalError)
    if code == sqlite3.SQLITE_ERROR:
        return True
    return code & 0xFF in {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_MISMATCH,
    }


def _check(connection: sqlite3.Connection) -> None:
    version = _version(connection)
    if version > SCHEMA:
        raise _NewerError(version)
    if version < 0:
        raise RowError(f"the schema number {version} is none of ours")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
