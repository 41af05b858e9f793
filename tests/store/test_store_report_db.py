"""The report of a branch's last round, on disk."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from roundzero.errors import OutsideError
from roundzero.store.ledger_db import LedgerDb
from roundzero.store.report_db import ReportDb

if TYPE_CHECKING:
    from pathlib import Path

    from roundzero.store.ledger_branches import Branch


def branch(folder: Path, ref: str = "refs/heads/topic") -> Branch:
    """A branch's ledger."""
    return LedgerDb(folder).claim(ref, "h", refs=["refs/heads/topic", "refs/heads/other"])


def test_a_branch_has_the_report_of_its_last_round(tmp_path: Path) -> None:
    """A later round, and the same again, take the place; an overtaken one does not; branches do not mix."""
    reports, topic, other = ReportDb(tmp_path), branch(tmp_path), branch(tmp_path, "refs/heads/other")
    assert reports.kept(topic) is None
    for index, data in ((1, b"one"), (3, b"three"), (2, b"two"), (3, b"again")):
        reports.keep(topic, index, data)
    assert reports.kept(topic) == (3, b"again")
    assert reports.kept(other) is None


def test_reading_creates_nothing_and_changes_nothing(tmp_path: Path) -> None:
    """Neither where there is no ledger nor where there is one from before reports were kept."""
    topic = branch(tmp_path / "a")
    assert ReportDb(tmp_path / "b").kept(topic) is None
    assert not (tmp_path / "b").exists()
    file = tmp_path / "a" / "roundzero" / "ledger.sqlite3"
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE reports")
        connection.execute("DROP TABLE strengths")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    reports = ReportDb(tmp_path / "a")
    assert reports.kept(topic) is None
    reports.keep(topic, 1, b"one")
    assert reports.kept(topic) == (1, b"one")


def test_the_file_is_private(tmp_path: Path) -> None:
    """Nobody else reads what a review said."""
    ReportDb(tmp_path).keep(branch(tmp_path), 1, b"one")
    assert (tmp_path / "roundzero" / "ledger.sqlite3").stat().st_mode & 0o077 == 0


def test_the_report_goes_with_its_branch(tmp_path: Path) -> None:
    """Ninety days after the branch is gone nothing of it is left."""
    topic, ledgers = branch(tmp_path), LedgerDb(tmp_path)
    ReportDb(tmp_path).keep(topic, 1, b"one")
    ledgers.tidy(at="2026-01-01T00:00:00+00:00", refs=[])
    assert ReportDb(tmp_path).kept(topic) == (1, b"one")
    ledgers.tidy(at="2026-05-01T00:00:00+00:00", refs=[])
    assert ReportDb(tmp_path).kept(topic) is None


def test_a_damaged_file_is_told_of(tmp_path: Path) -> None:
    """As an OutsideError with the name it was kept under."""
    topic = branch(tmp_path)
    file = tmp_path / "roundzero" / "ledger.sqlite3"
    for extra in file.parent.glob("ledger.sqlite3-*"):
        extra.unlink()
    file.write_bytes(b"no database at all, and long enough to be looked at" * 50)
    with pytest.raises(OutsideError, match="ledger-damaged-1"):
        ReportDb(tmp_path).kept(topic)
