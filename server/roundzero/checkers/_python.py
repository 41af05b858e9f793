"""One version of a Python file as checkers look at it: its tree, places in it, and the one walk for all of them.

Does not know checkers, items or changes. Invariant: the walk meets every node with a place once, parents first, however
deep the tree is.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, TypeGuard

from roundzero.core.regex import regex
from roundzero.core.syntax import AstPlaces, NotPythonError, parse_python
from roundzero.core.text import LineIndex, Position, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from roundzero.core.change import Source

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Scope: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda

SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
STOP_EVERY: Final = 2000
"""Nodes walked between two questions whether to stop: below 2 ms on the slowest machine measured."""

_DEF: Final = regex(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)


class StoppedError(Exception):
    """The caller no longer wants the result."""


class Located(Protocol):
    """A node with a place in the text: any statement, expression, handler, argument, keyword or alias."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


class Parsed:
    """One version of a Python file: its source, its tree, and places in it."""

    __slots__ = ("_places", "source", "tree")

    def __init__(self, source: Source, tree: ast.Module) -> None:
        """Join a source with the tree of its text."""
        self.source = source
        self.tree = tree
        self._places = AstPlaces(source)

    def start(self, node: Located) -> Position:
        """Where a node starts. Its line is one of the text's; ``lineno`` may be another, see core/syntax."""
        return Position(*self._places.place(node.lineno, node.col_offset))

    def end(self, node: Located) -> Position:
        """Where a node ends, exclusive."""
        line, column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Position(*self._places.place(line, column))

    def span(self, node: Located, last: Located | None = None) -> Span:
        """The place of a node, or from one node to the end of another."""
        return Span(self.start(node), self.end(last or node))

    def text(self, node: Located, last: Located | None = None) -> str:
        """The text of a node, or from one node to the end of another."""
        return self.source.index.slice(self.span(node, last))

    def name_span(self, node: Function | ast.ClassDef) -> Span:
        """The place of the name a definition defines."""
        index = self.source.index
        offset = index.offset(self.start(node))
        head = index.text[offset : offset + 200]
        keyword = "class" if isinstance(node, ast.ClassDef) else "def"
        at = head.find(node.name, head.find(keyword) + len(keyword))
        return (
            index.span(offset + at, offset + at + len(node.name)) if at >= 0 else index.line_span(self.start(node).line)
        )


def parse(source: Source) -> Parsed:
    """Parse a file. Raises NotPythonError."""
    return Parsed(source, parse_python(source))


def parse_or_none(source: Source | None) -> Parsed | None:
    """The tree of a file; None where there is none or it is not Python."""
    try:
        return parse(source) if source is not None else None
    except NotPythonError:
        return None


def _child_fields() -> dict[type, tuple[str, ...]]:
    """Fields that may hold child nodes, last first, for every kind of node; none for a child that is not there.

    Contexts and operators are no places.
    """
    barren = {
        "ctx", "op", "ops", "id", "attr", "name", "names", "arg", "kind", "lineno", "module", "level", "value_kind",
        "is_async", "simple", "type_comment", "conversion", "type_ignores", "asname", "rest", "kwd_attrs", "tag", "str",
    }  # fmt: skip
    table: dict[type, tuple[str, ...]] = {}
    kinds = [kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)]
    for kind in kinds:
        fields = [field for field in kind._fields if field not in barren]
        if kind in {ast.Import, ast.ImportFrom}:
            fields = ["names"]
        elif kind in {ast.Constant, ast.MatchSingleton}:
            fields = []
        elif kind is getattr(ast, "TypeAlias", None):
            fields = ["name", *fields]
        table[kind] = tuple(reversed(fields))
    table[type(None)] = ()
    return table


_CHILDREN: Final = _child_fields()

Visit: TypeAlias = "Callable[[ast.AST], None]"


