"""state-outside-init: a method that runs more than once sets a collection anew that others fill.

The collection is first set outside ``__init__``, by a method that its own class calls twice or in a loop: the second
call throws away what was gathered. Silent where ``__init__`` or the class body set it, for methods whose name says that
they start afresh, and for those that then gather it all, themselves or by a method they call. Invariant: one file is
looked at, and a class only with all its methods.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit

_FRESH: Final = regex(
    r"reset|clear|init|setup|start|begin|new|restart|re?load|refresh|open|rewind|flush", re.IGNORECASE
)
_EMPTY: Final = frozenset({"list", "dict", "set", "OrderedDict", "Counter", "deque", "defaultdict"})
_MAY_EMPTY: Final = regex(
    r"self\.\w+(?:[ \t]*:[^=\n]+)?[ \t]*=[ \t]*(?:\[\]|\{\}|[\w.]*(?:list|[dD]ict|set|Counter|deque)\()"
)
"""What a method says somewhere that makes a collection anew."""

_FILLS: Final = frozenset({"append", "extend", "add", "update", "setdefault", "insert", "appendleft"})


class StateOutsideInit(PythonChecker):
    """Finds collections that a second call empties."""

    name = "state-outside-init"
    nodes = (ast.ClassDef,)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one class."""
        if not isinstance(node, ast.ClassDef):
            return
        methods = [part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
        if not any(method.name == "__init__" for method in methods):
            return
        emptied = [
            (method, place)
            for method in methods
            if not _FRESH.search(method.name) and _MAY_EMPTY.search(ctx.file.text(method)) is not None
            for place, value in _sets(method)
            if _is_empty(value)
        ]
        if not emptied:
            return
        early = {name for part in node.body for name in _bound_in_body(part)}
        early |= {place.attr for method in methods if method.name == "__init__" for place, _ in _sets(method)}
        filled = {method.name: _filled(method) for method in methods}
        calls: Counter[str] = Counter()
        for method in methods:
            calls.update(_called(method))
        for method, place in emptied:
            if (
                calls[method.name] < 2
                or place.attr in early
                or not any(place.attr in names for names in filled.values())
            ):
                continue
            leads_on = any(place.attr in filled.get(name, ()) for name in _called(method))
            if not leads_on and not _is_kept(place, method) and not _gathers(place.attr, method):
                yield ctx.hit(place, f"{node.name}.{method.name}: {ctx.file.text(place)}")


def _bound_in_body(node: ast.stmt) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    yield from (target.id for target in targets if isinstance(target, ast.Name))


def _sets(method: Function) -> Iterator[tuple[ast.Attribute, ast.expr]]:
    """The attributes of ``self`` that a method sets, unless a condition around may have asked for them."""
    asked = {id(inner) for part in within(method) if isinstance(part, ast.If) for inner in ast.walk(part)}
    for part in within(method):
        if not isinstance(part, (ast.Assign, ast.AnnAssign)) or part.value is None:
            continue
        if id(part) in asked and method.name != "__init__":
            continue
        for target in part.targets if isinstance(part, ast.Assign) else [part.target]:
            if isinstance(target, ast.Attribute) and dotted(target.value) == "self":
                yield target, part.value


def _fills(method: Function) -> Iterator[ast.expr]:
    """What a method fills: ``self.x`` of ``self.x.append(...)`` and of ``self.x[key] = ...``."""
    for part in within(method):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _FILLS:
            yield part.func.value
        elif isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
            yield part.value


def _filled(method: Function) -> frozenset[str]:
    """The attributes of ``self`` that a method fills."""
    return frozenset(dotted(place).removeprefix("self.") for place in _fills(method))


def _gathers(name: str, method: Function) -> bool:
    """Whether a method fills a collection in a loop, under a condition or several times: then it is whole each time.

    One plain ``self.x.append(...)`` behind the emptying is what the search is for: it keeps the last alone.
    """
    places = [place for place in _fills(method) if dotted(place) == f"self.{name}"]
    plain = {
        id(inner)
        for statement in method.body
        if isinstance(statement, (ast.Assign, ast.Expr))
        for inner in ast.walk(statement)
    }
    return len(places) > 1 or any(id(place) not in plain for place in places)


def _is_kept(place: ast.Attribute, method: Function) -> bool:
    """Whether a method gives the collection to something that keeps it, as a stack does, or looks at it first."""
    filled = {id(node) for node in _fills(method)}
    return any(
        isinstance(part, ast.Attribute)
        and part.attr == place.attr
        and isinstance(part.ctx, ast.Load)
        and id(part) not in filled
        for part in within(method)
    )


def _called(method: Function) -> Iterator[str]:
    """The methods of ``self`` that a method calls; one in a loop counts twice."""
    looped = {
        id(inner)
        for part in within(method)
        if isinstance(part, (ast.For, ast.While, ast.AsyncFor))
        for statement in part.body
        for inner in ast.walk(statement)
    }
    for part in within(method):
        name = dotted(part.func) if isinstance(part, ast.Call) else ""
        if name.startswith("self.") and name != f"self.{method.name}":
            yield from [name.removeprefix("self.")] * (2 if id(part) in looped else 1)


def _is_empty(node: ast.expr) -> bool:
    if isinstance(node, (ast.List, ast.Set)):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    if not isinstance(node, ast.Call):
        return False
    name = dotted(node.func).removeprefix("collections.")
    if name == "defaultdict":
        return len(node.args) <= 1 and not node.keywords
    if name == "deque":
        return all(_is_empty(argument) for argument in node.args[:1])
    return name in _EMPTY and not node.args and not node.keywords


CHECKER: Final = StateOutsideInit
