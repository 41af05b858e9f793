"""What the ``conftest.py`` files above a test put back after it.

Looks at their fixtures and hooks by their texts; what those call elsewhere is not followed. Invariant: a fixture that
is not ``autouse`` counts only for tests that ask for it, by themselves or through another fixture of these files.
"""

from __future__ import annotations

import ast
import posixpath
from typing import TYPE_CHECKING, Final

from roundzero.checkers._paths import folders_above
from roundzero.checkers._python import dotted, parse_or_none
from roundzero.checkers._undoing import UNDOING, is_fixture
from roundzero.core.change import Side
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from roundzero.checkers._python import Parsed
    from roundzero.core.ports import Repository

_HOOKS: Final = ("pytest_runtest_", "pytest_fixture_post_finalizer")
_ONE_NAME: Final = ("setenv", "delenv", "setitem", "delitem")
"""What puts back one name of many."""


class Conftests:
    """The conftest files of one test file, read when asked and once."""

    def __init__(self, repository: Repository, path: RelPath, words: tuple[str, ...]) -> None:
        """Read nothing yet. ``words`` are names of what is to be restored."""
        self._repository = repository
        self._path = path
        self._words = words
        self._known: tuple[bool, dict[str, frozenset[str]], frozenset[str]] | None = None

    def restore(self, asked: Collection[str]) -> bool:
        """Whether they restore it for a test that asks for these fixtures."""
        if self._known is None:
            self._known = self._read()
        always, asks, restoring = self._known
        waiting, met = list(asked), set(asked)
        while waiting and not always:
            name = waiting.pop()
            if name in restoring:
                return True
            more = asks.get(name, frozenset()) - met
            met |= more
            waiting += more
        return always

    def _read(self) -> tuple[bool, dict[str, frozenset[str]], frozenset[str]]:
        asks: dict[str, frozenset[str]] = {}
        restoring: set[str] = set()
        used: set[str] = set()
        always = False
        for file in self._files():
            for node in ast.walk(file.tree):
                if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    continue
                text = file.text(node)
                if node.name.startswith(_HOOKS):
                    always = always or any(word in text for word in self._words)
                elif is_fixture(node):
                    names = {node.name, *_given_names(node)}
                    asks.update(dict.fromkeys(names, frozenset(argument.arg for argument in node.args.args)))
                    restoring |= names if self._restores(node, text) else set()
                    used |= names if _is_autouse(node) else set()
        self._known = (False, asks, frozenset(restoring))
        return always or self.restore(used), asks, frozenset(restoring)

    def _restores(self, node: ast.FunctionDef | ast.AsyncFunctionDef, text: str) -> bool:
        """Whether a fixture puts back what the words name: after a yield, by a patch, or by what it registers."""
        after = text.partition("yield")[2]
        if any(word in after for word in self._words):
            return True
        for part in ast.walk(node):
            named = dotted(part.func).lower() if isinstance(part, ast.Call) else ""
            is_undone = any(word in named for word in (*UNDOING, "patch", "preserve", "callback"))
            if is_undone and not named.endswith(_ONE_NAME) and any(word in ast.unparse(part) for word in self._words):
                return True
        return False

    def _files(self) -> Iterator[Parsed]:
        paths = self._repository.paths(Side.HEAD)
        for folder in folders_above(self._path):
            path = RelPath(posixpath.join(folder, "conftest.py"))
            source = self._repository.read(path, Side.HEAD) if path in paths and path != self._path else None
            if source is not None and any(word in source.text for word in self._words):
                parsed = parse_or_none(source)  # what does not parse restores nothing
                if parsed is not None:
                    yield parsed


def _decorations(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.keyword]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call):
            yield from decorator.keywords


def _is_autouse(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(each.arg == "autouse" and getattr(each.value, "value", False) for each in _decorations(node))


def _given_names(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for each in _decorations(node):
        if each.arg == "name" and isinstance(each.value, ast.Constant) and isinstance(each.value.value, str):
            yield each.value.value
