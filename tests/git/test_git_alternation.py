"""Many fixed strings as one expression: the same strings match, written so that git is quick with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.git.alternation import DEEPEST, alternation
from support.gitwork import change_of, with_git

if TYPE_CHECKING:
    from support.repo import Repo

WORDS = st.lists(st.text("ab_\u00e9.*+?()[]{}|^$\\-", min_size=1, max_size=8), min_size=1, max_size=30)


@given(words=WORDS, other=st.text("ab_\u00e9.*+?()[]{}|^$\\-", max_size=9))
def test_it_matches_what_it_was_made_of(words: list[str], other: str) -> None:
    """And nothing else, whatever characters there are."""
    pattern = re.compile(alternation(words))
    assert all(pattern.fullmatch(word) for word in words)
    assert (pattern.fullmatch(other) is not None) == (other in words)


def test_what_words_have_in_common_is_written_once() -> None:
    """Whoever searches then decides by the next letter, and not by each word."""
    assert alternation(["new_b", "old", "new_a", "new", "new_a"]) == "new(_(a|b))?|old"


def test_a_name_for_every_length_makes_no_deep_expression(repo: Repo) -> None:
    """Each begins with the one before; git finds the right ones all the same."""
    words = ["a" * length for length in range(1, 500)]
    depth = deepest = 0
    for letter in alternation(words):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        deepest = max(deepest, depth)
    assert deepest <= DEEPEST
    repo.commit("before", {"a.py": "x = 1\n", "b.py": f"{'a' * 7}\n{'a' * 400}\n{'a' * 600}\n"})
    repo.branch("feature")
    repo.write("a.py", "x = 2\n")
    change = change_of(repo.root)
    hits = with_git(repo.root, lambda git: git.grep(words, change))
    assert {len(word): [hit.line for hit in found] for word, found in hits.items() if found} == {7: [1], 400: [2]}


@pytest.mark.parametrize("word", ["caf\u00e9", "\udcff", "x\ud800"])
def test_odd_letters_are_searched_for(repo: Repo, word: str) -> None:
    """Those that are no ASCII, bytes that are no UTF-8, and what no file can hold, which is found nowhere."""
    repo.commit("before", {"a.py": "x = 1\n"})
    repo.write("b.txt", f"one\n{word}\n".encode("utf-8", "replace" if "\ud800" in word else "surrogateescape"))
    repo.commit("more")
    repo.branch("feature")
    repo.write("a.py", "x = 2\n")
    change = change_of(repo.root)
    hits = with_git(repo.root, lambda git: git.grep(["one", word, f"{word}s"], change))
    assert len(hits["one"]) == 1
    assert [hit.line for hit in hits[word]] == ([] if "\ud800" in word else [2])
