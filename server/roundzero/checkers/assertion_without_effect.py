"""assertion-without-effect: a test reads as if it compared, and compares nothing.

``assertTrue(a, b)`` takes ``b`` for its message: reported for values that nobody gives as one, numbers, ``None``, and
lists, tuples, dicts and sets of what is written out. A comparison that stands alone is thrown away: silent where an
exception or a warning is expected of it, something measured, or a comment says why. Invariant: only calls and
statements of tests.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._paths import is_test_module
from roundzero.checkers._python import is_test_function, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit

_ONE_VALUE: Final = frozenset({"assertTrue", "assertFalse"})
_TWO: Final = 2
_EXPECTING: Final = regex(
    r"raise|warn|suppress|deprecat|logs|fail|error|exception|expect|assert|bench|time|profil|measur|count|captur",
    re.IGNORECASE,
)
"""What a block is called that is entered for what happens in it."""
_SAYS_WHY: Final = regex(r"#.*(?:noqa|pylint|lint|rais|throw|error|crash|fail|evaluat|trigger|call|effect|must not)")


class AssertionWithoutEffect(PythonChecker):
    """Finds comparisons that are not made, or thrown away."""

    name = "assertion-without-effect"
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef)

    def concerns(self, ctx: CheckContext) -> bool:
        """Only modules of tests: what lies beside them may be written to be looked at."""
        return ctx.is_test and is_test_module(ctx.path)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one test."""
        if not is_test_function(node):
            return
        for part in within(node):
            if isinstance(part, ast.Call) and _is_of_two(part):
                yield ctx.hit(part)
        index = ctx.file.source.index
        for statement in _alone(node):
            if _SAYS_WHY.search(index.line(ctx.file.span(statement).end.line)) is None:
                yield ctx.hit(statement)


def _is_of_two(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _ONE_VALUE or call.keywords:
        return False
    return len(call.args) == _TWO and _is_value(call.args[1])


def _is_value(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_value(node.operand)
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, str)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(isinstance(part, ast.Constant) or _is_value(part) for part in node.elts)
    if isinstance(node, ast.Dict):
        return all(isinstance(part, ast.Constant) or (part is not None and _is_value(part)) for part in node.values)
    return False


def _alone(test: Function) -> Iterator[ast.Compare]:
    """The comparisons that are statements, but for those from which something is expected to rise."""
    stack: list[ast.stmt] = list(reversed(test.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare):
            yield node.value
        elif isinstance(node, (ast.If, ast.For, ast.AsyncFor, ast.While)):
            stack += [*reversed(node.orelse), *reversed(node.body)]
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            about = " ".join(ast.unparse(item.context_expr) for item in node.items)
            if _EXPECTING.search(about) is None:
                stack += reversed(node.body)


CHECKER: Final = AssertionWithoutEffect
