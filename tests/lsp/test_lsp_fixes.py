"""Edits put together for a client."""

from __future__ import annotations

from lsprotocol import types

from roundzero.core.finding import Edit
from roundzero.core.text import LineIndex, RelPath
from roundzero.lsp.fixes import Collected, Target, workspace_edit

PATH = RelPath("a.py")
OTHER = RelPath("b.py")
TEXT = "one two\nthree four\n"
TARGETS = {
    PATH: Target(uri="file:///a.py", version=3, text=TEXT),
    OTHER: Target(uri="file:///b.py", version=None, text=TEXT),
}


def edit(start: int, end: int, new: str = "", path: RelPath = PATH) -> Edit:
    """An edit between two offsets."""
    return Edit(path, LineIndex(TEXT).span(start, end), TEXT[start:end], new)


def test_a_fix_that_overlaps_another_is_left_out_whole() -> None:
    """Its other edits are not applied either."""
    collected = Collected()
    assert collected.add([edit(0, 3, "1")], TARGETS)
    assert not collected.add([edit(8, 13, "3"), edit(2, 5, "x")], TARGETS)
    assert collected.add([edit(14, 18, "4")], TARGETS)
    assert [(path, [each.new_text for each in edits]) for path, edits in collected.by_path()] == [(PATH, ["1", "4"])]


def test_edits_that_touch_do_not_overlap_but_two_at_one_place_do() -> None:
    """Next to each other is fine; two insertions at the same place have no order."""
    collected = Collected()
    assert collected.add([edit(0, 3)], TARGETS)
    assert collected.add([edit(3, 4)], TARGETS)
    assert collected.add([edit(8, 8, "a")], TARGETS)
    assert not collected.add([edit(8, 8, "b")], TARGETS)
    assert not collected.add([edit(9, 10), edit(9, 10)], TARGETS)


def test_a_fix_of_a_file_nobody_knows_is_left_out() -> None:
    """There is no text to place its edits in."""
    assert not Collected().add([edit(0, 1, path=RelPath("c.py"))], TARGETS)


def test_versions_go_with_document_changes() -> None:
    """An open document's version, and none for a file that is not open; first edit first."""
    collected = Collected()
    collected.add([edit(8, 13, "3"), edit(0, 3, "1"), edit(0, 3, "1", OTHER)], TARGETS)
    changes = workspace_edit(collected, TARGETS, "utf-16", versioned=True).document_changes
    assert changes is not None
    seen = [(each.text_document.version, [text.new_text for text in each.edits if isinstance(text, types.TextEdit)])
            for each in changes if isinstance(each, types.TextDocumentEdit)]  # fmt: skip
    assert seen == [(3, ["1", "3"]), (None, ["1"])]


def test_plain_changes_for_a_client_without_document_changes() -> None:
    """By URI."""
    collected = Collected()
    collected.add([edit(0, 3, "1")], TARGETS)
    made = workspace_edit(collected, TARGETS, "utf-16", versioned=False)
    assert made.document_changes is None
    assert list(made.changes or {}) == ["file:///a.py"]


def test_new_text_takes_the_documents_line_ends() -> None:
    """A fix written with LF is inserted with CRLF into a CRLF document."""
    text = TEXT.replace("\n", "\r\n")
    targets = {PATH: Target(uri="file:///a.py", version=1, text=text)}
    collected = Collected()
    collected.add([Edit(PATH, LineIndex(text).span(0, 0), "", "zero\n")], targets)
    changes = workspace_edit(collected, targets, "utf-16", versioned=False).changes
    assert changes is not None
    assert changes["file:///a.py"][0].new_text == "zero\r\n"


def test_a_byte_order_mark_shifts_the_edit() -> None:
    """The client's first line is one character longer than the core's."""
    targets = {PATH: Target(uri="file:///a.py", version=1, text=TEXT, bom=1)}
    collected = Collected()
    collected.add([edit(0, 3, "1"), edit(8, 13, "3")], targets)
    changes = workspace_edit(collected, targets, "utf-16", versioned=False).changes
    assert changes is not None
    assert [each.range.start.character for each in changes["file:///a.py"]] == [1, 0]
