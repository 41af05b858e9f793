"""wait-without-timeout: a test waits for another thread or process without a limit.

Where what is waited for never comes, the run hangs until its machine is taken away, and nothing says which test it was.
Known are names that the same file sets to an event, a barrier, a condition, a thread or a process. Silent in production
code, where waiting for ever may be the job, and where the test has a time limit of its own. Invariant: only calls
without arguments are reported.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted
from roundzero.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Fix, Hit

SECONDS: Final = 10
"""What the fix waits: long for a machine under load, short for a person."""

_WAITS: Final = {
    "Event": "wait", "Barrier": "wait", "Condition": "wait", "Popen": "wait", "Thread": "join", "Process": "join",
}  # fmt: skip
_LIMITS: Final = ("timeout", "alarm(", "faulthandler")


class WaitWithoutTimeout(PythonChecker):
    """Finds waits of tests that may never end."""

    name = "wait-without-timeout"
    nodes = (ast.Assign, ast.With, ast.Call)

    def __init__(self) -> None:
        """Start without anything to wait for."""
        self._kinds: dict[str, str] = {}
        self._waits: list[tuple[ast.Call, str, str]] = []

    def concerns(self, ctx: CheckContext) -> bool:
        """Only tests that wait and have no limit of their own."""
        text = ctx.file.source.text
        return ctx.is_test and (".wait()" in text or ".join()" in text) and not any(word in text for word in _LIMITS)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Note what is made and what is waited for."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._note(dotted(target), node.value)
        elif isinstance(node, ast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    self._note(dotted(item.optional_vars), item.context_expr)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args + node.keywords:
            name = dotted(node.func.value) if node.func.attr in {"wait", "join"} else ""
            if name:
                self._waits.append((node, name, node.func.attr))
        return ()

    def _note(self, name: str, value: ast.expr) -> None:
        if not name or not isinstance(value, ast.Call):
            return
        maker, _, kind = dotted(value.func).rpartition(".")
        self._kinds[name] = kind if kind in _WAITS and not maker.startswith(("asyncio", "anyio", "trio")) else ""

    def finish(self, ctx: CheckContext) -> Iterable[Hit]:
        """Judge the waits once everything made is known."""
        for call, name, verb in self._waits:
            if _WAITS.get(self._kinds.get(name, "")) == verb:
                yield ctx.hit(call, fixes=_fixes(call, ctx))


def _fixes(call: ast.Call, ctx: CheckContext) -> tuple[Fix, ...]:
    end = ctx.file.end(call)
    inside = type(end)(end.line, end.column - 1)
    limit = f"timeout={SECONDS}"
    return (ctx.replace(f"Wait {SECONDS} seconds at most", limit, Span(inside, inside), safe=False),)


CHECKER: Final = WaitWithoutTimeout
