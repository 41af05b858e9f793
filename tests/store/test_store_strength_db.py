"""What branches were praised for, on disk."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.change import Side
from roundzero.core.finding import Evidence, Verified
from roundzero.core.strengths import KeptStrength
from roundzero.core.text import RelPath
from roundzero.store.ledger_db import LedgerDb
from roundzero.store.strength_db import StrengthDb

if TYPE_CHECKING:
    from pathlib import Path

    from roundzero.store.ledger_branches import Branch

REFS = ["refs/heads/topic", "refs/heads/other"]
PROOF = Evidence(
    path=RelPath("odd\udcff.py"), side=Side.HEAD, line=2, quote="if x:", role="", blob="b", verified=Verified.MOVED
)
ONE = KeptStrength(text="checks x", evidence=(PROOF,), symbols=("f",), round=1)
TWO = KeptStrength(text="checks y", evidence=(replace(PROOF, quote="if y:"),), symbols=(None,), round=2)


def branch(folder: Path, ref: str = REFS[0]) -> Branch:
    """A branch's ledger."""
    return LedgerDb(folder).claim(ref, "h", refs=REFS)


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    """All of it, the oldest first, for its branch alone."""
    topic, other = branch(tmp_path), branch(tmp_path, REFS[1])
    strengths = StrengthDb(tmp_path)
    assert strengths.kept(topic) == ()
    strengths.keep(topic, 2, [TWO, ONE])
    assert strengths.kept(topic) == (ONE, TWO)
    assert strengths.kept(other) == strengths.kept(None) == ()


def test_a_strength_keeps_its_round_and_is_forgotten_after_it_was_undone(tmp_path: Path) -> None:
    """Written again it is as old as it was; what a round undid is there for that round and not for the next."""
    topic, strengths = branch(tmp_path), StrengthDb(tmp_path)
    strengths.keep(topic, 1, [ONE])
    strengths.keep(topic, 2, [replace(ONE, round=2), TWO])
    assert [each.round for each in strengths.kept(topic)] == [1, 2]
    strengths.keep(topic, 3, [replace(ONE, left=3), TWO])
    assert [each.left for each in strengths.kept(topic)] == [3, None]
    strengths.keep(topic, 4, [TWO])
    assert strengths.kept(topic) == (TWO,)


def test_a_ledger_from_before_is_brought_up_to_date_by_writing(tmp_path: Path) -> None:
    """Reading changes nothing, not even where it is missing; events, entries and reports stay."""
    assert StrengthDb(tmp_path / "none").kept(branch(tmp_path)) == ()
    assert not (tmp_path / "none").exists()
    topic = branch(tmp_path)
    file = tmp_path / "roundzero" / "ledger.sqlite3"
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE strengths")
        connection.execute("INSERT INTO reports VALUES (?, 1, 'r')", (topic.number,))
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    strengths = StrengthDb(tmp_path)
    assert strengths.kept(topic) == ()
    strengths.keep(topic, 1, [ONE])
    assert strengths.kept(topic) == (ONE,)
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT data FROM reports").fetchall() == [("r",)]
    connection.close()


def test_strengths_go_with_their_branch(tmp_path: Path) -> None:
    """Ninety days after the branch is gone nothing of them is left."""
    topic, ledgers = branch(tmp_path), LedgerDb(tmp_path)
    StrengthDb(tmp_path).keep(topic, 1, [ONE])
    ledgers.tidy(at="2026-01-01T00:00:00+00:00", refs=[])
    ledgers.tidy(at="2026-05-01T00:00:00+00:00", refs=[])
    assert StrengthDb(tmp_path).kept(topic) == ()
