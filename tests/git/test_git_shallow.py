"""What is known of the base in a clone whose history was cut, and what is said of the rest."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from roundzero.core.change import BaseChoice, BaseHow
from roundzero.errors import UserError
from support.gitwork import with_git
from support.repo import Repo

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def origin(tmp_path: Path) -> Repo:
    """Three commits on main; develop made from the second, with two of its own; feature with two from the third."""
    repo = Repo(tmp_path / "origin")
    for number in (1, 2):
        repo.commit(f"m{number}", {"m.py": f"{number}\n"})
    repo.branch("develop")
    for number in (1, 2):
        repo.commit(f"d{number}", {"d.py": f"{number}\n"})
    repo.checkout("main")
    repo.commit("m3", {"m.py": "3\n"})
    repo.branch("feature")
    for number in (1, 2):
        repo.commit(f"f{number}", {"f.py": f"{number}\n"})
    repo.checkout("main")
    return repo


def _choose(repo: Repo, explicit: str | None = None, environ: dict[str, str] | None = None) -> BaseChoice:
    return with_git(repo.root, lambda git: git.choose_base(explicit=explicit, environ=environ or {}))


def _deepen(repo: Repo, words: str) -> None:
    """Do what a doubt or an error says."""
    (command,) = re.findall(r"git fetch[^,;]*\*'", words)
    _, *arguments = shlex.split(command)
    repo.git("-c", "protocol.file.allow=always", *arguments)


def test_one_commit_of_another_branch_is_refused(origin: Repo, tmp_path: Path) -> None:
    """A clone of a branch's last commit holds nothing to compare with; what the message says to do helps."""
    clone = origin.clone(tmp_path / "clone", "--depth=1", "--branch=feature")
    with pytest.raises(UserError, match=r"shallow.*--base") as refused:
        _choose(clone)
    assert _choose(clone, explicit="HEAD").doubts == ()
    _deepen(clone, str(refused.value))
    choice = _choose(clone)
    assert (choice.ref, choice.merge_base, choice.doubts) == ("origin/main", origin.head("main"), ())


@pytest.mark.parametrize("detached", [True, False])
def test_one_commit_that_is_the_default_branch_is_doubted(origin: Repo, tmp_path: Path, detached: bool) -> None:
    """Where history begins at HEAD, nothing committed is reviewed, and that is said."""
    origin.checkout("feature")  # what a clone takes for the default branch
    clone = origin.clone(tmp_path / "clone", "--depth=1")
    if detached:
        clone.git("checkout", "--quiet", "--detach")
    choice = _choose(clone)
    assert choice.merge_base == clone.head()
    assert ["begins at HEAD" in doubt for doubt in choice.doubts] == [True]
    mine = clone.commit("mine", {"x.py": "1\n"})
    choice = _choose(clone)
    assert (choice.merge_base, choice.doubts) == (origin.head("feature"), ())
    assert mine != choice.merge_base


def test_a_candidate_beyond_the_cut_is_doubted(origin: Repo, tmp_path: Path) -> None:
    """Another candidate serves, but the one whose merge base is not here may be the better: both are said."""
    clone = origin.clone(tmp_path / "clone", "--depth=1", "--no-single-branch")
    clone.branch("topic", "origin/develop")
    clone.commit("mine", {"x.py": "1\n"})
    choice = _choose(clone)
    assert (choice.ref, choice.merge_base) == ("origin/develop", origin.head("develop"))
    assert ["HEAD and origin/main, main, which may be the better base" in doubt for doubt in choice.doubts] == [True]
    assert ("origin/main", "this shallow clone does not reach its merge base with HEAD") in choice.passed_over
    _deepen(clone, choice.doubts[0])
    assert _choose(clone).doubts == ()


def test_a_candidate_that_holds_head_does_not_stand_in_for_one_beyond_the_cut(origin: Repo, tmp_path: Path) -> None:
    """When all that is related holds HEAD already, there would be nothing left to review: that is refused."""
    clone = origin.clone(tmp_path / "clone", "--depth=1", "--no-single-branch")
    clone.branch("topic", "origin/develop")
    with pytest.raises(UserError, match=r"does not reach the merge base of HEAD and origin/main.*--base"):
        _choose(clone)


