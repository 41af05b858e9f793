"""The comment that silences a finding: where it goes in each language, and where none is offered."""

from __future__ import annotations

import pytest

from roundzero.core.change import Source
from roundzero.core.ignore_comment import ignore_comment
from roundzero.core.item import ItemId
from roundzero.core.text import RelPath

ITEM = ItemId("p/x")


def written(path: str, text: str, line: int) -> str | None:
    """The text after the edit; None where none is offered."""
    source = Source(RelPath(path), text, "")
    edit = ignore_comment(source, line, ITEM)
    if edit is None:
        return None
    start, end = source.index.offset(edit.span.start), source.index.offset(edit.span.end)
    assert text[start:end] == edit.old_text
    return text[:start] + edit.new_text + text[end:]


@pytest.mark.parametrize(
    ("path", "line", "after"),
    [
        ("a.py", "x = 1", "x = 1  # roundzero: ignore[p/x] "),
        ("a.py", "x = 1  # why", "x = 1  # why  # roundzero: ignore[p/x] "),
        ("a.py", "x = 1   \r", "x = 1  # roundzero: ignore[p/x] "),
        ("a.rs", "let x = 1;", "let x = 1;  // roundzero: ignore[p/x] "),
        ("a.css", "a {}", "a {}  /* roundzero: ignore[p/x] */"),
        ("a.lua", "x = 1", "x = 1  -- roundzero: ignore[p/x] "),
        ("a.md", "text", "text  <!-- roundzero: ignore[p/x] -->"),
        ("a.sh", "echo", "echo  # roundzero: ignore[p/x] "),
    ],
)
def test_it_stands_at_the_end_of_the_line(path: str, line: str, after: str) -> None:
    """In the language's own comments, behind what is there."""
    ending = "\r\n" if line.endswith("\r") else "\n"
    assert written(path, f"{line.rstrip(chr(13))}{ending}", 1) == f"{after}{ending}"


@pytest.mark.parametrize(
    ("path", "text", "line", "after"),
    [
        ("a.py", "if a:\n    b(" + "c" * 100 + ")\n", 2, "    # roundzero: ignore[p/x] \n"),
        ("Dockerfile", "FROM a\nRUN b\n", 2, "# roundzero: ignore[p/x] \n"),
        ("a.py", "x = 1\ny = 1 + \\\n    2\n", 2, "# roundzero: ignore[p/x] \n"),
        ("a.py", "x\ny = '''\nsecret\n'''\n", 2, "# roundzero: ignore[p/x] \n"),
        ("a.py", "x\ny = 1  # roundzero: ignore[p/y] for good\n", 2, "# roundzero: ignore[p/x] \n"),
    ],
)
def test_it_stands_alone_above_where_the_line_has_no_room(path: str, text: str, line: int, after: str) -> None:
    """Wide lines, languages without trailing comments, continued lines, open strings, another such comment."""
    lines = text.splitlines(keepends=True)
    assert written(path, text, line) == "".join([*lines[: line - 1], after, *lines[line - 1 :]])


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.json", "{}\n", 1),
        ("a.tsx", "<a>text</a>\n", 1),
        ("a.txt", "text\n", 1),
        ("a.php", "<p>text</p>\n<?php echo 1;\n", 1),
        ("a.py", "x = '''\nsecret\nmore\n'''\n", 2),
        ("a.py", "x = 1 + \\\n 2 + \\\n 3\n", 2),
        ("a.py", "x = 1\n", 2),
        ("a.py", "", 1),
    ],
)
def test_none_is_offered_where_it_would_be_no_comment(path: str, text: str, line: int) -> None:
    """No comments in the language, inside a string, between continued lines, beyond the text."""
    assert written(path, text, line) is None


def test_it_does_nothing_until_a_reason_is_written() -> None:
    """Nobody silences a finding by a click."""
    text = written("a.py", "x = 1\n", 1)
    assert text is not None
    assert text.rstrip().endswith("]")
