"""signature-probe: a call that raised TypeError is made again with other arguments.

A TypeError from inside of what is called looks the same, so that a mistake there becomes a second call. Invariant: the
``try`` and its handler call the same thing with different arguments, and a hit is the handler's first line.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker, code
from roundzero.checkers._python import within

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.core.finding import Hit

_CONVERSIONS: Final = frozenset({"int", "float", "str", "bytes", "list", "tuple", "dict", "set", "repr", "len", "iter",
                                 "sorted", "isinstance", "issubclass", "hash", "print", "next"})  # fmt: skip
"""Callees whose TypeError speaks of the value, not of the signature."""


class SignatureProbe(PythonChecker):
    """Finds calls that are tried with one signature and then with another."""

    name = "signature-probe"
    version = "2"
    nodes = (ast.Try,)

    def concerns(self, ctx: CheckContext) -> bool:
        """Only files that catch a TypeError."""
        return "TypeError" in ctx.file.source.text

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one ``try``."""
        if not isinstance(node, ast.Try):
            return
        tried = {ast.dump(call.func): call for statement in node.body for call in _calls(statement)}
        for handler in node.handlers:
            if not _takes_type_error(handler.type):
                continue
            again = next(
                (call for statement in handler.body for call in _calls(statement) if _is_other(call, tried)), None
            )
            if again is not None and handler.type is not None:
                subject = f"{code(ctx.file.text(tried[ast.dump(again.func)]))}, {code(ctx.file.text(again))}"
                yield replace(ctx.hit_at(ctx.file.span(handler, handler.type), ""), subject=subject)


def _is_other(call: ast.Call, tried: Mapping[str, ast.Call]) -> bool:
    """Whether a call is of something that was tried with other arguments."""
    first = tried.get(ast.dump(call.func))
    return first is not None and _shape(first) != _shape(call)


def _calls(node: ast.stmt) -> Iterator[ast.Call]:
    for part in (node, *within(node)):
        if isinstance(part, ast.Call) and not (isinstance(part.func, ast.Name) and part.func.id in _CONVERSIONS):
            yield part


def _takes_type_error(node: ast.expr | None) -> bool:
    names = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(isinstance(name, ast.Name) and name.id == "TypeError" for name in names)


def _shape(call: ast.Call) -> tuple[int, frozenset[str | None]]:
    """How many arguments a call gives by place, and which by name."""
    return len(call.args), frozenset(keyword.arg for keyword in call.keywords)


CHECKER: Final = SignatureProbe
