"""skips-before-assert: a test may be skipped at several places before it asserts anything.

Each may be right; together they make a test that seldom runs where anybody looks. Only what the function itself skips
counts, not its decorators. Invariant: at most one hit a test, on its second skip, and none without an assertion after.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, is_test_function, within

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Hit

LEAST: Final = 2
"""Skips before the first assertion from which on it is told."""

_SKIPS: Final = frozenset(
    {"pytest.skip", "self.skipTest", "unittest.SkipTest", "SkipTest", "skip", "pytest.importorskip"}
)


class SkipsBeforeAssert(PythonChecker):
    """Finds tests that ask several things before they begin."""

    name = "skips-before-assert"
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef)

    def concerns(self, ctx: CheckContext) -> bool:
        """Only tests that skip."""
        return ctx.is_test and "skip" in ctx.file.source.text.lower()

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Count the skips above the first assertion of a test."""
        if not is_test_function(node):
            return ()
        parts = [part for part in within(node) if isinstance(part, (ast.Call, ast.Assert))]
        parts.sort(key=lambda part: (part.lineno, part.col_offset))
        skips: list[ast.Call] = []
        for part in parts:
            if isinstance(part, ast.Assert) or _asserts(part):
                return [ctx.hit(skips[LEAST - 1])] if len(skips) >= LEAST else []
            if dotted(part.func) in _SKIPS:
                skips.append(part)
        return ()


def _asserts(call: ast.Call) -> bool:
    name = dotted(call.func).rpartition(".")[2]
    return name.startswith(("assert", "fail")) or dotted(call.func) in {"pytest.raises", "pytest.warns", "raises"}


CHECKER: Final = SkipsBeforeAssert
