"""assertions-dropped: a test that checked something before the change and checks nothing after it.

What counts as a check is assertless-test's to say. That a test only calls, or is named like a smoke test, says nothing
here: it did check. A remark that the change adds may say that running through is the point now. Invariant: a hit is a
test of both sides, and lines of it were removed.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, Pair, RelationChecker, code
from roundzero.checkers._paths import is_test_module
from roundzero.checkers._python import walk
from roundzero.checkers.assertless_test import AssertlessTest, says_smoke
from roundzero.core.change import Side
from roundzero.core.finding import Hit, evidence_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._python import Parsed
    from roundzero.core.change import FileChange
    from roundzero.core.text import Span


class AssertionsDropped(RelationChecker):
    """Finds tests that lost their last check."""

    name = "assertions-dropped"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare the tests of both sides by name."""
        file = pair.file
        if not pair.is_python or file.base is None or not file.removed or not is_test_module(file.path):
            return
        after = {seen.qualified: seen for seen in _looked_at(pair.head).unchecked() if _does_something(seen.node)}
        if not after:
            return
        look = _looked_at(pair.base)
        idle = {seen.qualified for seen in look.unchecked()}
        for seen in look.tests():
            now = after.get(seen.qualified)
            if now is None or seen.qualified in idle:
                continue
            span = pair.base.span(seen.node)
            removed = [line for line in span.lines if line in file.removed]
            if removed and not _is_meant(file, pair.head.span(now.node)):
                line = next((line for line in removed if "assert" in file.base.index.line(line)), removed[0])
                yield Hit(
                    path=file.path,
                    span=pair.head.name_span(now.node),
                    subject=code(now.node.name),
                    evidence=(evidence_at(file.base, line, "before", Side.BASE),),
                )


def _looked_at(parsed: Parsed) -> AssertlessTest:
    """What assertless-test notes of one side."""
    checker, context = AssertlessTest(), CheckContext(parsed)

    def visit(node: ast.AST) -> None:
        checker.visit(node, context)

    walk(parsed.tree, dict.fromkeys(checker.nodes, (visit,)), context.scopes, lambda: False)
    return checker


def _does_something(node: ast.AST) -> bool:
    parts = list(ast.walk(node))
    return any(isinstance(part, ast.Call) for part in parts) and not any(
        isinstance(part, (ast.Yield, ast.YieldFrom)) for part in parts
    )


def _is_meant(file: FileChange, span: Span) -> bool:
    """Whether an added comment or docstring says that running through is the point."""
    if file.head is None:
        return False
    lines = (file.head.index.line(line) for line in span.lines if line in file.added)
    return any(says_smoke(line.partition("#")[2] or line) for line in lines if "#" in line or '"""' in line)


CHECKER: Final = AssertionsDropped
