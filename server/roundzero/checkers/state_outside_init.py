"""state-outside-init: a method that runs more than once sets a collection anew that others fill.

The collection is first set outside ``__init__``, by a method that its own class calls twice or in a loop: the second
call throws away what was gathered. Or it is set to what a parameter gives, and the method that makes all the calls
reads it only behind the last. Silent where ``__init__`` or the class body set it, for methods that empty it and whose
name says that they start afresh, and for those that then gather it all, themselves or by a method they call. Invariant:
one file is looked at, and a class only with all its methods.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, within
from roundzero.checkers._set_once import add_to_it, set_once
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

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

_MAKES: Final = frozenset({"list", "dict", "set", "sorted", "tuple", "Counter", "deque"})
_MANY: Final = regex(r"\w*(?<!pos)(?<!las)(?<!clas)[^s\W]s")
"""Plurals, as far as that can be told."""

_FILLS: Final = frozenset({"append", "extend", "add", "update", "setdefault", "insert", "appendleft"})


class StateOutsideInit(PythonChecker):
    """Finds collections that a second call empties."""

    name = "state-outside-init"
    version = "3"
    nodes = (ast.ClassDef,)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one class."""
        if not isinstance(node, ast.ClassDef):
            return
        methods = [part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
        if not any(method.name == "__init__" for method in methods):
            return
        replaced = list(_replaced(methods))
        emptied = [
            (method, place)
            for method in methods
            if not _FRESH.search(method.name) and _MAY_EMPTY.search(ctx.file.text(method)) is not None
            for place, value in _sets(method)
            if _is_empty(value)
        ]
        if not emptied and not replaced:
            return
        early = {name for part in node.body for name in _bound_in_body(part)}
        early |= {place.attr for method in methods if method.name == "__init__" for place, _ in _sets(method)}
        for method, place in replaced:
            if place.attr not in early:
                fixes = add_to_it(ctx.file, methods, method, place)
                yield ctx.hit(place, f"{node.name}.{method.name}: {ctx.file.text(place)}", fixes=fixes)
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
                fixes = set_once(ctx.file, methods, method, place)
                yield ctx.hit(place, f"{node.name}.{method.name}: {ctx.file.text(place)}", fixes=fixes)


def _replaced(methods: Sequence[Function]) -> Iterator[tuple[Function, ast.Attribute]]:
    """What a method sets from a parameter though another calls it several times and looks only at the end."""
    for method in methods:
        if method.name == "__init__" or method.decorator_list:
            continue
        given = {each.arg for each in (*method.args.args[1:], *method.args.kwonlyargs)}
        for statement in method.body if given else ():
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                continue
            place = statement.targets[0]
            if (
                isinstance(place, ast.Attribute)
                and dotted(place.value) == "self"
                and _is_gathered(place.attr, statement.value, given)
                and len(list(_named(place.attr, method))) == 1
                and any(_looks_at_the_end(each, method.name, place.attr) for each in methods if each is not method)
            ):
                yield method, place


def _is_gathered(name: str, value: ast.expr, given: Collection[str]) -> bool:
    """Whether a value is a collection by its form, or by the attribute's name, and comes from a parameter."""
    is_many = isinstance(value, (ast.ListComp, ast.SetComp, ast.DictComp))
    if isinstance(value, ast.Call):
        is_many = dotted(value.func) in _MAKES or _MANY.fullmatch(name) is not None
    return is_many and any(isinstance(part, ast.Name) and part.id in given for part in ast.walk(value))


def _named(name: str, method: Function) -> Iterator[ast.Attribute]:
    for part in within(method, into_scopes=True):
        if isinstance(part, ast.Attribute) and part.attr == name and dotted(part.value) == "self":
            yield part


def _looks_at_the_end(caller: Function, called: str, name: str) -> bool:
    """Whether a method makes calls for their effect, several or in a loop, and reads what they set only after them."""
    ends: list[int] = []
    for part in within(caller):
        loop = part if isinstance(part, (ast.For, ast.AsyncFor)) else None
        for statement in ast.walk(part) if loop is not None else [part]:
            call = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(call, ast.Call) and dotted(call.func) == f"self.{called}":
                ends += [(loop or call).end_lineno or call.lineno] * (2 if loop is not None else 1)
    reads = [each.lineno for each in _named(name, caller)]
    return len(ends) > 1 and bool(reads) and min(reads) > max(ends) and not _parts_ways(caller, called)


def _parts_ways(caller: Function, called: str) -> bool:
    """Whether only one of the calls may be made: they stand under conditions, or a loop ends after one."""
    for part in within(caller):
        if isinstance(part, (ast.If, ast.Try, ast.Match)) and any(
            isinstance(each, ast.Call) and dotted(each.func) == f"self.{called}" for each in ast.walk(part)
        ):
            return True
        if isinstance(part, (ast.Break, ast.Return)) and part is not caller.body[-1]:
            return True
    return False


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
