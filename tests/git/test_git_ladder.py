"""Which base is chosen, how, and with what doubts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero.core.change import BaseChoice, BaseHow
from roundzero.errors import UserError
from support.gitwork import with_git
from support.repo import Repo

if TYPE_CHECKING:
    from pathlib import Path


def _choose(
    repo: Repo,
    *,
    explicit: str | None = None,
    saved: str | None = None,
    head: str | None = None,
    environ: dict[str, str] | None = None,
) -> BaseChoice:
    return with_git(
        repo.root,
        lambda git: git.choose_base(explicit=explicit, saved=saved, head=head, environ=environ or {}),
    )


def _published(tmp_path: Path) -> tuple[Repo, Repo]:
    """A repository and a clone of it, whose origin/HEAD is main."""
    origin = Repo(tmp_path / "origin")
    origin.commit("first", {"a.py": "1\n"})
    return origin, origin.clone(tmp_path / "clone")


def test_an_explicit_base_is_taken(repo: Repo) -> None:
    """A named commit is the base, by its merge base with HEAD."""
    first = repo.commit("first", {"a": "1\n"})
    repo.branch("other")
    repo.commit("elsewhere", {"b": "1\n"})
    repo.checkout("main")
    repo.commit("second", {"a": "2\n"})
    choice = _choose(repo, explicit="other")
    assert (choice.ref, choice.merge_base, choice.how) == ("other", first, BaseHow.EXPLICIT)
    assert choice.doubts == ()


def test_an_explicit_base_may_be_any_commit(repo: Repo) -> None:
    """Tags, ids and HEAD~1 name a base as well as branches do."""
    first = repo.commit("first", {"a": "1\n"})
    repo.git("tag", "-m", "annotated", "v1")
    repo.commit("second", {"a": "2\n"})
    for name in ("v1", first, first[:10], "HEAD~1"):
        assert _choose(repo, explicit=name).merge_base == first


def test_an_unknown_explicit_base_is_refused_with_advice(repo: Repo) -> None:
    """A misspelt base says which, and how to fetch it."""
    repo.commit("first", {"a": "1\n"})
    with pytest.raises(UserError, match=r"'mian'.*git fetch origin mian"):
        _choose(repo, explicit="mian")


def test_a_saved_base_counts_as_explicit(repo: Repo) -> None:
    """What was selected for this branch is used until it no longer exists; then the ladder goes on, with the doubt."""
    first = repo.commit("first", {"a": "1\n"})
    repo.branch("old")
    repo.branch("feature")
    repo.commit("second", {"a": "2\n"})
    assert _choose(repo, saved="old").how is BaseHow.EXPLICIT
    choice = _choose(repo, saved="gone")
    assert (choice.ref, choice.merge_base, choice.how) == ("main", first, BaseHow.LATEST_MERGE_BASE)
    assert "gone" in choice.doubts[0]


@pytest.mark.parametrize("variable", ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"])
def test_the_pull_requests_target_is_taken_from_the_environment(tmp_path: Path, variable: str) -> None:
    """In CI the forge's variable names the target branch; the remote's version of it is meant."""
    origin, clone = _published(tmp_path)
    origin.branch("release")
    origin.checkout("main")
    clone.git("-c", "protocol.file.allow=always", "fetch", "--quiet")
    clone.git("checkout", "--quiet", "--detach")
    clone.commit("mine", {"a.py": "2\n"})
    choice = _choose(clone, environ={variable: "release"})
    assert (choice.ref, choice.how) == ("origin/release", BaseHow.PULL_REQUEST)


def test_a_pull_requests_target_that_is_not_here_is_refused(repo: Repo) -> None:
    """A target branch that was not fetched is an error with advice, not a comparison with something else."""
    repo.commit("first", {"a": "1\n"})
    with pytest.raises(UserError, match=r"git fetch origin release.*--base"):
        _choose(repo, environ={"GITHUB_BASE_REF": "release"})


@pytest.mark.parametrize("setting", ["gh-merge-base", "vscode-merge-base"])
def test_the_pull_requests_target_is_taken_from_the_branch(repo: Repo, setting: str) -> None:
    """What gh and VS Code noted for the branch names the target; a stale note is only a doubt."""
    repo.commit("first", {"a": "1\n"})
    repo.branch("release")
    repo.commit("on release", {"b": "1\n"})
    repo.branch("feature/one")
    repo.commit("second", {"a": "2\n"})
    repo.config(f"branch.feature/one.{setting}", "release")
    choice = _choose(repo)
    assert (choice.ref, choice.how) == ("release", BaseHow.PULL_REQUEST)
    repo.config(f"branch.feature/one.{setting}", "gone")
    choice = _choose(repo)
    assert (choice.ref, choice.how) == ("main", BaseHow.LATEST_MERGE_BASE)
    assert setting in choice.doubts[0]


def test_an_upstream_with_another_name_is_the_base(tmp_path: Path) -> None:
    """A branch that tracks another branch was made from it."""
    origin, clone = _published(tmp_path)
    origin.branch("next")
    origin.commit("on next", {"b.py": "1\n"})
    clone.git("-c", "protocol.file.allow=always", "fetch", "--quiet")
    clone.git("checkout", "--quiet", "-b", "feature", "--track", "origin/next")
    clone.commit("mine", {"a.py": "2\n"})
    choice = _choose(clone)
    assert (choice.ref, choice.how) == ("origin/next", BaseHow.UPSTREAM)


def test_an_upstream_may_be_a_local_branch(repo: Repo) -> None:
    """A branch that tracks a local one is compared with it, whatever the names."""
    repo.commit("first", {"a": "1\n"})
    repo.branch("team/base")
    repo.commit("on base", {"b": "1\n"})
    repo.git("checkout", "--quiet", "-b", "base", "--track", "team/base")
    repo.commit("mine", {"a": "2\n"})
    choice = _choose(repo)
    assert (choice.ref, choice.how) == ("team/base", BaseHow.UPSTREAM)


def test_an_upstream_of_the_same_name_is_not_the_base(tmp_path: Path) -> None:
    """A pushed branch is still compared with the branch it was made from."""
    origin, clone = _published(tmp_path)
    clone.branch("feature")
    clone.commit("mine", {"a.py": "2\n"})
    clone.git("-c", "protocol.file.allow=always", "push", "--quiet", "--set-upstream", "origin", "feature")
    choice = _choose(clone)
    assert (choice.ref, choice.how) == ("origin/main", BaseHow.LATEST_MERGE_BASE)
    assert choice.merge_base == origin.head("main")


def test_the_latest_merge_base_wins(repo: Repo) -> None:
    """A branch cut from develop is compared with develop, not with main behind it, and the other way round."""
    repo.commit("first", {"a": "1\n"})
    repo.branch("develop")
    on_develop = repo.commit("develop", {"b": "1\n"})
    repo.branch("feature")
    repo.commit("mine", {"a": "2\n"})
    choice = _choose(repo)
    assert (choice.ref, choice.merge_base) == ("develop", on_develop)
    repo.checkout("main")
    on_main = repo.commit("main moves on", {"c": "1\n"})
    repo.branch("hotfix")
    repo.commit("mine", {"a": "3\n"})
    choice = _choose(repo)
    assert (choice.ref, choice.merge_base) == ("main", on_main)


def test_the_remote_is_preferred_to_a_local_branch_of_equal_merit(tmp_path: Path) -> None:
    """With equal merge bases origin/HEAD comes first, then remote branches, then local ones."""
    _, clone = _published(tmp_path)
    clone.branch("feature")
    clone.commit("mine", {"a.py": "2\n"})
    assert _choose(clone).ref == "origin/main"
    clone.git("remote", "set-head", "origin", "--delete")
    assert _choose(clone).ref == "origin/main"


def test_a_local_branch_ahead_of_its_remote_is_the_better_base(tmp_path: Path) -> None:
    """Commits that are on local main only are not this branch's."""
    _, clone = _published(tmp_path)
    ahead = clone.commit("unpushed", {"b.py": "1\n"})
    clone.branch("feature")
    clone.commit("mine", {"a.py": "2\n"})
    choice = _choose(clone)
    assert (choice.ref, choice.merge_base) == ("main", ahead)


