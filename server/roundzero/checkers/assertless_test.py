"""assertless-test: a test that computes something and checks nothing.

Whatever might check counts as a check: an assert, a raise, a call whose name says so, a helper of this file that does,
a call of a fixture, an inherited helper, a decorator that is not known to be harmless. A test that only calls is a
smoke test, and left alone, as is one that says that running through is the point. Invariant: when unsure, silent.
"""

from __future__ import annotations

import ast
import re
from dataclasses import field
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._paths import is_test_module
from roundzero.checkers._python import dotted, last_name
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit

_ASSERTIVE: Final = regex(
    r"assert|check|verify|validate|expect|ensure|match|equal|compare|raises?\b|"
    r"(?:^|_)(?:must|should|fail|warns|is|skip|xfail|approx|reveal|fuzz|snapshot|regression|benchmark|compat|do|test|run)(?:_|$)|"
    r"^(?:ok|eq|ne|deprecated_call|testmod|runTest|fail|test\w*)$|_test$",
    re.IGNORECASE,
)
"""Names that may check, those of unittest, pytest, nose, hypothesis, doctest and common helpers among them."""

_SMOKE: Final = regex(
    r"smoke|raise|doesnt|does_?not|crash|error|without_|works|runs|import|can_|compile|no_?op|fail|exception|segfault|"
    r"regress|bug|issue|gh_?\d|leak|recursion|overflow|thread|deadlock|hang|close|shutdown|repr|stress|silent|ignored|"
    r"allowed|accept|valid|ok$",
    re.IGNORECASE,
)
"""Names of tests for which running through is the point."""

_SMOKE_REMARK: Final = regex(
    r"(?:not|n't|no|without|never)\W+(?:\w+\W+){0,3}(?:rais|crash|fail|error|exception|hang|leak|segfault|block)|smoke|"
    r"make sure|\b(?:just|should|must)\b|verif|check|ensure|issue|bug|used to|regression|exercis|crash",
    re.IGNORECASE,
)
_HARMLESS_DECORATORS: Final = regex(
    r"(?:^|\.)(?:parametrize|skip|skipif|skipIf|skipUnless|usefixtures|asyncio|anyio|slow|patch|patch\.object|"
    r"patch\.dict|integration|unit|django_db|timeout|staticmethod|classmethod)$"
)
_KNOWN_BASES: Final = frozenset(
    {"TestCase", "IsolatedAsyncioTestCase", "object", "SimpleTestCase", "TransactionTestCase"}
)
_MAKERS: Final = frozenset(
    {"open", "list", "dict", "set", "object", "bytes", "bytearray", "range", "iter", "socket", "connect", "cursor",
     "array", "getfixturevalue", "mock", "makedir", "mkdtemp", "mkstemp"}
)  # fmt: skip
"""Functions that make something to work with rather than a result."""


@dataclass(slots=True)
class SeenFunction:
    """What one outermost function or method does: whether it checks, and whom it calls."""

    node: Function
    owner: ast.ClassDef | None
    checks: bool = False
    calls: set[str] = field(default_factory=set)

    @property
    def qualified(self) -> str:
        """Its name after its class's."""
        return f"{self.owner.name}.{self.node.name}" if self.owner is not None else self.node.name


