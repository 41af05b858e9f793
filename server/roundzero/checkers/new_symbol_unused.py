"""new-symbol-unused: a new public function or class that nothing outside of tests uses.

It may be an interface for others, or the next branch's, so it is told to a model and never shown. A name counts as used
wherever else it stands in code, configuration or a build file. Silent for what is registered by a decorator, derived,
offered in ``__all__`` or an ``__init__``, or found by name. Invariant: the definition is on an added line, alone of its
name, and at module level.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._paths import is_imported, is_test_path
from roundzero.checkers._python import parse_or_none
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._python import Parsed
    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository

MOST_NAMES: Final = 50

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_PROSE: Final = (".md", ".rst", ".txt", ".adoc")
_FOUND_BY_NAME: Final = regex(
    r"main|pytest_\w+|setup|teardown|register\w*|visit_\w+|do_\w+|handle_\w+|test\w*|__\w+__", re.IGNORECASE
)


class NewSymbolUnused(ChangeChecker):
    """Finds new definitions without a consumer."""

    name = "new-symbol-unused"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._new: list[tuple[FileChange, Parsed, _Definition]] | None = None

    def words(self, change: Change) -> Collection[str]:
        """The names of the new definitions."""
        return {node.name for _, _, node in self._definitions(change)}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look for a mention of each that is neither its own nor a test's."""
        for file, parsed, node in self._definitions(change):
            span = parsed.name_span(node)
            uses = [
                hit
                for hit in found.get(node.name, ())
                if not hit.path.endswith(_PROSE) and not is_test_path(hit.path)
                if (hit.path, hit.line) != (file.path, span.start.line)
            ]
            if not uses:
                yield Hit(path=file.path, span=span, subject=code(node.name))

    def _definitions(self, change: Change) -> list[tuple[FileChange, Parsed, _Definition]]:
        if self._new is None:
            rows = (row for file in change.files for row in _new_definitions(file))
            self._new = [row for row, _ in zip(rows, range(MOST_NAMES), strict=False)]
        return self._new


def _new_definitions(file: FileChange) -> Iterator[tuple[FileChange, Parsed, _Definition]]:
    """The public definitions of a production module that only their names lead to."""
    path = file.path
    if file.head is None or language_of(path) != "python" or path.endswith("/__init__.py"):
        return
    if not is_imported(path) or not any(line.startswith(("def ", "async def ", "class ")) for line in file.added_lines):
        return
    parsed = parse_or_none(file.head)
    if parsed is None:
        return
    old = file.base.text if file.base is not None else ""
    for node in parsed.tree.body:
        if not isinstance(node, _Definition) or node.name.startswith("_") or _FOUND_BY_NAME.fullmatch(node.name):
            continue
        registered = node.decorator_list or (isinstance(node, ast.ClassDef) and (node.bases or node.keywords))
        is_new = parsed.name_span(node).start.line in file.added and not re.search(rf"\b{node.name}\b", old)
        if is_new and not registered:
            yield file, parsed, node


CHECKER: Final = NewSymbolUnused
