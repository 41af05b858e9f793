"""What the user chose per branch, under the git common directory, so that all front ends agree.

Holds the selected base only. Keyed by full ref name (``refs/heads/topic``). Invariant: a branch without a row has no
choice, and reading never creates the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.store._sqlite import reading, refuse_links, storable, writing

if TYPE_CHECKING:
    from pathlib import Path

_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS selected_base (ref TEXT PRIMARY KEY, base TEXT NOT NULL) WITHOUT ROWID"


class BranchDb:
    """The choices of one repository. Methods raise OutsideError when the file cannot be used."""

    def __init__(self, common_dir: Path) -> None:
        """Use ``roundzero/branches.sqlite3`` under the git common directory."""
        self.path = common_dir / "roundzero" / "branches.sqlite3"

    def selected_base(self, ref: str) -> str | None:
        """The base selected for a branch, if one was."""
        refuse_links(self.path)
        with reading(self.path) as connection:
            if connection is None:
                return None
            if connection.execute("SELECT name FROM sqlite_master WHERE name = 'selected_base'").fetchone() is None:
                return None
            row = connection.execute("SELECT base FROM selected_base WHERE ref = ?", (storable(ref),)).fetchone()
            return str(row[0]) if row is not None else None

    def select_base(self, ref: str, base: str | None) -> None:
        """Select the base of a branch; None goes back to choosing."""
        refuse_links(self.path)
        with writing(self.path, _SCHEMA) as connection:
            if base is None:
                connection.execute("DELETE FROM selected_base WHERE ref = ?", (storable(ref),))
            else:
                connection.execute("INSERT OR REPLACE INTO selected_base VALUES (?, ?)", (storable(ref), base))
