"""Facts of files by key, under the git common directory, so that a second run need not parse again.

Holds bytes and does not know what they say. A cache, so it never fails: a database that cannot be used answers nothing
and keeps nothing. Invariant: at most ``MOST_ROWS`` rows stay, the oldest go first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.errors import OutsideError
from roundzero.store._sqlite import reading, refuse_links, writing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

MOST_ROWS: Final = 40_000
"""Two for each file; a row is some 5 KiB packed, so the file stays below 200 MiB."""

SLACK_ROWS: Final = 2_000
"""Rows over the limit before the oldest are deleted, so that this happens now and then and not at each run."""

_AT_ONCE: Final = 500
_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS facts (number INTEGER PRIMARY KEY, key TEXT UNIQUE, data BLOB NOT NULL)"


class IndexDb:
    """The facts of one repository. One thread at a time; ``close`` lets go of the file."""

    def __init__(self, common_dir: Path, *, most_rows: int = MOST_ROWS, slack_rows: int = SLACK_ROWS) -> None:
        """Use ``roundzero/index.sqlite3`` under the git common directory; it is created by the first ``put``."""
        self.path = common_dir / "roundzero" / "index.sqlite3"
        self._most_rows = most_rows
        self._slack_rows = slack_rows
        self._open: AbstractContextManager[sqlite3.Connection | None] | None = None
        self._connection: sqlite3.Connection | None = None
        self._broken = False

    def get(self, keys: Collection[str]) -> Mapping[str, bytes]:
        """The kept bytes of those keys that are known."""
        import sqlite3  # noqa: PLC0415  off the start-up path

        rows: dict[str, bytes] = {}
        asked = list(keys)
        try:
            for start in range(0, len(asked), _AT_ONCE):
                rows.update(self._rows(asked[start : start + _AT_ONCE]))
        except (OutsideError, OSError, sqlite3.Error):
            self._broken = True
            self.close()
            return {}
        return rows

    def put(self, rows: Mapping[str, bytes]) -> None:
        """Keep bytes."""
        self.close()
        try:
            refuse_links(self.path)
            with writing(self.path, _SCHEMA) as connection:
                connection.executemany("INSERT OR IGNORE INTO facts (key, data) VALUES (?, ?)", list(rows.items()))
                self._prune(connection)
        except OutsideError:
            self._broken = True

    def close(self) -> None:
        """Let go of the file; the next ``get`` opens it again."""
        opened, self._open, self._connection = self._open, None, None
        if opened is not None:
            opened.__exit__(None, None, None)

    def _prune(self, connection: sqlite3.Connection) -> None:
        count = int(connection.execute("SELECT count(*) FROM facts").fetchone()[0])
        if count > self._most_rows + self._slack_rows:
            connection.execute(
                "DELETE FROM facts WHERE number IN (SELECT number FROM facts ORDER BY number LIMIT ?)",
                (count - self._most_rows,),
            )

    def _rows(self, keys: list[str]) -> list[tuple[str, bytes]]:
        connection = self._reader()
        if connection is None:
            return []
        marks = ",".join("?" * len(keys))
        found = connection.execute(f"SELECT key, data FROM facts WHERE key IN ({marks})", keys)  # noqa: S608  marks only
        return [(str(key), bytes(data)) for key, data in found]

    def _reader(self) -> sqlite3.Connection | None:
        """The connection kept open for reading; None where there is no table yet, or the file is no good."""
        if self._broken:
            return None
        if self._connection is None:
            self.close()
            refuse_links(self.path)
            self._open = reading(self.path)
            connection = self._open.__enter__()
            named = "SELECT name FROM sqlite_master WHERE name = 'facts'"
            if connection is None or connection.execute(named).fetchone() is None:
                self.close()
                return None
            self._connection = connection
        return self._connection
