"""Lists of pinned dependencies in build files.

Only strings that pin a version or name a file count as dependencies. Evaluates nothing. Invariant: a listing's rows lie
in the text where they say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.checkers._drift import Listing
from roundzero.checkers._starlark import parse_starlark, selects, strings
from roundzero.core.requirements import read_requirement
from roundzero.core.text import Position

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from roundzero.checkers._python import Parsed
    from roundzero.core.change import Source
    from roundzero.core.requirements import Requirement
    from roundzero.core.text import RelPath


def listings(path: RelPath, source: Source | None) -> list[Listing]:
    """The branches of ``select`` calls that pin something."""
    parsed = parse_starlark(source) if source is not None and "select" in source.text else None
    if parsed is None:
        return []
    found: list[Listing] = []
    for each in selects(parsed):
        for branch in each.branches:
            rows = tuple(_rows(parsed, branch.value))
            if rows:
                found.append(Listing(path=path, owner=f"{each.owner}[{branch.key}]", rows=rows))
    return found


def _rows(parsed: Parsed, value: ast.expr) -> Iterator[Requirement]:
    for node in strings(value):
        start = parsed.start(node)
        written = parsed.text(node)
        if written[1:-1] != node.value or "\n" in written:
            continue
        row = read_requirement(node.value, Position(start.line, start.column + 1))
        if row is not None and (row.url or row.range.startswith("==")):
            yield row
