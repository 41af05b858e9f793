"""Extracts the facts of one Python file: one parse and one walk.

A pure function of the text, so that it may run in any process and its result may be kept by blob id. Names that cannot
be seen (``globals()``, ``exec`` and the like) are noted as a reason, never guessed. Invariant: a text that does not
parse has no facts, never wrong ones.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from roundzero.core.facts import (
    Binding,
    Call,
    Definition,
    FileFacts,
    Member,
    ModuleFacts,
    ModuleUses,
    Raise,
    StringUse,
    Use,
)
from roundzero.core.syntax import AstPlaces, NotPythonError, parse_python
from roundzero.index._expressions import OWN_MODULE, chain, dotted
from roundzero.index._scopes import Scope, is_local
from roundzero.index._statements import Statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal

    from roundzero.core.change import Source
    from roundzero.core.facts import Parameter


def extract(source: Source) -> FileFacts | None:
    """The facts of a Python file; None when it does not parse."""
    try:
        tree = parse_python(source)
    except NotPythonError:
        return None
    places = AstPlaces(source)
    walk = Statements(_placer(places), _texter(places, source.text))
    try:
        walk.block(tree.body, walk.module, 0)
        return FileFacts(_module(walk, places, source), _uses(walk))
    except RecursionError:
        return None


def _placer(places: AstPlaces) -> Callable[[ast.expr | ast.stmt], tuple[int, int, int, int]]:
    if places.plain:
        return lambda node: (
            node.lineno,
            node.col_offset + 1,
            node.end_lineno or node.lineno,
            (node.end_col_offset or node.col_offset) + 1,
        )
    place = places.place
    return lambda node: (
        *place(node.lineno, node.col_offset),
        *place(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset),
    )


def _texter(places: AstPlaces, text: str) -> Callable[[ast.expr], str]:
    offset = places.offset

    def of(node: ast.expr) -> str:
        start = offset(node.lineno, node.col_offset)
        return text[start : offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)]

    return of


def _module(walk: Statements, places: AstPlaces, source: Source) -> ModuleFacts:
    exports = walk.exports
    dynamic = dict(walk.dynamic)
    if any(row[0] == "__getattr__" for row in walk.bindings):
        dynamic["__getattr__"] = None
    if walk.some_module and walk.sets_attributes:
        dynamic[OWN_MODULE] = None
    return ModuleFacts(
        bindings=tuple(map(Binding._make, walk.bindings)),
        definitions=tuple(
            _definition(node, scope, where, parameters, places=places, source=source)
            for node, scope, where, parameters in walk.definitions
        ),
        members=(*map(Member._make, walk.members), *_set_from_outside(walk)),
        imports=tuple(walk.imports),
        exported=None if exports.computed or exports.names is None else tuple(exports.names),
        computed_all=exports.computed,
        all_place=exports.place,
        dynamic=tuple(dynamic),
        computed_path=walk.computed_path or any(row[0] == "__path__" for row in walk.bindings),
        replaces_modules=walk.some_module or OWN_MODULE in dynamic,
    )


def _set_from_outside(walk: Statements) -> Iterator[Member]:
    """Attributes of the file's classes that are set outside of them: ``Class.attribute = value``."""
    classes = {
        f"{scope.qualified}.{node.name}" if scope.qualified else node.name
        for node, scope, *_ in walk.definitions
        if isinstance(node, ast.ClassDef)
    }
    for target, node, number in walk.attribute_targets:
        owner, _, name = target.rpartition(".")
        if owner in classes:
            yield Member(owner, name, "class", walk.scopes[number], *walk.place(node))
    for callee, call, scope in walk.calls:
        if callee == "setattr" and call.args and (owner := chain(call.args[0])) in classes:
            yield Member(owner, "*", "class", scope.qualified, *walk.place(call))


def _definition(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    scope: Scope,
    where: int,
    parameters: tuple[Parameter, ...],
    *,
    places: AstPlaces,
    source: Source,
) -> Definition:
    is_class = isinstance(node, ast.ClassDef)
    parent: Literal["module", "class", "function"] = "function" if scope.kind == "comprehension" else scope.kind
    decorators = node.decorator_list
    return Definition(
        node.name,
        f"{scope.qualified}.{node.name}" if scope.qualified else node.name,
        "class" if is_class else "async" if isinstance(node, ast.AsyncFunctionDef) else "function",
        parent,
        *_name_place(node, places, source),
        places.place(decorators[0].lineno if decorators else node.lineno, 0)[0],
        places.place(node.end_lineno or node.lineno, 0)[0],
        int(where),
        tuple(dotted(row.func if isinstance(row, ast.Call) else row) for row in decorators),
        tuple(map(_base, node.bases)) if isinstance(node, ast.ClassDef) else (),
        tuple((row.arg or "**", dotted(row.value)) for row in node.keywords) if isinstance(node, ast.ClassDef) else (),
        parameters,
    )


def _base(node: ast.expr) -> str:
    """The name of a base class; ``Generic[T]`` is ``Generic``."""
    return dotted(node.value if isinstance(node, ast.Subscript) else node)


def _name_place(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, places: AstPlaces, source: Source
) -> tuple[int, int, int, int]:
    """The place of a definition's name, which ``ast`` does not tell."""
    start = places.offset(node.lineno, node.col_offset)
    keyword = "class" if isinstance(node, ast.ClassDef) else "def"
    text = source.text
    at = text.find(node.name, text.find(keyword, start) + len(keyword), start + 400)
    if at < 0:  # the name is written in another Unicode form
        at = start
    span = source.index.span(at, at + len(node.name))
    return span.start.line, span.start.column, span.end.line, span.end.column


def _uses(walk: Statements) -> ModuleUses:
    place = walk.place
    known: dict[tuple[int, str], bool] = {}

    def local(name: str, scope: Scope) -> bool:
        root = name.partition(".")[0]
        key = (id(scope), root)
        if key not in known:
            known[key] = bool(root) and is_local(scope, root)
        return known[key]

    uses: list[Use] = []
    for name, node, scope in walk.uses:
        is_inner = local(name, scope)
        if not is_inner or "." in name:
            uses.append(Use(name, *place(node), scope.number, is_inner))
    return ModuleUses(
        scopes=tuple(walk.scopes),
        uses=tuple(uses),
        calls=tuple(
            Call(
                name,
                chain(node.args[0]) if node.args else "",
                *place(node),
                scope.number,
                local(name, scope),
            )
            for name, node, scope in walk.calls
        ),
        strings=tuple(StringUse(*row[:3], *place(row[3]), row[4]) for row in walk.strings),
        raises=tuple(Raise(name, *place(node), number) for name, node, number in walk.raises),
    )
