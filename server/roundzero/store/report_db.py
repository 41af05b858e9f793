"""The report of each branch's last round, beside its ledger in the same file.

Knows reports as bytes only. Invariant: a branch has one report at most, and never one of an older round than it had.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.rule_files import LEDGER_FILE
from roundzero.store._ledger_file import LedgerFile

if TYPE_CHECKING:
    from pathlib import Path

    from roundzero.store.ledger_branches import Branch


class ReportDb:
    """The reports of one repository. Every method raises OutsideError when the file cannot be used."""

    def __init__(self, common_dir: Path) -> None:
        """Use ``roundzero/ledger.sqlite3`` under the git common directory."""
        self._file = LedgerFile(common_dir / LEDGER_FILE)

    def keep(self, branch: Branch, index: int, data: bytes) -> None:
        """Keep the report of a round in place of the one before; of an older round it is let go."""
        with self._file.writing() as connection:
            connection.execute(
                "INSERT INTO reports VALUES (?, ?, ?) ON CONFLICT (branch) DO UPDATE SET round = excluded.round, "
                "data = excluded.data WHERE excluded.round >= round",
                (branch.number, index, data),
            )

    def kept(self, branch: Branch) -> tuple[int, bytes] | None:
        """The round of the report that is kept, and the report; None without one."""
        with self._file.reading() as connection:
            if connection is None or connection.execute("PRAGMA user_version").fetchone()[0] < _SINCE:
                return None
            row = connection.execute("SELECT round, data FROM reports WHERE branch = ?", (branch.number,)).fetchone()
            return None if row is None else (int(row[0]), bytes(row[1]))


_SINCE = 2
"""The first schema that has reports; a file that was only read since keeps its old one."""
