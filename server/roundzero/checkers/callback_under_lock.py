"""callback-under-lock: code that somebody else gave is called while a lock is held.

It may take the same lock, or one that another thread holds in the other order. Somebody else's are a parameter named or
annotated as something to call, what a loop takes from a collection of such, and an entry of such a collection. What is
called to fill a gap (a factory, a key function) and what awaits is left alone. Invariant: only calls directly inside
the ``with`` are reported, none in functions defined there.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.core.finding import Hit

_LOCK: Final = regex(r"(?:^|_)(?:r?lock|mutex)\d*(?:_|$)", re.IGNORECASE)
_CALLBACK: Final = regex(
    r"(?:^|_)(?:cb|cbs|callback|callbacks|hook|hooks|listener|listeners|handler|handlers|observer|observers|subscriber|"
    r"subscribers|on_\w+|notify)$",
    re.IGNORECASE,
)


class CallbackUnderLock(PythonChecker):
    """Finds calls of callbacks under a lock."""

    name = "callback-under-lock"
    nodes = (ast.With,)

    def concerns(self, ctx: CheckContext) -> bool:
        """Not in tests."""
        text = ctx.file.source.text.lower()
        return not ctx.is_test and ("lock" in text or "mutex" in text)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at what runs under one lock."""
        if not isinstance(node, ast.With) or not any(_is_lock(item.context_expr) for item in node.items):
            return ()
        given = set(_given(ctx.function))
        for loop in within(node):
            if isinstance(loop, ast.For) and _is_collection(loop.iter):
                given.update(part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name))
        return [
            ctx.hit(call)
            for call in within(node)
            if isinstance(call, ast.Call) and (_calls(call.func, given) or _is_entry(call.func))
        ]


def _is_lock(node: ast.expr) -> bool:
    return _LOCK.search(dotted(node).rpartition(".")[2]) is not None


def _given(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None) -> Iterator[str]:
    """The parameters that are to be called back."""
    if function is None:
        return
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if _CALLBACK.search(argument.arg):
            yield argument.arg


def _is_collection(node: ast.expr) -> bool:
    """Whether a loop goes over callbacks: over ``self._listeners``, a copy of it or its values."""
    while isinstance(node, ast.Call):
        inner = node.args[0] if node.args and isinstance(node.func, ast.Name) else node.func
        node = inner.value if isinstance(inner, ast.Attribute) and inner is node.func else inner
    name = dotted(node.value if isinstance(node, ast.Subscript) else node).rpartition(".")[2]
    return name.endswith("s") and _CALLBACK.search(name) is not None


def _calls(node: ast.expr, given: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in given


def _is_entry(node: ast.expr) -> bool:
    """Whether what is called is an entry of a table of callbacks."""
    return isinstance(node, ast.Subscript) and _is_collection(node.value)


CHECKER: Final = CallbackUnderLock
