"""What a formatter changes, as edits: together they give the formatted text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.change import Source, blob_id
from roundzero.core.text import RelPath
from roundzero.linters._layout import TooDifferentError, layout_hits

if TYPE_CHECKING:
    from roundzero.core.finding import Edit

LINES = st.lists(
    st.tuples(st.sampled_from(["", "a", "b", " c", "c "]), st.sampled_from(["\n", "\r\n", "\r"])), max_size=8
)
TEXTS = st.tuples(LINES, st.sampled_from(["", "a", "b", "\r"])).map(
    lambda parts: "".join("".join(line) for line in parts[0]) + parts[1]
)


def laid_out(old: str, new: str) -> str:
    """The old text after the edits of every hit, each of which must fit where it says."""
    source = Source(RelPath("a"), old, blob_id(old.encode()))
    edits: list[Edit] = [edit for hit in layout_hits(source, new, "t") for fix in hit.fixes for edit in fix.edits]
    end = len(old)
    text = old
    for edit in reversed(edits):
        first, last = source.index.offset(edit.span.start), source.index.offset(edit.span.end)
        assert old[first:last] == edit.old_text
        assert last <= end
        end = first
        text = text[:first] + edit.new_text + text[last:]
    return text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\nb\n", "a\nx\ny\nb\n"),
        ("a\n", "x\na\n"),
        ("a\nb\nc\n", "a\nc\n"),
        ("a\nb", "a"),
        ("a", "a\n"),
        ("a\n\n\n", "a\n"),
        ("\na\n", "a\n"),
        ("a \r\nb\r\n", "a\r\nb\r\n"),
        ("a\r\nb\r\n", "a\r\nx\r\nb\r\n"),
        ("", "a\n"),
        ("a\r\nb\r\nc\r\n", "a\nb\nc\n"),
        ("a\nb\nc\n", "a\r\nb\r\nc\r\n"),
        ("a\r\nb\nc\r\n", "a\nb\nc\n"),
        ("a\r\nb", "a\r"),
        ("a\r\nb\r\n", "a\r\nx\nb\r\n"),
    ],
)
def test_the_edits_of_a_layout_give_the_formatted_text(old: str, new: str) -> None:
    """Whatever comes, goes or changes, at the ends of the file too."""
    assert laid_out(old, new) == new


@given(TEXTS, TEXTS)
def test_the_edits_give_the_formatted_text_whatever_the_line_endings(old: str, new: str) -> None:
    """No edit begins or ends inside a line break, none meets another, and nothing of the old endings stays."""
    assert laid_out(old, new) == new


@given(TEXTS, st.sampled_from(["\n", "\r\n"]))
def test_other_line_endings_alone_are_laid_out(old: str, ending: str) -> None:
    """A text whose endings alone are made the same comes out with these endings."""
    new = old.replace("\r\n", "\n").replace("\n", ending)
    assert laid_out(old, new) == new


def test_texts_that_have_nothing_in_common_are_not_compared() -> None:
    """It would take long, and say nothing."""
    with pytest.raises(TooDifferentError):
        laid_out("a\n" * 9000, "b\n" * 9000)
