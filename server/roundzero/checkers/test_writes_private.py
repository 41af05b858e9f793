"""test-writes-private: a test sets or empties private state of a class or module and leaves it so.

Private is what begins with one underscore; the owner is a class or module that the test imports, so that the state
outlives the test. Silent where something in the file puts it back, and for classes that the test file defines.
Invariant: at most one hit for each state in a function.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._undoing import Restorations, has_unknown_base, is_run_first, with_monkeypatch, writes
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Fix, Hit

_WRITERS: Final = frozenset({
    "", "[]", "pop", "update", "setdefault", "clear", "append", "extend", "add", "remove", "discard",
})  # fmt: skip
_PRIVATE: Final = regex(r"_(?!_)\w+")


class TestWritesPrivate(PythonChecker):
    """Finds writes to private state that outlive the test."""

    name = "test-writes-private"
    nodes = (ast.Assign, ast.AugAssign, ast.Delete, ast.Expr)

    def __init__(self) -> None:
        """Start with nothing reported and nothing known of the imports."""
        self._reported: set[tuple[int, str]] = set()
        self._restorations = Restorations()
        self._imported: frozenset[str] | None = None

    def concerns(self, ctx: CheckContext) -> bool:
        """Only in tests."""
        return ctx.is_test and "._" in ctx.file.source.text

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one statement."""
        function = ctx.function
        for place, state in _written(node):
            owner = state.rpartition(".")[0]
            if not is_run_first(ctx) or (id(function), state) in self._reported or not self._outlives(owner, ctx):
                continue
            if (
                has_unknown_base(ctx)
                or self._restorations.name(ctx, (state.rpartition(".")[2],))
                or _is_saved(ctx, state)
            ):
                continue
            self._reported.add((id(function), state))
            return [ctx.hit(place, state, fixes=_fixes(node, ctx))]
        return ()

    def _outlives(self, owner: str, ctx: CheckContext) -> bool:
        """Whether a name is imported at module level and means a class or a module, by how it is written."""
        if self._imported is None:
            self._imported = frozenset(_imported(ctx.file.tree))
        return owner.partition(".")[0] in self._imported


def _imported(tree: ast.Module) -> Iterable[str]:
    for part in ast.walk(tree):
        if isinstance(part, ast.ImportFrom):
            yield from (name.asname or name.name for name in part.names if name.name[:1].isupper() or not part.level)
        elif isinstance(part, ast.Import):
            yield from (name.asname or name.name.partition(".")[0] for name in part.names)


def _written(node: ast.AST) -> Iterable[tuple[ast.expr, str]]:
    """The private states that a statement writes, each with the part that does."""
    for place, state, method in writes(node):
        if method in _WRITERS and _is_private(state):
            yield place, state


def _is_private(state: str) -> bool:
    owner, _, name = state.rpartition(".")
    return bool(owner) and _PRIVATE.fullmatch(name) is not None and not owner.startswith(("self", "cls"))


def _is_saved(ctx: CheckContext, state: str) -> bool:
    """Whether the function keeps the old value in a name, or patches the state."""
    function = ctx.function
    if function is None:
        return False
    text = ctx.file.text(function)
    kept = re.search(rf"^[ \t]*[\w.]+[ \t]*=[ \t]*(?:\w+\()?{re.escape(state)}\b", text, re.MULTILINE)
    name = state.rpartition(".")[2]
    return kept is not None or re.search(rf"""(?:setattr|patch)[\w.]*\([^)]*["'.]{name}\b""", text) is not None


def _fixes(node: ast.AST, ctx: CheckContext) -> tuple[Fix, ...]:
    """Let pytest put it back."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Attribute):
        return ()
    target = node.targets[0]
    new = f'monkeypatch.setattr({ctx.file.text(target.value)}, "{target.attr}", {ctx.file.text(node.value)})'
    return with_monkeypatch(ctx, node, "Use monkeypatch.setattr", new)


CHECKER: Final = TestWritesPrivate
