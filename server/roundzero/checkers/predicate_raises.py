"""predicate-raises: a function that promises yes or no raises instead.

Only functions annotated ``-> bool`` and named as a question; a refusal of what is no argument at all (TypeError,
NotImplementedError, an error that only passes through) is left alone, and so is one that the function catches itself.
Invariant: the hit lies on the ``raise``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, last_name, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit

_QUESTION: Final = regex(r"_?(?:(?:can|is|has|supports?|should|accepts?)_\w+|supports?)")
_PROMISE: Final = regex(r"->[ \t]*[\"']?bool\b")
_ANY: Final = ("Exception", "BaseException")
_ALLOWED: Final = frozenset({"NotImplementedError", "TypeError", "AssertionError", "StopIteration"})


class PredicateRaises(PythonChecker):
    """Finds questions that are answered by an exception."""

    name = "predicate-raises"
    version = "2"
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef)

    def concerns(self, ctx: CheckContext) -> bool:
        """Not in tests."""
        return not ctx.is_test and "raise" in ctx.file.source.text and _PROMISE.search(ctx.file.source.text) is not None

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one function."""
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or _QUESTION.fullmatch(node.name) is None:
            return ()
        if not _is_bool(node.returns):
            return ()
        handled = set(_handled(node))
        return [
            ctx.hit(part, f"{node.name}: {ctx.file.text(part)}")
            for part in within(node)
            if isinstance(part, ast.Raise) and id(part) not in handled and _exception(part) not in _ALLOWED | {""}
        ]


def _is_bool(node: ast.expr | None) -> bool:
    return (isinstance(node, ast.Name) and node.id == "bool") or (
        isinstance(node, ast.Constant) and node.value == "bool"
    )


def _handled(function: Function) -> Iterator[int]:
    """The nodes in handlers, and those of a ``try`` whose errors of that name, or of any, are caught there."""
    for part in within(function):
        if isinstance(part, ast.ExceptHandler):
            yield from map(id, ast.walk(part))
        elif isinstance(part, ast.Try):
            caught = {name for handler in part.handlers for name in _caught(handler.type)}
            for inner in (inner for statement in part.body for inner in ast.walk(statement)):
                if isinstance(inner, ast.Raise) and not caught.isdisjoint({_exception(inner), *_ANY}):
                    yield id(inner)


def _caught(node: ast.expr | None) -> list[str]:
    if node is None:
        return ["Exception"]
    return [last_name(each) for each in (node.elts if isinstance(node, ast.Tuple) else [node])]


def _exception(node: ast.Raise) -> str:
    exception = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return dotted(exception).rpartition(".")[2] if exception is not None else ""


CHECKER: Final = PredicateRaises
