"""trailing-space: blanks at the end of an added line, in a repository that forbids them.

Asks .editorconfig and the pre-commit hooks; without either there is no such rule. Two blanks after text are a line
break in Markdown. A file is told once, with a fix for all of its lines. Invariant: the fix is safe only where no string
can run over the end of the line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker
from roundzero.checkers._editorconfig import SYMLINK, asks_for
from roundzero.core.finding import Edit, Fix, Hit
from roundzero.core.item import language_of
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository


class TrailingSpace(ChangeChecker):
    """Finds blanks at the end of added lines."""

    name = "trailing-space"
    version = "2"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at the added lines of every file."""
        for file in change.files:
            spans = list(_blanks(file))
            if not spans or file.head is None or not asks_for("no-trailing-space", file.path, repository):
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


def _is_layout(file: FileChange) -> bool:
    """Whether blanks at line ends can have no meaning: Python without strings over several lines."""
    text = file.head.text if file.head is not None else ""
    return language_of(file.path) == "python" and '"""' not in text and "'''" not in text and "\\" not in text


CHECKER: Final = TrailingSpace
