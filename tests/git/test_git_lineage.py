"""What is known of a branch's past: who its ledger may be taken over from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero.git.lineage import Past
from support.gitwork import with_git

if TYPE_CHECKING:
    from support.repo import Repo

TOPIC, RENAMED = "refs/heads/topic", "refs/heads/renamed"


@pytest.mark.parametrize(
    "setting", ["log.showSignature", "log.decorate", "log.showRoot", "log.mailmap", "log.diffMerges"]
)
def test_a_branch_tells_where_it_stood_and_what_it_was_called(repo: Repo, setting: str) -> None:
    """Every commit of its reflog, and each name it had, whatever git is told to show in a log."""
    repo.git("config", setting, "on" if setting == "log.diffMerges" else "true")
    first = repo.commit("first", {"a.py": "x = 1\n"})
    repo.branch("topic")
    second = repo.commit("second", {"a.py": "x = 2\n"})
    repo.git("branch", "-m", "topic", "between")
    repo.git("commit", "--quiet", "--amend", "-m", "better")
    amended = repo.git("rev-parse", "HEAD").strip()
    repo.git("branch", "-m", "between", "renamed")
    past = with_git(repo.root, lambda git: git.past(RENAMED))
    assert past.heads == {first, second, amended}
    assert past.names == {TOPIC, "refs/heads/between"}
    assert with_git(repo.root, lambda git: git.past(TOPIC)) == Past()


def test_a_new_branch_of_an_old_name_has_no_past(repo: Repo) -> None:
    """The reflog goes with the branch."""
    repo.commit("first", {"a.py": "x = 1\n"})
    repo.branch("topic")
    old = repo.commit("second", {"a.py": "x = 2\n"})
    repo.checkout("main")
    repo.git("branch", "-D", "topic")
    repo.branch("topic")
    past = with_git(repo.root, lambda git: git.past(TOPIC))
    assert old not in past.heads
    assert past.names == frozenset()
