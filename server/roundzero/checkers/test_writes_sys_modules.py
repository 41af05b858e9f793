"""test-writes-sys-modules: a test replaces or deletes a module for every test that runs after it.

Silent where the write is undone: under ``patch.dict(sys.modules)``, through ``monkeypatch``, in a ``try`` whose
``finally`` touches sys.modules, or in a function or class that restores it; and where a module is loaded from a path in
the way that importlib's documentation shows, which registers it. Invariant: only writes are reported.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted
from roundzero.checkers._undoing import with_monkeypatch, with_patch_dict, writes_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.checkers._python import Scope
    from roundzero.core.finding import Fix, Hit

_CLEANERS: Final = (
    "tearDown", "teardown", "cleanup", "restore", "addCleanup", "CleanImport", "finalizer", "modules_", "patch.dict",
    "DirsOnSysPath", "fresh_module", "save", "unload", "forget", "uncache", "import_state", "swap_item",
)  # fmt: skip
"""Words of what puts modules back: unittest's, pytest's and CPython's own ways among them."""


class TestWritesSysModules(PythonChecker):
    """Finds writes to ``sys.modules`` that outlive the test."""

    name = "test-writes-sys-modules"
    version = "3"
    nodes = (ast.ImportFrom, ast.Assign, ast.Delete, ast.Expr)

    def __init__(self) -> None:
        """Start with nothing reported."""
        self._reported: set[int] = set()
        self._names = {"sys.modules"}

    def concerns(self, ctx: CheckContext) -> bool:
        """Only in tests."""
        return ctx.is_test and "modules" in ctx.file.source.text

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one statement."""
        if isinstance(node, ast.ImportFrom):
            if node.module == "sys":
                self._names.update(name.asname or name.name for name in node.names if name.name == "modules")
            return ()
        place = next(writes_to(node, self._names), None)
        if place is None or (isinstance(place, ast.Subscript) and dotted(place.slice) == "__name__"):
            return ()
        function = ctx.function
        if id(function) in self._reported or _is_loading(node, ctx) or _is_undone(node, ctx):
            return ()
        if not isinstance(node, ast.Assign) and not _is_run_by_tests(function):
            return ()
        if function is not None:
            self._reported.add(id(function))
        fixes: tuple[Fix, ...] = ()
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            fixes = _with_monkeypatch(node, ctx)
        return [ctx.hit(place, fixes=fixes or with_patch_dict(ctx, "sys.modules"))]


def _is_loading(node: ast.AST, ctx: CheckContext) -> bool:
    """Whether what is written is a module that the same function made from a file and runs."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Name) or ctx.function is None:
        return False
    text = ctx.file.text(ctx.function)
    made = rf"\b{re.escape(node.value.id)}[ \t]*=[ \t]*[\w.]*module_from_spec\("
    return "exec_module(" in text and re.search(made, text) is not None


def _is_run_by_tests(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None) -> bool:
    """Whether a removal happens in a test or its preparation: elsewhere it is mostly a clean-up."""
    if function is None or isinstance(function, ast.Lambda):
        return False
    return function.name.startswith(("test", "setUp", "setup")) or bool(function.decorator_list)


def _is_undone(node: ast.AST, ctx: CheckContext) -> bool:
    """Whether something around the write, or beside it in its class, puts things back."""
    outermost: Scope | None = next(iter(ctx.scopes), None)
    if outermost is None:
        return False
    around = "\n".join([ctx.file.text(outermost), *_decorators(ctx)])
    if any(word in around for word in _CLEANERS):
        return True
    return any(
        isinstance(part, ast.Try) and any("sys.modules" in ctx.file.text(last) for last in part.finalbody)
        for scope in ctx.scopes
        for part in ast.walk(scope)
        if part is not node
    ) or _restored_after_yield(ctx)


def _decorators(ctx: CheckContext) -> Iterator[str]:
    """The texts of the decorators around the visited node."""
    for scope in ctx.scopes:
        if not isinstance(scope, ast.Lambda):
            yield from map(ctx.file.text, scope.decorator_list)


def _restored_after_yield(ctx: CheckContext) -> bool:
    """Whether a function around is a fixture that touches sys.modules after its yield, or removes and then writes."""
    text = ""
    for scope in ctx.scopes:
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ctx.file.text(scope)
            before, yields, after = text.partition("yield")
            if yields and "sys.modules" in after:
                return "sys.modules" in before
    return text.count("sys.modules") > 1 and ("sys.modules.get(" in text or "sys.modules.copy(" in text)


def _with_monkeypatch(node: ast.Assign, ctx: CheckContext) -> tuple[Fix, ...]:
    """Write through pytest's ``monkeypatch``."""
    target = node.targets[0]
    if not isinstance(target, ast.Subscript):
        return ()
    written = map(ctx.file.text, (target.value, target.slice, node.value))
    new = f"monkeypatch.setitem({', '.join(written)})"
    return with_monkeypatch(ctx, node, "Use monkeypatch.setitem", new)


CHECKER: Final = TestWritesSysModules
