"""constructor-bypassed: a test makes an object without its constructor, so it tests a state that cannot occur.

Only in tests, and only of classes the test did not define itself. A test of ``__new__``, of copying or of pickling is
about exactly this. A file that does it again and again has one habit: the first call for each class is told. Invariant:
a hit is a call of ``__new__`` with a class by name.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Hit

_ABOUT_IT: Final = ("new", "pickl", "copy", "reduce", "alloc", "uninit", "immutable", "slots")


class ConstructorBypassed(PythonChecker):
    """Finds ``object.__new__(X)`` and ``X.__new__(X)`` in tests."""

    name = "constructor-bypassed"
    version = "2"
    nodes = (ast.Call, ast.ClassDef)

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._calls: list[tuple[str, ast.Call]] = []
        self._own: set[str] = set()

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
        return ()

    def finish(self, ctx: CheckContext) -> Iterable[Hit]:
        """Leave out the test's own classes; of each other class its first call."""
        firsts: dict[str, ast.Call] = {}
        for made, call in self._calls:
            firsts.setdefault(made, call)
        return [ctx.hit(call) for made, call in firsts.items() if made.split(".")[0] not in self._own]


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
