"""While a merge is in progress, what the other side brings is not this branch's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.text import RelPath
from roundzero.git.repository import Scope
from support.gitwork import change_of, hunks_of, skips_of

if TYPE_CHECKING:
    from support.repo import Repo

TEXT = "".join(f"line {number}\n" for number in range(1, 31))


def _edited(**lines: str) -> str:
    text = TEXT
    for number, new in lines.items():
        text = text.replace(f"line {number[1:]}\n", new)
    return text


def _merging(repo: Repo, ours: dict[str, str], theirs: dict[str, str], base: dict[str, str] | None = None) -> None:
    """A merge of main's new commits into feature that waits for its commit."""
    repo.commit("before", {"a.py": TEXT, "same.py": TEXT, **(base or {})})
    repo.branch("feature")
    repo.commit("ours", ours)
    repo.checkout("main")
    repo.commit("theirs", theirs)
    repo.checkout("feature")
    repo.git("merge", "--quiet", "--no-commit", "--no-ff", "main", check=False)
    assert (repo.root / ".git" / "MERGE_HEAD").exists()


def test_lines_of_the_merged_commit_are_not_the_branchs(repo: Repo) -> None:
    """Of a file that both sides changed only our lines stay; files that only they changed leave the change."""
    _merging(
        repo,
        ours={"a.py": _edited(_3="ours\n"), "own.py": "own\n"},
        theirs={
            "a.py": _edited(_20="theirs\n", _25=""),
            "same.py": _edited(_1="theirs\n"),
            "their_new.py": "new\n",
            "bin": "\0",
        },
    )
    change = change_of(repo.root, base=repo.head("main~1"))
    assert [file.path for file in change.files] == ["a.py", "own.py"]
    assert hunks_of(change, "a.py") == [(3, 1, 3, 1)]
    assert change.skipped == ()
    staged = change_of(repo.root, scope=Scope.STAGED)
    assert staged.files == ()


def test_a_line_added_while_merging_is_the_branchs(repo: Repo) -> None:
    """An edit made by hand on top of the merge counts, beside and inside lines of theirs."""
    _merging(repo, ours={"a.py": _edited(_3="ours\n")}, theirs={"a.py": _edited(_20="theirs 1\ntheirs 2\n")})
    repo.write("a.py", _edited(_3="ours\n", _20="theirs 1\nby hand\ntheirs 2\n"))
    change = change_of(repo.root, base=repo.head("main~1"))
    assert hunks_of(change, "a.py") == [(3, 1, 3, 1), (20, 0, 21, 1)]


def test_their_line_that_we_dropped_is_our_deletion(repo: Repo) -> None:
    """A line that only they removed is not our deletion; one that we removed and they kept is."""
    _merging(
        repo,
        ours={"a.py": _edited(_5="")},
        theirs={"a.py": _edited(_25="", _28="theirs\n")},
    )
    change = change_of(repo.root, base=repo.head("main~1"))
    assert hunks_of(change, "a.py") == [(5, 1, 4, 0)]


def test_what_both_sides_did_is_not_the_branchs(repo: Repo) -> None:
    """A file that is the same on both sides, or gone on both, is no part of the change."""
    _merging(
        repo,
        ours={"both.py": "same\n", "a.py": _edited(_1="ours\n")},
        theirs={"both.py": "same\n"},
        base={"gone.py": "x\n"},
    )
    repo.remove("gone.py")
    change = change_of(repo.root, base=repo.head("main~1"))
    assert [file.path for file in change.files] == ["a.py", "gone.py"]
    repo.git("merge", "--abort")


def test_a_merge_from_a_branch_that_is_behind_keeps_the_base(repo: Repo) -> None:
    """Lines that main brought after the other branch was cut stay out as they were: they are at the base."""
    repo.commit("before", {"a.py": TEXT})
    repo.branch("other")
    repo.commit("other", {"a.py": _edited(_28="other\n")})
    repo.checkout("main")
    repo.commit("main", {"a.py": _edited(_10="main\n")})
    repo.branch("feature")
    repo.commit("ours", {"a.py": _edited(_10="main\n", _2="ours\n")})
    repo.git("merge", "--quiet", "--no-commit", "--no-ff", "other", check=False)
    change = change_of(repo.root, base="main")
    assert hunks_of(change, "a.py") == [(2, 1, 2, 1)]


def test_unmerged_files_are_not_checked(repo: Repo) -> None:
    """A file with unresolved conflicts is a gap until it is resolved; then only our side of it counts."""
    _merging(
        repo, ours={"a.py": _edited(_3="ours\n", _9="also\n")}, theirs={"a.py": _edited(_3="theirs\n", _22="more\n")}
    )
    conflicted = ("not-checked", "it has unresolved merge conflicts")
    change = change_of(repo.root, base=repo.head("main~1"))
    assert skips_of(change) == {"a.py": conflicted}
    assert change.head.dirty
    assert skips_of(change_of(repo.root, scope=Scope.STAGED)) == {"a.py": conflicted}
    overlaid = change_of(repo.root, base=repo.head("main~1"), overlays={"a.py": "anything\n"})
    assert skips_of(overlaid) == {"a.py": conflicted}
    repo.write("a.py", _edited(_3="theirs\n", _9="also\n", _22="more\n"))
    repo.stage()
    resolved = change_of(repo.root, base=repo.head("main~1"))
    assert hunks_of(resolved, "a.py") == [(9, 1, 9, 1)]


def test_an_added_file_that_they_have_too_is_compared_with_theirs(repo: Repo) -> None:
    """A file that is new on both sides shows only what differs from theirs."""
    _merging(repo, ours={"own.py": "x\n"}, theirs={"new.py": "1\n2\n3\n"})
    repo.write("new.py", "1\n2\nours\n3\n")
    change = change_of(repo.root, base=repo.head("main~1"))
    assert hunks_of(change, "new.py") == [(2, 0, 3, 1)]
    file = change.file(RelPath("new.py"))
    assert file is not None
    assert file.base is not None
    assert file.base.blob == repo.git("rev-parse", "main:new.py")
