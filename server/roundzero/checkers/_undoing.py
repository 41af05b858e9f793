"""What a test changes for the whole process, how it puts it back, and the fix that lets pytest do it.

Looks at texts inside one file: what a base class or a ``conftest.py`` restores cannot be seen here. Invariant: nothing
is reported by this module; it only answers.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from roundzero.checkers._paths import is_test_module
from roundzero.checkers._python import definitions, dotted, is_test_function
from roundzero.core.finding import Edit, Fix
from roundzero.core.text import Position

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from roundzero.checkers._base import CheckContext

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

UNDOING: Final = ("teardown", "cleanup", "restore", "reset", "finalizer", "unset", "revert")
"""Words, in small letters, of names of what puts things back."""

_REGISTERING: Final = (*UNDOING, "callback", "patch", "preserve", "temp")

PREPARING: Final = ("setUp", "setup")
"""How functions begin that run before a test."""

_TEST_CASES: Final = frozenset({"TestCase", "unittest.TestCase", "object", "IsolatedAsyncioTestCase",
                                "unittest.IsolatedAsyncioTestCase"})  # fmt: skip

_ITEM: Final = "[]"
_OF_MAPPINGS: Final = frozenset({_ITEM, "pop", "update", "setdefault", "clear", "popitem"})


class Write(NamedTuple):
    """A part of a statement that may change what goes by a dotted name: by a method, ``[]`` for an item, or ""."""

    place: ast.expr
    name: str
    method: str


def writes(node: ast.AST) -> Iterator[Write]:
    """The parts of a statement that assign, delete, or call a method and drop what it returns."""
    targets: list[ast.expr] = []
    if isinstance(node, (ast.Assign, ast.Delete)):
        targets = node.targets
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        yield Write(node.value, dotted(node.value.func.value), node.value.func.attr)
    for target in targets:
        if isinstance(target, ast.Subscript):
            yield Write(target, dotted(target.value), _ITEM)
        else:
            yield Write(target, dotted(target), "")


def writes_to(node: ast.AST, names: Collection[str]) -> Iterator[ast.expr]:
    """The parts of a statement that change a mapping which goes by one of these dotted names."""
    return (each.place for each in writes(node) if each.name in names and each.method in _OF_MAPPINGS)


def is_run_first(ctx: CheckContext) -> bool:
    """Whether the visited node is in a test, its preparation or a fixture: what it changes meets other tests."""
    function = ctx.function
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    if not is_test_module(ctx.path) and not ctx.path.endswith("conftest.py"):
        return False
    return function.name.startswith(("test", *PREPARING)) or is_fixture(function)


def is_fixture(function: _Function) -> bool:
    """Whether pytest calls a function for tests that ask for it."""
    return any("fixture" in ast.unparse(decorator) for decorator in function.decorator_list)


def has_unknown_base(ctx: CheckContext) -> bool:
    """Whether a class around the visited node has a base that may restore things."""
    return any(
        isinstance(scope, ast.ClassDef) and any(dotted(base) not in _TEST_CASES for base in scope.bases)
        for scope in ctx.scopes
    )


class Restorations:
    """What the functions and classes of one file restore; each is read once, when something inside of it asks."""

    __slots__ = ("_inside", "_whole")

    def __init__(self) -> None:
        """Know nothing yet."""
        self._inside: dict[int, str] = {}
        self._whole: str | None = None

    def name(self, ctx: CheckContext, words: tuple[str, ...]) -> bool:
        """Whether something around the visited node restores what one of ``words`` names.

        It may be a ``finally``, what stands behind a ``yield``, a function whose name says so, in the class or at
        module level, or a call that registers one.
        """
        if self._whole is None:
            self._whole = "\n".join(
                text for function in definitions(ctx.file.tree).values() for text in _by_its_name(ctx, function)
            )
        outermost = ctx.scopes[0] if ctx.scopes else None
        if outermost is not None and id(outermost) not in self._inside:
            self._inside[id(outermost)] = "\n".join(_inside(ctx, outermost))
        inside = self._inside.get(id(outermost), "")
        return any(word in inside or word in self._whole for word in words)


def _by_its_name(ctx: CheckContext, function: _Function) -> Iterator[str]:
    """What a function restores because it is called so, or is a fixture that goes on after the test."""
    if any(word in function.name.lower() for word in UNDOING) and not function.name.startswith("test"):
        yield ctx.file.text(function)
    elif is_fixture(function):
        yield ctx.file.text(function).partition("yield")[2]


def _inside(ctx: CheckContext, scope: ast.AST) -> Iterator[str]:
    """The stretches of a scope that restore something, whatever function they stand in."""
    for part in ast.walk(scope):
        if isinstance(part, ast.Try):
            yield from (ctx.file.text(last) for last in part.finalbody)
        elif isinstance(part, ast.Call) and any(word in dotted(part.func).lower() for word in _REGISTERING):
            yield ctx.file.text(part)
        elif isinstance(part, (ast.Yield, ast.YieldFrom)) and ctx.function is not None:
            yield ctx.file.text(ctx.function).partition("yield")[2]


def with_monkeypatch(ctx: CheckContext, statement: ast.stmt, title: str, new: str) -> tuple[Fix, ...]:
    """Replace a statement by a call of pytest's ``monkeypatch``, which a plain test function may have to ask for."""
    function = ctx.function
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return ()
    fix = ctx.replace(title, new, ctx.file.span(statement), safe=True)
    if any(argument.arg == "monkeypatch" for argument in function.args.args):
        return (fix,)
    index = ctx.file.source.index
    after_name = index.offset(ctx.file.name_span(function).end)
    is_plain = len(ctx.scopes) == 1 and is_test_function(function) and not function.decorator_list
    if not is_plain or index.text[after_name : after_name + 1] != "(":
        return ()
    rest = index.text[after_name + 1 : after_name + 2]
    asked = Edit(
        ctx.path, index.span(after_name + 1, after_name + 1), "", "monkeypatch" + ("" if rest == ")" else ", ")
    )
    is_called = len(re.findall(rf"\b{re.escape(function.name)}\b", index.text)) > 1
    return (Fix(fix.title, safe=not is_called, edits=(asked, *fix.edits)),)


