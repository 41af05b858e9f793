"""test-env-unrestored: a test changes ``os.environ`` for every test that runs after it.

Silent where the file restores it in a way that can be seen, in classes whose base may do so, and at module level, where
the change is for the whole file. What a fixture of a ``conftest.py`` restores for every test is not seen: the item's
text says so. Invariant: at most one hit a function, on the first change.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted
from roundzero.checkers._undoing import PREPARING, Restorations, has_unknown_base, is_run_first, with_monkeypatch
from roundzero.core.finding import Edit, Fix
from roundzero.core.text import Position

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Hit

_ENVIRON: Final = frozenset({"os.environ", "environ"})
_MUTATORS: Final = frozenset({"pop", "update", "setdefault", "clear", "popitem"})
_ADDS: Final = frozenset({"update", "setdefault", "putenv"})
_WORDS: Final = ("environ", "putenv", "unsetenv", "setenv", "delenv")


class TestEnvUnrestored(PythonChecker):
    """Finds changes of the environment that outlive the test."""

    name = "test-env-unrestored"
    nodes = (ast.Assign, ast.Delete, ast.Expr)

    def __init__(self) -> None:
        """Start with nothing reported."""
        self._reported: set[int] = set()
        self._restorations = Restorations()

    def concerns(self, ctx: CheckContext) -> bool:
        """Only tests that name the environment."""
        return ctx.is_test and "environ" in ctx.file.source.text

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one statement."""
        place = _changed(node)
        function = ctx.function
        if place is None or id(function) in self._reported or not is_run_first(ctx):
            return ()
        if (
            _is_clean_start(node, ctx)
            or has_unknown_base(ctx)
            or self._restorations.name(ctx, _WORDS)
            or _is_under_patch(ctx)
        ):
            return ()
        self._reported.add(id(function))
        return [ctx.hit(place, fixes=_fixes(node, ctx))]


def _changed(node: ast.AST) -> ast.expr | None:
    """The part of a statement that changes the environment."""
    targets: list[ast.expr] = []
    if isinstance(node, (ast.Assign, ast.Delete)):
        targets = node.targets
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        call = node.value.func
        if (call.attr in _MUTATORS and dotted(call.value) in _ENVIRON) or dotted(call) in {"os.putenv", "os.unsetenv"}:
            return node.value
    for target in targets:
        if isinstance(target, ast.Subscript) and dotted(target.value) in _ENVIRON:
            return target
    return None


def _is_clean_start(node: ast.AST, ctx: CheckContext) -> bool:
    """Whether a preparation only takes away what a test before may have left."""
    function = ctx.function
    if isinstance(node, ast.Assign) or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    call = node.value if isinstance(node, ast.Expr) else None
    adds = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _ADDS
    return not adds and function.name.startswith(PREPARING)


def _is_under_patch(ctx: CheckContext) -> bool:
    """Whether a decorator, a ``with`` or a fixture that the test asks for restores the environment."""
    for scope in ctx.scopes:
        if isinstance(scope, ast.Lambda):
            continue
        if any("environ" in ast.unparse(decorator) for decorator in scope.decorator_list):
            return True
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if any(isinstance(part, ast.With) and "env" in _items(part) for part in ast.walk(scope)):
                return True
            if any("env" in argument.arg for argument in scope.args.args):
                return True
    return "fork" in ctx.file.source.text or "subprocess_test" in ctx.file.source.text


def _items(node: ast.With) -> str:
    return " ".join(ast.unparse(item.context_expr) for item in node.items).lower()


def _fixes(node: ast.AST, ctx: CheckContext) -> tuple[Fix, ...]:
    """Ask pytest or ``patch.dict`` to restore the environment."""
    function = ctx.function
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
        key, value = ctx.file.text(node.targets[0].slice), ctx.file.text(node.value)
        if fixes := with_monkeypatch(ctx, node, "Use monkeypatch.setenv", f"monkeypatch.setenv({key}, {value})"):
            return fixes
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or not function.name.startswith("test"):
        return ()
    patch = _patch(ctx)
    if not patch or function.decorator_list:
        return ()
    start = ctx.file.start(function)
    index = ctx.file.source.index
    indent = index.line(start.line)[: start.column - 1]
    if indent.strip():
        return ()
    at = index.offset(Position(start.line, 1))
    edit = Edit(ctx.path, index.span(at, at), "", f'{indent}@{patch}.dict("os.environ")\n')
    return (Fix(f"Restore it with @{patch}.dict", safe=True, edits=(edit,)),)


def _patch(ctx: CheckContext) -> str:
    """What ``unittest.mock.patch`` is called in this file; "" where it is not imported."""
    for part in ctx.file.tree.body:
        if isinstance(part, ast.ImportFrom) and part.module in {"unittest", "unittest.mock", "mock"}:
            for name in part.names:
                if (part.module, name.name) == ("unittest", "mock"):
                    return f"{name.asname or name.name}.patch"
                if part.module != "unittest" and name.name == "patch":
                    return name.asname or name.name
    return ""


CHECKER: Final = TestEnvUnrestored
