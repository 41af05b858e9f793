"""Replies of models by question, in the user's cache folder, so that undo, a branch switch or a restart costs nothing.

Keyed by a digest of everything that decides the reply: question, provider and model. Holds what a model said, no
question and no key. A cache, so it never fails: what cannot be read is asked again, what cannot be written is lost.
Invariants: private to the user; at most ``MOST_BYTES`` of replies stay, those not used for longest go first.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.errors import OutsideError
from roundzero.store._sqlite import reading, writing

if TYPE_CHECKING:
    import sqlite3

MOST_BYTES: Final = 50_000_000
"""Bytes of packed replies; a reply is some 1 to 4 KiB packed."""

_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS replies ("
    "key TEXT PRIMARY KEY, used REAL NOT NULL, size INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID"
)


def cache_file() -> Path:
    """Where replies are kept."""
    import platformdirs  # noqa: PLC0415  off the start-up path

    return Path(platformdirs.user_cache_dir("roundzero", appauthor=False)) / "replies.sqlite3"


class ReplyCache:
    """The replies one user was given."""

    def __init__(self, path: Path | None = None, *, most_bytes: int = MOST_BYTES) -> None:
        """Use ``path``, by default the user's own file; the first reply creates it."""
        self.path = path if path is not None else cache_file()
        self._most_bytes = most_bytes

    def get(self, key: str, *, now: float) -> str | None:
        """The reply to a question, if it was given before. ``now`` in seconds since the epoch."""
        try:
            with reading(self.path) as connection:
                if connection is None or not _is_there(connection):
                    return None
                row = connection.execute("SELECT data FROM replies WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            text = zlib.decompress(row[0]).decode("utf-8")
        except (OutsideError, zlib.error, UnicodeDecodeError, TypeError):
            return None
        with suppress(OutsideError), writing(self.path, _SCHEMA) as connection:
            connection.execute("UPDATE replies SET used = ? WHERE key = ?", (now, key))
        return text

    def put(self, key: str, text: str, *, now: float) -> None:
        """Keep a reply."""
        data = zlib.compress(text.encode("utf-8", "replace"))
        try:
            with writing(self.path, _SCHEMA) as connection:
                connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", (key, now, len(data), data))
                self._prune(connection)
        except OutsideError:
            return

    def _prune(self, connection: sqlite3.Connection) -> None:
        total = int(connection.execute("SELECT coalesce(sum(size), 0) FROM replies").fetchone()[0])
        if total <= self._most_bytes:
            return
        for key, size in connection.execute("SELECT key, size FROM replies ORDER BY used, key").fetchall():
            if total <= self._most_bytes:
                return
            connection.execute("DELETE FROM replies WHERE key = ?", (key,))
            total -= size


def _is_there(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone() is not None
