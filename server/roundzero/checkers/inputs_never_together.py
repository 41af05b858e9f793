"""inputs-never-together: one test gives an option on the command line, another in the environment, and none in both.

Which of the two wins is decided where both are given. They are the same option when the variable ends with its name:
``--port`` and ``SHOP_PORT``. Silent where any test of the class gives both kinds, since that is where precedence is
tried, and where a fixture or helper of the file names the variable. Invariant: the hit lies on the name of the first
test that sets the variable, one for each option.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, is_test_function, last_name, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit

_ENVIRON: Final = frozenset({"os.environ", "environ"})
_FILLING: Final = frozenset({"update", "setdefault"})
_OPTION: Final = regex(r"(?P<option>--(?P<name>[a-z][\w-]{2,}))(?:=.*)?", re.DOTALL)


class InputsNeverTogether(PythonChecker):
    """Finds options whose two sources are tried one at a time only."""

    name = "inputs-never-together"
    nodes = (ast.Module, ast.ClassDef)

    def __init__(self) -> None:
        """Start before the file is known."""
        self._written: list[tuple[bool, str]] | None = None

    def concerns(self, ctx: CheckContext) -> bool:
        """Only tests that name both."""
        text = ctx.file.source.text
        return ctx.is_test and "--" in text and ("environ" in text or "setenv" in text)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at the tests of one class, or of the module itself."""
        tests = [part for part in getattr(node, "body", ()) if is_test_function(part)]
        variables = [(name, test) for test in tests for name in _variables(test)]
        given = {test: dict(_options(test)) for test in tests} if variables else {}
        if any(given[test] for _, test in variables):
            return
        options = {name: option for each in given.values() for option, name in each.items()}
        for variable, test in variables:
            parts = variable.split("_")
            for option in filter(None, (options.pop("_".join(parts[at:]), None) for at in range(len(parts)))):
                if not self._is_named_elsewhere(ctx.file.tree, variable, option):
                    yield ctx.hit_at(ctx.file.name_span(test), f"{variable}, {option}")

    def _is_named_elsewhere(self, tree: ast.Module, variable: str, option: str) -> bool:
        """Whether a function names both, or something that is no test names the variable."""
        if self._written is None:
            self._written = list(_written(tree))
        return any(variable in text and (not in_test or option in text) for in_test, text in self._written)


def _variables(test: Function) -> Iterator[str]:
    """The environment variables that a test gives a value."""
    for node in (test, *within(test, into_scopes=True)):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and dotted(target.value) in _ENVIRON:
                    yield from _texts(target.slice)
        elif isinstance(node, ast.Call):
            yield from _set_by(node)


def _set_by(call: ast.Call) -> Iterator[str]:
    name = last_name(call.func)
    place = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    first = call.args[0] if call.args else None
    is_environment = first is not None and _ENVIRON & {dotted(first), *_texts(first)}
    if name == "setenv":
        yield from _texts(first)
    elif name == "setitem" and is_environment and len(call.args) > 1:
        yield from _texts(call.args[1])
    elif (name in _FILLING and place in _ENVIRON) or (name == "dict" and is_environment):
        yield from (keyword.arg for keyword in call.keywords if keyword.arg is not None)
        for each in call.args:
            yield from _texts(each)
            for key in each.keys if isinstance(each, ast.Dict) else ():
                yield from _texts(key)


def _texts(node: ast.expr | None) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _options(test: Function) -> Iterator[tuple[str, str]]:
    """The options in the lists of a test, each with the name that a variable would have."""
    for node in (test, *within(test, into_scopes=True)):
        for each in node.elts if isinstance(node, (ast.List, ast.Tuple)) else ():
            for text in _texts(each):
                match = _OPTION.fullmatch(text)
                if match is not None:
                    yield match["option"], match["name"].replace("-", "_").upper()


def _written(tree: ast.Module) -> Iterator[tuple[bool, str]]:
    """The texts of all functions and of the decorators of classes, and whether each is a test's."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield is_test_function(node), ast.unparse(node)
        elif isinstance(node, ast.ClassDef):
            yield from ((False, ast.unparse(each)) for each in node.decorator_list)


CHECKER: Final = InputsNeverTogether
