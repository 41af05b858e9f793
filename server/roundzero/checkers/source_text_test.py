"""source-text-test: a test reads the text of the code it tests and looks for words in it.

The text comes from ``inspect.getsource`` or from a module's ``__file__``. Reported only where words of it are compared:
code that is parsed, compiled or given on is somebody's subject. Silent for code that the test file itself defines.
Invariant: at most one hit a test.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, is_test_function, within

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from roundzero.core.finding import Hit

_READERS: Final = frozenset({"inspect.getsource", "getsource", "inspect.getsourcelines", "getsourcelines"})
_KEEPS_TEXT: Final = frozenset({"strip", "lower", "upper", "split", "splitlines", "replace", "dedent", "join"})
_COUNTS: Final = frozenset({"count", "find", "index", "startswith", "endswith"})
_SEARCHES: Final = frozenset({"re.search", "re.match", "re.findall", "re.finditer", "re.fullmatch"})
_ASSERTS: Final = frozenset({"assertIn", "assertNotIn", "assertRegex", "assertNotRegex"})


class SourceTextTest(PythonChecker):
    """Finds tests of how code is written."""

    name = "source-text-test"
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef)

    def concerns(self, ctx: CheckContext) -> bool:
        """Only tests that read code."""
        text = ctx.file.source.text
        return ctx.is_test and ("getsource" in text or ".__file__" in text)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one test."""
        if not is_test_function(node):
            return ()
        parts = list(within(node))
        own = _defined(ctx.file.tree) | _defined(node)
        reads = [part for part in parts if isinstance(part, ast.Call) and _reads_code(part, own)]
        if not reads:
            return ()
        texts: dict[str, ast.Call] = {}
        for part in parts:
            if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
                read = _origin(part.value, texts, reads)
                if read is not None:
                    texts[part.targets[0].id] = read
        for part in parts:
            compared = _compared(part)
            read = _origin(compared, texts, reads) if compared is not None else None
            if read is not None:
                return [ctx.hit(read)]
        return ()


def _defined(tree: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The functions and classes that a body defines itself."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {part.name for part in tree.body if isinstance(part, kinds)}


def _reads_code(call: ast.Call, own: Collection[str]) -> bool:
    """Whether a call gives the text of code that is defined elsewhere."""
    if dotted(call.func) in _READERS and len(call.args) == 1:
        subject = dotted(call.args[0])
        return bool(subject) and subject.partition(".")[0] not in {*own, "self", "cls"}
    if isinstance(call.func, ast.Attribute) and call.func.attr in {"read", "read_text"}:
        return any(
            isinstance(part, ast.Attribute) and part.attr == "__file__" and dotted(part.value) not in {"", *own}
            for part in ast.walk(call.func.value)
        )
    return False


def _origin(node: ast.expr, texts: dict[str, ast.Call], reads: list[ast.Call]) -> ast.Call | None:
    """The read that an expression's text comes from, if it is nothing but that text."""
    while node not in reads:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _KEEPS_TEXT:
            node = node.args[0] if node.args and node.func.attr in {"dedent", "join"} else node.func.value
        else:
            return texts.get(node.id) if isinstance(node, ast.Name) else None
    return node if isinstance(node, ast.Call) else None


def _compared(node: ast.AST) -> ast.expr | None:
    """The text in which a node looks for words."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return node.comparators[0]
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr in _COUNTS and node.args and isinstance(node.args[0], ast.Constant):
        return node.func.value
    if len(node.args) > 1 and (dotted(node.func) in _SEARCHES or node.func.attr in _ASSERTS):
        return node.args[0] if node.func.attr.endswith("Regex") else node.args[1]
    return None


CHECKER: Final = SourceTextTest
