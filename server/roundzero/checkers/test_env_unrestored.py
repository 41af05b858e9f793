"""test-env-unrestored: a test changes ``os.environ`` for every test that runs after it.

Silent where the file or a ``conftest.py`` above it restores it in a way that can be seen, in classes whose base may do
so, at module level, where the change is for the whole file, for variables that are made for tests, and for those that
each group of processes is told anew. Looks at the whole change because other files are read. Invariant: at most one hit
a function and a variable, on the first change, and none that the base has in the same words.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, CheckContext
from roundzero.checkers._conftests import Conftests
from roundzero.checkers._python import dotted, parse, walk
from roundzero.checkers._undoing import (
    PREPARING,
    Restorations,
    has_unknown_base,
    is_run_first,
    with_monkeypatch,
    with_patch_dict,
    writes_to,
)
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.syntax import NotPythonError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.change import Change, Source
    from roundzero.core.finding import Fix, Hit
    from roundzero.core.ports import GrepHit, Repository

_ENVIRON: Final = frozenset({"os.environ", "environ"})
_ADDS: Final = frozenset({"update", "setdefault", "putenv"})
_NOBODY_ELSES: Final = regex(
    r"""[\"'](?:(?:\w*_)?TEST_\w+|MASTER_ADDR|MASTER_PORT|(?:LOCAL_|NODE_|GROUP_)?RANK|(?:LOCAL_)?WORLD_SIZE)[\"']"""
)
"""A variable that only a test knows, or that whoever starts a group of processes sets for each of them."""
_WORDS: Final = ("environ", "putenv", "unsetenv", "setenv", "delenv")


class TestEnvUnrestored(ChangeChecker):
    """Finds changes of the environment that outlive the test."""

    name = "test-env-unrestored"
    version = "3"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at the changed tests that name the environment, and at what is set up around those that change it."""
        for file in change.files:
            if file.head is None or language_of(file.path) != "python" or "environ" not in file.head.text:
                continue
            if not any("env" in line for line in file.added_lines):
                continue
            seen = [(hit, asked) for hit, asked in _seen(file.head) if hit.span and hit.span.start.line in file.added]
            if not seen:
                continue
            before = Counter(hit.subject for hit, _ in _seen(file.base)) if file.base is not None else Counter[str]()
            conftests = Conftests(repository, file.path, _WORDS)
            told: set[str] = set()
            for hit, asked in seen:
                if before[hit.subject]:
                    before[hit.subject] -= 1
                elif hit.subject not in told and not conftests.restore(asked):
                    told.add(hit.subject)
                    yield hit


def _seen(source: Source) -> list[tuple[Hit, frozenset[str]]]:
    """The changes that one version of a file does not restore, each with the fixtures that its test may ask for."""
    try:
        ctx = CheckContext(parse(source))
    except NotPythonError:
        return []  # said by the item about syntax
    if not ctx.is_test:
        return []
    look = _Look(ctx)
    walk(ctx.file.tree, dict.fromkeys((ast.Assign, ast.Delete, ast.Expr), (look.visit,)), ctx.scopes, lambda: False)
    return look.seen


class _Look:
    """One walk over a version of a file."""

    def __init__(self, ctx: CheckContext) -> None:
        self.seen: list[tuple[Hit, frozenset[str]]] = []
        self._ctx = ctx
        self._reported: set[int] = set()
        self._restorations = Restorations()

    def visit(self, node: ast.AST) -> None:
        """Look at one statement."""
        ctx = self._ctx
        place = _changed(node)
        function = ctx.function
        if place is None or id(function) in self._reported or not is_run_first(ctx):
            return
        if _NOBODY_ELSES.search(ctx.file.text(place)) is not None:
            return
        if (
            _is_clean_start(node, ctx)
            or has_unknown_base(ctx)
            or self._restorations.name(ctx, _WORDS)
            or _is_under_patch(ctx)
        ):
            return
        self._reported.add(id(function))
        self.seen.append((ctx.hit(place, fixes=_fixes(node, ctx)), _asked(ctx)))


def _asked(ctx: CheckContext) -> frozenset[str]:
    """The fixtures that the code around the visited node may ask for: by arguments, and by ``usefixtures``."""
    names = {part.value for part in _marks(ctx) if isinstance(part, ast.Constant) and isinstance(part.value, str)}
    for scope in ctx.scopes:
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names |= {argument.arg for argument in (*scope.args.args, *scope.args.kwonlyargs)}
    return frozenset(names)


def _marks(ctx: CheckContext) -> Iterable[ast.AST]:
    for scope in ctx.scopes:
        for decorator in [] if isinstance(scope, ast.Lambda) else scope.decorator_list:
            if "usefixtures" in ast.unparse(decorator):
                yield from ast.walk(decorator)
    for statement in ctx.file.tree.body:
        if isinstance(statement, ast.Assign) and "pytestmark" in map(dotted, statement.targets):
            yield from ast.walk(statement.value)


def _changed(node: ast.AST) -> ast.expr | None:
    """The part of a statement that changes the environment."""
    call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    if call is not None and dotted(call.func) in {"os.putenv", "os.unsetenv"}:
        return call
    return next(writes_to(node, _ENVIRON), None)


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
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
        key, value = ctx.file.text(node.targets[0].slice), ctx.file.text(node.value)
        if fixes := with_monkeypatch(ctx, node, "Use monkeypatch.setenv", f"monkeypatch.setenv({key}, {value})"):
            return fixes
    return with_patch_dict(ctx, "os.environ")


CHECKER: Final = TestEnvUnrestored
