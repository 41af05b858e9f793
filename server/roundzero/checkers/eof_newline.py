"""eof-newline: an added last line has no newline, in a repository that asks for one.

Asks .editorconfig and the pre-commit hooks; without either there is no such rule. Invariant: the hit lies on an added
line, and the fix adds the line end the file uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker
from roundzero.checkers._editorconfig import asks_for
from roundzero.core.change import SYMLINK
from roundzero.core.finding import Edit, Fix, Hit
from roundzero.core.text import Span, dominant_eol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.change import Change
    from roundzero.core.ports import GrepHit, Repository


class EofNewline(ChangeChecker):
    """Finds added last lines without newline."""

    name = "eof-newline"
    version = "2"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at the last line of every file."""
        for file in change.files:
            source = file.head
            if source is None or not source.text or source.text.endswith("\n") or file.mode == SYMLINK:
                continue
            last = source.index.line_count
            if last not in file.added or not asks_for("final-newline", file.path, repository):
                continue
            end = source.index.position(len(source.text))
            fix = Fix(
                "Add the newline", safe=True, edits=(Edit(file.path, Span(end, end), "", dominant_eol(source.text)),)
            )
            yield Hit(path=file.path, span=source.index.line_span(last), fixes=(fix,))


CHECKER: Final = EofNewline
