"""parameter-now-dead: a parameter that was used before this change is used no longer.

Silent where a signature is not the function's own choice: overrides, abstract and stub functions, dunder methods,
decorated functions, callbacks (functions used as values), methods written outside of a class that is lent them, names
with an underscore, tests, and examples of what a framework calls. Invariant: the function exists on both sides under
one qualified name, with the parameter on both.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import Pair, RelationChecker, code
from roundzero.checkers._paths import is_example, is_test_path
from roundzero.checkers._python import definitions, dotted, is_docstring, near
from roundzero.checkers._signatures import take_out
from roundzero.core.change import Side
from roundzero.core.finding import Anchor, Hit, evidence_at

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from roundzero.checkers._python import Function, Parsed

_PLAIN_DECORATORS: Final = frozenset(
    {"staticmethod", "classmethod", "functools.cache", "functools.lru_cache", "cache", "lru_cache"}
)
_PLAIN_BASES: Final = frozenset({"object", "Generic", "NamedTuple", "Exception", "ValueError", "RuntimeError"})
_SEES_ALL: Final = frozenset({"locals", "vars", "eval", "exec", "super"})


class ParameterNowDead(RelationChecker):
    """Finds parameters that lost their last use."""

    name = "parameter-now-dead"
    version = "4"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare the uses of the parameters of every function both sides have."""
        file = pair.file
        if not pair.is_python or not file.removed or is_test_path(file.path) or is_example(file.path):
            return
        before = definitions(pair.base.tree)
        after = definitions(pair.head.tree)
        lost = [
            (node, parameter, before[name])
            for name, node in after.items()
            if name in before and _touches(pair, before[name], node) and _chooses_its_signature(node)
            if "." in name or not _is_lent(node)
            for parameter in _lost(before[name], node)
        ]
        bound = _not_free(pair.head, {node.name for node, _, _ in lost})
        for node, parameter, old in lost:
            if node.name not in bound:
                yield _hit(pair, node, parameter, old)


def _lost(old: Function, node: Function) -> list[ast.arg]:
    had = {argument.arg for argument in _parameters(old)}
    used, used_before = _used(node), _used(old)
    if used & _SEES_ALL:
        return []
    return [
        argument
        for argument in _parameters(node)
        if argument.arg in had and argument.arg in used_before and argument.arg not in used
    ]


def _parameters(node: Function) -> list[ast.arg]:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return [
        argument for argument in arguments if argument.arg not in {"self", "cls"} and not argument.arg.startswith("_")
    ]


def _used(node: Function) -> set[str]:
    """Names the body mentions in any way, nested functions included."""
    return {part.id for statement in node.body for part in ast.walk(statement) if isinstance(part, ast.Name)}


def _touches(pair: Pair, old: Function, node: Function) -> bool:
    """Whether a hunk meets the function on either side."""
    before, after = pair.base.span(old).lines, pair.head.span(node).lines
    return any(_meet(hunk.base_lines, before) or _meet(hunk.head_lines, after) for hunk in pair.file.hunks)


def _meet(one: range, other: range) -> bool:
    return max(one.start, other.start) < min(one.stop, other.stop)


def _is_lent(node: Function) -> bool:
    """Whether a function outside of a class is written like a method: some class gets it, and calls it its way."""
    places = [*node.args.posonlyargs, *node.args.args]
    return bool(places) and places[0].arg in {"self", "cls"}


def _chooses_its_signature(node: Function) -> bool:
    """Whether nothing outside of it dictates the parameters, as far as one file shows."""
    if node.name.startswith("__") or any(dotted(item) not in _PLAIN_DECORATORS for item in node.decorator_list):
        return False
    body = [statement for statement in node.body if not is_docstring(statement)]
    if not body or isinstance(body[0], (ast.Pass, ast.Raise)):
        return False
    if len(body) == 1 and isinstance(body[0], ast.Return):
        return not (body[0].value is None or isinstance(body[0].value, ast.Constant))
    return True


def _not_free(file: Parsed, wanted: Collection[str]) -> set[str]:
    """Which names of functions are used as values, or are methods' whose class has bases that may dictate them."""
    nodes = [*near(file, wanted)]
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.ClassDef) and (
            node.keywords or any(dotted(base).rsplit(".", 1)[-1] not in _PLAIN_BASES for base in node.bases)
        ):
            names |= {child.name for child in node.body if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))}
    return names


def _hit(pair: Pair, node: Function, parameter: ast.arg, old: Function) -> Hit:
    parsed = pair.head
    span = parsed.span(parameter)
    cause = None
    if span.start.line not in pair.file.added:
        cause = Anchor(pair.file.path, _changed_line(pair, node))
    last_use = max(
        pair.base.start(part).line
        for statement in old.body
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and part.id == parameter.arg
    )
    return Hit(
        path=pair.file.path,
        span=span,
        subject=code(f"{node.name}({parameter.arg})"),
        evidence=(evidence_at(pair.base.source, last_use, "last use", Side.BASE),),
        fixes=take_out(parsed, node, parameter),
        cause=cause,
    )


def _changed_line(pair: Pair, node: Function) -> int:
    """The first changed line of the function at the head, or where a deletion left off."""
    lines = pair.head.span(node).lines
    for hunk in pair.file.hunks:
        first = max(1, hunk.head_start)
        if _meet(range(first, first + max(1, hunk.head_count)), lines):
            return max(first, lines.start)
    return lines.start


CHECKER: Final = ParameterNowDead