def test_a_default_branch_of_another_name_is_found_through_origin_head(tmp_path: Path) -> None:
    """origin/HEAD may be any branch."""
    origin = Repo(tmp_path / "origin", branch="stable")
    first = origin.commit("first", {"a.py": "1\n"})
    clone = origin.clone(tmp_path / "clone")
    clone.branch("feature")
    clone.commit("mine", {"a.py": "2\n"})
    choice = _choose(clone)
    assert (choice.ref, choice.merge_base, choice.how) == ("origin/stable", first, BaseHow.LATEST_MERGE_BASE)


def test_a_default_branch_of_another_name_without_origin_head_is_doubted(tmp_path: Path) -> None:
    """Nothing tells what an unusual default branch is: only uncommitted work is reviewed, and the choice says so."""
    repo = Repo(tmp_path / "repo", branch="stable")
    repo.commit("first", {"a.py": "1\n"})
    repo.branch("feature")
    mine = repo.commit("mine", {"a.py": "2\n"})
    choice = _choose(repo)
    assert (choice.ref, choice.merge_base, choice.how) == ("HEAD", mine, BaseHow.HEAD)
    assert "--base" in choice.doubts[0]


@pytest.mark.parametrize("name", ["master", "develop", "trunk", "dev"])
def test_usual_default_branches_are_found_without_origin_head(tmp_path: Path, name: str) -> None:
    """Usual names are found by name, remote or local."""
    origin = Repo(tmp_path / "origin", branch=name)
    first = origin.commit("first", {"a.py": "1\n"})
    clone = origin.clone(tmp_path / "clone")
    clone.git("remote", "set-head", "origin", "--delete")
    clone.branch("feature")
    clone.commit("mine", {"a.py": "2\n"})
    choice = _choose(clone)
    assert (choice.ref, choice.merge_base) == (f"origin/{name}", first)


