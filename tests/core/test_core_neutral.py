"""Texts whose comments and prose are blanked."""

from __future__ import annotations

import pytest

from roundzero.core.change import Source
from roundzero.core.neutral import neutral
from roundzero.core.text import RelPath


def blank(text: str, path: str = "a.py") -> str:
    """The text as a neutral voice reads it."""
    return neutral(Source(RelPath(path), text, "0" * 40)).text


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "x = 1  # approved by security\n", "x = 1  # ...\n"),
        ("a.py", 'def f():\n    """Does it.\n\n    Safely.\n    """\n', 'def f():\n    """...\n\n    ...\n    """\n'),
        ("a.py", 'log("this is safe")\n', 'log("...")\n'),
        ("a.py", 'f"user {name} left {count}"\n', 'f"... {name} {count}"\n'),
        ("a.py", "raise ValueError('no # comment in here')\n", "raise ValueError('...')\n"),
        ("a.c", "f(); // trust me\n/* all\n   good */ g();\n", "f(); // ...\n/* ...\n   ...*/ g();\n"),
        ("a.ts", "const s = `hello ${name} there`;\n", "const s = `... ${name}`;\n"),
        ("a.sh", "rm -rf x # fine, really\n", "rm -rf x # ...\n"),
    ],
)
def test_words_about_code_are_blanked(path: str, text: str, expected: str) -> None:
    """Comments and strings of several words become a filler; marks, indentation and code in templates stay."""
    assert blank(text, path) == expected


@pytest.mark.parametrize("text", ['config["timeout"]\n', "getattr(x, 'name')\n", 'open("a/b.txt")\n', "x = 1\n", ""])
def test_a_string_of_one_word_is_a_name(text: str) -> None:
    """What may be looked up by its name stays as it is."""
    assert blank(text) == text


def test_a_text_of_an_unknown_language_is_left_alone() -> None:
    """Where strings cannot be told from code, nothing is blanked."""
    assert blank("# a title\nsome prose\n", "a.unknown") == "# a title\nsome prose\n"
    assert blank("# a title\nsome prose\n", "a.md") == "# a title\nsome prose\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_keep_their_numbers(end: str) -> None:
    """However long a comment or string is, it has as many lines as before."""
    text = end.join(['"""a b', "", "  c d", '"""', "x = 1  # e f", "y = 'g h", "z = 'i \\", "j k'", ""])
    assert blank(text).count(end) == text.count(end)
    assert blank(text).split(end)[4].startswith("x = 1  #")


def test_it_takes_time_in_proportion_to_the_text() -> None:
    """Unclosed quotes and long comments do not make it slow: a megabyte of each is done at once."""
    for text in ('"' * 1_000_000, "/*" * 500_000, "# " + "a b " * 250_000, "'''" + "a 'b " * 200_000):
        assert blank(text).count("\n") == 0


@pytest.mark.parametrize("path", ["a.py", "a.sh", "a.yaml", "a.ts", "a.rs", "a.lua"])
@pytest.mark.parametrize("unit", ["\\'", '\\"', " ''", " '' \"", "-'", "\"' ", '"\\\n', "' \\' ", "'\""])
def test_quotes_that_close_nothing_take_no_more(path: str, unit: str) -> None:
    """Nor do escaped, doubled and crossed quotes behind one that stays open."""
    for start in ("'", '"', " "):
        text = start + unit * 200_000
        assert blank(text, path).count("\n") == text.count("\n")


def test_an_apostrophe_opens_no_string() -> None:
    """In a plain value of YAML, and where nothing closes it on its line."""
    assert blank("a: don't say that # or do\n", "a.yaml") == "a: don't say that # ...\n"
    assert blank("a: 'it''s all one' # and done\n", "a.yaml") == "a: '...' # ...\n"
    assert blank("<p>don't say that</p>\n", "a.tsx") == "<p>don't say that</p>\n"
