"""boundary-always-replaced: all tests of a new function replace the same part of the standard library.

That the function and the real callee fit is then shown by nothing. Only parts that stay in the process and answer the
same each time (imports, parsing, formats) are meant: the network, other programs, the clock and the repository's own
functions are replaced for good reasons, and so is what gets no value of the function's caller, such as the import of
one optional package: no test could make it succeed. Told apart by names: tests that call the function, and literal
targets of patches. Invariant: at least two tests call it, and no other test file names it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import (
    Parsed,
    defined_in,
    definitions,
    dotted,
    is_test_function,
    last_name,
    parse_or_none,
    within,
)
from roundzero.core.finding import Hit, evidence_at
from roundzero.core.item import language_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._python import Function
    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository

LEAST_TESTS: Final = 2

_INSIDE: Final = frozenset(
    {"argparse", "ast", "base64", "binascii", "collections", "configparser", "copy", "csv", "dataclasses", "decimal",
     "difflib", "email", "enum", "fnmatch", "fractions", "functools", "hashlib", "heapq", "hmac", "html",
     "importlib", "inspect", "itertools", "json", "operator", "pickle", "pkgutil", "plistlib", "pprint", "re",
     "shlex", "statistics", "string", "struct", "textwrap", "tokenize", "tomllib", "types", "typing", "unicodedata",
     "xml", "zipfile", "zlib"}
)  # fmt: skip
"""Modules of the standard library that stay in the process, and answer the same each time."""


class BoundaryAlwaysReplaced(ChangeChecker):
    """Finds new functions that are never tested with what they call."""

    name = "boundary-always-replaced"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._new: dict[str, tuple[FileChange, Parsed, Function]] | None = None

    def words(self, change: Change) -> Collection[str]:
        """The new functions, where the change has tests that replace something."""
        return self._functions(change).keys() if any(_replaces(file) for file in change.files) else ()

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at each changed test file."""
        new = self._functions(change)
        for test in change.files if new else ():
            if not _replaces(test):
                continue
            for name, (home, parsed, function) in new.items():
                others = {hit.path for hit in found.get(name, ()) if is_test_path(hit.path)} - {test.path}
                if not others and name in getattr(test.head, "text", ""):
                    yield from _always(test, home, parsed, function)

    def _functions(self, change: Change) -> dict[str, tuple[FileChange, Parsed, Function]]:
        if self._new is None:
            self._new = {row[1].name: (file, *row) for file in change.files for row in _new_functions(file)}
        return self._new


def _replaces(file: FileChange) -> bool:
    head = file.head
    return head is not None and language_of(file.path) == "python" and is_test_path(file.path) and "patch" in head.text


def _new_functions(file: FileChange) -> Iterator[tuple[Parsed, Function]]:
    """The public functions that a production file got on added lines."""
    if file.head is None or language_of(file.path) != "python" or is_test_path(file.path):
        return
    if not any(line.startswith(("def ", "async def ")) for line in file.added_lines):
        return
    parsed = parse_or_none(file.head)
    if parsed is None:
        return
    old = defined_in(file.base)
    for name, function in definitions(parsed.tree).items():
        if name == function.name and not name.startswith("_") and name not in old:
            yield parsed, function


def _always(test: FileChange, home: FileChange, parsed: Parsed, function: Function) -> Iterator[Hit]:
    """The target that all tests of a function replace, where it is a call of its own."""
    assert test.head is not None  # noqa: S101  only files with a head are asked about
    module = home.path.removesuffix(".py").replace("/", ".")
    called = set(_given_values(function))
    file = parse_or_none(test.head)
    if file is None:
        return
    replaced: list[dict[str, ast.expr]] = []
    for each, around in _tests(file.tree):
        if any(isinstance(node, ast.Call) and last_name(node.func) == function.name for node in ast.walk(each)):
            replaced.append(dict(_targets(each, around, module)))
    if len(replaced) < LEAST_TESTS:
        return
    always = set.intersection(*(set(targets) for targets in replaced))
    inside = _inside(parsed.tree) if always & called else frozenset()
    for name in sorted(always & called):
        if _root(name) in inside and "metadata" not in name:
            line = parsed.start(function).line
            evidence = (evidence_at(parsed.source, line, "under test"),)
            span = file.span(replaced[0][name])
            yield Hit(path=test.path, span=span, subject=code(f"{function.name}: {name}"), evidence=evidence)


def _given_values(function: Function) -> Iterator[str]:
    """What a function calls with something that it got from its own caller."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    got = {each.arg for each in named if each is not None} - {"self", "cls"}
    for node in within(function):
        if isinstance(node, (ast.For, ast.AsyncFor)) and got & _names(node.iter):
            got |= _names(node.target)
        elif isinstance(node, ast.Assign) and got & _names(node.value):
            got.update(*map(_names, node.targets))
        elif isinstance(node, ast.Call) and got & _names(node):
            yield dotted(node.func)


def _names(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _inside(tree: ast.Module) -> frozenset[str]:
    """What a module calls by an import of those parts of the standard library."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname or _root(alias.name) for alias in node.names if _root(alias.name) in _INSIDE}
        elif isinstance(node, ast.ImportFrom) and not node.level and _is_inside(node.module or ""):
            found |= {alias.asname or alias.name for alias in node.names}
    return frozenset(found)


def _is_inside(module: str) -> bool:
    """Not where it tells what is installed."""
    return _root(module) in _INSIDE and "metadata" not in module


def _root(module: str) -> str:
    return module.partition(".")[0]


def _tests(tree: ast.Module) -> Iterator[tuple[Function, ast.ClassDef | None]]:
    for node in tree.body:
        if is_test_function(node):
            yield node, None
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if is_test_function(part):
                    yield part, node


def _targets(test: Function, around: ast.ClassDef | None, module: str) -> Iterator[tuple[str, ast.expr]]:
    """What a test replaces in a module, by its name there, with the literal or the call that says so."""
    calls = [node for node in ast.walk(test) if isinstance(node, ast.Call)]
    calls += [node for node in (around.decorator_list if around is not None else ()) if isinstance(node, ast.Call)]
    for call in calls:
        name = last_name(call.func)
        if name not in {"patch", "setattr"} or not call.args:
            continue
        first = call.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            prefix, _, rest = _split(first.value, module)
            if prefix and rest:
                yield rest, first


def _split(target: str, module: str) -> tuple[str, str, str]:
    """A target as module, dot and the rest; the module may be named from a folder below the root of the repository."""
    parts = target.split(".")
    for count in range(len(parts) - 1, 0, -1):
        prefix = ".".join(parts[:count])
        if module == prefix or module.endswith(f".{prefix}"):
            return prefix, ".", ".".join(parts[count:])
    return "", "", ""


CHECKER: Final = BoundaryAlwaysReplaced
