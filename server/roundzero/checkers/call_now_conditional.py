"""call-now-conditional: a call was put under a condition, and what it sets is read by other functions of the file.

Where the call is now left out they read what an earlier call, or another instance, left there. A question for whoever
reads the change. Sees only what one class shows: a method that only it has, and attributes of its own that it assigns,
fills or changes in place. Invariant: the call stood there before, with the same text, under some of the conditions.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import Pair, RelationChecker, code
from roundzero.checkers._python import definitions, dotted, within
from roundzero.core.finding import Anchor, Hit, evidence_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.checkers._python import Function, Parsed

MOST_READERS: Final = 4
"""Functions that are named for one attribute."""

_CHANGING: Final = frozenset({"append", "add", "update", "insert", "extend", "setdefault", "pop", "remove", "clear"})
_MAKING: Final = frozenset({"dict", "list", "set", "defaultdict", "OrderedDict"})
_STARTING: Final = frozenset({"__init__", "__new__", "setUp", "__post_init__"})


class CallNowConditional(RelationChecker):
    """Finds state that is no longer always set."""

    name = "call-now-conditional"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare the conditions of the calls of every function both sides have."""
        file, head = pair.file, pair.file.head
        if not pair.is_python or head is None:
            return
        begun = {line for line in file.added if head.index.line(line).lstrip().startswith(("if ", "elif "))}
        if not begun:
            return
        before, after = definitions(pair.base.tree), definitions(pair.head.tree)
        told: set[tuple[str, str]] = set()
        for name, function in after.items():
            if name not in before or begun.isdisjoint(pair.head.span(function).lines):
                continue
            old = _guarded(before[name])
            for text, (call, guards) in _guarded(function).items() if old else ():
                added = [guard for guard in guards if pair.head.start(guard).line in file.added]
                if not added or text not in old or not _texts(old[text][1]) < _texts(guards):
                    continue
                cause = Anchor(file.path, pair.head.start(added[-1]).line)
                for hit, key in _left(pair.head, after, call, cause):
                    if key not in told:
                        told.add(key)
                        yield hit


def _texts(guards: Iterable[ast.expr]) -> set[str]:
    return {ast.unparse(each) for each in guards}


def _guarded(function: Function) -> dict[str, tuple[ast.Call, tuple[ast.expr, ...]]]:
    """The statements that are nothing but a call, by text, with the conditions around each; none that stands twice."""
    found: dict[str, tuple[ast.Call, tuple[ast.expr, ...]]] = {}
    twice: set[str] = set()
    stack: list[tuple[ast.stmt, tuple[ast.expr, ...]]] = [(node, ()) for node in function.body]
    while stack:
        node, guards = stack.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            text = ast.unparse(node.value)
            if text in found:
                twice.add(text)
            found[text] = (node.value, guards)
        elif isinstance(node, ast.If):
            stack += [(child, (*guards, node.test)) for child in (*node.body, *node.orelse)]
        elif isinstance(node, (ast.With, ast.For, ast.While, ast.Try)):
            stack += [(child, guards) for child in node.body]
    return {text: row for text, row in found.items() if text not in twice}


def _left(
    parsed: Parsed, functions: Mapping[str, Function], call: ast.Call, cause: Anchor
) -> Iterator[tuple[Hit, tuple[str, str]]]:
    """Who reads what a call sets, by attribute and function."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    homes = [name for name in functions if name.endswith(f".{called}")]
    if not called or len(homes) != 1:
        return
    evidence = (evidence_at(parsed.source, cause.line, "condition"),)
    for attribute in sorted(set(_set_by(functions[homes[0]], homes[0].split(".")[-2]))):
        readers = _readers(parsed, functions, homes[0], attribute)
        for name, node in readers[:MOST_READERS]:
            hit = Hit(
                path=parsed.source.path, span=parsed.span(node), subject=code(attribute), evidence=evidence, cause=cause
            )
            yield hit, (attribute, name)


def _set_by(function: Function, owner: str) -> Iterator[str]:
    """The attributes of its own object or class that a method assigns, fills or changes in place."""
    for node in within(function):
        targets: list[ast.expr] = []
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            targets = [node.func.value]
        for target in targets:
            place = target.value if isinstance(target, ast.Subscript) else target
            if isinstance(place, ast.Attribute) and dotted(place.value) in {"self", "cls", owner}:
                yield place.attr


def _readers(
    parsed: Parsed, functions: Mapping[str, Function], home: str, attribute: str
) -> list[tuple[str, ast.expr | ast.stmt]]:
    """The class-level start of a container that all instances share, then the first read in each other function."""
    owner = home.rpartition(".")[0]
    found: list[tuple[str, ast.expr | ast.stmt]] = [("", node) for node in _shared(parsed.tree, owner, attribute)]
    for name, function in functions.items():
        if name == home or name.rpartition(".")[0] != owner or name.rpartition(".")[2] in _STARTING:
            continue
        reads = (
            node
            for node in within(function, into_scopes=True)
            if isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.ctx, ast.Load)
        )
        if (first := next(reads, None)) is not None:
            found.append((name, first))
    return found if any(name for name, _ in found) else []


def _shared(tree: ast.Module, owner: str, attribute: str) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or node.name != owner.rpartition(".")[2]:
            continue
        for part in node.body:
            targets = part.targets if isinstance(part, ast.Assign) else [getattr(part, "target", None)]
            value = part.value if isinstance(part, (ast.Assign, ast.AnnAssign)) else None
            if any(isinstance(each, ast.Name) and each.id == attribute for each in targets) and _is_container(value):
                yield part


def _is_container(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in _MAKING
    return isinstance(value, (ast.Dict, ast.List, ast.Set))


CHECKER: Final = CallNowConditional