def walk(
    tree: ast.AST,
    table: Mapping[type[ast.AST], Sequence[Visit]],
    scopes: list[Scope],
    should_stop: Callable[[], bool],
) -> None:
    """Call the visitors of every node's kind, in source order, a parent before its children.

    While they run, ``scopes`` holds the functions, lambdas and classes around the node, outermost first. A scope's
    decorators, defaults and annotations count as inside of it. Iterative: depth costs no stack. Raises StoppedError.
    """
    children = _CHILDREN
    visitors = table.get
    leave = ast.AST()  # stands for the end of a scope
    stack = [tree]
    pop, push, extend = stack.pop, stack.append, stack.extend
    budget = STOP_EVERY
    while stack:
        node = pop()
        if node is leave:
            scopes.pop()
            continue
        budget -= 1
        if not budget:
            if should_stop():
                raise StoppedError
            budget = STOP_EVERY
        kind = node.__class__
        for visit in visitors(kind, ()):
            visit(node)
        if kind in _SCOPE_KINDS:
            scopes.append(node)  # type: ignore[arg-type]  # the kinds are those of Scope
            push(leave)
        for field in children[kind]:
            value = getattr(node, field, None)
            if value.__class__ is list:
                extend(value[::-1])
            elif value is not None:
                push(value)


_SCOPE_KINDS: Final = frozenset(SCOPES)


def within(node: ast.AST, *, into_scopes: bool = False) -> Iterator[ast.AST]:
    """The nodes below a node in source order, by default without what lies in nested functions, lambdas and classes."""
    stack: list[ast.AST] = [node]
    first = True
    while stack:
        current = stack.pop()
        if not first:
            yield current
            if not into_scopes and current.__class__ in _SCOPE_KINDS:
                continue
        first = False
        for field in _CHILDREN[current.__class__]:
            value = getattr(current, field, None)
            if isinstance(value, list):
                stack.extend(item for item in reversed(value) if isinstance(item, ast.AST))
            elif isinstance(value, ast.AST):
                stack.append(value)


def near(file: Parsed, words: Collection[str]) -> Iterator[ast.AST]:
    """The nodes of all statements in which one of some words stands, which are few where a walk over all would be long.

    In no particular order. A statement around another counts as one in which its words stand.
    """
    text = file.source.text
    if not text.isascii():
        import unicodedata  # noqa: PLC0415  few texts need its tables

        text = unicodedata.normalize("NFKC", text)  # as names are in the tree; lines stay what they are
    index = LineIndex(text, carriage_return_ends_line=True)
    # No \b: a name may end in a mark, which is no letter.
    found = (at.start() for word in words if word for at in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text))
    lines = sorted({index.position(at).line for at in found})
    stack: list[ast.AST] = [file.tree]
    while stack:
        node = stack.pop()
        yield node
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.stmt) or _any_within(lines, child):
                stack.append(child)


def _any_within(lines: Sequence[int], node: ast.stmt) -> bool:
    first = min((each.lineno for each in getattr(node, "decorator_list", ())), default=node.lineno)
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= (node.end_lineno or node.lineno)


def is_test_function(node: ast.AST | None) -> TypeGuard[Function]:
    """Whether a node is a function that runners take for a test, by its name."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test")


def dotted(node: ast.expr) -> str:
    """``a.b.c`` for a name or an attribute of one; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def last_name(node: ast.expr) -> str:
    """``c`` for a name or an attribute ``c`` of anything; "" for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else dotted(node)


def same(left: object, right: object) -> bool:
    """Whether two trees, or lists of trees, are equal as syntax: places and contexts aside. Raises RecursionError."""
    if left.__class__ is not right.__class__:
        return False
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, ast.AST):
        return all(
            same(getattr(left, name, None), getattr(right, name, None))
            for name in left._fields
            if name != "type_comment"
        )
    return left == right


def is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is nothing but a string or an ellipsis."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def definitions(tree: ast.Module) -> dict[str, Function]:
    """Functions and methods by qualified name, at any depth of classes but not inside functions; the last one wins."""
    found: dict[str, Function] = {}
    stack: list[tuple[str, ast.stmt]] = [("", node) for node in reversed(tree.body)]
    while stack:
        prefix, node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[prefix + node.name] = node
        elif isinstance(node, ast.ClassDef):
            stack += [(f"{prefix}{node.name}.", child) for child in reversed(node.body)]
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            stack += [(prefix, child) for child in reversed(blocks(node))]
    return found


def defined_in(source: Source | None) -> frozenset[str]:
    """The names of all functions of a text, at any depth, told by its lines."""
    return frozenset(_DEF.findall(source.text)) if source is not None else frozenset()


def blocks(node: ast.stmt) -> list[ast.stmt]:
    """The statements directly inside a compound statement, all its blocks in order."""
    inner: list[ast.stmt] = []
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        for child in getattr(node, name, ()):
            if isinstance(child, ast.stmt):
                inner.append(child)
            else:
                inner += child.body
    return inner
