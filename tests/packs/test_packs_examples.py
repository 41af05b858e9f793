"""The fixture language."""

from __future__ import annotations

import pytest

from roundzero.core.change import Side
from roundzero.core.item import ItemId
from roundzero.core.text import Position, RelPath, Span
from roundzero.packs.examples import Expected, FixtureError, Seen, differences, parse

STORY = """\
//- app/models.py
 def old(path, cache={}):
     return cache
+def load(path, cache={}):
^                     ^^ python/mutable-default: one default object is shared by all calls
+    return cache
"""
A = RelPath("a.py")
ITEM = ItemId("p/i")


def span(line: int, start: int, end: int, last: int | None = None) -> Span:
    """A span on one line, or up to another."""
    return Span(Position(line, start), Position(last or line, end))


def test_one_string_holds_base_head_and_expectation() -> None:
    """The style guide's own example: the carets stand under the second default."""
    fixture = parse(STORY)
    path = RelPath("app/models.py")
    assert fixture.base == {path: "def old(path, cache={}):\n    return cache\n"}
    assert fixture.head[path].endswith("def load(path, cache={}):\n    return cache\n")
    (wanted,) = fixture.expected
    assert (wanted.path, wanted.side, wanted.span) == (path, Side.HEAD, span(3, 22, 24))
    assert (wanted.item, wanted.title) == ("python/mutable-default", "one default object is shared by all calls")
    assert wanted.fixture_line == 5


def test_added_deleted_and_renamed_files() -> None:
    """A side on which a file has no line does not have the file; an arrow is a rename."""
    fixture = parse("//- new.py\n+x\n//- gone.py\n-x\n//- a b.py -> c d.py\n x\n//- same.py\n x\n")
    assert sorted(fixture.base) == ["a b.py", "gone.py", "same.py"]
    assert sorted(fixture.head) == ["c d.py", "new.py", "same.py"]
    assert fixture.renames == {"c d.py": "a b.py"}


def test_binary_files_and_commits() -> None:
    """A binary has a size and may be expected at; a commit has a person, a message and all that changed."""
    fixture = parse("//> Ada <a@e.example>: One: two\n//! a b.so 20\n^ p/i\n//- a.py\n+x\n//- b.py\n x\n")
    assert fixture.binaries == {"a b.so": 20}
    assert [(wanted.path, wanted.span) for wanted in fixture.expected] == [("a b.so", None)]
    assert list(fixture.head) == [A, "b.py"]
    (commit,) = fixture.commits
    assert (commit.author, commit.text, commit.paths) == (("Ada", "a@e.example"), "One: two", ("a b.so", "a.py"))


def test_empty_lines_belong_to_the_sides_of_the_line_above() -> None:
    """So that no editor needs to keep trailing blanks; those at the end of a file are not part of it."""
    fixture = parse("//- a.py\n\n x\n\n+y\n\n^ p/i\n+z\n\n//- b.py\n-x\n\n-y\n\n")
    assert fixture.base == {A: "x\n\n", RelPath("b.py"): "x\n\ny\n"}
    assert fixture.head == {A: "x\n\ny\n\nz\n"}


def test_a_backslash_takes_the_terminator_away() -> None:
    """As in a diff, for the sides that have the line above."""
    fixture = parse("//- a.py\n-x\n+y\n\\ No newline at end of file\n//- b.py\n-x\n\\\n+x\n//- c.py\n x\n\\\n")
    assert fixture.base == {A: "x\n", RelPath("b.py"): "x", RelPath("c.py"): "x"}
    assert fixture.head == {A: "y", RelPath("b.py"): "x\n", RelPath("c.py"): "x"}


def test_carets_may_mark_the_base_a_file_or_the_change() -> None:
    """Under a removed line the base side is meant; without carets there is no range."""
    fixture = parse("^ p/change\n//- o.py -> a.py\n^ p/file: about\n-abc\n^ ^^ p/base\n+abc\n^^^^ p/head\n")
    assert fixture.expected == (
        Expected(path=None, side=Side.HEAD, span=None, item=ItemId("p/change")),
        Expected(path=A, side=Side.HEAD, span=None, item=ItemId("p/file"), title="about"),
        Expected(path=RelPath("o.py"), side=Side.BASE, span=span(1, 2, 4), item=ItemId("p/base")),
        Expected(path=A, side=Side.HEAD, span=span(1, 1, 4), item=ItemId("p/head")),
    )


def test_columns_count_code_points() -> None:
    """A caret stands for one code point, whatever its width."""
    (wanted,) = parse('//- a.py\n+x = "😀中"; y\n^            ^ p/i\n').expected
    assert wanted.span == span(1, 13, 14)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("text\n//- a.py\n", 1),
        ("//- a.py\n+x\nx\n", 3),
        ("//- a.py\n+x\n^ ^ no item\n", 3),
        ("//- a.py\n^ ^ p/i\n", 2),
        ("//- a.py\n+x\n^ ^ ^ p/i\n", 3),
    ],
)
def test_what_says_nothing_sensible_names_its_line(text: str, line: int) -> None:
    """A fixture with a fault is refused."""
    with pytest.raises(FixtureError) as caught:
        parse(text)
    assert caught.value.line == line


def test_differences_go_both_ways() -> None:
    """Missing and surplus findings are both told, and a title is compared by its beginning."""
    fixture = parse("//- a.py\n+abc\n^^^^ p/i: tit\n+def\n^^^^ p/i\n")
    first, second = Seen(A, Side.HEAD, span(1, 1, 4), ITEM, "title"), Seen(A, Side.HEAD, span(2, 1, 4), ITEM, "")
    assert differences(fixture, [second, first]) == []
    assert [line for line, _ in differences(fixture, [first])] == [5]
    assert [line for line, _ in differences(fixture, [first, second, second])] == [0]
    assert [line for line, _ in differences(fixture, [second, first._replace(title="other")])] == [3, 0]
    assert [line for line, _ in differences(fixture, [second, first._replace(side=Side.BASE)])] == [3, 0]


def test_a_long_finding_is_marked_on_its_first_line() -> None:
    """A range over several lines is compared as if it ended with the first."""
    fixture = parse("//- a.py\n+abc\n^ ^^ p/i\n+def\n")
    assert differences(fixture, [Seen(A, Side.HEAD, span(1, 2, 3, 2), ITEM, "")]) == []
