"""How a function of Python leaves early where the grid of its launch would be empty: a quick fix.

Asks for the sizes that make up the grid, before the statement that launches, and returns what the function returns at
its end. Offers nothing where that is a guess: a size that does not show, a statement behind the launch that would be
left out too, a result that is not there yet, siblings that only assert. Invariant: every name of the guard is bound
before it in the same function.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import replace
from roundzero.checkers._python import definitions, dotted, last_name, parse, within
from roundzero.checkers._python_launches import AMOUNT, CHOSEN, is_of_data
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roundzero.checkers._python import Function, Parsed
    from roundzero.core.change import Source
    from roundzero.core.finding import Fix

MOST_SIZES: Final = 3
LEVELS: Final = 5
"""Expressions and names that are followed from a grid to a size."""

_ROUNDS_UP: Final = regex(r"(?i)\w*(?:cdiv|ceil_?div|div_?up|div_?ceil|div_?round_?up)\w*")
_CONSTANT: Final = regex(r"_?[A-Z][A-Z0-9_]+")
_ASKS_NONE: Final = regex(r"(?:== 0|<= 0|< 1)$|^not ")
_SETTLES: Final = regex(r"(?i)\w*(?:check|synchronize|sync)\w*")


def return_early(source: Source, grids: Sequence[Span]) -> list[tuple[Fix, ...]]:
    """For each launch whose grid stands at a span of a text in Python its guard; none where unsure."""
    file = parse(source) if grids else None
    if file is None or not _leaves(file.tree):
        return [() for _ in grids]
    statements = {
        file.start(statement): (function, at)
        for function in definitions(file.tree).values()
        for at, statement in enumerate(function.body)
    }
    starts = sorted(statements)
    found: list[tuple[Fix, ...]] = []
    for grid in grids:
        place = bisect_right(starts, grid.start) - 1
        function, at = statements[starts[place]] if place >= 0 else (None, 0)
        is_inside = function is not None and grid.start < file.end(function.body[at])
        found.append(_guard(file, grid, function, at) if function is not None and is_inside else ())
    return found


def _guard(file: Parsed, grid: Span, function: Function, at: int) -> tuple[Fix, ...]:
    """The guard before a statement of a function that launches on a grid."""
    source, statement = file.source, function.body[at]
    start = file.start(statement)
    indent = source.index.line(start.line)[: start.column - 1]
    names = _Names(function, at)
    found = [node for node in ast.walk(statement) if isinstance(node, ast.expr) and file.span(node) == grid]
    sizes = names.of_grid(found[0]) if found else []
    result = _result(function, at)
    if indent.strip() or not sizes or len(sizes) > MOST_SIZES or result is None or not _only_launches(statement):
        return ()
    line = start.line
    while source.index.line(line - 1).startswith(f"{indent}#"):
        line -= 1
    def_line = source.index.line(file.start(function).line)
    unit = indent.removeprefix(def_line[: len(def_line) - len(def_line.lstrip())]) or "    "
    test = " or ".join(f"{size} == 0" for size in sizes)
    words = f"{indent}if {test}:\n{indent}{unit}{result}\n"
    place = Span(Position(line, 1), Position(line, 1))
    return (replace(source, "Leave early when there is nothing to do", words, place, safe=False),)


def _leaves(tree: ast.Module) -> bool:
    """Whether the file leaves where a size is zero, or launches only where it is not."""
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    return any(
        (_ASKS_NONE.search(asked := ast.unparse(node.test)) is not None and isinstance(node.body[0], ast.Return))
        or re.search(r"(?:> 0|!= 0|>= 1)$|^[\w.]+(?:\(\w*\))?$|^len\(", asked) is not None
        for node in tests
    )


def _only_launches(node: ast.stmt) -> bool:
    """Whether a statement does nothing but launch, under whatever conditions and contexts."""
    if isinstance(node, (ast.With, ast.If)):
        return all(_only_launches(child) for child in (*node.body, *getattr(node, "orelse", ())))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return isinstance(node.value.func, ast.Subscript) or _SETTLES.fullmatch(last_name(node.value.func)) is not None
    return False


def _result(function: Function, at: int) -> str | None:
    """What a function returns behind the launching statement; None where it is not there yet, or more happens."""
    rest = function.body[at + 1 :]
    returned = rest[-1] if rest and isinstance(rest[-1], ast.Return) else None
    if not all(_only_launches(each) for each in (rest[:-1] if returned is not None else rest)):
        return None
    if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in within(function)):
        return None
    if returned is None or returned.value is None:
        gives = any(isinstance(part, ast.Return) and part.value is not None for part in within(function))
        return None if gives else "return"
    parts = returned.value.elts if isinstance(returned.value, ast.Tuple) else [returned.value]
    if isinstance(returned.value, ast.Constant) and returned.value.value is None:
        return "return None"
    bound = _bound(function.body[:at]) | _parameters(function)
    if not all(isinstance(part, ast.Name) and part.id in bound for part in parts):
        return None
    return f"return {ast.unparse(returned.value).removeprefix('(').removesuffix(')')}"


def _parameters(function: Function) -> set[str]:
    taken = function.args
    return {each.arg for each in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)}


def _bound(statements: Iterable[ast.stmt]) -> set[str]:
    """The names that statements bind, whatever happens."""
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, ast.Assign):
            targets = [name for target in statement.targets for name in ast.walk(target)]
        elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)) and statement.value is not None:
            targets = [statement.target]
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            found |= _bound(statement.body)
            continue
        elif isinstance(statement, ast.If) and statement.orelse:
            found |= _bound(statement.body) & _bound(statement.orelse)
            continue
        else:
            continue
        found |= {name.id for name in targets if isinstance(name, ast.Name)}
    return found


def _is_number(node: ast.expr) -> bool:
    """Whether an amount of data is one number, which the whole of a shape is not."""
    return isinstance(node, ast.Subscript) or (
        isinstance(node, ast.Call) and (bool(node.args) or last_name(node.func) != "size")
    )


class _Names:
    """What the names of a function stand for before one of its statements."""

    def __init__(self, function: Function, at: int) -> None:
        """Look at what is bound once; a parameter that is bound anew is neither."""
        before = function.body[:at]
        stores = [
            part.id for part in within(function) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        ]
        self._values: dict[str, ast.expr] = {}
        self._parts: set[str] = set()
        for statement in before:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                (target,) = statement.targets
                if isinstance(target, ast.Name) and stores.count(target.id) == 1:
                    self._values[target.id] = statement.value
                elif isinstance(target, (ast.Tuple, ast.List)) and is_of_data(statement.value):
                    self._parts |= {
                        each.id for each in target.elts if isinstance(each, ast.Name) and stores.count(each.id) == 1
                    }
            elif isinstance(statement, ast.FunctionDef):
                returned = next((each.value for each in statement.body if isinstance(each, ast.Return)), None)
                if returned is not None and len(statement.body) == 1:
                    self._values[statement.name] = returned
        self._parameters = _parameters(function) - set(stores)

    def of_grid(self, grid: ast.expr) -> list[str]:
        """The sizes of a grid; none where one does not show."""
        if isinstance(grid, ast.Name) and grid.id in self._values:
            grid = self._values[grid.id]
        if isinstance(grid, ast.Lambda):
            grid = grid.body
        sizes = self._all_of(grid.elts if isinstance(grid, (ast.Tuple, ast.List)) else [grid], LEVELS)
        return list(dict.fromkeys(sizes or ()))

    def _all_of(self, nodes: Sequence[ast.expr], levels: int) -> list[str] | None:
        found: list[str] = []
        for node in nodes:
            sizes = self._sizes(node, levels - 1)
            if sizes is None:
                return None
            found += sizes
        return found

    def _sizes(self, node: ast.expr, levels: int) -> list[str] | None:
        """What is zero where a dimension is; None where that does not show."""
        sizes: list[str] | None = None
        if not levels:
            return None
        if isinstance(node, ast.Constant):
            sizes = [] if isinstance(node.value, int) and node.value > 0 else None
        elif isinstance(node, ast.Name):
            sizes = self._named(node.id, levels)
        elif isinstance(node, (ast.Tuple, ast.List)):
            sizes = self._all_of(node.elts, levels)
        elif is_of_data(node):
            sizes = [ast.unparse(node)] if _is_number(node) and self._is_there(node) else None
        elif isinstance(node, ast.BinOp):
            sizes = self._computed(node, levels)
        elif isinstance(node, ast.Call) and node.args:
            if dotted(node.func) == "min":
                sizes = self._all_of(node.args, levels)
            elif dotted(node.func) == "int" or _ROUNDS_UP.fullmatch(last_name(node.func)):
                sizes = self._sizes(node.args[0], levels - 1)
        return sizes

    def _named(self, name: str, levels: int) -> list[str] | None:
        if name in self._parts or (name in self._parameters and AMOUNT.fullmatch(name) and not CHOSEN.search(name)):
            return [name]
        if _CONSTANT.fullmatch(name) or (name in self._parameters and CHOSEN.search(name)):
            return []
        value = self._values.get(name)
        if value is None or isinstance(value, (ast.Tuple, ast.List, ast.Lambda)):
            return None
        sizes = self._sizes(value, levels - 1)
        if sizes is not None and all(size.isidentifier() for size in sizes):
            return sizes
        return [name] if sizes is not None or isinstance(value, (ast.BinOp, ast.Call)) else None

    def _computed(self, node: ast.BinOp, levels: int) -> list[str] | None:
        if isinstance(node.op, ast.Mult):
            return self._all_of([node.left, node.right], levels)
        if not isinstance(node.op, ast.FloorDiv):
            return None
        block, over = ast.unparse(node.right), ast.unparse(node.left)
        below = str(int(block) - 1) if block.isdigit() else ""
        for more in (f" + {block} - 1", f" + ({block} - 1)", f" - 1 + {block}", *([f" + {below}"] if below else ())):
            if over.endswith(more):
                return self._sizes(ast.parse(over.removesuffix(more), mode="eval").body, levels - 1)
        return None

    def _is_there(self, node: ast.expr) -> bool:
        """Whether all that an expression names is bound before the launching statement, as far as that shows."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - {"len"}
        return names <= self._parameters | self._values.keys() | self._parts
