"""select-branch-missing: a platform came new into a build file, and a ``select`` that knows its siblings lacks it.

Judges by the conditions of the other ``select`` calls of the same file; what a condition means is not known, so an
intended default looks the same. Invariant: a condition that the file had at the base is not new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import RelationChecker, code
from roundzero.checkers._starlark import DEFAULT, is_starlark, parse_starlark, selects
from roundzero.core.finding import Anchor, Hit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._base import Pair
    from roundzero.checkers._python import Parsed
    from roundzero.checkers._starlark import Select

LEAST_SIBLINGS: Final = 2
"""Conditions beside the new one that two calls must share before one is thought to lack it."""


class SelectBranchMissing(RelationChecker):
    """Finds the calls that were passed over."""

    name = "select-branch-missing"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare the conditions of both sides."""
        head, base = pair.file.head, pair.file.base
        if head is None or base is None or not is_starlark(pair.file.path) or head.text.count("select(") < 2:
            return
        now, before = parse_starlark(head), parse_starlark(base)
        if now is None or before is None:
            return
        found = selects(now)
        fresh = {key for each in found for key in each.keys} - {key for each in selects(before) for key in each.keys}
        for key in sorted(fresh):
            having = [each for each in found if key in each.keys]
            patterns = {each.keys - fresh for each in having}
            line = min(_line(now, each, key) for each in having)
            for each in found:
                if each.keys & fresh or not any(len(p) >= LEAST_SIBLINGS and p <= each.keys for p in patterns):
                    continue
                last = [branch for branch in each.branches if branch.key != DEFAULT][-1]
                span = now.span(last.key_node)
                own = span.start.line in pair.file.added
                yield Hit(
                    path=pair.file.path,
                    span=span,
                    subject=code(key),
                    cause=None if own else Anchor(pair.file.path, line),
                )


def _line(parsed: Parsed, each: Select, key: str) -> int:
    return next(parsed.start(branch.key_node).line for branch in each.branches if branch.key == key)


CHECKER: Final = SelectBranchMissing
