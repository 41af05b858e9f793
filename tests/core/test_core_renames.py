"""Files that are gone are found again by their texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.change import Source
from roundzero.core.renames import renames
from roundzero.core.text import RelPath


def source(path: str, *lines: str) -> Source:
    """A source of given lines."""
    return Source(RelPath(path), "".join(f"{line}\n" for line in lines), "0" * 40)


BODY = ("import os", "def load(path):", "    return os.stat(path)", "}")


def test_a_file_that_grew_is_found_under_its_new_name() -> None:
    """Two thirds of the new file were the old one."""
    old, other = source("a.py", *BODY), source("c.py", "x = 1", "y = 2", "z = 3")
    assert renames([old], [other, source("b.py", *BODY, "def more():")]) == {"a.py": "b.py"}


def test_lines_of_one_sign_make_no_file() -> None:
    """Closing brackets are everywhere."""
    assert renames([source("a.c", "}", "{", "}", "f()")], [source("b.c", "}", "{", "}", "g()")]) == {}


def test_among_copies_the_one_of_the_same_name_is_it() -> None:
    """A moved folder, and a copy beside it."""
    copies = [source("lib/b.py", *BODY), source("lib/z.py", *BODY)]
    assert renames([source("app/z.py", *BODY)], copies) == {"app/z.py": "lib/z.py"}


def test_nothing_becomes_nothing() -> None:
    """Empty files are nobody's."""
    assert renames([source("a.py")], [source("b.py")]) == {}


texts = st.lists(st.lists(st.sampled_from(["one", "two", "three", "four"]), max_size=4), max_size=4)


@given(texts, texts)
def test_renames_are_one_to_one_and_do_not_depend_on_order(olds: list[list[str]], news: list[list[str]]) -> None:
    """Shuffling the input changes nothing, and no new file is two old ones."""
    gone = [source(f"old{at}", *lines) for at, lines in enumerate(olds)]
    arrived = [source(f"new{at}", *lines) for at, lines in enumerate(news)]
    found = renames(gone, arrived)
    assert len(set(found.values())) == len(found)
    assert renames(gone[::-1], arrived[::-1]) == found
