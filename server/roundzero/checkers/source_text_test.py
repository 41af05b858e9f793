"""source-text-test: a test reads the text of the code it tests and looks for words in it.

The text comes from ``inspect.getsource``, from a module's ``__file__``, or from a file of code whose path below the
repository is written out. Reported only where words of it are compared: code that is parsed, compiled or given on is
somebody's subject. Silent for code that the test file itself defines, and for files in folders that the test was given.
Invariant: at most one hit a test.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, is_test_function, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.core.finding import Hit

_READERS: Final = frozenset({"inspect.getsource", "getsource", "inspect.getsourcelines", "getsourcelines"})
_KEEPS_TEXT: Final = frozenset({"strip", "lower", "upper", "split", "splitlines", "replace", "dedent", "join"})
_COUNTS: Final = frozenset({"count", "find", "index", "startswith", "endswith"})
_SEARCHES: Final = frozenset({"re.search", "re.match", "re.findall", "re.finditer", "re.fullmatch"})
_ASSERTS: Final = frozenset({"assertIn", "assertNotIn", "assertRegex", "assertNotRegex"})


_CODE: Final = regex(r"(?:[\w.-]+/)*[\w-]+\.(?:pyx?|cc?|cpp|cu|cuh|hpp?|go|rs|java|kt|tsx?|jsx?)")
_ROOT: Final = regex(r"_?[A-Z][A-Z0-9_]*")


class SourceTextTest(PythonChecker):
    """Finds tests of how code is written."""

    name = "source-text-test"
    version = "2"
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef)

    def concerns(self, ctx: CheckContext) -> bool:
        """Only tests that read code."""
        text = ctx.file.source.text
        return ctx.is_test and any(word in text for word in ("getsource", ".__file__", "read_text(", ".read("))

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one test."""
        if not is_test_function(node):
            return ()
        parts = list(within(node))
        own = _defined(ctx.file.tree) | _defined(node)
        opened = {name: call for part in parts if isinstance(part, ast.With) for name, call in _opened(part)}
        reads = [part for part in parts if isinstance(part, ast.Call) and _reads_code(part, own, opened)]
        if not reads:
            return ()
        texts: dict[str, ast.Call] = {}
        for part in parts:
            target, value = _named(part)
            read = _origin(value, texts, reads) if value is not None else None
            if read is not None:
                texts[target] = read
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


def _named(node: ast.AST) -> tuple[str, ast.expr | None]:
    """The name that a node gives to a text, or to lines of one, and what it is made from."""
    target: ast.expr | None = None
    value: ast.expr | None = None
    if isinstance(node, ast.Assign):
        target, value = node.targets[0], node.value
    elif isinstance(node, (ast.For, ast.comprehension)):
        target, value = node.target, node.iter
    if isinstance(target, ast.Tuple):
        target = target.elts[0]  # of ``getsourcelines``
    return (target.id, value) if isinstance(target, ast.Name) else ("", None)


def _opened(node: ast.With) -> Iterator[tuple[str, ast.expr]]:
    """The names that a ``with`` gives to files, and what opens them."""
    for item in node.items:
        if isinstance(item.optional_vars, ast.Name):
            yield item.optional_vars.id, item.context_expr


def _reads_code(call: ast.Call, own: Collection[str], opened: Mapping[str, ast.expr]) -> bool:
    """Whether a call gives the text of code that is defined elsewhere."""
    if dotted(call.func) in _READERS and len(call.args) == 1:
        subject = dotted(call.args[0])
        return bool(subject) and subject.partition(".")[0] not in {*own, "self", "cls"}
    if isinstance(call.func, ast.Attribute) and call.func.attr in {"read", "read_text"}:
        file = call.func.value
        if isinstance(file, ast.Name) and file.id in opened:
            file = opened[file.id]
        return _is_code_path(file) or any(
            isinstance(part, ast.Attribute) and part.attr == "__file__" and dotted(part.value) not in {"", *own}
            for part in ast.walk(file)
        )
    return False


def _is_code_path(node: ast.expr) -> bool:
    """Whether this is a file of code below the repository: ``Path("app/a.py")``, ``open(...)``, ``ROOT / "a.py"``."""
    if isinstance(node, ast.Call):
        opens = dotted(node.func) in {"open", "io.open", "Path", "pathlib.Path"}
        return opens and bool(node.args) and _is_code_path(node.args[0])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        names: list[str] = []
        folder: ast.expr = node
        while isinstance(folder, ast.BinOp):
            if not isinstance(folder.right, ast.Constant) or not isinstance(folder.right.value, str):
                return False
            names.insert(0, folder.right.value)
            folder = folder.left
        return _is_root(folder) and _CODE.fullmatch("/".join(names)) is not None
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return "/" in node.value and not node.value.startswith("test") and _CODE.fullmatch(node.value) is not None


def _is_root(node: ast.expr) -> bool:
    """Whether a folder is the repository's: a constant of the module, or reached from ``__file__``."""
    if isinstance(node, ast.Name):
        return _ROOT.fullmatch(node.id) is not None
    return any(isinstance(part, ast.Name) and part.id == "__file__" for part in ast.walk(node))


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
