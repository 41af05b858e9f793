"""environment-dump: the whole environment, path or argument list goes into an error or a log.

Only whole objects count: one variable of the environment, one argument, or a program's own name is what messages
are for. Invariant: a hit lies inside the arguments of an exception, a warning or a logging call, or in the one
assignment of its function to a name that is such an argument.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, within

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.core.finding import Fix, Hit

_DUMPED: Final = frozenset({"os.environ", "os.environb", "sys.path", "sys.argv"})
_LEVELS: Final = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "fatal", "log"})
_LOGGERS: Final = frozenset({"logging", "logger", "log", "_logger", "_log", "LOGGER", "LOG", "logger_"})
_RENDERERS: Final = frozenset({"str", "repr", "dict", "list", "tuple", "sorted", "pformat", "dumps", "format", "join"})


class EnvironmentDump(PythonChecker):
    """Finds whole environments formatted into exceptions and log messages."""

    name = "environment-dump"
    version = "3"
    nodes = (ast.ImportFrom, ast.Raise, ast.Call)

    def __init__(self) -> None:
        """Start with what is known without imports."""
        self._dumped = set(_DUMPED)
        self._told: set[int] = set()

    def concerns(self, ctx: CheckContext) -> bool:
        """Only files that name what could be dumped."""
        return any(word in ctx.file.source.text for word in ("environ", "sys.path", "argv"))

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at what a raise or a logging call says."""
        if isinstance(node, ast.ImportFrom):
            if node.module == "os":
                self._dumped.update(alias.asname or alias.name for alias in node.names if alias.name == "environ")
            return
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            call = node.exc
        elif isinstance(node, ast.Call) and _is_logging(node.func):
            call = node
        else:
            return
        for argument in _arguments(call):
            said = _assigned(argument, ctx.function) if isinstance(argument, ast.Name) else argument
            for dumped, is_shown in _dumped(said, self._dumped):
                if id(dumped) not in self._told:
                    self._told.add(id(dumped))
                    is_text = is_shown and not _is_taken(argument, call)
                    yield ctx.hit(dumped, fixes=_fixes(dumped, ctx) if is_text else ())


def _assigned(name: ast.Name, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None) -> ast.expr:
    """What a function sets a name to, where it does so once; the name itself where it does not."""
    if function is None:
        return name
    values = [
        part.value
        for part in within(function)
        if isinstance(part, ast.Assign)
        and any(isinstance(each, ast.Name) and each.id == name.id for each in part.targets)
    ]
    if len(values) == 1 and isinstance(values[0], (ast.JoinedStr, ast.BinOp, ast.Call)):
        return values[0]
    return name


def _is_taken(argument: ast.expr, call: ast.Call) -> bool:
    """Whether a call does more with an argument than to show it: by its name, or by the names in a format."""
    if argument not in call.args:
        return True
    return any(isinstance(each, ast.Constant) and "%(" in str(each.value) for each in call.args)


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _is_logging(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute) or function.attr not in _LEVELS:
        return False
    value = function.value
    if isinstance(value, ast.Call) and dotted(value.func).rpartition(".")[2] in {"getLogger", "get_logger"}:
        return True
    owner = dotted(value).rsplit(".", 1)[-1]
    if owner == "warnings":
        return function.attr == "warn"
    return owner in _LOGGERS or owner.lower().endswith(("logger", "_log"))


def _fixes(dumped: ast.expr, ctx: CheckContext) -> tuple[Fix, ...]:
    """Say how many entries there are, or of the arguments the program's name."""
    text = ctx.file.text(dumped)
    if text == "sys.argv":
        return (ctx.replace("Say only the program's name", f"{text}[0]", ctx.file.span(dumped), safe=False),)
    return (ctx.replace("Say only how many entries", f"len({text})", ctx.file.span(dumped), safe=False),)


def _dumped(node: ast.expr, names: Collection[str], *, is_shown: bool = True) -> Iterator[tuple[ast.expr, bool]]:
    """The whole objects that reach the message: named, formatted, joined or rendered, but not indexed or asked.

    Each with whether it is shown as it is, so that anything could stand in its place.
    """
    if dotted(node) in names:
        yield node, is_shown
        return
    if isinstance(node, ast.Call):
        is_shown = is_shown and dotted(node.func) in {"str", "repr"}
    for child in _said(node):
        yield from _dumped(child, names, is_shown=is_shown and not isinstance(node, ast.BinOp | ast.Starred))


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
