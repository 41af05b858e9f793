"""What the other tests stand on."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from support.loop import run
from support.repo import Repo

if TYPE_CHECKING:
    from pathlib import Path


def test_the_same_calls_give_the_same_commit(tmp_path: Path) -> None:
    """Author, dates and settings are fixed, so object ids are."""
    first, second = Repo(tmp_path / "one"), Repo(tmp_path / "two")
    assert first.commit("c", {"a.py": "x\n"}) == second.commit("c", {"a.py": "x\n"})


def test_a_hook_s_git_variables_do_not_reach_a_repository(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_DIR of the process that runs the tests is not GIT_DIR of the repository under test."""
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert repo.git("rev-parse", "--show-toplevel") == str(repo.root)


def test_a_path_that_is_not_utf_8_can_be_written(repo: Repo) -> None:
    """Bytes name a path, and git has it."""
    repo.write(b"caf\xe9.py", "x = 1\n")
    assert repo.git("ls-files", "-o", "-z") == os.fsdecode(b"caf\xe9.py\0")


def test_home_is_empty_and_not_the_person_s(home: Path) -> None:
    """HOME leads to the folder of this test."""
    assert os.environ["HOME"] == str(home)
    assert list(home.iterdir()) == []


def test_a_task_left_running_fails_the_test() -> None:
    """``run`` does not let a forgotten task pass."""

    async def forgets() -> asyncio.Task[None]:
        return asyncio.create_task(asyncio.sleep(30))

    with pytest.raises(AssertionError, match="tasks left running"):
        run(forgets())
