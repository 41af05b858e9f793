"""predicate-raises: a function that promises yes or no raises instead.

Only functions annotated ``-> bool`` and named as a question; a refusal of what is no argument at all (TypeError,
NotImplementedError, an error that only passes through) is left alone. Invariant: the hit lies on the ``raise``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Hit

_QUESTION: Final = regex(r"_?(?:can|is|has|supports?|should|accepts?)_\w+")
_ALLOWED: Final = frozenset({"NotImplementedError", "TypeError", "AssertionError", "StopIteration"})


class PredicateRaises(PythonChecker):
    """Finds questions that are answered by an exception."""

    name = "predicate-raises"
    nodes = (ast.FunctionDef,)

    def concerns(self, ctx: CheckContext) -> bool:
        """Not in tests."""
        return not ctx.is_test and "-> bool" in ctx.file.source.text

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one function."""
        if not isinstance(node, ast.FunctionDef) or _QUESTION.fullmatch(node.name) is None:
            return ()
        if not (isinstance(node.returns, ast.Name) and node.returns.id == "bool"):
            return ()
        handled = {
            id(part) for handler in within(node) if isinstance(handler, ast.ExceptHandler) for part in ast.walk(handler)
        }
        return [
            ctx.hit(part, f"{node.name}: {ctx.file.text(part)}")
            for part in within(node)
            if isinstance(part, ast.Raise) and id(part) not in handled and _exception(part) not in _ALLOWED | {""}
        ]


def _exception(node: ast.Raise) -> str:
    exception = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return dotted(exception).rpartition(".")[2] if exception is not None else ""


CHECKER: Final = PredicateRaises