@pytest.mark.parametrize("options", [("--no-ff",), ("--ff-only",)])
def test_a_branch_merged_into_dev_is_still_compared_with_main(repo: Repo, options: tuple[str, ...]) -> None:
    """A candidate that already contains HEAD is passed over for one that does not, with the doubt."""
    first = repo.commit("first", {"a": "1\n"})
    repo.branch("dev")
    repo.branch("feature")
    repo.commit("mine", {"a": "2\n"})
    repo.checkout("dev")
    repo.git("merge", "--quiet", *options, "-m", "merge", "feature")
    repo.checkout("feature")
    choice = _choose(repo)
    assert (choice.ref, choice.merge_base) == ("main", first)
    assert choice.doubts == ("HEAD is already merged into dev",)


def test_a_branch_merged_everywhere_has_nothing_left_and_says_so(repo: Repo) -> None:
    """When every candidate contains HEAD, HEAD is the merge base, with the doubt."""
    repo.commit("first", {"a": "1\n"})
    repo.branch("feature")
    mine = repo.commit("mine", {"a": "2\n"})
    repo.checkout("main")
    repo.merge("feature")
    repo.checkout("feature")
    choice = _choose(repo)
    assert (choice.ref, choice.merge_base) == ("main", mine)
    assert choice.doubts == ("HEAD is already merged into main",)


def test_a_branch_that_was_merged_by_fast_forward_says_so(repo: Repo) -> None:
    """A branch nobody takes for the default holds HEAD because HEAD was merged: the equal commit hides nothing."""
    repo.commit("first", {"a": "1\n"})
    repo.branch("dev")
    repo.branch("feature")
    mine = repo.commit("mine", {"a": "2\n"})
    repo.checkout("dev")
    repo.git("merge", "--quiet", "--ff-only", "feature")
    repo.checkout("feature")
    repo.git("branch", "--quiet", "-D", "main")
    choice = _choose(repo)
    assert (choice.ref, choice.merge_base) == ("dev", mine)
    assert choice.doubts == ("HEAD is already merged into dev",)


def test_a_pull_request_without_commits_of_its_own_says_so(repo: Repo) -> None:
    """The target at the very commit of HEAD leaves nothing to review."""
    repo.commit("first", {"a": "1\n"})
    repo.branch("release")
    repo.branch("feature")
    assert _choose(repo, environ={"GITHUB_BASE_REF": "release"}).doubts == ("HEAD is already merged into release",)


def test_a_new_branch_of_the_upstream_it_was_made_from_is_not_doubted(repo: Repo) -> None:
    """Nor is a base that was named and is HEAD itself."""
    repo.commit("first", {"a": "1\n"})
    repo.git("checkout", "--quiet", "-b", "team/base")
    repo.git("checkout", "--quiet", "-b", "topic", "--track", "team/base")
    choice = _choose(repo)
    assert (choice.ref, choice.how, choice.doubts) == ("team/base", BaseHow.UPSTREAM, ())
    assert _choose(repo, explicit="HEAD").doubts == ()


def test_a_fresh_branch_is_compared_with_the_default_branch(repo: Repo) -> None:
    """A branch without commits at the tip of main was not merged into it, even if an old dev branch lies about."""
    repo.commit("first", {"a": "1\n"})
    repo.branch("dev")
    repo.checkout("main")
    second = repo.commit("second", {"a": "2\n"})
    repo.branch("feature")
    choice = _choose(repo)
    assert (choice.ref, choice.merge_base, choice.doubts) == ("main", second, ())


def test_the_default_branch_is_compared_with_its_upstream(tmp_path: Path) -> None:
    """On main, unpushed commits are what is reviewed."""
    origin, clone = _published(tmp_path)
    clone.commit("unpushed", {"a.py": "2\n"})
    choice = _choose(clone)
    assert (choice.ref, choice.merge_base, choice.how) == ("origin/main", origin.head(), BaseHow.HEAD)
    assert choice.doubts == ()


