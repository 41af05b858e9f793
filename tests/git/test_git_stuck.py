"""Pipes and devices under the names of files that git reads: nobody waits for them, and they are named."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from roundzero.core.text import RelPath
from roundzero.errors import UserError
from roundzero.git import commands, state
from roundzero.git.stuck import waited_for
from support.gitwork import change_of, with_git

if TYPE_CHECKING:
    from support.repo import Repo


@pytest.mark.parametrize(
    "path",
    [".gitignore", ".gitattributes", "sub/.gitignore", ".git/info/exclude", ".git/info/attributes", ".git/index"],
)
def test_a_pipe_that_git_waits_for_is_named(repo: Repo, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """With what to do about it, long before git's time is up."""
    monkeypatch.setattr(commands, "SLOW", 0.2)
    repo.commit("before", {"a.py": "x = 1\n"})
    repo.branch("feature")
    repo.write("a.py", "x = 2\n")
    repo.path(path).parent.mkdir(exist_ok=True)
    repo.path(path).unlink(missing_ok=True)
    os.mkfifo(repo.path(path))
    began = time.monotonic()
    with pytest.raises(UserError, match=f"git waits for {path}, which is no file but a pipe or a device; remove it"):
        change_of(repo.root)
    assert time.monotonic() - began < commands.SLOW + 20


def test_ignoring_paths_waits_for_no_pipe_either(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one command that is started in another way."""
    monkeypatch.setattr(commands, "SLOW", 0.2)
    repo.commit("before", {"a.py": "x = 1\n"})
    os.mkfifo(repo.path(".gitignore"))
    with pytest.raises(UserError, match=r"git waits for \.gitignore"):
        with_git(repo.root, lambda git: git.ignored({RelPath("b.py"): ""}))


def test_what_only_takes_long_is_waited_for(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files, folders, links into nowhere, sockets' names that are none and the empty device keep nobody."""
    monkeypatch.setattr(commands, "SLOW", 0.0)
    repo.commit("before", {"a.py": "x = 1\n", ".gitignore": "*.o\n", "sub/.gitignore": "*.a\n"})
    repo.branch("feature")
    repo.write("a.py", "x = 2\n")
    repo.path("more/.gitignore").mkdir(parents=True)
    repo.path("other").mkdir()
    repo.path("other/.gitattributes").symlink_to("nowhere")
    repo.path(".git/info").mkdir(exist_ok=True)
    repo.path(".git/info/exclude").unlink(missing_ok=True)
    repo.path(".git/info/exclude").symlink_to(os.devnull)
    assert waited_for(repo.root) is None
    assert [file.path for file in change_of(repo.root).files] == ["a.py"]


def test_our_own_reading_waits_for_no_pipe(repo: Repo) -> None:
    """A merge and a shallow history are as good as absent."""
    os.mkfifo(repo.path(".git/MERGE_HEAD"))
    os.mkfifo(repo.path(".git/shallow"))
    found: list[object] = []

    def look() -> None:
        found.append(state.merge_heads(repo.path(".git")))
        found.append(state.shallow_boundary(repo.path(".git")))

    reader = threading.Thread(target=look, daemon=True)
    reader.start()
    reader.join(30)
    assert found == [(), frozenset()]
