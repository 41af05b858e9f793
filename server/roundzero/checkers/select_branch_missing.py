"""select-branch-missing: a platform came new into a build file, and a ``select`` that knows its siblings lacks it.

Judges by the conditions of the other ``select`` calls of the same file; what a condition means is not known, so an
intended default looks the same. Invariant: a condition that the file had at the base is not new.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import RelationChecker, code, replace
from roundzero.checkers._python import same
from roundzero.checkers._starlark import DEFAULT, is_starlark, parse_starlark, selects
from roundzero.core.finding import Anchor, Hit
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roundzero.checkers._base import Pair
    from roundzero.checkers._python import Parsed
    from roundzero.checkers._starlark import Select
    from roundzero.core.finding import Fix

LEAST_SIBLINGS: Final = 2
"""Conditions beside the new one that two calls must share before one is thought to lack it."""


class SelectBranchMissing(RelationChecker):
    """Finds the calls that were passed over."""

    name = "select-branch-missing"
    version = "2"

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
                    fixes=_added(now, each, having, key),
                    cause=None if own else Anchor(pair.file.path, line),
                )


def _added(parsed: Parsed, each: Select, having: Sequence[Select], key: str) -> tuple[Fix, ...]:
    """Name the condition behind the last other one, with what it has today, or what a condition has that it goes with.

    Two conditions go together where all other calls give them the same.
    """
    index = parsed.source.index
    last = [branch for branch in each.branches if branch.key != DEFAULT][-1]
    start, end = parsed.start(last.key_node), parsed.end(last.value)
    indent = index.line(start.line)[: start.column - 1]
    with_it = each.keys.intersection(*(_twins(other, key) for other in having))
    as_now = min(with_it) if len(with_it) == 1 else DEFAULT
    model = next((branch for branch in each.branches if branch.key == as_now), None)
    behind = index.line(end.line)[end.column - 1 :]
    if model is None or indent.strip() or re.match(r"\s*,\s*(?:#|$)", behind) is None:
        return ()
    known = next(branch for branch in having[0].branches if branch.key == key)
    new = f"\n{indent}{parsed.text(known.key_node)}: {parsed.text(model.value)},"
    place = Position(end.line, len(index.line(end.line)) + 1)
    return (replace(parsed.source, f"Give it what {as_now} has", new, Span(place, place), safe=False),)


def _twins(each: Select, key: str) -> set[str]:
    """The conditions to which a call gives the same as to another, if that is anything."""
    own = next(branch.value for branch in each.branches if branch.key == key)
    if not any(isinstance(part, ast.Constant) for part in ast.walk(own)):
        return set()
    return {branch.key for branch in each.branches if branch.key not in {key, DEFAULT} and same(branch.value, own)}


def _line(parsed: Parsed, each: Select, key: str) -> int:
    return next(parsed.start(branch.key_node).line for branch in each.branches if branch.key == key)


CHECKER: Final = SelectBranchMissing
