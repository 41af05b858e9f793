"""The ledger on disk: real SQLite, real processes."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from roundzero.core.dismissal import DismissalScope, dismiss
from roundzero.core.finding import FindingId, State
from roundzero.core.ledger import Event, Round, Sign, fold
from roundzero.core.report import VerdictStatus
from roundzero.core.sighting import Sighting
from roundzero.core.text import RelPath
from roundzero.errors import OutsideError
from roundzero.store._ledger_compaction import COMPACT_FROM
from roundzero.store.ledger_db import LedgerDb
from support.rounds import Branch as Rounds
from support.rounds import observations, source

if TYPE_CHECKING:
    from roundzero.store.ledger_branches import Branch

REF = "refs/heads/topic"
SIGHTING = Sighting.of(observations(source("a.py", "bad()\n"))[0], "blob")


def name(number: int) -> FindingId:
    """A made-up id."""
    return FindingId(f"rz-{number:012}")


def seen(number: int) -> Event:
    """A finding is seen."""
    return Event(id=name(number), sign=Sign.SEEN, at="2026-01-01T00:00:00+00:00", sighting=SIGHTING)


def a_round(snapshot: str) -> Round:
    """A round of some snapshot."""
    at = "2026-01-01T00:00:00+00:00"
    counts = (0, 0, 0, 0)
    return Round(
        index=1, at=at, merge_base="b", snapshot=snapshot, settings="s", verdict=VerdictStatus.LGTM, counts=counts
    )


def opened(folder: Path, ref: str = REF, head: str = "h1") -> tuple[LedgerDb, Branch]:
    """A ledger and its branch."""
    ledgers = LedgerDb(folder)
    return ledgers, ledgers.claim(ref, head, refs=[ref])


def play(ledgers: LedgerDb, branch: Branch, rounds: list[dict[str, str]]) -> Rounds:
    """Commit reviews of texts to disk; the same rounds in memory."""
    memory = Rounds()
    for files in rounds:
        result = memory.round(files)
        ledgers.commit(branch, result.events, result.round)
    return memory


ROUNDS = [
    {"a.py": "def f():\n    bad(1)\n    bad(2)\n", "b.py": "bad(3)\n"},
    {"a.py": "def f():\n    x()\n    bad(1)\n    bad(2)\n", "b.py": "bad(3)\n"},
    {"a.py": "def f():\n    x()\n    y()\n    bad(1)\n", "b.py": "bad(3)\n"},
    {"a.py": "def f():\n    x()\n    y()\n    bad(1)\n    bad(2)\n", "b.py": "z()\n"},
    {"a.py": "def f():\n    y()\n    bad(1)\n    bad(2)\n", "b.py": "z()\nbad(33)\n"},
]


def test_reading_creates_nothing(tmp_path: Path) -> None:
    """Who only asks leaves no trace."""
    ledgers = LedgerDb(tmp_path)
    assert ledgers.find(REF) is None
    assert ledgers.load(None).entries == {}
    assert list(tmp_path.iterdir()) == []


def test_what_is_loaded_is_the_fold_of_what_was_written(tmp_path: Path) -> None:
    """Entries as rows, and events folded, say the same as the ledger in memory."""
    ledgers, branch = opened(tmp_path)
    memory = play(ledgers, branch, ROUNDS)
    assert dict(ledgers.load(branch).entries) == dict(memory.ledger.entries)
    assert fold(ledgers.history(branch)) == memory.ledger
    assert ledgers.rounds(branch) == memory.ledger.rounds


def test_compaction_keeps_history_readable(tmp_path: Path) -> None:
    """A commit that makes them too many joins them: the same states, births and rounds, and the same fold."""
    ledgers, branch = opened(tmp_path)
    memory = play(
        ledgers, branch, [*ROUNDS, *({"a.py": "\n" * n + ROUNDS[-1]["a.py"], "b.py": "z()\n"} for n in range(9))]
    )
    moves = [replace(seen(1), sighting=replace(SIGHTING, blob=f"{at:040}")) for at in range(COMPACT_FROM)]
    ledgers.commit(branch, moves)
    after = ledgers.history(branch)
    assert len(after) < len(memory.history) + 10
    assert fold(after) == fold([*memory.history, *moves])
    assert sum(isinstance(each, Round) for each in after) == len(memory.ledger.rounds)


def test_an_unchanged_review_adds_no_round_on_disk(tmp_path: Path) -> None:
    """Whoever comes second with the same snapshot adds nothing."""
    ledgers, branch = opened(tmp_path)
    first = ledgers.commit(branch, [seen(1)], a_round("one"), {})
    assert first is not None
    assert ledgers.commit(branch, [seen(1)], a_round("one")) is None
    second = ledgers.commit(branch, [], a_round("two"))
    assert second is not None
    assert (first.index, second.index, len(ledgers.history(branch))) == (1, 2, 3)


def test_dismissals_reach_as_far_as_their_scope(tmp_path: Path) -> None:
    """Finding and file on this branch, item and similar everywhere; reopening undoes them."""
    ledgers, branch = opened(tmp_path)
    other = ledgers.claim("refs/heads/other", "h9", refs=[REF, "refs/heads/other"])
    ledgers.commit(branch, [seen(1)], a_round("one"))
    for scope in DismissalScope:
        put = dismiss(SIGHTING, name(1), scope=scope, reason="fine", by="me", at="2026-01-02")
        assert ledgers.dismiss(branch, put)
    assert ledgers.load(branch).entries[name(1)].state is State.DISMISSED
    assert {each.scope for each in ledgers.dismissals(branch)} == set(DismissalScope) - {DismissalScope.FINDING}
    assert {each.scope for each in ledgers.dismissals(other)} == {DismissalScope.ITEM, DismissalScope.SIMILAR}
    assert ledgers.reopen(branch, name(1), at="2026-01-03", by="me")
    assert not ledgers.dismissals(branch)
    assert ledgers.load(branch).entries[name(1)].state is State.OPEN
    assert not ledgers.reopen(branch, name(1), at="2026-01-03", by="me")


def test_a_fixed_finding_cannot_be_dismissed(tmp_path: Path) -> None:
    """The table has no such row, and the answer says so."""
    ledgers, branch = opened(tmp_path)
    ledgers.commit(branch, [seen(1), Event(id=name(1), sign=Sign.NEGATED, at="t")], a_round("one"))
    put = dismiss(SIGHTING, name(1), scope=DismissalScope.FINDING, reason="fine", by="me", at="2026-01-02")
    assert not ledgers.dismiss(branch, put)


def test_amending_keeps_the_ledger_and_recreating_the_name_starts_another(tmp_path: Path) -> None:
    """A related head is the same branch; an unrelated one is a new generation, and the old stays readable."""
    ledgers, branch = opened(tmp_path)
    ledgers.commit(branch, [seen(1)], a_round("one"))
    assert ledgers.claim(REF, "h2", refs=[REF], related=["h1"]).number == branch.number
    fresh = ledgers.claim(REF, "h7", refs=[REF])
    assert (fresh.generation, dict(ledgers.load(fresh).entries)) == (2, {})
    assert ledgers.find(REF) == fresh
    assert name(1) in ledgers.load(branch).entries


def test_a_renamed_branch_takes_its_ledger_along(tmp_path: Path) -> None:
    """The old name is gone and the head is the same, or an ancestor: adopted. A copy beside it: not."""
    ledgers, branch = opened(tmp_path)
    ledgers.commit(branch, [seen(1)], a_round("one"))
    copy = ledgers.claim("refs/heads/copy", "h1", refs=[REF, "refs/heads/copy"])
    assert copy.number != branch.number
    renamed = ledgers.claim("refs/heads/new", "h2", refs=["refs/heads/copy", "refs/heads/new"], related=["h1"])
    assert renamed.number == branch.number
    assert name(1) in ledgers.load(ledgers.find("refs/heads/new")).entries
    assert ledgers.find(REF) is None


def test_a_deleted_branch_is_kept_ninety_days(tmp_path: Path) -> None:
    """On day 89 its ledger is there, on day 91 it is not."""
    ledgers, branch = opened(tmp_path)
    ledgers.commit(branch, [seen(1)], a_round("one"))
    ledgers.tidy(at="2026-01-01T00:00:00+00:00", refs=[])
    ledgers.tidy(at="2026-03-31T00:00:00+00:00", refs=[])
    assert ledgers.find(REF) == branch
    ledgers.tidy(at="2026-04-02T00:00:00+00:00", refs=[])
    assert ledgers.find(REF) is None
    assert ledgers.history(branch) == []


@pytest.mark.parametrize("content", [b"nonsense" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_set_aside_and_said(tmp_path: Path, content: bytes) -> None:
    """The message names both files, the bytes are kept, and the next write begins anew."""
    ledgers = LedgerDb(tmp_path)
    ledgers.path.parent.mkdir()
    ledgers.path.write_bytes(content)
    with pytest.raises(OutsideError, match=r"damaged.*ledger-damaged-1\.sqlite3.*without a ledger"):
        ledgers.find(REF)
    assert (ledgers.path.parent / "ledger-damaged-1.sqlite3").read_bytes() == content
    assert ledgers.claim(REF, "h", refs=[REF]).generation == 1


def test_a_row_nobody_wrote_sets_the_file_aside(tmp_path: Path) -> None:
    """A database that opens and holds garbage is damaged too."""
    ledgers, branch = opened(tmp_path)
    ledgers.commit(branch, [seen(1)], a_round("one"))
    with sqlite3.connect(ledgers.path) as connection:
        connection.execute("UPDATE entries SET data = '{}'")
    connection.close()
    with pytest.raises(OutsideError, match=r"ledger-damaged-1\.sqlite3"):
        ledgers.load(branch)
    assert not ledgers.path.exists()


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE entries",
        "DROP TABLE rounds",
        "ALTER TABLE branches RENAME COLUMN head TO tail",
        "PRAGMA user_version = -5",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 1",
        "UPDATE entries SET data = CAST(x'fffe' AS TEXT)",
        "UPDATE entries SET data = '" + "[" * 100_000 + "'",
        "UPDATE entries SET data = '7'",
        "UPDATE rounds SET data = '7'",
        "UPDATE events SET data = '7'",
        "UPDATE branches SET ref = '{'",
        "UPDATE reviewed SET path = '{'",
        "INSERT INTO dismissals VALUES (0, 'x', '7')",
    ],
)
def test_whatever_is_wrong_inside_sets_the_file_aside_once(tmp_path: Path, statement: str) -> None:
    """Tables, numbers and rows that are not ours: the message says so, and the next review has a ledger again."""
    ledgers, branch = opened(tmp_path)
    ledgers.commit(branch, [seen(1)], a_round("one"), {RelPath("a.py"): "blob"})
    with sqlite3.connect(ledgers.path) as connection:
        connection.execute(statement)
    connection.close()

    def use() -> None:
        claimed = ledgers.claim(REF, "h1", refs=[REF])
        ledgers.branches()
        ledgers.load(claimed)
        ledgers.dismissals(claimed)
        ledgers.reviewed(claimed)
        ledgers.rounds(claimed)
        ledgers.history(claimed)

    with pytest.raises(OutsideError, match=r"ledger-damaged-1\.sqlite3.*without a ledger"):
        use()
    use()
    assert (ledgers.path.parent / "ledger-damaged-1.sqlite3").exists()


def test_where_nothing_can_be_written_the_ledger_is_read_all_the_same(tmp_path: Path) -> None:
    """SQLite puts files beside a database to read it; where it cannot, what was dismissed still is.

    A folder in the place of such a file stands for a file system that is read-only.
    """
    ledgers, branch = opened(tmp_path)
    ledgers.commit(branch, [seen(1)], a_round("one"))
    ledgers.path.with_name("ledger.sqlite3-shm").mkdir()
    with pytest.raises(OutsideError, match="cannot be used"):
        ledgers.claim(REF, "h2", refs=[REF])
    assert ledgers.find(REF) == branch
    assert set(ledgers.load(branch).entries) == {name(1)}


def test_a_newer_file_is_set_aside_and_said(tmp_path: Path) -> None:
    """A schema of the future is not touched but for its name."""
    ledgers, branch = opened(tmp_path)
    with sqlite3.connect(ledgers.path) as connection:
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.raises(OutsideError, match="newer version"):
        ledgers.load(branch)
    with sqlite3.connect(ledgers.path.parent / "ledger-newer-7-1.sqlite3") as connection:
        assert connection.execute("SELECT ref FROM branches").fetchone() == (f'"{REF}"',)
    connection.close()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A file where the folder should be: a message, no stack."""
    (tmp_path / "roundzero").write_text("")
    with pytest.raises(OutsideError, match="cannot be written"):
        LedgerDb(tmp_path).claim(REF, "h", refs=[REF])


_WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from test_store_ledger_db import REF, LedgerDb, a_round, seen
ledgers = LedgerDb(Path(sys.argv[1]))
branch = ledgers.claim(REF, "h1", refs=[REF])
first = int(sys.argv[2])
"""


def writer(folder: Path, first: int, program: str, *, told: bool = False) -> subprocess.Popen[bytes]:
    """A process that writes to the ledger."""
    here = Path(__file__).parent
    argv = [sys.executable, "-c", _WRITER + program, str(folder), str(first), str(here), str(here.parent)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE if told else None)


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    """Each commits a hundred rounds with one finding each: all two hundred are there, with indices 1 to 200."""
    program = "for n in range(100): ledgers.commit(branch, [seen(first + n)], a_round(str(first + n)))"
    ledgers, branch = opened(tmp_path)
    running = [writer(tmp_path, first, program) for first in (0, 1000)]
    assert [process.wait() for process in running] == [0, 0]
    assert set(ledgers.load(branch).entries) == {name(first + n) for first in (0, 1000) for n in range(100)}
    assert [each.index for each in ledgers.rounds(branch)] == list(range(1, 201))
    assert dict(fold(ledgers.history(branch)).entries) == dict(ledgers.load(branch).entries)


_FORKS = """
import os, signal, sqlite3
def child(start):
    n = start
    while True:
        ledgers.commit(branch, [seen(n)], a_round(str(n)))
        os.write(1, b"%d\\n" % n)
        n += 1
