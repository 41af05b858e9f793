"""The fix that sets a collection once, in ``__init__``, and lets a method that runs more than once add to it.

Only for a plain ``__init__`` without a way out, and for a statement that stands among others directly in the method's
body. Invariant: it is set before anything in ``__init__`` may call the method, and no comment loses what it stood by.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._python import dotted, is_docstring, within
from roundzero.core.finding import Edit, Fix
from roundzero.core.text import Position, Span, dominant_eol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from roundzero.checkers._python import Function, Parsed

_EMPTY_OF: Final = {"list": "[]", "set": "set()", "dict": "{}"}
_COMPREHENSIONS: Final = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict"}


def set_once(file: Parsed, methods: Sequence[Function], method: Function, place: ast.Attribute) -> tuple[Fix, ...]:
    """Move the statement that makes the collection empty into ``__init__``."""
    statement = _statement(method, place)
    others = [part for part in method.body if part is not statement and not is_docstring(part)]
    if statement is None or statement.value is None or not others or _uses_own_names(method, statement):
        return ()
    index = file.source.index
    lines = file.span(statement).lines
    span = Span(Position(lines.start, 1), Position(lines.stop, 1))
    whole, above = index.slice(span), index.line(lines.start - 1).strip()
    if whole.strip() != file.text(statement) or above.startswith("#") or not whole.endswith("\n"):
        return ()
    created = _created(file, methods, file.text(statement))
    if created is None:
        return ()
    taken = Edit(file.source.path, span, whole, "")
    return (Fix(f"Set self.{place.attr} in __init__", safe=False, edits=(created, taken)),)


def add_to_it(file: Parsed, methods: Sequence[Function], method: Function, place: ast.Attribute) -> tuple[Fix, ...]:
    """Add what a call brings to what is there, where that is a list, a set or a dictionary by its form."""
    statement = _statement(method, place)
    value = statement.value if statement is not None else None
    kind = _COMPREHENSIONS.get(type(value), "") if value is not None else ""
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords and dotted(value.func) in _EMPTY_OF:
        kind = dotted(value.func)
    if not isinstance(statement, ast.Assign) or value is None or not kind:
        return ()
    created = _created(file, methods, f"self.{place.attr} = {_EMPTY_OF[kind]}")
    if created is None:
        return ()
    end = file.start(value)
    middle = Span(file.end(place), end)
    if file.source.index.slice(middle).strip() != "=":
        return ()
    edits = [Edit(file.source.path, middle, file.source.index.slice(middle), " += " if kind == "list" else ".update(")]
    if kind != "list":
        edits.append(Edit(file.source.path, Span(file.end(value), file.end(value)), "", ")"))
    return (Fix(f"Add to self.{place.attr}, which __init__ sets", safe=False, edits=(created, *edits)),)


def _statement(method: Function, place: ast.Attribute) -> ast.Assign | ast.AnnAssign | None:
    """The statement of a method's body that sets nothing but one place."""
    for part in method.body:
        if isinstance(part, ast.AnnAssign) and part.target is place:
            return part
        if isinstance(part, ast.Assign) and len(part.targets) == 1 and part.targets[0] is place:
            return part
    return None


def _uses_own_names(method: Function, statement: ast.Assign | ast.AnnAssign) -> bool:
    """Whether a statement reads a name that only its method knows."""
    own = {part.arg for part in within(method) if isinstance(part, ast.arg)} - {"self"}
    own |= {part.id for part in within(method) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    return any(isinstance(part, ast.Name) and part.id in own for part in ast.walk(statement))


def _created(file: Parsed, methods: Sequence[Function], text: str) -> Edit | None:
    """The edit that puts a statement into ``__init__``: behind the last attribute it sets before it calls a method."""
    makers = [method for method in methods if method.name == "__init__"]
    if len(makers) != 1 or makers[0].decorator_list or [each.arg for each in makers[0].args.args[:1]] != ["self"]:
        return None
    maker = makers[0]
    if any(isinstance(part, ast.Return) for part in within(maker)):
        return None
    if len(maker.body) == 1 and isinstance(maker.body[0], ast.Pass):
        return Edit(file.source.path, file.span(maker.body[0]), "pass", text)
    index = file.source.index
    first = next((at for at, part in enumerate(maker.body) if not is_docstring(part)), len(maker.body))
    names = {method.name for method in methods}
    handing = (at for at, part in enumerate(maker.body) if at >= first and _hands_itself_on(part, names))
    stop = next(handing, len(maker.body))
    at = max((at + 1 for at in range(first, stop) if _sets_attribute(maker.body[at])), default=stop)
    model = file.start(maker.body[min(at, len(maker.body) - 1)])
    indent, above = index.line(model.line)[: model.column - 1], index.line(model.line - 1).strip()
    end = file.end(maker.body[at - 1]).line if at else 0
    if indent.strip() or not indent or (at < len(maker.body) and end >= model.line) or (not at and above[:1] == "#"):
        return None
    eol = dominant_eol(index.text)
    if not at:
        before = Position(model.line, 1)
        return Edit(file.source.path, Span(before, before), "", f"{indent}{text}{eol}")
    behind = Position(end, len(index.line(end)) + 1)
    return Edit(file.source.path, Span(behind, behind), "", f"{eol}{indent}{text}")


def _sets_attribute(node: ast.stmt) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(dotted(target).startswith("self.") for target in targets)


def _hands_itself_on(node: ast.stmt, methods: Collection[str]) -> bool:
    """Whether a statement may call a method of the object: it names one, calls one, or gives the object away."""
    used = {id(part.value) for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    called = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    return any(
        (isinstance(part, ast.Name) and part.id == "self" and id(part) not in used)
        or (
            isinstance(part, ast.Attribute)
            and dotted(part.value) == "self"
            and (id(part) in called or part.attr in methods)
        )
        for part in ast.walk(node)
    )
