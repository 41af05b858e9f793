"""Who made the commits of a branch, what they say, and which paths they changed; and how large skipped files are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.git.messages import MOST_COMMITS
from support.gitwork import change_of, with_git

if TYPE_CHECKING:
    from roundzero.core.ports import Commit
    from support.repo import Repo


def commits_of(repo: Repo, base: str) -> tuple[Commit, ...]:
    """The commits of HEAD that a base does not have."""
    change = change_of(repo.root, base=base)
    return with_git(repo.root, lambda git: git.commits(change))


def test_commits_come_oldest_first_with_people_and_paths(repo: Repo) -> None:
    """Odd names, an empty commit between others, renames as two paths, no merges."""
    repo.config("log.showSignature", "true")
    repo.config("diff.renames", "copies")
    base = repo.commit("base", {"a.py": "1\n" * 9, "d.py": "1\n"})
    repo.branch("topic")
    repo.git("mv", "a.py", "b c.py")
    repo.git("commit", "-q", "-m", "one\n\nWhy.", "--author=root <root@build-7>")
    repo.git("commit", "-q", "--allow-empty", "-m", "nothing", "--author=x <>")
    repo.checkout("main")
    repo.commit("beside", {"e.py": "1\n"})
    repo.checkout("topic")
    repo.merge("main")
    repo.commit("two", {"d.py": "2\n", "f/\N{SNOWMAN}.py": "3\n"})
    one, nothing, two = commits_of(repo, "main")
    assert (one.author, one.committer) == (("root", "root@build-7"), ("Ada", "ada@example.org"))
    assert (one.text, one.paths) == ("one\n\nWhy.", ("a.py", "b c.py"))
    assert (nothing.text, nothing.author[1], nothing.paths) == ("nothing", "", ())
    assert (two.id, two.paths) == (repo.head(), ("d.py", "f/\N{SNOWMAN}.py"))
    assert base not in {one.id, nothing.id, two.id}


def test_a_change_without_commits_has_none(repo: Repo) -> None:
    """What is not committed is nobody's, and what the base has is not the branch's."""
    repo.commit("base", {"a.py": "1\n"})
    repo.write("a.py", "2\n")
    assert commits_of(repo, "main") == ()


def test_commits_are_bounded(repo: Repo) -> None:
    """The newest ones."""
    base = repo.commit("base", {"a.py": "1\n"})
    for number in range(MOST_COMMITS + 1):
        repo.git("commit", "--allow-empty", "-q", "-m", str(number))
    found = commits_of(repo, base)
    assert [found[0].text, found[-1].text, len(found)] == ["1", str(MOST_COMMITS), MOST_COMMITS]


def test_a_skipped_file_says_how_large_it_is(repo: Repo) -> None:
    """Binary files and those over the limit; a link has no size of its own."""
    repo.commit("base", {"a.py": "1\n"})
    repo.write("b.bin", b"\0" * 3000)
    repo.write("c.txt", "x" * 1_500_000)
    repo.path("l").symlink_to("a.py")
    for commit in (False, True):
        if commit:
            repo.branch("topic")
            repo.git("add", "-A")
            repo.git("commit", "-q", "-m", "all")
        skipped = {str(skip.path): (skip.size, skip.binary) for skip in change_of(repo.root, base="main").skipped}
        assert skipped["b.bin"] == (3000, True)
        assert skipped["c.txt"] == (1_500_000, False)
        assert not skipped["l"][1]
