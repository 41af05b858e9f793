"""Where Python launches kernels, as Triton and Numba write it, ``kernel[grid](...)``, and if the grid may be empty.

A grid's size comes from the data where it leads, through assignments of the same function, to a shape, a number of
elements, a length or a parameter. Does not compare functions with each other. Invariant: launches are in the order of
the text, those of one function together, and a grid without a size of the data is in none of them.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.checkers._python import definitions, dotted, last_name, parse, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.checkers._python import Function
    from roundzero.core.change import Source
    from roundzero.core.text import Span

LEVELS: Final = 4
"""Assignments that are followed from a grid to what its size is."""

_MAY_LAUNCH: Final = regex(r"\w\[[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*\]\(")
_PROGRAMMED: Final = regex(r"\btriton\b|\bnumba\b|\bcuda\.jit\b")
_KERNEL: Final = regex(r"kernel", re.IGNORECASE)
_GRID: Final = regex(r"(?:^|_)(?:grid|blocks)", re.IGNORECASE)
AMOUNT: Final = regex(
    r"[nmMNT]|(?i:(?:\w*_)?(?:num|n|total|numel|count|len|length|size|batch|bs|seq\w*|tokens?|rows?)(?:_\w+)?)"
)
CHOSEN: Final = regex(r"(?i:block|_sms?$|warp|thread|stage|split|chunk|tile|core|head|dim|expert|group|layer)")
"""Names of parameters that say how much there is, and of those that somebody chooses."""

_OF_DATA: Final = frozenset({"numel", "size", "nelement"})
_ASKS_ANY: Final = regex(
    r"(?:numel\(\)|\blen\([^()]*\)|\.size\([^()]*\)|shape\[[^\]]*\]|\.size\b) (?:==|<=|>|!=) 0\b|\bnot \S*\.numel\(\)|"
    r"^\S*\.(?:numel\(\)|shape\[[^\]]*\])$|\bnot \S*\.shape\["
)
"""Questions whether there is anything, of whatever."""


class Launch(NamedTuple):
    """The place of a launch's grid, and whether its function asked before whether there is anything to do."""

    grid: Span
    is_guarded: bool


def launches(source: Source) -> Iterator[list[Launch]]:
    """The launches of each function that launches on a grid whose size the data decide. Raises NotPythonError."""
    if _PROGRAMMED.search(source.text) is None or _MAY_LAUNCH.search(source.text) is None:
        return
    file = parse(source)
    functions = definitions(file.tree)
    compiled = {name for name, function in functions.items() if _is_compiled(function)}
    for function in functions.values():
        values = _values(function)
        tests = [part.test for part in within(function) if isinstance(part, (ast.If, ast.Assert, ast.IfExp, ast.While))]
        asked = [(test.lineno, ast.unparse(test)) for test in tests]
        found = []
        for part in within(function):
            if not isinstance(part, ast.Call) or not isinstance(part.func, ast.Subscript):
                continue
            grid = part.func.slice
            if not _is_launch(part.func, compiled):
                continue
            sizes = _sizes(grid, values, _parameters(function))
            if sizes:
                before = [test for line, test in asked if line <= part.lineno]
                found.append(Launch(file.span(grid), any(_asks(test, sizes) for test in before)))
        if found:
            yield found


def _is_compiled(function: Function) -> bool:
    return any("jit" in ast.unparse(decorator) for decorator in function.decorator_list)


def _is_launch(target: ast.Subscript, compiled: set[str]) -> bool:
    """Whether calling this is a launch: a kernel by name or decorator, on something that is a grid by form or name."""
    grid = target.slice
    has_form = isinstance(grid, (ast.Tuple, ast.Lambda)) or _GRID.search(last_name(grid)) is not None
    name = last_name(target.value)
    return has_form and (name in compiled or _KERNEL.search(name) is not None)


def _parameters(function: Function) -> set[str]:
    arguments = function.args
    return {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def _values(function: Function) -> Mapping[str, ast.expr]:
    """What the names of a function are set to last; each name of a tuple stands for all of it."""
    found: dict[str, ast.expr] = {}
    for part in within(function):
        if isinstance(part, ast.Assign):
            for target in part.targets:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                        found[name.id] = part.value
        elif isinstance(part, ast.FunctionDef):
            returned = next((each.value for each in part.body if isinstance(each, ast.Return) and each.value), None)
            if returned is not None:
                found[part.name] = returned
    return found


def _sizes(grid: ast.expr, values: Mapping[str, ast.expr], parameters: set[str]) -> set[str]:
    """The texts by which a function may ask for the size of a grid; none where it is fixed or at least one."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [grid]
    has_data = False
    for _ in range(LEVELS):
        following: list[ast.expr] = []
        for expression in waiting:
            bound = {each.arg for each in expression.args.args} if isinstance(expression, ast.Lambda) else set[str]()
            for part in ast.walk(expression):
                if isinstance(part, ast.Call) and last_name(part.func) == "max":
                    return set()
                if is_of_data(part):
                    has_data = True
                    found.add(ast.unparse(part))
                elif isinstance(part, ast.Name) and part.id not in bound | seen:
                    seen.add(part.id)
                    if part.id in values:
                        following.append(values[part.id])
                        found.add(part.id)
                    elif part.id in parameters and AMOUNT.fullmatch(part.id) and not CHOSEN.search(part.id):
                        has_data = True
                        found.add(part.id)
        waiting = following
    return found if has_data else set()


def is_of_data(node: ast.AST) -> bool:
    """Whether an expression says how much there is: a shape, a number of elements, a length."""
    if isinstance(node, ast.Attribute):
        return node.attr == "shape"
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    if not isinstance(node, ast.Call):
        return False
    return dotted(node.func) == "len" or (isinstance(node.func, ast.Attribute) and node.func.attr in _OF_DATA)


def _asks(test: str, sizes: set[str]) -> bool:
    """Whether a condition asks if one of the sizes is zero."""
    if _ASKS_ANY.search(test) is not None:
        return True
    for size in sizes:
        own = rf"(?<![\w.]){re.escape(size)}(?![\w.(\[])"
        if re.search(rf"{own} (?:==|<=|>|!=) 0\b|{own} (?:<|>=) 1\b|\bnot {own}|^{own}$|(?:and|or) {own}$", test):
            return True
    return False