class AssertlessTest(PythonChecker):
    """Finds tests without any check."""

    name = "assertless-test"
    version = "2"
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Assert, ast.Raise, ast.Call)

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._seen: dict[int, SeenFunction] = {}
        self._by_name: dict[str, list[SeenFunction]] = {}

    def concerns(self, ctx: CheckContext) -> bool:
        """Only in files whose tests are collected."""
        return is_test_module(ctx.path)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Note a definition, a check or a call."""
        outer = next((scope for scope in ctx.scopes if not isinstance(scope, ast.ClassDef)), None)
        if outer is None:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                owner = ctx.scopes[-1] if ctx.scopes else None
                seen = SeenFunction(node, owner if isinstance(owner, ast.ClassDef) else None)
                self._seen[id(node)] = seen
                self._by_name.setdefault(node.name, []).append(seen)
            return ()
        around = self._seen.get(id(outer))
        if around is not None and not around.checks:
            if isinstance(node, ast.Call):
                _note_call(node, around)
            elif isinstance(node, (ast.Assert, ast.Raise)):
                around.checks = True
        return ()

    def finish(self, ctx: CheckContext) -> Iterable[Hit]:
        """Follow the helpers, then judge the tests."""
        for seen in self.unchecked():
            if not _is_smoke(seen, ctx):
                yield ctx.hit_at(ctx.file.name_span(seen.node), seen.node.name)

    def tests(self) -> Iterator[SeenFunction]:
        """The functions seen that are tests by name."""
        return (seen for seen in self._seen.values() if seen.node.name.startswith("test"))

    def unchecked(self) -> Iterator[SeenFunction]:
        """The collected tests in which nothing checks, smoke tests among them."""
        if not self._seen:
            return
        checking = self._checking()
        for seen in self.tests():
            if seen.checks or seen.calls & checking:
                continue
            if any(argument.arg in checking for argument in seen.node.args.args):
                continue
            if _is_collected(seen):
                yield seen

    def _checking(self) -> frozenset[str]:
        """Names of what checks: functions of this file, themselves or through others, and inherited methods."""
        checking = {name for name, all_seen in self._by_name.items() if any(seen.checks for seen in all_seen)}
        for all_seen in self._by_name.values():
            for seen in all_seen:
                if _has_unknown_base(seen.owner):
                    checking |= {
                        name for name in seen.calls if name.startswith("self.") and name[5:] not in self._by_name
                    }
        grown = True
        while grown:
            more = {
                name
                for name, all_seen in self._by_name.items()
                if name not in checking and any(_reaches(seen, checking) for seen in all_seen)
            }
            grown = bool(more)
            checking |= more
        return frozenset(checking | {f"self.{name}" for name in checking})


def _reaches(seen: SeenFunction, checking: set[str]) -> bool:
    return any(name in checking or name.removeprefix("self.") in checking for name in seen.calls)


def _note_call(call: ast.Call, seen: SeenFunction) -> None:
    """Note whom a function calls: plain names, and its own methods as ``self.name``."""
    function = call.func
    name = last_name(function)
    if not name or _ASSERTIVE.search(name) is not None:
        seen.checks = True
    elif isinstance(function, ast.Name):
        seen.checks = any(argument.arg == name for argument in seen.node.args.args)
        seen.calls.add(name)
    elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        owner = seen.owner.name if seen.owner is not None else ""
        if function.value.id in {"self", "cls", owner}:
            seen.calls.add(f"self.{name}")


def _is_collected(seen: SeenFunction) -> bool:
    """Whether the runner calls it, its decorators do not check, and it is no stub that a base class explains."""
    if any(_HARMLESS_DECORATORS.search(_decorator(item)) is None for item in seen.node.decorator_list):
        return False
    return seen.owner is None or not (_has_unknown_base(seen.owner) or seen.owner.decorator_list)


def _decorator(node: ast.expr) -> str:
    return dotted(node.func if isinstance(node, ast.Call) else node)


def _has_unknown_base(owner: ast.ClassDef | None) -> bool:
    return owner is not None and any(dotted(base).rsplit(".", 1)[-1] not in _KNOWN_BASES for base in owner.bases)


def says_smoke(remark: str) -> bool:
    """Whether a remark says that running through is the point."""
    return _SMOKE_REMARK.search(remark) is not None


def _is_smoke(seen: SeenFunction, ctx: CheckContext) -> bool:
    """Whether the test says that running through is the point, or computes nothing anyone could look at."""
    node = seen.node
    if _SMOKE.search(node.name) is not None:
        return True
    remarks = [line.partition("#")[2] for line in ctx.file.text(node).split("\n") if "#" in line]
    remarks.append(ast.get_docstring(node, clean=False) or "")
    if any(map(says_smoke, remarks)):
        return True
    if any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Return)) for part in ast.walk(node)):
        return True
    used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    return not any(_computes(part, used) for part in ast.walk(node) if isinstance(part, ast.stmt))


def _computes(statement: ast.stmt, used: set[str]) -> bool:
    """Whether a statement makes a result nobody looks at: kept and not used, compared or printed."""
    if isinstance(statement, ast.Assign):
        kept = [target.id for target in statement.targets if isinstance(target, ast.Name)]
        return _is_result(statement.value) and any(name not in used and not name.startswith("_") for name in kept)
    if isinstance(statement, ast.Expr):
        value = statement.value
        return isinstance(value, (ast.Compare, ast.BoolOp)) or (
            isinstance(value, ast.Call) and dotted(value.func) == "print"
        )
    return False


def _is_result(value: ast.expr | None) -> bool:
    """Whether a value comes from the code under test rather than being an object to work with."""
    while isinstance(value, (ast.Await, ast.Subscript)):
        value = value.value
    if isinstance(value, ast.Call):
        last = last_name(value.func)
        return last[:1].islower() and last not in _MAKERS
    return isinstance(value, (ast.BinOp, ast.Compare, ast.Attribute))


CHECKER: Final = AssertlessTest
