"""Which repositories the user trusts, in the user's state folder.

Trust is keyed by the real path of the git common directory, so that linked worktrees share it and a repository cannot
claim another's. A repository never has a say in it. Invariant: unknown means not trusted.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from roundzero.store._sqlite import reading, storable, writing

_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS trusted (common_dir TEXT PRIMARY KEY) WITHOUT ROWID"


def state_file() -> Path:
    """Where the user's trust is kept."""
    import platformdirs  # noqa: PLC0415  off the start-up path

    return Path(platformdirs.user_state_dir("roundzero", appauthor=False)) / "trust.sqlite3"


class TrustDb:
    """The user's list of trusted repositories. Methods raise OutsideError when the file cannot be used."""

    def __init__(self, path: Path | None = None) -> None:
        """Use ``path``, by default the user's own file; it is created by the first ``trust``."""
        self.path = path if path is not None else state_file()

    def is_trusted(self, common_dir: Path) -> bool:
        """Whether the repository with this git common directory is trusted."""
        return _key(common_dir) in self.all()

    def trust(self, common_dir: Path) -> None:
        """Trust a repository; doing it twice is doing it once."""
        with writing(self.path, _SCHEMA) as connection:
            connection.execute("INSERT OR IGNORE INTO trusted VALUES (?)", (_key(common_dir),))

    def revoke(self, common_dir: Path) -> bool:
        """Trust a repository no longer. False when it was not trusted."""
        if not self.is_trusted(common_dir):
            return False
        with writing(self.path, _SCHEMA) as connection:
            return connection.execute("DELETE FROM trusted WHERE common_dir = ?", (_key(common_dir),)).rowcount > 0

    def all(self) -> tuple[str, ...]:
        """Every trusted git common directory, sorted."""
        with reading(self.path) as connection:
            if connection is None:
                return ()
            found = connection.execute("SELECT name FROM sqlite_master WHERE name = 'trusted'").fetchone()
            rows = connection.execute("SELECT common_dir FROM trusted ORDER BY common_dir") if found else ()
            return tuple(str(row[0]) for row in rows)


def _key(common_dir: Path) -> str:
    """The real path, as it is stored."""
    return storable(os.path.realpath(common_dir))
