"""kwargs-passthrough: a public function takes any keywords only to hand them to a function of the same file.

A class is called by its constructor. There the parameters can be seen and written out. Silent for decorators and what
is decorated, for methods of classes that have bases (they answer to a protocol), and where what is called takes any
keywords itself. Invariant: the keywords are used once, as ``**kwargs`` of one call.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker, code
from roundzero.checkers._python import definitions, dotted, within

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit


class KwargsPassthrough(PythonChecker):
    """Finds keywords that nobody names."""

    name = "kwargs-passthrough"
    version = "2"
    nodes = (ast.Module,)

    def concerns(self, ctx: CheckContext) -> bool:
        """Not in tests."""
        return not ctx.is_test and "**" in ctx.file.source.text

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at all functions of a file together."""
        if not isinstance(node, ast.Module):
            return
        known = definitions(node)
        derived = {part.name for part in node.body if isinstance(part, ast.ClassDef) and part.bases + part.keywords}
        for name, function in known.items():
            owner = name.rpartition(".")[0]
            if any(part.startswith("_") for part in name.split(".")) or owner in derived or owner.count("."):
                continue
            given = function.args.kwarg
            if given is None or function.decorator_list:
                continue
            callee = _only_callee(function, given.arg, owner)
            target = known.get(callee) or known.get(f"{callee}.__init__") if callee is not None else None
            if target is not None and target is not function and target.args.kwarg is None and not target.args.vararg:
                yield replace(ctx.hit(given), subject=f"{code(f'{name}(**{given.arg})')}, {code(f'{callee}()')}")


def _only_callee(function: Function, keywords: str, owner: str) -> str | None:
    """The qualified name of what the keywords are given to, if that is all that is done with them."""
    found: str | None = None
    for part in within(function, into_scopes=True):
        if isinstance(part, ast.Call):
            handed = [each for each in part.keywords if each.arg is None and _is(each.value, keywords)]
            if handed:
                found = dotted(part.func)
    uses = sum(_is(part, keywords) for part in within(function, into_scopes=True))
    if found is None or uses != 1:
        return None
    receiver, _, name = found.rpartition(".")
    return f"{owner}.{name}" if receiver in {"self", "cls"} else found


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


CHECKER: Final = KwargsPassthrough
