"""The comment that silences one finding, as an edit: where it goes, and how the file's language writes comments.

Leaves the reason empty on purpose. Without one the comment does nothing and is reported, so nobody silences a finding
by a click; a made-up word in its place would count as a reason. Whether a place will do is decided by reading the text
as it would be (core/suppress). That reader does not know here-documents of a shell nor block scalars of YAML, so inside
of them a comment is offered that is text. Invariant: an edit is offered only where the comment, once it has a reason,
covers exactly that line for that reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Source
from roundzero.core.finding import Edit
from roundzero.core.item import language_of
from roundzero.core.suppress import directives
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.core.item import ItemId

WIDEST: Final = 120
"""Columns, in code points, up to which a line gets the comment at its end; above the line otherwise."""

_MARKS: Final[Mapping[str, tuple[str, str]]] = {
    **dict.fromkeys(("python", "starlark", "toml", "bash", "yaml", "ruby", "cmake", "make", "dockerfile"), ("# ", " ")),
    **dict.fromkeys(
        ("javascript", "typescript", "c", "cpp", "cuda", "go", "java", "kotlin", "swift", "scala", "csharp", "proto",
         "rust"),
        ("// ", " "),
    ),
    "css": ("/* ", " */"),
    "lua": ("-- ", " "),
    **dict.fromkeys(("html", "markdown"), ("<!-- ", " -->")),
}  # fmt: skip
"""What opens a comment and what stands behind it. Not JSX and PHP, where the same signs between tags are text."""

_ONLY_ABOVE: Final = frozenset({"dockerfile"})
"""Languages in which a comment has a line of its own."""


def ignore_comment(source: Source, line: int, item: ItemId) -> Edit | None:
    """The edit that adds the comment for an item on a line, from 1, or above it; None where neither will do."""
    marks = _MARKS.get(language_of(source.path) or "")
    if marks is None or not 1 <= line <= source.index.line_count:
        return None
    comment = f"{marks[0]}roundzero: ignore[{item}]"
    places = _places(source, line, comment, marks[1])
    return next((edit for edit, at in places if _covers(source, edit, at, item)), None)


def _places(source: Source, line: int, comment: str, end: str) -> Iterator[tuple[Edit, int]]:
    """Edits to try, each with the number its line has afterwards."""
    text, before = source.index.line(line), source.index.line(line - 1)
    at_end = text.rstrip()
    fits = len(at_end) + 2 + len(comment) <= WIDEST
    if fits and not at_end.endswith("\\") and language_of(source.path) not in _ONLY_ABOVE:
        place = Span(Position(line, len(at_end) + 1), Position(line, len(text) + 1))
        yield Edit(source.path, place, text[len(at_end) :], f"  {comment}{end}"), line
    if not before.rstrip().endswith("\\") and not (line == 1 and text.startswith(("#!", "<?", "<!"))):
        indent = text[: len(text) - len(text.lstrip())]
        start = Position(line, 1)
        yield Edit(source.path, Span(start, start), "", f"{indent}{comment}{end}\n"), line + 1


def _covers(source: Source, edit: Edit, line: int, item: ItemId) -> bool:
    """Whether the text with the edit, and a reason in it, has a comment for the item that covers that line."""
    start, stop = source.index.offset(edit.span.start), source.index.offset(edit.span.end)
    written = edit.new_text.replace("]", "] reason", 1)
    after = Source(source.path, source.text[:start] + written + source.text[stop:], "")
    return any(each.target == line and each.names == (item,) and each.reason == "reason" for each in directives(after))