def test_a_merge_base_that_the_history_here_proves_is_not_doubted(origin: Repo, tmp_path: Path) -> None:
    """Three commits deep, main's tip is an ancestor of feature: nothing before it can matter."""
    clone = origin.clone(tmp_path / "clone", "--depth=3", "--branch=feature", "--no-single-branch")
    choice = _choose(clone)
    assert (choice.ref, choice.merge_base) == ("origin/main", origin.head("main"))
    assert choice.doubts == ()


@pytest.mark.parametrize("explicit", [None, "origin/main"])
def test_a_merge_base_that_may_not_be_the_latest_is_doubted(origin: Repo, tmp_path: Path, explicit: str | None) -> None:
    """Feature took main in through a commit whose other parents are cut off: the merge base found is too old."""
    origin.checkout("main")
    for number in (4, 5):
        origin.commit(f"m{number}", {"m.py": f"{number}\n"})
    late = origin.head("main~1")
    origin.checkout("feature")
    origin.git("checkout", "--quiet", "-b", "detour", late)
    for number in range(4):
        origin.commit(f"x{number}", {"x.py": f"{number}\n"})
    origin.checkout("feature")
    origin.merge("detour")
    origin.git("branch", "--quiet", "-D", "detour", "develop")
    origin.checkout("main")
    clone = origin.clone(tmp_path / "clone", "--depth=4", "--branch=feature", "--no-single-branch")
    choice = _choose(clone, explicit)
    assert choice.merge_base == origin.head("main~2")
    assert ["merge base of HEAD and origin/main may be a later one" in doubt for doubt in choice.doubts] == [True]
    _deepen(clone, choice.doubts[0])
    choice = _choose(clone, explicit)
    assert (choice.merge_base, choice.doubts) == (late, ())


def test_a_candidate_that_was_passed_over_may_have_been_the_better(origin: Repo, tmp_path: Path) -> None:
    """Develop took feature's first commit in through parents that are cut off; main wins by what is known."""
    taken = origin.head("feature~1")
    origin.git("checkout", "--quiet", "-b", "detour", taken)
    for number in range(5):
        origin.commit(f"x{number}", {"x.py": f"{number}\n"})
    origin.checkout("develop")
    origin.merge("detour")
    origin.git("branch", "--quiet", "-D", "detour")
    origin.checkout("main")
    clone = origin.clone(tmp_path / "clone", "--depth=4", "--branch=feature", "--no-single-branch")
    choice = _choose(clone)
    assert (choice.ref, choice.merge_base) == ("origin/main", origin.head("main"))
    assert ["merge base of HEAD and origin/develop may be a later one" in doubt for doubt in choice.doubts] == [True]
    _deepen(clone, choice.doubts[0])
    choice = _choose(clone)
    assert (choice.ref, choice.merge_base, choice.doubts) == ("origin/develop", taken, ())


def test_the_pull_requests_target_is_no_way_around(origin: Repo, tmp_path: Path) -> None:
    """What CI checks out by default: the target is fetched, its history is not."""
    clone = origin.clone(tmp_path / "clone", "--depth=1", "--branch=feature", "--no-single-branch")
    with pytest.raises(UserError, match=r"shallow.*origin/main.*--base"):
        _choose(clone, environ={"GITHUB_BASE_REF": "main"})


def test_the_server_compares_with_head_and_keeps_the_doubt(origin: Repo, tmp_path: Path) -> None:
    """Uncommitted work can be reviewed all the same; the reason why nothing else is goes with it."""
    clone = origin.clone(tmp_path / "clone", "--depth=1", "--branch=feature")
    with pytest.raises(UserError) as refused:
        _choose(clone)
    choice = with_git(clone.root, lambda git: git.base_at_head(str(refused.value)))
    assert (choice.how, choice.merge_base, choice.doubts) == (BaseHow.HEAD, clone.head(), (str(refused.value),))