def test_the_default_branch_without_upstream_is_compared_with_head(repo: Repo) -> None:
    """On a main that tracks nothing only uncommitted work is reviewed, and that is no doubt."""
    head = repo.commit("first", {"a": "1\n"})
    choice = _choose(repo)
    assert (choice.ref, choice.merge_base, choice.how, choice.doubts) == ("HEAD", head, BaseHow.HEAD, ())


@pytest.mark.parametrize("explicit", [None, "main"])
def test_no_commits_are_compared_with_the_empty_tree(repo: Repo, explicit: str | None) -> None:
    """Before the first commit everything is new; a base named all the same is not used, with the doubt."""
    choice = _choose(repo, explicit=explicit)
    assert (choice.ref, choice.merge_base, choice.how) == (None, None, BaseHow.EMPTY_TREE)
    assert bool(choice.doubts) == (explicit is not None)


def test_a_detached_head_has_a_base(repo: Repo) -> None:
    """A detached HEAD is compared with the best candidate like a branch."""
    first = repo.commit("first", {"a": "1\n"})
    repo.branch("feature")
    repo.commit("mine", {"a": "2\n"})
    repo.git("checkout", "--quiet", "--detach")
    choice = _choose(repo)
    assert (choice.ref, choice.merge_base) == ("main", first)


@pytest.mark.parametrize("kind", ["heads", "tags"])
def test_a_branch_or_tag_that_is_called_head_takes_nothing_away(repo: Repo, kind: str) -> None:
    """Git calls HEAD ambiguous then and does not tell its full name."""
    first = repo.commit("first", {"a": "1\n"})
    repo.branch("feature")
    repo.git("update-ref", f"refs/{kind}/HEAD", repo.commit("mine", {"a": "2\n"}))
    choice = _choose(repo)
    assert (choice.ref, choice.merge_base) == ("main", first)


def test_several_merge_bases_are_doubted_and_the_latest_is_used(repo: Repo) -> None:
    """After a criss-cross merge the later of the merge bases is used, with the doubt."""
    repo.commit("first", {"a": "1\n"})
    repo.branch("feature")
    repo.commit("f1", {"f": "1\n"})
    repo.checkout("main")
    late = repo.commit("m1", {"m": "1\n"})
    repo.git("merge", "--quiet", "--no-ff", "-m", "f into m", "feature")
    repo.checkout("feature")
    repo.git("merge", "--quiet", "--no-ff", "-m", "m into f", late)
    repo.commit("f2", {"f": "2\n"})
    choice = _choose(repo)
    assert choice.merge_base == late
    assert choice.doubts == ("HEAD and main have 2 merge bases; the latest is used",)


def test_a_shallow_clone_without_merge_base_says_how_to_deepen_it(tmp_path: Path) -> None:
    """History that was cut off is an error naming both ways out, never a comparison with everything."""
    origin = Repo(tmp_path / "origin")
    origin.commit("first", {"a.py": "1\n"})
    origin.branch("feature")
    origin.commit("f", {"a.py": "2\n"})
    origin.checkout("main")
    origin.commit("m", {"b.py": "2\n"})
    clone = origin.clone(tmp_path / "clone", "--depth=1", "--no-single-branch")
    clone.git("checkout", "--quiet", "feature")
    with pytest.raises(UserError, match=r"git fetch --unshallow.*--base"):
        _choose(clone)
    doubtful = with_git(clone.root, lambda git: git.base_at_head("no merge base"))
    assert (doubtful.how, doubtful.merge_base, doubtful.doubts) == (BaseHow.HEAD, clone.head(), ("no merge base",))


@pytest.mark.parametrize("explicit", [None, "main"])
def test_an_unrelated_history_is_refused(repo: Repo, explicit: str | None) -> None:
    """Without a common commit there is no change to review, and another base has to be named."""
    repo.commit("first", {"a": "1\n"})
    repo.git("checkout", "--quiet", "--orphan", "island")
    repo.commit("other", {"b": "1\n"})
    with pytest.raises(UserError, match=r"no common history.*--base"):
        _choose(repo, explicit=explicit)


def test_another_head_than_head_can_be_asked_about(repo: Repo) -> None:
    """The base of a commit that is not checked out is chosen for that commit."""
    first = repo.commit("first", {"a": "1\n"})
    repo.branch("feature")
    repo.commit("mine", {"a": "2\n"})
    repo.checkout("main")
    repo.commit("main goes on", {"b": "1\n"})
    assert _choose(repo, explicit="main", head="feature").merge_base == first
    assert _choose(repo, head="feature").merge_base == first
    with pytest.raises(UserError, match="'nothing' names no commit"):
        _choose(repo, explicit="main", head="nothing")


