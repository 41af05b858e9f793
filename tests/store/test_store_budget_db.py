"""The user's budget on disk: real SQLite, real processes that ask at once."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from roundzero.core.budget import HOUR, MINUTE, Limits, Shortage, Wait
from roundzero.errors import OutsideError
from roundzero.store.budget_db import LEASE, BudgetDb, Lease

LIMITS = Limits(requests_per_minute=5, parallel=2, tokens_per_hour=10_000)

ASKER = """
import json, sys, random
from pathlib import Path
from roundzero.core.budget import Limits
from roundzero.store.budget_db import BudgetDb, Lease

path, seed = Path(sys.argv[1]), int(sys.argv[2])
chance = random.Random(seed)
db = BudgetDb(path)
limits = Limits(requests_per_minute=5, parallel=2, tokens_per_hour=10_000)
now, leases, granted = 1000.0, [], []
for step in range(120):
    now += chance.uniform(0, 9)
    question = f"q{chance.randrange(40)}"
    tokens = chance.randrange(1, 900)
    answer = db.reserve(question, provider="p", tokens=tokens, cost=0.0, limits=limits, clock=lambda: now)
    if isinstance(answer, Lease):
        granted.append((now, tokens, question))
        leases.append((answer, tokens))
    while leases and chance.random() < 0.6:
        lease, reserved = leases.pop(0)
        kind = chance.random()
        if kind < 0.1:
            continue
        db.settle(lease, tokens=reserved if kind < 0.4 else reserved // 2, cost=0.0)
print(json.dumps(granted))
"""


def reserve(db: BudgetDb, question: str, now: float, tokens: int = 100) -> Lease | Wait:
    """Ask for one request."""
    return db.reserve(question, provider="p", tokens=tokens, cost=0.0, limits=LIMITS, clock=lambda: now)


def test_two_processes_together_stay_within_one_budget(tmp_path: Path) -> None:
    """Two processes that ask at once, with failures and lost leases, never get more than one would."""
    path = tmp_path / "budget.sqlite3"
    command = [sys.executable, "-c", ASKER, str(path)]
    askers = [subprocess.Popen([*command, str(seed)], stdout=subprocess.PIPE) for seed in (1, 2)]
    granted: list[tuple[float, int, str]] = []
    for asker in askers:
        output, _ = asker.communicate(timeout=60)
        assert asker.returncode == 0
        granted += [(at, tokens, question) for at, tokens, question in json.loads(output)]
    assert len(granted) > 10
    for last, _, _ in granted:
        assert sum(1 for at, _, _ in granted if at <= last < at + 60) <= 5


def test_one_question_is_not_asked_twice_at_once(tmp_path: Path) -> None:
    """While a question is asked, whoever else asks it waits for that answer; afterwards it may be asked."""
    db = BudgetDb(tmp_path / "budget.sqlite3")
    first = reserve(db, "same", 10.0)
    assert isinstance(first, Lease)
    assert reserve(db, "same", 11.0) == Wait(Shortage.ASKED, 10.0 + LEASE)
    db.settle(first, tokens=10, cost=0.0)
    assert isinstance(reserve(db, "same", 12.0), Lease)


def test_what_a_dead_process_reserved_stays_charged_and_blocks_no_one_for_ever(tmp_path: Path) -> None:
    """A lease nobody settles counts its tokens for the hour, and its place among the parallel ones until it ends."""
    db = BudgetDb(tmp_path / "budget.sqlite3")
    for number in range(2):
        assert isinstance(reserve(db, f"q{number}", 10.0, tokens=4_900), Lease)
    assert reserve(db, "q3", 100.0) == Wait(Shortage.PARALLEL, 10.0 + LEASE)
    assert isinstance(reserve(db, "q3", 11.0 + LEASE), Lease)
    assert reserve(db, "q4", 12.0 + LEASE, tokens=300) == Wait(Shortage.TOKENS, 10.0 + 3600)


def test_a_settled_request_costs_what_it_took_and_a_withdrawn_one_nothing(tmp_path: Path) -> None:
    """Settling replaces the reservation by the true count; withdrawing removes it."""
    db = BudgetDb(tmp_path / "budget.sqlite3")
    first, second = reserve(db, "a", 10.0, tokens=5_000), reserve(db, "b", 10.0, tokens=4_000)
    assert isinstance(first, Lease)
    assert isinstance(second, Lease)
    db.settle(first, tokens=50, cost=0.5)
    db.withdraw(second)
    now = db.tally(20.0)
    assert (now.requests, now.tokens, now.cost, now.running) == (1, 50, 0.5, 0)


def test_a_provider_that_asks_to_wait_is_left_alone_until_then(tmp_path: Path) -> None:
    """A hold keeps every process away from that provider only, and the later of two holds wins."""
    db = BudgetDb(tmp_path / "budget.sqlite3")
    db.hold("p", until=100.0, why="quota spent", clock=lambda: 10.0)
    db.hold("p", until=50.0, why="busy", clock=lambda: 10.0)
    assert reserve(db, "a", 60.0) == Wait(Shortage.HELD, 100.0, why="quota spent")
    assert isinstance(db.reserve("a", provider="other", tokens=1, cost=0.0, limits=LIMITS, clock=lambda: 60.0), Lease)
    assert isinstance(reserve(db, "b", 100.0), Lease)


def test_a_damaged_budget_permits_nothing_and_says_which_file(tmp_path: Path) -> None:
    """Without a budget that can be kept nothing may be asked; the message names the file."""
    path = tmp_path / "budget.sqlite3"
    path.write_bytes(b"no database, and long enough to be read as one" * 40)
    with pytest.raises(OutsideError, match=r"budget\.sqlite3"):
        reserve(BudgetDb(path), "a", 1.0)


def test_the_budget_is_private_to_the_user(tmp_path: Path) -> None:
    """Nobody else can read what was asked when."""
    db = BudgetDb(tmp_path / "state" / "budget.sqlite3")
    reserve(db, "a", 1.0)
    assert db.path.stat().st_mode & 0o077 == 0


def test_a_process_that_was_killed_keeps_nobody_waiting(tmp_path: Path) -> None:
    """Its question may be asked at once, and what it reserved stays charged."""
    path = tmp_path / "budget.sqlite3"
    code = f"""
import sys
from pathlib import Path
from roundzero.core.budget import Limits
from roundzero.store.budget_db import BudgetDb
BudgetDb(Path(sys.argv[1])).reserve("q", provider="p", tokens=7, cost=0.0, limits={LIMITS!r}, clock=lambda: 100.0)
"""
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    db = BudgetDb(path)
    assert isinstance(db.reserve("q", provider="p", tokens=1, cost=0.0, limits=LIMITS, clock=lambda: 101.0), Lease)
    assert (db.tally(101.0).tokens, db.tally(101.0).running) == (8, 1)


def test_a_budget_of_an_older_version_goes_on(tmp_path: Path) -> None:
    """It does not know who asked; what it holds counts."""
    path = tmp_path / "budget.sqlite3"
    with sqlite3.connect(path) as old:
        old.execute(
            "CREATE TABLE charges (number INTEGER PRIMARY KEY, at REAL NOT NULL, question TEXT NOT NULL,"
            " tokens INTEGER NOT NULL, cost REAL NOT NULL, until REAL NOT NULL)"
        )
        old.execute("INSERT INTO charges VALUES (1, 100.0, 'q', 7, 0.0, 400.0)")
    db = BudgetDb(path)
    assert db.reserve("q", provider="p", tokens=1, cost=0.0, limits=LIMITS, clock=lambda: 101.0) == Wait(
        Shortage.ASKED, 400.0
    )
    assert isinstance(db.reserve("r", provider="p", tokens=1, cost=0.0, limits=LIMITS, clock=lambda: 101.0), Lease)


def test_a_clock_that_was_ahead_delays_nobody_for_long(tmp_path: Path) -> None:
    """What was noted eight hours ahead counts from the moment the clock is right again, a hold and a lease as well."""
    db = BudgetDb(tmp_path / "budget.sqlite3")
    ahead, now = 1000.0 + 8 * HOUR, 1000.0
    for number in range(LIMITS.requests_per_minute):
        charged = reserve(db, f"q{number}", ahead)
        assert isinstance(charged, Lease)
        if number:
            db.settle(charged, tokens=100, cost=0.0)
    db.hold("busy", until=ahead + 30.0, why="busy", clock=lambda: ahead)
    assert reserve(db, "a", now) == Wait(Shortage.REQUESTS, now + MINUTE)
    assert (db.tally(now).tokens, db.tally(now).running) == (500, 1)
    assert reserve(db, "q0", now) == Wait(Shortage.ASKED, now + LEASE)
    assert db.reserve("a", provider="busy", tokens=1, cost=0.0, limits=LIMITS, clock=lambda: now) == Wait(
        Shortage.HELD, now + 30.0, why="busy"
    )
    assert isinstance(reserve(db, "a", now + MINUTE), Lease)


def test_the_clock_is_read_when_nobody_else_can_note_anything(tmp_path: Path) -> None:
    """Who waited for the file is charged for the time it got its turn, and sets back nothing noted since."""
    db = BudgetDb(tmp_path / "budget.sqlite3")
    seen: list[str] = []

    def clock() -> float:
        with closing(sqlite3.connect(db.path, timeout=0)) as other, pytest.raises(sqlite3.OperationalError) as locked:
            other.execute("BEGIN IMMEDIATE")
        seen.append(str(locked.value))
        return 1000.0

    assert db.reserve("q", provider="p", tokens=1, cost=0.0, limits=LIMITS, clock=clock) == Lease(1)
    assert [db.tally(1000.0 + LEASE + late).running for late in (-1, 0)] == [1, 0]
    db.hold("p", until=1001.0, why="busy", clock=clock)
    assert seen == ["database is locked"] * 2
