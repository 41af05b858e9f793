"""The watch over git's own files."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from roundzero.engine import watch as watching
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


def test_what_is_written_into_a_database_is_seen_without_inotify_too(repo: Repo) -> None:
    """By time and size, since its events do not tell writing from reading, which leaves both as they are."""
    repo.commit("one", {"a.py": "x\n"})

    async def scenario() -> None:
        seen = Counter()
        git = repo.root / ".git"
        db = LedgerDb(git)
        watch = Watch([git / "HEAD"], seen.changed, database=db.path, inotify=False)
        try:
            await _until_it_watches(repo, seen)
            branch = db.claim("refs/heads/topic", None, refs=())
            await seen.more()
            for name in ("next", "last"):
                db.claim(f"refs/heads/{name}", None, refs=())
                await seen.more()
            written = watch._written()
            assert any(written)
            assert db.find("refs/heads/topic") == branch
            assert watch._written() == written
        finally:
            await watch.close()

    with patch.object(watching, "STEP_SECONDS", 0.05):
        run(scenario())


async def _until_it_watches(repo: Repo, seen: Counter) -> None:
    """Watchfiles begins in a thread, and does not say when."""
    for number in range(100):
        repo.git("symbolic-ref", "HEAD", f"refs/heads/other{number % 2}")
        with suppress(TimeoutError):
            async with asyncio.timeout(0.1):
                await seen.event.wait()
                break
    repo.git("symbolic-ref", "HEAD", "refs/heads/main")
    await seen.more()


def test_refs_in_new_folders_are_seen_without_inotify_too(repo: Repo) -> None:
    """Everything is below ``.git``, which watchfiles leaves out unless it is told not to."""
    repo.commit("one", {"a.py": "x\n"})

    async def scenario() -> None:
        seen = Counter()
        git = repo.root / ".git"
        watch = Watch([git / "HEAD", git / "refs"], seen.changed, inotify=False)
        try:
            await _until_it_watches(repo, seen)
            repo.git("update-ref", "refs/heads/deep/name", "HEAD")
            await seen.more()
            for number in range(100):
                repo.git("update-ref", f"refs/heads/deep/name{number}", "HEAD")
                with suppress(TimeoutError):
                    seen.event.clear()
                    async with asyncio.timeout(0.1):
                        await seen.event.wait()
                        return
            raise AssertionError(seen.changes)
        finally:
            await watch.close()

    with patch.object(watching, "STEP_SECONDS", 0.05):
        run(scenario())
