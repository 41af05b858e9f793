"""Where words stand in files of the change: by line, as whole words, in whatever way lines end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from support.gitwork import change_of, with_git
from support.growth import is_linear

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


def test_names_and_other_texts_are_found_in_files_the_change_leaves_alone(repo: Repo) -> None:
    """As whole words, as in changed ones: what is no name may begin and end with any letter."""
    text = "one two.one\nonerous one-two\n$one 1one\n\u00e9one (two.one)\n"
    repo.commit("before", {"a.py": "x = 1\n", "b.py": text})
    repo.branch("feature")
    repo.write("a.py", text)
    change = change_of(repo.root)

    async def look(git: Git) -> Mapping[str, tuple[GrepHit, ...]]:
        return await git.grep(["one", "two.one", "one-two", "two", "$one"], change)

    hits = with_git(repo.root, look)
    lines = {word: {path: [hit.line for hit in found if hit.path == path] for path in ("a.py", "b.py")}
             for word, found in hits.items()}  # fmt: skip
    assert {word: each["a.py"] for word, each in lines.items()} == {
        "one": [1, 2, 3, 4],
        "two.one": [1, 4],
        "one-two": [2],
        "two": [1, 2, 4],
        "$one": [3],
    }
    assert all(each["a.py"] == each["b.py"] for each in lines.values())


@pytest.mark.parametrize("others", [0, 100])
def test_in_changed_files_many_names_are_found_where_few_are(repo: Repo, others: int) -> None:
    """Whole words in every line, whatever ends it, beside texts that are no names."""
    repo.commit("before", {"a.py": "x = 1\n"})
    repo.branch("feature")
    repo.write("a.py", "one two.one\r\nonerous\n\u00e9one one\n\none\u2028two")
    change = change_of(repo.root)
    words = ["one", "two", "two.one", *(f"name{n}" for n in range(others))]
    hits = with_git(repo.root, lambda git: git.grep(words, change))
    assert {word: [(hit.line, hit.text) for hit in found] for word, found in hits.items() if found} == {
        "one": [(1, "one two.one"), (3, "\u00e9one one"), (5, "one\u2028two")],
        "two": [(1, "one two.one"), (5, "one\u2028two")],
        "two.one": [(1, "one two.one")],
    }


def test_many_names_cost_no_more_than_a_few_in_changed_files_too(repo: Repo) -> None:
    """Each text is taken apart once: it is not looked through for one name after the other."""
    repo.commit("before", {"a.py": "x = 1\n"})
    repo.branch("feature")
    for number in range(2_000):
        repo.write(f"b{number}.py", f"use(name{number})\n")
    change = change_of(repo.root)

    def look(text: str) -> None:
        count = text.count("\n")
        part = replace(change, files=change.files[:count])
        found = with_git(repo.root, lambda git: git.grep([f"name{n}" for n in range(count)], part))
        assert sum(map(len, found.values())) == count

    assert is_linear(look, "\n", 500)


def test_many_names_cost_no_more_than_a_few(repo: Repo) -> None:
    """A line is taken apart once, whatever number of names is looked for."""
    repo.commit("before", {"a.py": "x = 1\n", "b.py": "".join(f"use(name{n})\n" for n in range(4_000))})
    repo.branch("feature")
    repo.write("a.py", "x = 2\n")
    change = change_of(repo.root)

    def look(text: str) -> None:
        count = text.count("\n")
        found = with_git(repo.root, lambda git: git.grep([f"name{n}" for n in range(count)], change))
        assert sum(map(len, found.values())) == count

    assert is_linear(look, "\n", 500)