def with_patch_dict(ctx: CheckContext, target: str) -> tuple[Fix, ...]:
    """Decorate the test around the visited node with ``patch.dict`` of a mapping by name, and import it if need be."""
    function = ctx.function
    if not is_test_function(function) or function.decorator_list:
        return ()
    index = ctx.file.source.index
    start = ctx.file.start(function)
    indent = index.line(start.line)[: start.column - 1]
    patch, importing = _patch(ctx)
    if not patch or indent.strip():
        return ()
    at = index.offset(Position(start.line, 1))
    title = f"Restore it with @{patch}.dict"
    fix = ctx.replace(title, f'{indent}@{patch}.dict("{target}")\n', index.span(at, at), safe=True)
    return (Fix(title, safe=True, edits=(*importing, *fix.edits)),)


def _patch(ctx: CheckContext) -> tuple[str, tuple[Edit, ...]]:
    """What ``unittest.mock.patch`` is called in this file, and the import where it has to be made; "" where it cannot.

    An import can be made behind ``import unittest`` where nothing is called ``mock``.
    """
    body = ctx.file.tree.body
    known = next((name for part in body if (name := _patch_of(part))), "")
    unittest = next((part for part in body if isinstance(part, ast.Import) and _is_plain_unittest(part)), None)
    index = ctx.file.source.index
    if known or unittest is None or re.search(r"\bmock\b", index.text) is not None:
        return known, ()
    after = Position(ctx.file.end(unittest).line + 1, 1)
    if index.text[index.offset(ctx.file.start(unittest)) : index.offset(after)].strip() != ctx.file.text(unittest):
        return "", ()
    at = index.offset(after)
    return "mock.patch", ctx.replace("", "from unittest import mock\n", index.span(at, at), safe=True).edits


def _is_plain_unittest(node: ast.Import) -> bool:
    return any(name.name == "unittest" and name.asname is None for name in node.names)


def _patch_of(node: ast.stmt) -> str:
    """How an import lets ``patch`` be reached; "" for every other statement."""
    for name in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
        known = name.asname or name.name
        whole = f"{node.module}.{name.name}" if isinstance(node, ast.ImportFrom) else name.name
        if whole in {"unittest.mock.patch", "mock.patch"}:
            return known
        if whole in {"unittest.mock", "mock", "mock.mock"}:
            return f"{known}.patch"
    return ""
