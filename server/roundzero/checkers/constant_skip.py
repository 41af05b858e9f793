"""constant-skip: the condition that decides whether a test runs is a constant.

It is one by itself (``skipIf(True, ...)``, ``skipIf(old or True, ...)``), or a name that was computed and then
overwritten. A plain ``skip`` says honestly what it does and is left alone. Invariant: a computed name counts only where
the same block overwrites it, the module's or a function's.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted
from roundzero.core.text import Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.core.finding import Fix, Hit

_CONDITIONS: Final = ("skipif", "skipIf", "skipUnless")
_SKIPS: Final = frozenset({"pytest.skip", "self.skipTest", "unittest.SkipTest", "SkipTest", "skip"})


class ConstantSkip(PythonChecker):
    """Finds skip conditions that decide nothing."""

    name = "constant-skip"
    version = "2"
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.If)

    def __init__(self) -> None:
        """Start without conditions."""
        self._asked: set[str] = set()

    def concerns(self, ctx: CheckContext) -> bool:
        """Only tests that skip."""
        return ctx.is_test and "skip" in ctx.file.source.text.lower()

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at the conditions of a test, of a class, of a ``pytestmark``, or of an ``if`` that skips."""
        found = list(_overwritten_in(node, ctx)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
        for whole, test in _conditions(node):
            self._asked.update(part.id for part in ast.walk(test) if isinstance(part, ast.Name))
            if _is_constant(test):
                found.append(ctx.hit(test, ctx.file.text(whole)))
        return found

    def finish(self, ctx: CheckContext) -> Iterable[Hit]:
        """Look for conditions that the module overwrites."""
        computed: set[str] = set()
        for name, node in _assigned(ctx.file.tree):
            if not isinstance(node.value, ast.Constant):
                computed.add(name)
            elif name in computed and name in self._asked:
                yield ctx.hit(node, fixes=_removed(node, ctx))


def _is_constant(test: ast.expr) -> bool:
    """Whether a condition is a constant, or has one that decides it beside others."""
    if isinstance(test, ast.BoolOp):
        decides = isinstance(test.op, ast.Or)
        return any(isinstance(part, ast.Constant) and part.value is decides for part in test.values)
    return isinstance(test, ast.Constant) and not isinstance(test.value, str)


def _overwritten_in(function: ast.FunctionDef | ast.AsyncFunctionDef, ctx: CheckContext) -> Iterator[Hit]:
    """The constants that take the place of something computed right before an ``if`` of the same block asks to skip."""
    last: dict[str, ast.Assign] = {}
    computed: set[str] = set()
    for part in function.body:
        if isinstance(part, ast.Assign):
            for target in (each for each in part.targets if isinstance(each, ast.Name)):
                before = last.get(target.id)
                if isinstance(part.value, ast.Constant) and before and not isinstance(before.value, ast.Constant):
                    computed.add(target.id)
                else:
                    computed.discard(target.id)
                last[target.id] = part
            continue
        for test in (test for _, test in _conditions(part)) if isinstance(part, ast.If) else ():
            for name in ast.walk(test):
                if isinstance(name, ast.Name) and name.id in computed:
                    computed.discard(name.id)
                    yield ctx.hit(last[name.id], fixes=_removed(last[name.id], ctx))
        used = {name.id for name in ast.walk(part) if isinstance(name, ast.Name)}
        computed -= used
        for name_used in used & last.keys():
            del last[name_used]


def _removed(node: ast.Assign, ctx: CheckContext) -> tuple[Fix, ...]:
    """Take the overwriting line out, where nothing else stands on it."""
    index = ctx.file.source.index
    line, end = ctx.file.start(node).line, ctx.file.end(node).line
    first, after = index.offset(Position(line, 1)), index.offset(Position(end + 1, 1))
    if index.text[first:after].strip() != ctx.file.text(node):
        return ()
    return (ctx.replace("Let the condition decide again", "", index.span(first, after), safe=False),)


def _conditions(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The skip conditions that a statement states, each with the expression around it."""
    if isinstance(node, ast.If):
        if any(_skips(part) for part in node.body):
            yield node.test, node.test
        return
    calls: list[ast.expr] = []
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        calls = node.decorator_list
    elif isinstance(node, ast.Assign):
        calls = node.value.elts if isinstance(node.value, ast.List) else [node.value]
    for call in calls:
        if isinstance(call, ast.Call) and dotted(call.func).rpartition(".")[2] in _CONDITIONS and call.args:
            yield call, call.args[0]


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.Assign]]:
    """What is assigned at module level, outside of any block."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            yield from ((target.id, node) for target in node.targets if isinstance(target, ast.Name))


def _skips(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else node.exc if isinstance(node, ast.Raise) else None
    return isinstance(value, ast.Call) and dotted(value.func) in _SKIPS


CHECKER: Final = ConstantSkip
