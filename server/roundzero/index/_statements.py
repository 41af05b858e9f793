"""Walks the statements of one file and collects what they define, bind, import and raise.

Recursive over blocks, whose depth the parser limits to 100. Does not resolve anything. Invariant: a function's body is
walked with the circumstances of its own block, and what is bound in it never reaches the module.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, ClassVar, Final

from roundzero.core.facts import Import, Parameter, Where
from roundzero.index._exports import Exports
from roundzero.index._expressions import Collector, all_arguments, chain, dotted
from roundzero.index._scopes import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from roundzero.core.facts import BindingKind, ParameterKind

Function = ast.FunctionDef | ast.AsyncFunctionDef

LONGEST_DEFAULT: Final = 80
"""Longest text of a default kept, in code points."""

_CLASS_METHODS: Final = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})


class Statements(Collector):
    """The walk over statements. Rows of definitions lack nothing but the place of their names."""

    def __init__(
        self, place: Callable[[ast.expr | ast.stmt], tuple[int, int, int, int]], text: Callable[[ast.expr], str]
    ) -> None:
        """Start; ``text`` gives the source of an expression."""
        super().__init__(place)
        self.text = text
        self.definitions: list[tuple[Function | ast.ClassDef, Scope, int, tuple[Parameter, ...]]] = []
        self.imports: list[Import] = []
        self.raises: list[tuple[str, ast.stmt, int]] = []
        self.attribute_targets: list[tuple[str, ast.expr, int]] = []
        self.exports = Exports()

    def block(self, statements: Iterable[ast.stmt], scope: Scope, where: int) -> None:
        """Walk the statements of one block."""
        handlers = self._handlers
        for statement in statements:
            handler = handlers.get(statement.__class__)
            if handler is not None:
                handler(self, statement, scope, where)
            else:
                self.expression(statement, scope)

    def _function(self, node: Function, scope: Scope, where: int) -> None:
        self.bind(node.name, "def", node, scope, where)
        arguments = node.args
        for value in (*node.decorator_list, *arguments.defaults, *arguments.kw_defaults, node.returns):
            if value is not None and not self.string(value, "default", "", scope):
                self.expression(value, scope)
        inner = self._inner(node, scope, "function")
        inner.bind([row.arg for row in all_arguments(arguments)])
        for argument in all_arguments(arguments):
            self.expression(argument.annotation, scope)
        if scope.kind == "class":
            self._enter_method(node, scope, inner)
        elif inner.receiver in inner.bound:
            inner.enter_method("", "", "", on_class=False)
        self.definitions.append((node, scope, where, self._parameters(arguments)))
        self.block(node.body, inner, where | Where.LAZY)

    def _enter_method(self, node: Function, scope: Scope, inner: Scope) -> None:
        decorators = {dotted(decorator) for decorator in node.decorator_list}
        first = next(iter((*node.args.posonlyargs, *node.args.args)), None)
        if first is not None and "staticmethod" not in decorators:
            on_class = "classmethod" in decorators or node.name in _CLASS_METHODS
            inner.enter_method(first.arg, scope.qualified, node.name, on_class=on_class)

    def _inner(self, node: Function | ast.ClassDef, scope: Scope, kind: str) -> Scope:
        qualified = f"{scope.qualified}.{node.name}" if scope.qualified else node.name
        self.scopes.append(qualified)
        return Scope("class" if kind == "class" else "function", qualified, len(self.scopes) - 1, scope)

    def _parameters(self, arguments: ast.arguments) -> tuple[Parameter, ...]:
        rows: list[Parameter] = []
        plain = [*arguments.posonlyargs, *arguments.args]
        defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults)) + [*arguments.defaults]
        for number, (row, default) in enumerate(zip(plain, defaults, strict=True)):
            kind: ParameterKind = "positional" if number < len(arguments.posonlyargs) else "either"
            rows.append(Parameter(row.arg, kind, self._default(default)))
        if arguments.vararg is not None:
            rows.append(Parameter(arguments.vararg.arg, "star", None))
        for row, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            rows.append(Parameter(row.arg, "keyword", self._default(default)))
        if arguments.kwarg is not None:
            rows.append(Parameter(arguments.kwarg.arg, "double-star", None))
        return tuple(rows)

    def _default(self, node: ast.expr | None) -> str | None:
        return None if node is None else " ".join(self.text(node).split())[:LONGEST_DEFAULT]

    def _class(self, node: ast.ClassDef, scope: Scope, where: int) -> None:
        self.bind(node.name, "class", node, scope, where)
        for value in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.expression(value, scope)
        if any(chain(value).rpartition(".")[2] == "global_enum" for value in node.decorator_list):
            self.dynamic["global_enum"] = None
        self.definitions.append((node, scope, where, ()))
        self.block(node.body, self._inner(node, scope, "class"), where)

    def _assign(self, node: ast.Assign, scope: Scope, where: int) -> None:
        value = node.value
        owner = chain(node.targets[0])
        for target in node.targets:
            self._target(target, scope, where, "assign")
            self._slots(target, value, scope)
            if scope.kind == "module":
                self.exports.assigned(target, value, self.place(node))
        if not self.string(value, "assign", owner, scope):
            self.expression(value, scope)

    def _annotated(self, node: ast.AnnAssign, scope: Scope, where: int) -> None:
        self._target(node.target, scope, where, "assign" if node.value is not None else "annotate")
        self.expression(node.annotation, scope)
        if node.value is not None:
            self._slots(node.target, node.value, scope)
            if scope.kind == "module":
                self.exports.assigned(node.target, node.value, self.place(node))
            if not self.string(node.value, "assign", chain(node.target), scope):
                self.expression(node.value, scope)

    def _augmented(self, node: ast.AugAssign, scope: Scope, where: int) -> None:
        self._target(node.target, scope, where, "augment")
        if scope.kind == "module":
            self.exports.augmented(node)
        if not self.string(node.value, "assign", chain(node.target), scope):
            self.expression(node.value, scope)

    def _slots(self, target: ast.expr, value: ast.expr, scope: Scope) -> None:
        if scope.kind == "class" and isinstance(target, ast.Name) and target.id == "__slots__":
            elements = value.elts if isinstance(value, (ast.Tuple, ast.List, ast.Set)) else [value]
            for element in elements:
                name = element.value if isinstance(element, ast.Constant) else None
                row = name if isinstance(name, str) else "*"
                self.members.append((scope.qualified, row, "slot", "", *self.place(element)))

    def _target(self, node: ast.expr, scope: Scope, where: int, kind: BindingKind) -> None:
        if isinstance(node, ast.Name):
            self.bind(node.id, kind, node, scope, where)
        elif isinstance(node, ast.Attribute):
            self._attribute_target(node, scope)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for element in node.elts:
                self._target(element, scope, where, kind)
        elif isinstance(node, ast.Starred):
            self._target(node.value, scope, where, kind)
        else:
            self.expression(node, scope)

    def _attribute_target(self, node: ast.Attribute, scope: Scope) -> None:
        target = chain(node)
        owner = target.rpartition(".")[0]
        if scope.receiver and owner == scope.receiver:
            kind = "class" if scope.on_class else "self"
            self.members.append((scope.owner, node.attr, kind, scope.method, *self.place(node)))  # type: ignore[arg-type]  # two literals
        elif scope.receiver and owner in {f"{scope.receiver}.__class__", "cls"}:
            self.members.append((scope.owner, node.attr, "class", scope.method, *self.place(node)))
        self.attribute_targets.append((target, node, scope.number))
        self.expression(node.value, scope)

    def _delete(self, node: ast.Delete, scope: Scope, where: int) -> None:
        for target in node.targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                for element in target.elts:
                    self._unbind(element, scope, where)
            else:
                self._unbind(target, scope, where)

    def _unbind(self, target: ast.expr, scope: Scope, where: int) -> None:
        if isinstance(target, ast.Name):
            scope.bound.add(target.id)
            if scope.kind == "module":
                self.bindings.append((target.id, "delete", *self.place(target), where))
        else:
            self.expression(target, scope)

    def _global(self, node: ast.Global, scope: Scope, where: int) -> None:
        scope.globals.update(node.names)
        if scope.kind != "module":
            for name in node.names:
                self.bindings.append((name, "global", *self.place(node), where))

    def _if(self, node: ast.If, scope: Scope, where: int) -> None:
        self.expression(node.test, scope)
        body = orelse = where | Where.CONDITIONAL
        if _is_typing(node.test):
            body |= Where.TYPING
        elif isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not) and _is_typing(node.test.operand):
            orelse |= Where.TYPING
        self.block(node.body, scope, body)
        self.block(node.orelse, scope, orelse)

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope, where: int) -> None:
        self._target(node.target, scope, where | Where.CONDITIONAL, "assign")
        self.expression(node.iter, scope)
        self.block(node.body, scope, where | Where.CONDITIONAL)
        self.block(node.orelse, scope, where | Where.CONDITIONAL)

    def _while(self, node: ast.While, scope: Scope, where: int) -> None:
        self.expression(node.test, scope)
        self.block(node.body, scope, where | Where.CONDITIONAL)
        self.block(node.orelse, scope, where | Where.CONDITIONAL)

    def _with(self, node: ast.With | ast.AsyncWith, scope: Scope, where: int) -> None:
        inner = where
        for item in node.items:
            self.expression(item.context_expr, scope)
            if item.optional_vars is not None:
                self._target(item.optional_vars, scope, where, "assign")
            if isinstance(item.context_expr, ast.Call) and chain(item.context_expr.func).endswith("suppress"):
                inner |= Where.TRIED
        self.block(node.body, scope, inner)

    def _try(self, node: ast.Try | ast.TryStar, scope: Scope, where: int) -> None:
        inner = where | Where.TRIED if node.handlers else where
        self.block(node.body, scope, inner)
        for handler in node.handlers:
            self.expression(handler.type, scope)
            if handler.name is not None:
                scope.bound.add(handler.name)
            self.block(handler.body, scope, inner)
        self.block(node.orelse, scope, inner)
        self.block(node.finalbody, scope, where)

    def _match(self, node: ast.Match, scope: Scope, where: int) -> None:
        self.expression(node.subject, scope)
        for case in node.cases:
            self.expression(case.pattern, scope)
            self.expression(case.guard, scope)
            self.block(case.body, scope, where | Where.CONDITIONAL)

    def _import(self, node: ast.Import, scope: Scope, where: int) -> None:
        for alias in node.names:
            self.bind(alias.asname or alias.name.partition(".")[0], "import", alias, scope, where)  # type: ignore[arg-type]  # an alias has a place
            self._imported(node, alias, (alias.name, 0, ""), scope, where)

    def _import_from(self, node: ast.ImportFrom, scope: Scope, where: int) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.bind(alias.asname or alias.name, "import", alias, scope, where)  # type: ignore[arg-type]  # as above
            self._imported(node, alias, (node.module or "", node.level, alias.name), scope, where)

    def _imported(
        self,
        node: ast.Import | ast.ImportFrom,
        alias: ast.alias,
        what: tuple[str, int, str],
        scope: Scope,
        where: int,
    ) -> None:
        place = self.place(alias)  # type: ignore[arg-type]  # an alias has a place too
        first_line = self.place(node)[0]
        self.imports.append(Import(*what, alias.asname or "", *place, first_line, int(where), scope.qualified))

    def _raise(self, node: ast.Raise, scope: Scope, where: int) -> None:  # noqa: ARG002  one signature for all
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        self.raises.append((dotted(raised), node, scope.number))
        self.expression(node.exc, scope)
        self.expression(node.cause, scope)

    def _return(self, node: ast.Return, scope: Scope, where: int) -> None:  # noqa: ARG002  as above
        if node.value is not None and not self.string(node.value, "return", scope.qualified, scope):
            self.expression(node.value, scope)

    def _plain(self, node: ast.Expr, scope: Scope, where: int) -> None:  # noqa: ARG002  as above
        value = node.value
        if isinstance(value, ast.Constant):
            return
        if isinstance(value, ast.Call) and scope.kind == "module":
            self.exports.called(value)
            if _names_itself(value):
                self.dynamic[f"{chain(value.func)}(__name__)"] = None
        self.expression(value, scope)

    def _type_alias(self, node: ast.stmt, scope: Scope, where: int) -> None:
        self.bind(node.name.id, "assign", node, scope, where)  # type: ignore[attr-defined]  # ast.TypeAlias of 3.12
        self.expression(node.value, scope)  # type: ignore[attr-defined]  # as above

    _handlers: ClassVar[dict[type[ast.AST] | None, Callable[..., None]]] = {
        ast.FunctionDef: _function,
        ast.AsyncFunctionDef: _function,
        ast.ClassDef: _class,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Delete: _delete,
        ast.Global: _global,
        ast.If: _if,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.While: _while,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Try: _try,
        ast.TryStar: _try,
        ast.Match: _match,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
        ast.Raise: _raise,
        ast.Return: _return,
        ast.Expr: _plain,
        getattr(ast, "TypeAlias", None): _type_alias,
    }


def _names_itself(node: ast.expr) -> bool:
    """Whether a statement hands the module's own name to a call: ``Importer(__name__).install()``."""
    while isinstance(node, ast.Call):
        if any(chain(argument) == "__name__" for argument in node.args):
            return True
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    return False


def _is_typing(test: ast.expr) -> bool:
    """Whether a condition holds for type checkers only; ``if False:`` is how that was said before."""
    if isinstance(test, ast.Constant):
        return not test.value
    return chain(test).rpartition(".")[2] in {"TYPE_CHECKING", "MYPY"}
