"""YAML as packs are written in it."""

from __future__ import annotations

import pytest

from roundzero.packs import nodes


def test_only_true_and_false_are_truth_values() -> None:
    """Words that YAML 1.1 takes for booleans, and dates, stay words."""
    data = nodes.read("a: on\nb: off\nc: yes\nd: true\ne: 2026-01-02\nf: 7\ng: 0.9\nh:\ni: '7'\n").data
    assert data == {
        "a": "on", "b": "off", "c": "yes", "d": True, "e": "2026-01-02", "f": 7, "g": 0.9, "h": None, "i": "7",
    }  # fmt: skip


def test_every_value_knows_its_line() -> None:
    """The line of a path is the line of its key or list entry; unknown steps fall back to what is around them."""
    document = nodes.read("a:\n  - b: 1\n    c: 2\n  - 3\n")
    assert document.line(("a", 0, "c")) == 3
    assert document.line(("a", 1)) == 4
    assert document.line(("a", 0, "missing")) == 2
    assert document.line(("a", 0, "c", 0)) == 3
    assert document.line(()) == 1


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: [1\nc: 2\n", 3, "expected ',' or ']'"),
        ("a: 1\nb: 2\na: 3\n", 3, "twice"),
        ("a: &x 1\nb: *x\n", 2, "aliases"),
        ("a: &x [*x]\n", 1, "aliases"),
        ("a: 1\n---\nb: 1\n", 2, "document"),
        ("a: 1\n\n? [1]\n: 2\n", 3, "a key must be a word"),
        ("a: 1\nb: \x07\n", 2, "character"),
        ("a: 1\nb: \ud800\n", 2, "Unicode"),
        ("[" * 100_000, 1, "nesting"),
        ("a:\n  " + "[" * 900 + "]" * 900, 2, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_names_its_line(text: str, line: int, words: str) -> None:
    """A fault is reported with its line and never brings anything down."""
    with pytest.raises(nodes.NotReadableError) as caught:
        nodes.read(text)
    assert (caught.value.line, words in caught.value.message) == (line, True), caught.value.message


def test_an_empty_text_is_nothing() -> None:
    """A file with no value at all is readable."""
    assert nodes.read("# only a remark\n").data is None
