"""identical-branches: both arms of an ``if`` do the same, so the condition decides nothing.

An arm that is one short statement is often kept for symmetry and says little: two or more are asked for. A chain of
``elif`` is compared arm by arm with its neighbour only when it ends in ``else``. Invariant: equal means equal as
syntax, comments aside.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import is_docstring, same

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roundzero.core.finding import Fix, Hit

LEAST: Final = 2
"""Statements that have to be equal and not trivial."""


class IdenticalBranches(PythonChecker):
    """Finds conditions whose arms are equal."""

    name = "identical-branches"
    nodes = (ast.If,)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Compare the two arms of one ``if``."""
        if not isinstance(node, ast.If) or len(node.body) != len(node.orelse):
            return ()
        if _weight(node.body) < LEAST or not same(node.body, node.orelse):
            return ()
        return [ctx.hit(node.test, fixes=_hoist(ctx, node))]


def _weight(statements: Sequence[ast.stmt]) -> int:
    """Statements that do something, those inside counted too."""
    return sum(
        not is_docstring(statement) and not isinstance(statement, (ast.Pass, ast.Break, ast.Continue, ast.Global))
        for statement in statements
    )


def _hoist(ctx: CheckContext, node: ast.If) -> tuple[Fix, ...]:
    """Keep one arm in place of the whole, where the condition has no effect of its own and layout is plain."""
    if any(
        isinstance(part, (ast.Call, ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)) for part in ast.walk(node.test)
    ):
        return ()
    index = ctx.file.source.index
    span = ctx.file.span(node)
    body = ctx.file.span(node.body[0], node.body[-1])
    outer = index.line(span.start.line)[: span.start.column - 1]
    inner = index.line(body.start.line)[: body.start.column - 1]
    if outer.strip() or inner.strip() or not inner.startswith(outer) or body.start.line == span.start.line:
        return ()
    text = index.slice(body)
    lines = text.split("\n")
    if "#" in index.slice(span) or '"""' in text or "'''" in text or "\\\n" in text.replace("\r", ""):
        return ()
    extra = len(inner) - len(outer)
    if any(line.strip() and not line.startswith(inner) for line in lines[1:]):
        return ()
    hoisted = "\n".join([lines[0], *(line[extra:] if line.strip() else line for line in lines[1:])])
    return (ctx.replace("Keep one arm", hoisted, span, safe=False),)


CHECKER: Final = IdenticalBranches
