"""Takes a parameter's entry out of a docstring, as Google (``x: what``), Sphinx (``:param x:``) and NumPy write it.

An entry is its line and the lines below it that are indented deeper. What prose says of the parameter stays. Invariant:
no section is left without an entry.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from roundzero.core.finding import Edit
from roundzero.core.text import Position, Span, indentation

if TYPE_CHECKING:
    from roundzero.checkers._python import Function, Parsed


def without_entry(file: Parsed, node: Function, name: str) -> tuple[Edit, ...] | None:
    """The edit, if there is an entry; None where it would leave an empty section, or lies on the docstring's edge."""
    first = node.body[0]
    if not (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    ):
        return ()
    entry = re.compile(
        rf"[ \t]*(?:\*?{re.escape(name)}(?:[ \t]*\([^\n]*\))?[ \t]*:(?!:)|:(?:param|type)\b[^:\n]*\b{re.escape(name)}:)"
    )
    lines = file.span(first).lines
    edits: list[Edit] = []
    after = lines.start
    for number in lines:
        if number < after or not entry.match(file.source.index.line(number)):
            continue
        after = _after(file, number)
        if not lines.start < number or not after <= lines[-1] or _is_alone(file, number, after):
            return None
        span = Span(Position(number, 1), Position(after, 1))
        edits.append(Edit(file.source.path, span, file.source.index.slice(span), ""))
    return tuple(edits)


def _after(file: Parsed, number: int) -> int:
    """The line behind an entry: behind the last one that is indented deeper."""
    index = file.source.index
    own, after = indentation(index.line(number)), number + 1
    at = after
    while at <= index.line_count and (not index.line(at).strip() or indentation(index.line(at)) > own):
        at += 1
        after = at if index.line(at - 1).strip() else after
    return after


def _is_alone(file: Parsed, number: int, after: int) -> bool:
    """Whether nothing else stands under the heading of an entry: a line that is indented less, or a rule of dashes."""
    index = file.source.index
    own, above, below = index.line(number), index.line(number - 1), index.line(after)
    if own.lstrip().startswith(":"):
        return False
    heads = indentation(above) < indentation(own) or set(above.strip()) == {"-"}
    return heads and (not below.strip() or indentation(below) != indentation(own) or below.strip() in {'"""', "'''"})