@pytest.mark.parametrize("name", ["develop", "refs/heads/develop"])
def test_another_branch_than_the_current_one_is_known_as_a_branch(repo: Repo, name: str) -> None:
    """What is noted for a branch counts wherever HEAD is, and no branch is a candidate for its own base."""
    first = repo.commit("first", {"a": "1\n"})
    repo.branch("develop")
    repo.commit("mine", {"a": "2\n"})
    repo.branch("release", "main")
    on_release = repo.commit("release", {"r": "1\n"})
    repo.checkout("develop")
    repo.git("merge", "--quiet", "--no-ff", "-m", "merge", "release")
    repo.checkout("main")
    choice = _choose(repo, head=name)
    assert (choice.ref, choice.merge_base, choice.doubts) == ("main", first, ())
    repo.config("branch.develop.gh-merge-base", "release")
    choice = _choose(repo, head=name)
    assert (choice.ref, choice.merge_base, choice.how) == ("release", on_release, BaseHow.PULL_REQUEST)
    repo.git("tag", "develop", "release")
    assert _choose(repo, head="refs/heads/develop").how is BaseHow.PULL_REQUEST
    assert _choose(repo, head="tags/develop").how is BaseHow.LATEST_MERGE_BASE


def test_a_linked_worktree_has_its_own_head(repo: Repo, tmp_path: Path) -> None:
    """A linked worktree is compared by its own branch, with the shared refs."""
    first = repo.commit("first", {"a": "1\n"})
    repo.git("worktree", "add", "--quiet", "-b", "feature", str(tmp_path / "linked"))
    linked = tmp_path / "linked"
    (linked / "a").write_text("2\n")
    choice = with_git(linked, lambda git: git.choose_base(explicit=None, environ={}))
    assert (choice.ref, choice.merge_base) == ("main", first)


def test_the_ladder_does_not_read_the_ambient_environment(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the environment that is handed in counts, and a hook's GIT_DIR leads nowhere."""
    repo.commit("first", {"a": "1\n"})
    monkeypatch.setenv("GITHUB_BASE_REF", "nowhere")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
    assert _choose(repo).how is BaseHow.HEAD


def test_on_the_default_branch_what_is_unpushed_is_reviewed_without_an_upstream(tmp_path: Path) -> None:
    """Where no upstream is set, the branch of the same name on the remote is one; a branch that was pushed alike."""
    for remote in ("origin", "elsewhere"):
        origin = Repo(tmp_path / f"{remote}-server")
        pushed = origin.commit("first", {"a.py": "1\n"})
        repo = Repo(tmp_path / f"{remote}-clone")
        repo.git("remote", "add", remote, str(origin.root))
        repo.git("-c", "protocol.file.allow=always", "fetch", "--quiet", remote)
        repo.git("reset", "--quiet", "--hard", f"{remote}/main")
        repo.commit("unpushed", {"a.py": "2\n"})
        choice = _choose(repo)
        assert (choice.ref, choice.merge_base, choice.how) == (f"{remote}/main", pushed, BaseHow.HEAD)
        assert choice.doubts == ()


def test_of_several_remotes_only_origin_is_taken_for_an_upstream(repo: Repo) -> None:
    """Two remotes have the branch and neither is called origin: which one is meant nobody knows."""
    first = repo.commit("first", {"a": "1\n"})
    for remote in ("one", "two"):
        repo.config(f"remote.{remote}.url", "nowhere")
        repo.git("update-ref", f"refs/remotes/{remote}/main", first)
    second = repo.commit("second", {"a": "2\n"})
    assert (_choose(repo).ref, _choose(repo).merge_base) == ("HEAD", second)
    repo.config("remote.origin.url", "nowhere")
    repo.git("update-ref", "refs/remotes/origin/main", first)
    assert (_choose(repo).ref, _choose(repo).merge_base) == ("origin/main", first)


def test_a_base_that_is_not_here_is_fetched_by_its_name_on_the_remote(repo: Repo) -> None:
    """The advice works: a remote's name is no part of the branch's, and the only remote need not be origin."""
    repo.commit("first", {"a": "1\n"})
    repo.config("remote.up.url", "nowhere")
    for name in ("up/mastre", "mastre", "refs/remotes/up/mastre"):
        with pytest.raises(UserError, match=r"\(git fetch up mastre\)"):
            _choose(repo, explicit=name)
