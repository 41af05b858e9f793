"""The watch over git's own files."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from roundzero.engine.watch import Watch
from roundzero.store.ledger_db import LedgerDb
from support.loop import run

if TYPE_CHECKING:
    from support.repo import Repo


class Counter:
    """Counts changes and wakes who waits."""

    def __init__(self) -> None:
        """None yet."""
        self.changes = 0
        self.event = asyncio.Event()

    def changed(self) -> None:
        """One more."""
        self.changes += 1
        self.event.set()

    async def more(self) -> None:
        """Wait for a change."""
        self.event.clear()
        async with asyncio.timeout(10):
            await self.event.wait()


def test_commits_checkouts_and_nested_refs_are_seen(repo: Repo) -> None:
    """HEAD by renaming, the index, and a ref in a folder that did not exist."""
    repo.commit("one", {"a.py": "x\n"})

    async def scenario() -> None:
        seen = Counter()
        git = repo.root / ".git"
        watch = Watch([git / "HEAD", git / "index", git / "refs"], seen.changed)
        try:
            repo.git("branch", "deep/nested/name")
            await seen.more()
            repo.git("branch", "-f", "deep/nested/other")
            await seen.more()
            repo.checkout("deep/nested/name")
            await seen.more()
        finally:
            await watch.close()

    run(scenario())


def test_a_folder_of_refs_that_was_packed_away_is_watched_when_it_comes_back(repo: Repo) -> None:
    """Git removes empty folders when it packs refs, and makes them again when the next one is written."""
    repo.commit("one", {"a.py": "x\n"})
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")

    async def scenario() -> None:
        seen = Counter()
        git = repo.root / ".git"
        watch = Watch([git / "refs/remotes"], seen.changed)
        try:
            for _ in range(2):
                repo.git("pack-refs", "--all")
                await seen.more()
                assert not (git / "refs/remotes/origin").exists()
                repo.git("update-ref", "refs/remotes/origin/next", "HEAD")
                await seen.more()
                repo.git("update-ref", "refs/remotes/origin/later", "HEAD")
                await seen.more()
                repo.git("update-ref", "-d", "refs/remotes/origin/later")
                await seen.more()
        finally:
            await watch.close()

    run(scenario())


def test_lock_files_and_strangers_are_not_seen(tmp_path: Path) -> None:
    """Other files of the same folder, and git's locks, wake nobody."""

    async def scenario() -> None:
        seen = Counter()
        (tmp_path / "HEAD").write_text("x")
        watch = Watch([tmp_path / "HEAD"], seen.changed)
        try:
            (tmp_path / "HEAD.lock").write_text("x")
            (tmp_path / "COMMIT_EDITMSG").write_text("x")
            (tmp_path / "HEAD").write_text("y")
            await seen.more()
        finally:
            await watch.close()
        assert seen.changes == 1

    run(scenario())


def _switches() -> int:
    """Voluntary context switches of all threads of this process: every wake-up is one."""
    total = 0
    for status in Path("/proc/self/task").glob("*/status"):
        for line in status.read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                total += int(line.split()[1])
    return total


def test_nothing_wakes_up_while_nothing_happens(tmp_path: Path) -> None:
    """The loop sleeps through: at most the one wake-up of the measurement itself, and its timer."""
    (tmp_path / "HEAD").write_text("x")

    async def scenario() -> int:
        watch = Watch([tmp_path / "HEAD"], lambda: None)
        done = asyncio.Event()
        asyncio.get_running_loop().call_later(1.0, done.set)
        before = _switches()
        await done.wait()
        after = _switches()
        await watch.close()
        return after - before

    assert run(scenario()) <= 5


def test_a_database_counts_when_it_is_written_and_not_when_it_is_read(repo: Repo) -> None:
    """Its folder may come later. Reading makes and removes files beside it, which would wake its reader for ever."""
    repo.commit("one", {"a.py": "x\n"})

    async def scenario() -> None:
        seen = Counter()
        git = repo.root / ".git"
        db = LedgerDb(git)
        watch = Watch([git / "HEAD"], seen.changed, database=db.path)
        try:
            branch = db.claim("refs/heads/topic", None, refs=())
            await seen.more()
            written = (branch, db.claim("refs/heads/next", None, refs=()))
            await seen.more()
            repo.checkout("--detach")
            await seen.more()
            before = seen.changes
            for _ in range(3):
                assert db.find("refs/heads/topic") == written[0]
            repo.checkout("main")
            await seen.more()
            assert seen.changes == before + 1
        finally:
            await watch.close()

    run(scenario())
