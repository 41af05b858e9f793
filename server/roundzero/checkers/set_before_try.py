"""set-before-try: state is set before the ``try`` whose ``finally`` restores it, and something between may raise.

State is an attribute, an entry, a global name, or what a setter like ``os.chdir`` sets. Directly before the ``try`` is
the idiom and left alone, as are calls that only log. Invariant: the ``finally`` gives the same place another value, and
a call stands between.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, last_name, same, within
from roundzero.core.finding import Edit, Fix
from roundzero.core.regex import regex
from roundzero.core.text import Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from roundzero.core.finding import Hit
    from roundzero.core.text import LineIndex

FARTHEST: Final = 6
"""Statements between the setting and the ``try``."""

_SETTERS: Final = regex(r"chdir|umask|signal|seterr|set[A-Z_]\w*|setlocale")
"""Functions that put one state in the place of another, and by another call put it back."""

_HARMLESS: Final = frozenset(
    {"debug", "info", "warning", "error", "exception", "log", "print", "append", "time", "monotonic", "perf_counter",
     "len", "str", "int", "list", "dict", "set", "tuple", "isinstance", "getattr", "hasattr", "format", "join", "copy",
     "get", "items", "keys", "values", "Lock", "Event", "id", "type", "max", "min", "lower", "upper", "strip"}
)  # fmt: skip
"""Last names of calls that do not raise in practice."""


class SetBeforeTry(PythonChecker):
    """Finds state that stays set when something between it and the ``try`` raises."""

    name = "set-before-try"
    version = "3"
    nodes = (ast.Try,)

    def __init__(self) -> None:
        """Start with no function looked at."""
        self._seen: set[int] = set()

    def concerns(self, ctx: CheckContext) -> bool:
        """Not in tests."""
        return not ctx.is_test

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at every block of the function around, once."""
        function = ctx.function
        if not getattr(node, "finalbody", ()) or function is None or id(function) in self._seen:
            return
        self._seen.add(id(function))
        parts = list(within(function))
        shared = {name for part in parts if isinstance(part, (ast.Global, ast.Nonlocal)) for name in part.names}
        for block in _blocks(function):
            for at, statement in enumerate(block):
                if isinstance(statement, ast.Try) and statement.finalbody:
                    yield from _before(block[max(0, at - FARTHEST) : at], statement, shared, ctx)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for part in (node, *within(node)):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(part, name, None)
            if isinstance(block, list) and not (part is not node and isinstance(part, (ast.FunctionDef, ast.ClassDef))):
                yield block


def _before(block: Sequence[ast.stmt], last: ast.Try, shared: set[str], ctx: CheckContext) -> Iterator[Hit]:
    restored = {ast.unparse(place): value for place, value in _set(last.finalbody, shared)}
    for at, statement in enumerate(block):
        for place, value in _set([statement], shared):
            name = ast.unparse(place)
            if name not in restored or same(value, restored[name]) or any(map(_may_raise, ast.walk(value))):
                continue
            again = any(ast.unparse(other) == name for other, _ in _set(block[at + 1 :], shared))
            if not again and any(_may_raise(part) for later in block[at + 1 :] for part in ast.walk(later)):
                yield ctx.hit(statement, fixes=_moved(statement, last, ctx))


def _moved(statement: ast.stmt, last: ast.Try, ctx: CheckContext) -> tuple[Fix, ...]:
    """Set it directly before the ``try``, where both stand on lines of their own."""
    index = ctx.file.source.index
    begin, end, to = ctx.file.start(statement), ctx.file.end(statement), ctx.file.start(last)
    first, after = index.offset(Position(begin.line, 1)), index.offset(Position(end.line + 1, 1))
    if index.text[first:after].strip() != ctx.file.text(statement) or index.line(to.line)[: to.column - 1].strip():
        return ()
    first = index.offset(Position(_with_comments(index, begin), 1))
    whole = index.text[first:after]
    place = index.offset(Position(_with_comments(index, to), 1))
    edits = (
        Edit(ctx.path, index.span(first, after), whole, ""),
        Edit(ctx.path, index.span(place, place), "", whole),
    )
    return (Fix("Move it directly before the try", safe=False, edits=edits),)


def _with_comments(index: LineIndex, start: Position) -> int:
    """The first line of a statement, counting the comments directly above it."""
    line, indent = start.line, index.line(start.line)[: start.column - 1]
    while index.line(line - 1).startswith(f"{indent}#"):
        line -= 1
    return line


def _set(statements: Iterable[ast.stmt], shared: set[str]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The places that statements give a value, and the values: for a setter, it with all but its last argument."""
    for statement in statements:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            if call.args and not call.keywords and _SETTERS.fullmatch(last_name(call.func)) is not None:
                yield ast.Tuple([call.func, *call.args[:-1]], ast.Load()), call.args[-1]
        if not isinstance(statement, ast.Assign):
            continue
        for target in statement.targets:
            if isinstance(target, (ast.Attribute, ast.Subscript)) or (
                isinstance(target, ast.Name) and target.id in shared
            ):
                yield target, statement.value


def _may_raise(node: ast.AST) -> bool:
    if isinstance(node, (ast.Await, ast.Raise, ast.YieldFrom, ast.Yield)):
        return True
    return isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] not in _HARMLESS


CHECKER: Final = SetBeforeTry
