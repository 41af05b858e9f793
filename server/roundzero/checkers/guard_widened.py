"""guard-widened: a function that says what is allowed newly admits a value that no test names.

Looks at ``x == a`` and ``x in (a, b)`` in functions named as such, and compares what ``x`` may be. A question for
whoever reads the change. Invariant: all that was admitted still is, and the new value stands on an added line.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import Parsed, definitions, parse, within
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.syntax import NotPythonError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._python import Function
    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository

_SAYS: Final = regex(r"(?:^|_)(?:can|check|supports?|is|allow(?:s|ed)?|valid(?:ate)?|accepts?|should|enabled?)(?:_|$)")
_DEFINES: Final = regex(r"def \w*(?:can|check|support|is_|allow|valid|accept|should|enable)")


class GuardWidened(ChangeChecker):
    """Finds guards that let more through."""

    name = "guard-widened"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._new: list[tuple[FileChange, Hit, str]] | None = None

    def words(self, change: Change) -> Collection[str]:
        """The new values, by their last name."""
        return {word for _, _, word in self._values(change)}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look for tests that name them."""
        for _, hit, word in self._values(change):
            if not any(is_test_path(each.path) for each in found.get(word, ())):
                yield hit

    def _values(self, change: Change) -> list[tuple[FileChange, Hit, str]]:
        if self._new is None:
            self._new = [(file, *row) for file in change.files if _may_widen(file) for row in _widened(file)]
        return self._new


def _may_widen(file: FileChange) -> bool:
    if file.base is None or file.head is None or language_of(file.path) != "python" or is_test_path(file.path):
        return False
    return bool(file.added) and _DEFINES.search(file.head.text) is not None


def _widened(file: FileChange) -> Iterator[tuple[Hit, str]]:
    assert file.base is not None  # noqa: S101  only files with both sides are asked about
    assert file.head is not None  # noqa: S101  as above
    try:
        before, after = definitions(parse(file.base).tree), parse(file.head)
    except NotPythonError:
        return
    for name, function in definitions(after.tree).items():
        if _SAYS.search(function.name) is None or name not in before:
            continue
        if not any(line in file.added for line in after.span(function).lines):
            continue
        old, new = _admitted(before[name]), _admitted(function)
        for subject, values in new.items():
            if not old.get(subject) or not old[subject].keys() <= values.keys():
                continue
            for text in values.keys() - old[subject].keys():
                word = re.sub(r"\W+", " ", text).split()[-1:]
                if word and after.start(values[text]).line in file.added:
                    yield _hit(file, after, values[text], f"{name}: {subject} = {text}"), word[0]


def _admitted(function: Function) -> Mapping[str, dict[str, ast.expr]]:
    """What each expression of a function is compared with."""
    found: dict[str, dict[str, ast.expr]] = defaultdict(dict)
    for part in within(function):
        if isinstance(part, ast.Compare) and len(part.ops) == 1:
            subject, other = ast.unparse(part.left), part.comparators[0]
            if isinstance(part.ops[0], (ast.Eq, ast.Is)):
                found[subject][ast.unparse(other)] = other
            elif isinstance(part.ops[0], ast.In) and isinstance(other, (ast.Tuple, ast.List, ast.Set)):
                found[subject] |= {ast.unparse(value): value for value in other.elts}
    return found


def _hit(file: FileChange, parsed: Parsed, node: ast.expr, subject: str) -> Hit:
    return Hit(path=file.path, span=parsed.span(node), subject=code(subject))


CHECKER: Final = GuardWidened
