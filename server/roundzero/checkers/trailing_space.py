"""trailing-space: blanks at the end of an added line, in a repository that forbids them.

Asks .editorconfig and the pre-commit hooks; without either there is no such rule. Two blanks after text are a line
break in Markdown, and blanks inside a string of several lines are what it says, but for those of a docstring. A file is
told once, with a fix for all of its lines. Invariant: the fix is safe only where no string can run over the end of the
line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker
from roundzero.checkers._editorconfig import asks_for
from roundzero.core.change import SYMLINK
from roundzero.core.finding import Edit, Fix, Hit
from roundzero.core.item import language_of
from roundzero.core.lexical import comments_and_strings
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import GrepHit, Repository


class TrailingSpace(ChangeChecker):
    """Finds blanks at the end of added lines."""

    name = "trailing-space"
    version = "3"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at the added lines of every file."""
        for file in change.files:
            spans = list(_blanks(file))
            if not spans or file.head is None or not asks_for("no-trailing-space", file.path, repository):
                continue
            told = _told(file.head)
            spans = [span for span in spans if span.start.line not in told]
            if not spans:
                continue
            edits = tuple(Edit(file.path, span, file.head.index.slice(span), "") for span in spans)
            fix = Fix("Remove the blanks", safe=_is_layout(file), edits=edits)
            yield Hit(path=file.path, span=spans[0], subject=f"({len(spans)})" if len(spans) > 1 else "", fixes=(fix,))


def _blanks(file: FileChange) -> Iterable[Span]:
    if file.head is None or file.mode == SYMLINK:
        return
    markdown = language_of(file.path) == "markdown"
    for line in sorted(file.added):
        text = file.head.index.line(line)
        bare = text.rstrip(" \t")
        if len(bare) == len(text) or (markdown and bare and text == bare + "  "):
            continue
        yield Span(Position(line, len(bare) + 1), Position(line, len(text) + 1))


def _told(source: Source) -> frozenset[int]:
    """The lines that end inside a string of several lines whose blanks may matter: not inside a docstring."""
    index, lines = source.index, set[int]()
    is_python = language_of(source.path) == "python"
    for found in comments_and_strings(source):
        if found["comment"] is None and "\n" in found[0]:
            first, last = index.position(found.start()), index.position(found.end())
            if not (is_python and not index.line(first.line)[: first.column - 1].strip(" \trRuU")):
                lines.update(range(first.line, last.line))
    return frozenset(lines)


def _is_layout(file: FileChange) -> bool:
    """Whether blanks at line ends can have no meaning: Python without strings over several lines."""
    text = file.head.text if file.head is not None else ""
    return language_of(file.path) == "python" and '"""' not in text and "'''" not in text and "\\" not in text


CHECKER: Final = TrailingSpace
