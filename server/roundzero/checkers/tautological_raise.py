"""tautological-raise: a test expects SystemExit or Exception and nothing else, so any failure at all satisfies it.

Whatever is misspelt in the tested call, a missing argument or an import error, raises one of these too. Silent where
anything more is asked: a message, what was caught, or an assertion afterwards; and where the test makes the error
itself. Invariant: one hit for each expectation, on its call.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._known_errors import more_asked
from roundzero.checkers._python import dotted, is_test_function, last_name, within

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit

_BLIND: Final = frozenset({"SystemExit", "Exception", "BaseException"})
_EXPECTING: Final = frozenset({"raises", "assertRaises"})
_ASSERTING: Final = ("assert", "expect", "verify", "check", "fail", "raises", "warns", "match", "readouterr")
_INJECTING: Final = frozenset({"side_effect", "setattr", "throw", "set_exception"})


class TautologicalRaise(PythonChecker):
    """Finds expectations that any failure satisfies."""

    name = "tautological-raise"
    version = "2"
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef)

    def concerns(self, ctx: CheckContext) -> bool:
        """Only in tests that name one of the types."""
        text = ctx.file.source.text
        return ctx.is_test and "aises(" in text and ("SystemExit" in text or "Exception" in text)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one test."""
        if not is_test_function(node):
            return []
        expected = list(_expectations(node))
        if not expected or _injects(node):
            return []
        last = max((call.lineno for call in _assertions(node) if call not in expected), default=0)
        return [
            ctx.hit(call, dotted(call.args[0]), fixes=more_asked(ctx.file, node, call))
            for call in expected
            if call.lineno > last
        ]


def _expectations(test: Function) -> Iterator[ast.Call]:
    """The calls that expect a blind type and say nothing more of it."""
    for node in within(test):
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and item.optional_vars is None and _is_blind(call, arguments=1):
                    yield call
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _is_blind(node.value, arguments=2):
            yield node.value


def _is_blind(call: ast.Call, *, arguments: int) -> bool:
    """Whether a call expects a blind type: as a context with one argument, or of a callable it is given."""
    if len(call.args) < arguments or (arguments == 1 and len(call.args) > 1):
        return False
    name = dotted(call.func).rpartition(".")[2]
    says_more = any(row.arg in {"match", "check", "expected_regex"} for row in call.keywords)
    return name in _EXPECTING and not says_more and dotted(call.args[0]) in _BLIND


def _assertions(test: Function) -> Iterator[ast.Assert | ast.Call]:
    """What a test asserts, as far as names show it."""
    for node in within(test, into_scopes=True):
        if isinstance(node, ast.Assert):
            yield node
        elif isinstance(node, ast.Call):
            name = last_name(node.func)
            if name.lstrip("_").startswith(_ASSERTING) or name.endswith("_lines"):
                yield node


def _injects(test: Function) -> bool:
    """Whether a test makes something raise by itself: then that is the error, and any other would be a surprise."""
    return any(
        isinstance(node, ast.Raise)
        or (isinstance(node, ast.keyword) and node.arg in _INJECTING)
        or (isinstance(node, ast.Attribute) and node.attr in _INJECTING)
        for node in within(test, into_scopes=True)
    )


CHECKER: Final = TautologicalRaise
