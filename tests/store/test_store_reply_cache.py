"""The cache of replies: private, bounded, and never a reason to fail."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from roundzero.store import _sqlite
from roundzero.store.reply_cache import ReplyCache

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_reply_is_given_again(tmp_path: Path) -> None:
    """What was put under a key comes back under it, in another process' eyes too; other keys know nothing."""
    ReplyCache(tmp_path / "r.sqlite3").put("k", "an answer, 中文 too", now=1.0)
    again = ReplyCache(tmp_path / "r.sqlite3")
    assert again.get("k", now=2.0) == "an answer, 中文 too"
    assert again.get("other", now=2.0) is None


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    """Over the limit, replies that were not used for longest are dropped, used ones stay."""
    cache = ReplyCache(tmp_path / "r.sqlite3", most_bytes=30)
    cache.put("old", "a", now=1.0)
    cache.put("used", "b", now=2.0)
    assert cache.get("old", now=3.0) == "a"
    cache.put("c", "c", now=4.0)
    cache.put("d", "d", now=5.0)
    assert cache.get("used", now=6.0) is None
    assert cache.get("d", now=6.0) == "d"


def test_a_reply_that_can_only_be_read_is_given_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That it was used cannot be written down while another process writes; it is not asked again for that."""
    monkeypatch.setattr(_sqlite, "BUSY_SECONDS", 0.05)
    cache = ReplyCache(tmp_path / "replies.sqlite3")
    cache.put("k", "text", now=1.0)
    other = sqlite3.connect(cache.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert cache.get("k", now=2.0) == "text"
    other.close()


def test_a_damaged_cache_answers_nothing_and_takes_nothing(tmp_path: Path) -> None:
    """A file that is no database costs the cache and nothing else."""
    path = tmp_path / "r.sqlite3"
    path.write_bytes(b"this is no database at all, sorry for that" * 40)
    cache = ReplyCache(path)
    cache.put("k", "v", now=1.0)
    assert cache.get("k", now=1.0) is None


def test_replies_are_private_to_the_user(tmp_path: Path) -> None:
    """Nobody else on the machine can read what a model said of the user's code."""
    cache = ReplyCache(tmp_path / "cache" / "r.sqlite3")
    cache.put("k", "v", now=1.0)
    assert cache.path.stat().st_mode & 0o077 == 0
