"""callback-under-lock: code that somebody else gave is called while a lock is held.

It may take the same lock, or one that another thread holds in the other order. Somebody else's are a parameter named or
annotated as something to call, what a loop takes from a collection of such, and an entry of such a collection, also
under a name. What is called to fill a gap (a factory, a key function, a value of a cache), what awaits and what a
decorator wraps is left alone. Invariant: only calls directly inside the ``with`` are reported, none in functions
defined there.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, within
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.core.finding import Fix, Hit

_LOCK: Final = regex(r"(?:^|_)(?:r?lock|mutex)\d*(?:_|$)", re.IGNORECASE)
_CALLBACK: Final = regex(
    r"(?:^|_)(?:cb|callback|hook|listener|handler|observer|subscriber|watcher|action|fn|func|function)s?$|"
    r"(?:^|_)(?:on_\w+|notify)$",
    re.IGNORECASE,
)
_FILLS_A_GAP: Final = regex(
    r"factory|make|create|build|new|default|key|load|getter|compute|predicate|cmp|clock|now|time|get_or_|cached?(?:_|$)|memo"
)
"""Words in names of what is called for what it returns, and of functions that do so."""

_TELLS: Final = regex(
    r"on_\w+|notify\w*|update|handle\w*|emit|fire|dispatch|receive|process\w*|execute|invoke|__call__"
)
"""Methods by which a listener is told."""


_MANY: Final = "to_call"
"""What the fix calls the copy."""


class CallbackUnderLock(PythonChecker):
    """Finds calls of callbacks under a lock."""

    name = "callback-under-lock"
    version = "2"
    nodes = (ast.With,)

    def concerns(self, ctx: CheckContext) -> bool:
        """Not in tests."""
        text = ctx.file.source.text.lower()
        return not ctx.is_test and ("lock" in text or "mutex" in text)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at what runs under one lock."""
        if not isinstance(node, ast.With) or not any(_is_lock(item.context_expr) for item in node.items):
            return ()
        looped: set[str] = set()
        taken: set[str] = set()
        for part in within(node):
            if isinstance(part, (ast.For, ast.comprehension)) and _is_collection(part.iter):
                looped.update(name.id for name in ast.walk(part.target) if isinstance(name, ast.Name))
            elif isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name) and _is_taken(part.value):
                taken.add(part.targets[0].id)
        given = {*_given(ctx.function), *looped, *taken}
        return [
            ctx.hit(call, fixes=_fixes(node, call, ctx))
            for call in within(node)
            if isinstance(call, ast.Call)
            and not _hands_on(call)
            and (_calls(call.func, given) or _tells(call.func, looped) or _is_entry(call.func))
        ]


def _fixes(under: ast.With, call: ast.Call, ctx: CheckContext) -> tuple[Fix, ...]:
    """Make the call, or the loop around it over a copy, after the lock where it is the last that happens there."""
    last = under.body[-1]
    text = ctx.file.text(last)
    first_line, last_line = ctx.file.start(last).line, ctx.file.end(last).line
    index = ctx.file.source.index
    deeper, indent = (" " * (ctx.file.start(each).column - 1) for each in (last, under))
    if index.line(first_line)[: len(deeper)] != deeper or len(deeper) <= len(indent) or '"""' in text or "'''" in text:
        return ()
    lines = [index.line(number) for number in range(first_line, last_line + 1)]
    if any(line.strip() and not line.startswith(deeper) for line in lines):
        return ()
    moved = [indent + line.removeprefix(deeper) if line.strip() else line for line in lines]
    if isinstance(last, ast.For) and any(part is call for part in within(last)) and _MANY not in text:
        loop = ctx.file.text(last.iter)
        if lines[0].count(loop) != 1:
            return ()
        moved[0] = moved[0].replace(loop, _MANY)
        copied = loop if loop.startswith(("list(", "tuple(")) else f"list({loop})"
        moved.insert(0, f"{deeper}{_MANY} = {copied}")
    elif not (isinstance(last, ast.Expr) and last.value is call and len(under.body) > 1):
        return ()
    span = Span(Position(first_line, 1), Position(last_line, len(lines[-1]) + 1))
    return (ctx.replace("Call it after the lock", "\n".join(moved), span, safe=False),)


def _is_lock(node: ast.expr) -> bool:
    return _LOCK.search(dotted(node).rpartition(".")[2]) is not None


def _given(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None) -> Iterator[str]:
    """The parameters that are to be called back."""
    if function is None or (not isinstance(function, ast.Lambda) and _FILLS_A_GAP.search(function.name.lower())):
        return
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        kind = "" if argument.annotation is None else ast.unparse(argument.annotation)
        if _FILLS_A_GAP.search(argument.arg.lower()) is None and (
            _CALLBACK.search(argument.arg) or "Callable[" in kind or kind.endswith("Callable")
        ):
            yield argument.arg


def _is_collection(node: ast.expr) -> bool:
    """Whether a loop goes over callbacks: over ``self._listeners``, a copy of it or its values."""
    while isinstance(node, ast.Call):
        inner = node.args[0] if node.args and isinstance(node.func, ast.Name) else node.func
        node = inner.value if isinstance(inner, ast.Attribute) and inner is node.func else inner
    name = dotted(node.value if isinstance(node, ast.Subscript) else node).rpartition(".")[2]
    return name.lower().endswith("s") and _CALLBACK.search(name) is not None


def _calls(node: ast.expr, given: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in given


def _hands_on(call: ast.Call) -> bool:
    """Whether a call gives on arguments as they came: then running this under the lock is what was asked for."""
    return any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords)


def _tells(node: ast.expr, given: set[str]) -> bool:
    """Whether what is called is a method by which something of a collection of listeners is told."""
    return isinstance(node, ast.Attribute) and _calls(node.value, given) and _TELLS.fullmatch(node.attr) is not None


def _is_taken(node: ast.expr) -> bool:
    """Whether an expression takes one entry out of a collection of callbacks."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"get", "pop"}:
        return bool(node.args) and _is_collection(node.func.value)
    return _is_entry(node)


def _is_entry(node: ast.expr) -> bool:
    """Whether what is called is an entry of a table of callbacks."""
    return isinstance(node, ast.Subscript) and _is_collection(node.value)


CHECKER: Final = CallbackUnderLock
