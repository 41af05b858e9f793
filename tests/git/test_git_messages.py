"""What the commits of a branch say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.git.messages import MOST_COMMITS, MOST_LENGTH
from support.gitwork import with_git

if TYPE_CHECKING:
    from support.repo import Repo


def said(repo: Repo, base: str | None) -> list[str]:
    """The messages of HEAD that a base does not have."""
    found = with_git(repo.root, lambda git: git.commit_messages(repo.head(), base))
    assert all(len(each.commit) == 40 for each in found)
    return [each.text for each in found]


def test_messages_come_oldest_first_without_merges_and_people(repo: Repo) -> None:
    """Subject and body, of the branch alone; whatever the configuration adds to a log."""
    repo.config("log.showSignature", "true")
    repo.config("format.pretty", "oneline")
    base = repo.commit("base", {"a.py": "1\n"})
    repo.branch("topic")
    repo.commit("one\n\nWhy.\n\nCo-authored-by: Ada <ada@e.example>\nFixes: 3", {"a.py": "2\n"})
    repo.checkout("main")
    repo.commit("beside", {"b.py": "1\n"})
    repo.checkout("topic")
    repo.merge("main")
    repo.commit("two\x01 \N{SNOWMAN}", {"a.py": "3\n"})
    assert said(repo, base) == ["one\n\nWhy.\n\nFixes: 3", "beside", "two\x01 \N{SNOWMAN}"]
    assert said(repo, repo.head("main")) == ["one\n\nWhy.\n\nFixes: 3", "two\x01 \N{SNOWMAN}"]
    assert said(repo, repo.head()) == []
    assert said(repo, None)[0] == "base"


def test_messages_are_bounded(repo: Repo) -> None:
    """The newest ones, each cut."""
    base = repo.commit("base", {"a.py": "1\n"})
    for number in range(MOST_COMMITS + 1):
        repo.git("commit", "--allow-empty", "-q", "-m", f"{number} " + "long " * MOST_LENGTH)
    found = said(repo, base)
    assert len(found) == MOST_COMMITS
    assert found[0].startswith("1 ")
    assert {len(each) for each in found} == {MOST_LENGTH}
