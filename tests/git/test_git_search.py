"""Where words stand in files of the change: by line, as whole words, in whatever way lines end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.gitwork import change_of, with_git

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.ports import GrepHit
    from roundzero.git.repository import Git
    from support.repo import Repo

TEXT = "one\r\ntwo one one\n\ntwofold\n\tone_two one-two\nthree\x0cone\u2028one\none"


def test_a_changed_file_is_searched_line_by_line(repo: Repo) -> None:
    """Each line counts once, with the number git gives it; form feeds and line separators end no line."""
    repo.commit("before", {"a.py": "x = 1\n"})
    repo.branch("feature")
    change = change_of(repo.root, overlays={"a.py": TEXT})

    async def look(git: Git) -> Mapping[str, tuple[GrepHit, ...]]:
        return await git.grep(["one", "two", "gone"], change)

    hits = with_git(repo.root, look)
    assert [(hit.line, hit.text) for hit in hits["one"]] == [
        (1, "one"),
        (2, "two one one"),
        (5, "\tone_two one-two"),
        (6, "three\x0cone\u2028one"),
        (7, "one"),
    ]
    assert [hit.line for hit in hits["two"]] == [2, 5]
    assert hits["gone"] == ()


def test_a_byte_order_mark_is_no_part_of_the_first_line(repo: Repo) -> None:
    """Nor in a file that the change leaves alone, so that a definition there begins its line."""
    repo.commit("before", {"a.py": "x = 1\n", "b.py": "\ufeffdef one():\r\n    return 1\r\n"})
    repo.branch("feature")
    repo.write("a.py", "\ufeffone = 2\n")
    change = change_of(repo.root)

    async def look(git: Git) -> Mapping[str, tuple[GrepHit, ...]]:
        return await git.grep(["one"], change)

    hits = with_git(repo.root, look)
    assert [(hit.path, hit.line, hit.text) for hit in hits["one"]] == [
        ("a.py", 1, "one = 2"),
        ("b.py", 1, "def one():"),
    ]
