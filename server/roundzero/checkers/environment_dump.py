"""environment-dump: the whole environment, path or argument list goes into an error or a log.

Only whole objects count: one variable of the environment, one argument, or a program's own name is what messages
are for. Invariant: a hit lies inside the arguments of an exception or a logging call.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.core.finding import Hit

_DUMPED: Final = frozenset({"os.environ", "os.environb", "sys.path", "sys.argv"})
_LEVELS: Final = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "fatal", "log"})
_LOGGERS: Final = frozenset({"logging", "logger", "log", "_logger", "_log", "LOGGER", "LOG", "logger_"})
_RENDERERS: Final = frozenset({"str", "repr", "dict", "list", "tuple", "sorted", "pformat", "dumps", "format", "join"})


class EnvironmentDump(PythonChecker):
    """Finds whole environments formatted into exceptions and log messages."""

    name = "environment-dump"
    nodes = (ast.Raise, ast.Call)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at what a raise or a logging call says."""
        if isinstance(node, ast.Raise):
            arguments = _arguments(node.exc) if isinstance(node.exc, ast.Call) else []
        elif isinstance(node, ast.Call) and _is_logging(node.func):
            arguments = _arguments(node)
        else:
            return ()
        return [ctx.hit(dumped) for argument in arguments for dumped in _dumped(argument)]


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _is_logging(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute) or function.attr not in _LEVELS:
        return False
    owner = dotted(function.value).rsplit(".", 1)[-1]
    return owner in _LOGGERS or owner.lower().endswith(("logger", "_log"))


def _dumped(node: ast.expr) -> Iterator[ast.expr]:
    """The whole objects that reach the message: named, formatted, joined or rendered, but not indexed or asked."""
    if dotted(node) in _DUMPED:
        yield node
        return
    for child in _said(node):
        yield from _dumped(child)


def _said(node: ast.expr) -> list[ast.expr]:
    """The parts of an expression whose whole text becomes part of its own."""
    match node:
        case ast.JoinedStr(values=parts) | ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return parts
        case ast.FormattedValue(value=inner) | ast.Starred(value=inner):
            return [inner]
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Call(func=ast.Attribute(attr="items" | "values" | "copy", value=inner)):
            return [inner]
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in _RENDERERS:
            return _arguments(node)
        case _:
            return []


CHECKER: Final = EnvironmentDump
