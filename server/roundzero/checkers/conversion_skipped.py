"""conversion-skipped: a text that cannot be converted is passed over without a word.

A handler that does nothing but ``pass`` or ``continue``, of the errors that a conversion raises. Where the text is a
person's, a misspelt setting then counts as none. A question for whoever reads the change: some texts may be skipped.
Handlers of every error are swallowed-error's. Silent in tests. Invariant: the hit lies on the handler's first line.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, last_name, within
from roundzero.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Hit

_ERRORS: Final = frozenset(
    {"ValueError", "TypeError", "ArgumentTypeError", "JSONDecodeError", "UnicodeDecodeError", "InvalidOperation"}
)
_CONVERTING: Final = frozenset(
    {"int", "float", "complex", "bool", "Decimal", "Fraction", "UUID", "loads", "literal_eval", "strptime", "type",
     "fromisoformat", "ip_address", "ip_network", "decode", "convert", "cast"}
)  # fmt: skip
_PARSING: Final = ("parse", "str2", "to_", "from_string", "convert_")


class ConversionSkipped(PythonChecker):
    """Finds texts that are passed over because they cannot be read."""

    name = "conversion-skipped"
    nodes = (ast.Try,)

    def concerns(self, ctx: CheckContext) -> bool:
        """Only production code with such a handler."""
        text = ctx.file.source.text
        return not ctx.is_test and "except" in text and any(name in text for name in _ERRORS)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at the handlers of one ``try``."""
        if not isinstance(node, ast.Try) or not any(_converts(part) for part in _inside(node)):
            return
        for handler in node.handlers:
            caught = _caught(handler)
            if caught and caught <= _ERRORS and all(isinstance(row, (ast.Pass, ast.Continue)) for row in handler.body):
                start = ctx.file.start(handler)
                end = ctx.file.end(handler.type) if handler.type is not None else start
                yield ctx.hit_at(Span(start, end), ctx.file.source.index.slice(Span(start, end)))


def _inside(node: ast.Try) -> Iterable[ast.AST]:
    for statement in node.body:
        yield from within(statement)


def _converts(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    return bool(node.args or node.keywords) and (name in _CONVERTING or name.lstrip("_").startswith(_PARSING))


def _caught(handler: ast.ExceptHandler) -> set[str]:
    """The last names of what a handler names."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type] if handler.type else []
    return {dotted(kind).rpartition(".")[2] for kind in kinds}


CHECKER: Final = ConversionSkipped
