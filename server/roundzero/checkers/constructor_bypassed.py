"""constructor-bypassed: a test makes an object without its constructor, or takes an argument of a call by its number.

Only in tests, and only of classes the test did not define itself. A test of ``__new__``, of copying or of pickling is
about exactly this. A file that does it again and again has one habit: the first call for each class is told. By number
means that a stand-in takes ``*args`` and looks at ``args[2]`` or further: the next parameter of the real thing shifts
it. Invariant: a hit is a call of ``__new__`` with a class by name, or the first such look of a file.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, within

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Hit

FROM: Final = 2
"""The first number of an argument that says nothing by itself: one or two arguments need no names."""

_ABOUT_IT: Final = ("new", "pickl", "copy", "reduce", "alloc", "uninit", "immutable", "slots")


class ConstructorBypassed(PythonChecker):
    """Finds ``object.__new__(X)`` and ``X.__new__(X)`` in tests, and stand-ins that count arguments."""

    name = "constructor-bypassed"
    version = "3"
    nodes = (ast.Call, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._calls: list[tuple[str, ast.Call]] = []
        self._own: set[str] = set()
        self._counted: ast.Subscript | None = None

    def concerns(self, ctx: CheckContext) -> bool:
        """Only in tests."""
        return ctx.is_test

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Remember calls of ``__new__`` and the classes of the test itself."""
        if isinstance(node, ast.ClassDef):
            self._own.add(node.name)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__new__":
            made = _made(node, dotted(node.func.value))
            names = [scope.name.lower() for scope in ctx.scopes if not isinstance(scope, ast.Lambda)]
            if made and not any(word in name for name in names for word in _ABOUT_IT):
                self._calls.append((made, node))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            self._counted = self._counted or _counted(node)
        return ()

    def finish(self, ctx: CheckContext) -> Iterable[Hit]:
        """Leave out the test's own classes; of each other class its first call, and of what counts the first."""
        firsts: dict[str, ast.Call] = {}
        for made, call in self._calls:
            firsts.setdefault(made, call)
        found = [ctx.hit(call) for made, call in firsts.items() if made.split(".")[0] not in self._own]
        return [*found, ctx.hit(self._counted)] if self._counted is not None else found


def _counted(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> ast.Subscript | None:
    """The first argument behind the second that a function which takes any takes by its number."""
    given = function.args.vararg
    if given is None or (not isinstance(function, ast.Lambda) and function.decorator_list):
        return None
    parts = list(within(function))
    if any(
        isinstance(part, ast.Call) and dotted(part.func) == "len" and _is(part.args[:1], given.arg) for part in parts
    ):
        return None  # it asks how many there are
    told = any(isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.In) for part in parts)  # by name or number
    for part in [] if told else parts:
        if (
            isinstance(part, ast.Subscript)
            and _is([part.value], given.arg)
            and isinstance(part.slice, ast.Constant)
            and isinstance(part.slice.value, int)
            and part.slice.value >= FROM
        ):
            return part
    return None


def _is(nodes: list[ast.expr], name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in nodes)


def _made(call: ast.Call, owner: str) -> str:
    """The class a call makes an instance of, or "" when it is none by name or a builtin."""
    if not call.args:
        return ""
    made = dotted(call.args[0])
    last = made.rsplit(".", 1)[-1]
    if owner not in {"object", made} or hasattr(builtins, last) or last in {"cls", "klass", "type", "self", "mcs"}:
        return ""
    return made if last.lstrip("_")[:1].isupper() else ""


CHECKER: Final = ConstructorBypassed
