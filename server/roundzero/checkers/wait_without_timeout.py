"""wait-without-timeout: a test waits for another thread or process without a limit, or code for an event.

Where what is waited for never comes, the run hangs until its machine is taken away, and nothing says which test it was.
Known are names that the same file sets to an event, a barrier, a condition, a thread or a process. In production code
waiting for ever may be the job: there only events of threads and processes count, in functions that do something else
by their name, outside of loops. Silent where a test has a time limit of its own, and for what is awaited. Invariant:
only calls without arguments are reported.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted
from roundzero.core.regex import regex
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
_OTHERS: Final = regex(r"(?:asyncio|anyio|trio|curio|torch)\b|.*\b(?:cuda|npu|xpu|hip)$")
"""What makes events that are awaited, or that order the work of a device."""

_PATIENT: Final = regex(
    r"run|main|serve|wait|join|loop|forever|block|listen|watch|consume|worker|target|poll|shutdown|exit|quit",
    re.IGNORECASE,
)
"""Words in the names of functions whose job is to wait, and of events for which they do."""


class WaitWithoutTimeout(PythonChecker):
    """Finds waits of tests that may never end."""

    name = "wait-without-timeout"
    version = "2"
    nodes = (ast.Assign, ast.With, ast.While, ast.Await, ast.Call)

    def __init__(self) -> None:
        """Start without anything to wait for."""
        self._kinds: dict[str, str] = {}
        self._waits: list[tuple[ast.Call, str, str]] = []
        self._patient: set[int] = set()

    def concerns(self, ctx: CheckContext) -> bool:
        """Only code that waits, and tests that have no limit of their own."""
        text = ctx.file.source.text
        if not ctx.is_test:
            return ".wait()" in text and "Event(" in text
        return (".wait()" in text or ".join()" in text) and not any(word in text for word in _LIMITS)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Note what is made and what is waited for."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._note(dotted(target), node.value)
        elif isinstance(node, ast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    self._note(dotted(item.optional_vars), item.context_expr)
        elif isinstance(node, ast.Await):
            self._patient.add(id(node.value))
        elif isinstance(node, ast.While) and not ctx.is_test:
            self._patient.update(map(id, ast.walk(node)))
        elif isinstance(node, ast.Call) and id(node) not in self._patient:
            self._wait(node, ctx)
        return ()

    def _wait(self, call: ast.Call, ctx: CheckContext) -> None:
        if call.args or call.keywords or not isinstance(call.func, ast.Attribute):
            return
        name = dotted(call.func.value) if call.func.attr in {"wait", "join"} else ""
        if name and (ctx.is_test or (_is_in_a_hurry(ctx) and _PATIENT.search(name) is None)):
            self._waits.append((call, name, call.func.attr))

    def _note(self, name: str, value: ast.expr) -> None:
        if not name or not isinstance(value, ast.Call):
            return
        maker, _, kind = dotted(value.func).rpartition(".")
        self._kinds[name] = kind if kind in _WAITS and _OTHERS.match(maker) is None else ""

    def finish(self, ctx: CheckContext) -> Iterable[Hit]:
        """Judge the waits once everything made is known."""
        for call, name, verb in self._waits:
            kind = self._kinds.get(name, "")
            if _WAITS.get(kind) == verb and (ctx.is_test or kind == "Event"):
                yield ctx.hit(call, fixes=_fixes(call, ctx))


def _is_in_a_hurry(ctx: CheckContext) -> bool:
    """Whether the visited node is in a function that has to come back, by its name."""
    function = ctx.function
    return isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and _PATIENT.search(function.name) is None


def _fixes(call: ast.Call, ctx: CheckContext) -> tuple[Fix, ...]:
    end = ctx.file.end(call)
    inside = type(end)(end.line, end.column - 1)
    limit = f"timeout={SECONDS}"
    return (ctx.replace(f"Wait {SECONDS} seconds at most", limit, Span(inside, inside), safe=False),)


CHECKER: Final = WaitWithoutTimeout
