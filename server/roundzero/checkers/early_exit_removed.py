"""early-exit-removed: an early return or the log of an error went from a function, and nothing came in its place.

A question for whoever reads the change: what the function turned down, or told, goes on now. Removed exceptions and
assertions are guard-removed's. Silent where the function got an exit, an exception or a log, where the same condition
or message is still in the file, and where most of the function went. Invariant: the hit lies on a removed line, and
the function is still there.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import cause_of
from roundzero.checkers._base import Pair, RelationChecker, base_hit
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import definitions, dotted, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit

_MAY_BE: Final = regex(r"\s*(?:return|continue|break)\b|\.(?:error|exception|critical|fatal)\(")
_LEVELS: Final = frozenset({"error", "exception", "critical", "fatal"})
_EXITS: Final = (ast.Return, ast.Continue, ast.Break)
_TAKES_OVER: Final = regex(r"\s*(?:return|continue|break|raise|assert)\b|\blog\w*\.\w+\(|:[ \t]*(?:return|raise)\b")
"""What leaves, refuses or logs."""
KEPT: Final = 0.3
"""Least share of a function's lines that must be left: below it is another function under the old name."""


class EarlyExitRemoved(RelationChecker):
    """Finds early exits and logs of errors that went."""

    name = "early-exit-removed"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare function by function."""
        file = pair.file
        if not pair.is_python or is_test_path(file.path) or file.base is None or file.head is None:
            return
        index = file.base.index
        if not any(_MAY_BE.search(index.line(line)) for line in file.removed):
            return
        after = definitions(pair.head.tree)
        known = {text for part in ast.walk(pair.head.tree) for text in _told_by(part)}
        for name, before in definitions(pair.base.tree).items():
            lines = pair.base.span(before).lines
            kept = sum(line not in file.removed for line in lines)
            if name not in after or kept < KEPT * len(lines) or pair.adds(_TAKES_OVER, after[name]):
                continue
            found: list[tuple[ast.stmt | ast.expr, str]] = [*_exits(before), *_logs(before)]
            for node, text in found:
                line = pair.base.start(node).line
                if line in file.removed and text not in known:
                    yield base_hit(file, pair.base.span(node), pair.base.text(node), cause=cause_of(file, line))
                    break


def _exits(function: Function) -> Iterator[tuple[ast.stmt, str]]:
    """The statements that leave a function or turn of a loop early, with the condition under which they do."""
    for part in (function, *within(function)):
        for node in _early(getattr(part, "body", ())):
            if not node.orelse and isinstance(node.body[-1], _EXITS):
                yield node.body[-1], ast.unparse(node.test)


def _early(body: object) -> Iterator[ast.If]:
    """The conditions of a block after which something follows."""
    if isinstance(body, list):
        yield from (node for node in body[:-1] if isinstance(node, ast.If))


def _logs(function: Function) -> Iterator[tuple[ast.Call, str]]:
    """The calls that log an error, with what they say."""
    for part in within(function):
        if isinstance(part, ast.Call) and part.args:
            owner, _, level = dotted(part.func).rpartition(".")
            if level in _LEVELS and "log" in owner.lower():
                yield part, ast.unparse(part.args[0])


def _told_by(node: ast.AST) -> Collection[str]:
    """What a node of the head asks or says, so that it went nowhere."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        return (ast.unparse(node.test),)
    if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute):
        return (ast.unparse(node.args[0]),)
    return ()


CHECKER: Final = EarlyExitRemoved