start = first
for kill in range(300):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(write, 1)
        child(start)
    os.close(write)
    told = b""
    while told.count(b"\\n") < 1 + kill % 2:
        told += os.read(read, 100)
    for _ in range(kill * 37 % 3000):
        pass
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while part := os.read(read, 4096):
        told += part
    os.close(read)
    last = int(told.split(b"\\n")[-2])
    connection = sqlite3.connect(ledgers.path)
    rows = connection.execute("SELECT id FROM entries ORDER BY id").fetchall()
    connection.close()
    assert [row[0] for row in rows] == [seen(n).id for n in range(len(rows))]
    assert len(rows) - (last + 1) in (0, 1), (len(rows), last)
    start = len(rows)
print("survived", flush=True)
"""


def test_a_kill_at_any_moment_loses_at_most_what_was_being_written(tmp_path: Path) -> None:
    """Three hundred writers killed by signal 9: every commit that was told is there, and the file is whole."""
    process = writer(tmp_path, 0, _FORKS, told=True)
    try:
        out, _ = process.communicate(timeout=100)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
    assert out.endswith(b"survived\n")
    ledgers, branch = opened(tmp_path)
    assert dict(fold(ledgers.history(branch)).entries) == dict(ledgers.load(branch).entries)
    with sqlite3.connect(ledgers.path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
