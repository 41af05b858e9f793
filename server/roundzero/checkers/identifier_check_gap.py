"""identifier-check-gap: ``isidentifier()`` says yes to ``class`` and ``import``; what it lets pass is no name.

A table of pairs: a question, and what has to be asked beside it. Only in code that is no test, and only in files that
never ask the second question, under any of its spellings; a function of the question's own name only hands it on, for
an older Python or a method. Invariant: the fix asks both of the same expression, and is offered only where evaluating
that twice does no harm.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, is_docstring, near
from roundzero.core.finding import Fix
from roundzero.core.frozen import dataclass
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Hit


@dataclass(frozen=True, slots=True)
class _Pair:
    """A method without arguments, the words that show that its gap is known, and what to ask with it."""

    method: str
    known_by: tuple[str, ...]
    module: str
    refuses: str


_PAIRS: Final = (_Pair("isidentifier", ("iskeyword", "kwlist", "softkeyword"), "keyword", "iskeyword"),)
"""Source: the documentation of ``str.isidentifier``, which says to call ``keyword.iskeyword`` as well."""


class IdentifierCheckGap(PythonChecker):
    """Finds half of a pair of questions."""

    name = "identifier-check-gap"
    version = "2"
    nodes = (ast.Call, ast.Attribute)

    def __init__(self) -> None:
        """Start with nothing asked."""
        self._called: set[int] = set()

    def concerns(self, ctx: CheckContext) -> bool:
        """Only where a file has one question and not the other."""
        text = ctx.file.source.text
        return not ctx.is_test and any(_is_half(pair, text) for pair in _PAIRS)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at calls without arguments, and at the method of ``str`` where it is called with one or given on."""
        if isinstance(node, ast.Attribute):
            if id(node) not in self._called and dotted(node.value) == "str" and self._asked(node, ctx) is not None:
                return (ctx.hit(node),)
            return ()
        if not isinstance(node, ast.Call) or node.args or node.keywords or not isinstance(node.func, ast.Attribute):
            return ()
        self._called.add(id(node.func))
        pair = self._asked(node.func, ctx)
        if pair is None or isinstance(node.func.value, ast.Constant):
            return ()
        return (ctx.hit(node, fixes=_fixes(node, node.func.value, pair, ctx)),)

    def _asked(self, node: ast.Attribute, ctx: CheckContext) -> _Pair | None:
        if getattr(ctx.function, "name", None) == node.attr:
            return None
        return next(
            (pair for pair in _PAIRS if pair.method == node.attr and _is_half(pair, ctx.file.source.text)), None
        )


def _is_half(pair: _Pair, text: str) -> bool:
    return f".{pair.method}" in text and not any(word in text for word in pair.known_by)


def _fixes(call: ast.Call, asked: ast.expr, pair: _Pair, ctx: CheckContext) -> tuple[Fix, ...]:
    """Ask both, and import what is asked."""
    name = dotted(asked)
    if not name:
        return ()
    question = f"{pair.module}.{pair.refuses}"
    body = ctx.file.tree.body
    imported = any(
        isinstance(node, ast.Import) and any(row.name == pair.module and not row.asname for row in node.names)
        for node in body
    )
    title = f"Ask {question} as well"
    both = ctx.replace(title, f"({ctx.file.text(call)} and not {question}({name}))", ctx.file.span(call), safe=True)
    if imported:
        return (both,)
    if any(isinstance(node, ast.Name) and node.id == pair.module for node in near(ctx.file, {pair.module})):
        return ()
    place = _import_place(body, ctx)
    if place is None:
        return ()
    start, text = place
    importing = ctx.replace(title, text.format(pair.module), Span(start, start), safe=True)
    return (Fix(title, safe=True, edits=(*importing.edits, *both.edits)),)


def _import_place(body: list[ast.stmt], ctx: CheckContext) -> tuple[Position, str] | None:
    """Where an import can stand, and what to write there.

    That is before the first statement of a line of its own that is no docstring and not from the future.
    """
    for node in body:
        if is_docstring(node) or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            continue
        decorators = getattr(node, "decorator_list", ())
        start = ctx.file.start(decorators[0] if decorators else node)
        if decorators:
            start = Position(start.line, 1)
        if start.column != 1:
            return None
        return start, "import {}\n" if isinstance(node, (ast.Import, ast.ImportFrom)) else "import {}\n\n\n"
    return None


CHECKER: Final = IdentifierCheckGap
