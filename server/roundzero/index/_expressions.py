"""Collects what expressions use: names, attributes, calls and strings with what they serve as.

Iterative where nesting is the author's (a sum of a thousand terms), recursive only into lambdas and comprehensions.
Does not know statements. Invariant: every expression is visited once.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, ClassVar, Final

from roundzero.core.facts import Where
from roundzero.index._scopes import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from roundzero.core.facts import BindingKind, LiteralRole, MemberKind

Place = tuple[int, int, int, int]

LONGEST_STRING: Final = 120
"""Longest string kept, in code points: keys, modes, dotted targets and paths are shorter."""

OWN_MODULE: Final = "sys.modules[...]"

_IMPORTING: Final = frozenset(
    {"import_module", "_convert_", "_convert", "attach", "attach_stub", "__import__", "reload"}
)
_COMPREHENSIONS: Final = frozenset({ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp})
_SEQUENCES: Final = frozenset({ast.List, ast.Tuple, ast.Set})


def chain(node: ast.AST | None) -> str:
    """``a.b.c`` for a dotted name, ``.b.c`` for attributes of anything else, "" for what is neither."""
    if isinstance(node, ast.Name):
        return node.id
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not parts:
        return ""
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))


def dotted(node: ast.AST | None) -> str:
    """``a.b.c`` for a dotted name, "" for anything else."""
    name = chain(node)
    return "" if name.startswith(".") else name


class Collector:
    """What was seen so far in one file, as rows with the scope in place of its number."""

    def __init__(self, place: Callable[[ast.expr | ast.stmt], Place]) -> None:
        """Start with an empty module."""
        self.place = place
        self.scopes: list[str] = [""]
        self.module = Scope("module", "", 0, None)
        self.bindings: list[tuple[str, BindingKind, int, int, int, int, int]] = []
        self.members: list[tuple[str, str, MemberKind, str, int, int, int, int]] = []
        self.uses: list[tuple[str, ast.expr, Scope]] = []
        self.calls: list[tuple[str, ast.Call, Scope]] = []
        self.strings: list[tuple[str, LiteralRole, str, ast.expr, int]] = []
        self.dynamic: dict[str, None] = {}
        self.computed_path = False
        self.some_module = False
        self.sets_attributes = False

    def bind(self, name: str, kind: BindingKind, node: ast.expr | ast.stmt, scope: Scope, where: int) -> None:
        """Note that a scope binds a name; at module level with its place, in a class as its attribute."""
        scope.bound.add(name)
        if scope.kind == "module":
            self.bindings.append((name, kind, *self.place(node), where))
        elif scope.kind == "class":
            member: MemberKind = "method" if kind == "def" else "annotation" if kind == "annotate" else "body"
            self.members.append((scope.qualified, name, member, "", *self.place(node)))

    def string(self, node: ast.AST, role: LiteralRole, owner: str, scope: Scope) -> bool:
        """Keep a string with its role. False when the node is no string, and still to be visited."""
        if node.__class__ is not ast.Constant:
            return False
        value = node.value
        if value.__class__ is str and 0 < len(value) <= LONGEST_STRING and not any(map(str.isspace, value)):
            self.strings.append((value, role, owner, node, scope.number))
        return True

    def expression(self, root: ast.AST | None, scope: Scope) -> None:  # noqa: C901  the hot loop of the walk
        """Visit an expression or pattern."""
        if root is None:
            return
        stack: list[ast.AST] = [root]
        special = self._special
        uses = self.uses
        while stack:
            node = stack.pop()
            kind = node.__class__
            if kind is ast.Constant:
                continue
            if kind is ast.Name:
                name: str = node.id  # type: ignore[attr-defined]  # its class was asked
                if node.ctx.__class__ is ast.Load:  # type: ignore[attr-defined]  # as above
                    uses.append((name, node, scope))  # type: ignore[arg-type]  # as above
                    if name in _TELLING:
                        self._telling_name(name, scope)
                else:
                    scope.bound.add(name)
                continue
            handler = special.get(kind)
            if handler is not None:
                handler(self, node, scope, stack)
                continue
            for field in node._fields:
                value = getattr(node, field, None)
                if value.__class__ is list:
                    stack += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST):
                    stack.append(value)

    def _telling_name(self, name: str, scope: Scope) -> None:
        if name == "__path__":
            self.computed_path = True
        elif name == "globals" or (name == "locals" and scope.kind == "module"):
            self.dynamic[f"{name}()"] = None

    def _attribute(self, node: ast.Attribute, scope: Scope, stack: list[ast.AST]) -> None:
        name = chain(node)
        self.uses.append((name, node, scope))
        if name in {"sys.meta_path", "sys.path_hooks"}:
            self.computed_path = True
        value: ast.expr = node
        while isinstance(value, ast.Attribute):
            if value.attr == "__dict__":
                self.sets_attributes = True
                self._dict_of(value.value, scope)
            value = value.value
        if not isinstance(value, ast.Name):
            stack.append(value)
        elif value.id in _TELLING:
            self._telling_name(value.id, scope)

    def _dict_of(self, owner: ast.expr, scope: Scope) -> None:
        if scope.receiver and chain(owner) == scope.receiver:
            self._any_member(owner, scope)

    def _any_member(self, node: ast.expr, scope: Scope) -> None:
        self.members.append((scope.owner, "*", "class" if scope.on_class else "self", scope.method, *self.place(node)))

    def _call(self, node: ast.Call, scope: Scope, stack: list[ast.AST]) -> None:
        callee = chain(node.func)
        self.calls.append((callee, node, scope))
        for argument in node.args:
            if not self.string(argument, "argument", callee, scope):
                stack.append(argument)
        for keyword in node.keywords:
            if not self.string(keyword.value, "keyword", keyword.arg or "", scope):
                stack.append(keyword.value)
        stack.append(node.func)
        if callee == "setattr":
            self.sets_attributes = True
        if callee in {"exec", "execfile"} and len(node.args) < 2:
            self.dynamic["exec()"] = None
        elif callee == "vars" and not node.args and scope.kind == "module":
            self.dynamic["vars()"] = None
        elif callee in {"setattr", "vars"} and scope.receiver and node.args and chain(node.args[0]) == scope.receiver:
            self._set_attribute(node, scope)
        elif callee.rpartition(".")[2] in _IMPORTING and any(chain(argument) == "__name__" for argument in node.args):
            self.dynamic[f"{callee}(__name__)"] = None

    def _set_attribute(self, node: ast.Call, scope: Scope) -> None:
        name = node.args[1] if len(node.args) > 1 else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            kind: MemberKind = "class" if scope.on_class else "self"
            self.members.append((scope.owner, name.value, kind, scope.method, *self.place(name)))
        else:
            self._any_member(node, scope)

    def _lambda(self, node: ast.Lambda, scope: Scope, stack: list[ast.AST]) -> None:
        inner = Scope("function", scope.qualified, scope.number, scope)
        inner.bind([row.arg for row in all_arguments(node.args)])
        stack += [value for value in (*node.args.defaults, *node.args.kw_defaults) if value is not None]
        self.expression(node.body, inner)

    def _comprehension(self, node: ast.ListComp | ast.DictComp, scope: Scope, stack: list[ast.AST]) -> None:
        inner = Scope("comprehension", scope.qualified, scope.number, scope)
        stack.append(node.generators[0].iter)
        for number, generator in enumerate(node.generators):
            self.expression(generator.target, inner)
            if number:
                self.expression(generator.iter, inner)
            for condition in generator.ifs:
                self.expression(condition, inner)
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        for part in parts:
            self.expression(part, inner)

    def _dict(self, node: ast.Dict, scope: Scope, stack: list[ast.AST]) -> None:
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None and not self.string(key, "key", "", scope):
                stack.append(key)
            if not self.string(value, "element", "", scope):
                stack.append(value)

    def _subscript(self, node: ast.Subscript, scope: Scope, stack: list[ast.AST]) -> None:
        owner = chain(node.value)
        if owner in {"sys.modules", "_sys.modules", "modules"}:
            self._module_by_name(node, scope)
        if not self.string(node.slice, "index", owner, scope):
            stack.append(node.slice)
        stack.append(node.value)

    def _module_by_name(self, node: ast.Subscript, scope: Scope) -> None:
        """``sys.modules[key]``: this very module, or in a function perhaps another one."""
        key = chain(node.slice).rpartition(".")[2]
        if scope.kind == "module" or key in {"__name__", "__module__", "__package__", "name"}:
            self.dynamic[OWN_MODULE] = None
        else:
            self.some_module = True

    def _compare(self, node: ast.Compare, scope: Scope, stack: list[ast.AST]) -> None:
        operands = [node.left, *node.comparators]
        owner = next((name for name in map(chain, operands) if name), "")
        for operand in operands:
            if operand.__class__ in _SEQUENCES:
                for element in operand.elts:  # type: ignore[attr-defined]  # its class was asked
                    if not self.string(element, "compare", owner, scope):
                        stack.append(element)
            elif not self.string(operand, "compare", owner, scope):
                stack.append(operand)

    def _sequence(self, node: ast.List, scope: Scope, stack: list[ast.AST]) -> None:
        for element in node.elts:
            if not self.string(element, "element", "", scope):
                stack.append(element)

    def _walrus(self, node: ast.NamedExpr, scope: Scope, stack: list[ast.AST]) -> None:
        self.bind(node.target.id, "assign", node.target, scope.outside_comprehensions(), Where.CONDITIONAL)
        stack.append(node.value)

    def _match_name(self, node: ast.MatchAs | ast.MatchStar, scope: Scope, stack: list[ast.AST]) -> None:
        if node.name is not None:
            self._capture(node.name, node, scope)
        if isinstance(node, ast.MatchAs) and node.pattern is not None:
            stack.append(node.pattern)

    def _match_mapping(self, node: ast.MatchMapping, scope: Scope, stack: list[ast.AST]) -> None:
        if node.rest is not None:
            self._capture(node.rest, node, scope)
        stack += node.patterns
        for key in node.keys:
            if not self.string(key, "key", "", scope):
                stack.append(key)

    def _match_value(self, node: ast.MatchValue, scope: Scope, stack: list[ast.AST]) -> None:
        if not self.string(node.value, "case", "", scope):
            stack.append(node.value)

    def _capture(self, name: str, node: ast.pattern, scope: Scope) -> None:
        self.bind(name, "assign", node, scope, Where.CONDITIONAL)  # type: ignore[arg-type]  # a pattern has a place too

    _special: ClassVar[dict[type[ast.AST], Callable[..., None]]] = {
        ast.Attribute: _attribute,
        ast.Call: _call,
        ast.Lambda: _lambda,
        **dict.fromkeys(_COMPREHENSIONS, _comprehension),
        ast.Dict: _dict,
        ast.Subscript: _subscript,
        ast.Compare: _compare,
        **dict.fromkeys(_SEQUENCES, _sequence),
        ast.NamedExpr: _walrus,
        ast.MatchAs: _match_name,
        ast.MatchStar: _match_name,
        ast.MatchMapping: _match_mapping,
        ast.MatchValue: _match_value,
    }


def all_arguments(arguments: ast.arguments) -> Iterable[ast.arg]:
    """Every parameter, in order of the text."""
    star = (arguments.vararg,) if arguments.vararg is not None else ()
    double = (arguments.kwarg,) if arguments.kwarg is not None else ()
    return (*arguments.posonlyargs, *arguments.args, *star, *arguments.kwonlyargs, *double)


_TELLING: Final = frozenset({"__path__", "globals", "locals"})
