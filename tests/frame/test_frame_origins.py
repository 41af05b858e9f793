"""The measurement of origins, on a real branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import origins
from false_alarms import Branch

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from support.repo import Repo

TEXT = "".join(f"x{number} = {number}\n" for number in range(30))


def _branch(repo: Repo) -> Branch:
    base = repo.commit("base", {"a.py": TEXT})
    repo.branch("topic")
    return Branch(repo.root, base, repo.commit("head", {"a.py": TEXT + "y = 1\n"}))


def test_each_seed_is_asked_for_in_every_way(repo: Repo) -> None:
    """Three places, new and old: what is new is shown, what was there before is not."""
    assert origins.ask(_branch(repo)) == origins.Answer(6)


def test_a_review_that_fails_is_told_with_its_branch_and_the_reason(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is neither right nor wrong, and whoever reads the list knows where to look."""
    branch = _branch(repo)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing is here"))
    answer = origins.ask(branch)
    assert answer is not None
    assert (answer.asked, answer.lost, answer.shown, len(answer.failed)) == (0, (), (), 6)
    first = f"{repo.root.name} {branch.head[:12]} a.py, same name: introduced, not reviewed: "
    assert answer.failed[0].startswith(first)
    assert "git" in answer.failed[0].removeprefix(first)
