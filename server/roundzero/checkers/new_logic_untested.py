"""new-logic-untested: a new public function with several branches, and no test names it.

Tests may reach it through others, so this is a hint. Silent in a repository without tests, where no test named its
module, or a function in it, before either, where the module's own functions or its neighbours are mostly without one,
where tests name its module and the module or those tests are part of the change, for scripts, for methods that
override, for what is registered by a decorator, for what its own module names, and for what moved here from another
file. One hit a file. Invariant: no file of tests mentions the function.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import module_stem
from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._paths import is_imported, is_test_path
from roundzero.checkers._python import Parsed, blocks, definitions, last_name, parse, within
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.syntax import NotPythonError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._python import Function
    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

BRANCHES: Final = 2
FEWEST: Final = 3
"""Functions of a module, or modules of a folder, by which it is known whether tests name them."""
ENOUGH: Final = 8
"""Most functions of a module that are looked for."""
RARE: Final = 8
"""Least characters of a name that is looked for only to know a custom: shorter ones stand everywhere."""

_DEFINITION: Final = regex(r"[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)")
_BRANCHES: Final = (ast.If, ast.IfExp, ast.While, ast.ExceptHandler, ast.match_case, ast.BoolOp)


class NewLogicUntested(ChangeChecker):
    """Finds new decisions without a test."""

    name = "new-logic-untested"
    version = "5"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._new: list[tuple[FileChange, Parsed, str, Function]] | None = None

    def words(self, change: Change) -> Collection[str]:
        """The names of the new functions, of their modules and of what these modules had."""
        new = self._functions(change)
        files = {file.path: file for file, _, _, _ in new}.values()
        had = {name for file in files for least in (0, BRANCHES) for name in _had(file, least)}
        return {function.name for _, _, _, function in new} | {module_stem(file.path) for file, _, _, _ in new} | had

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look for tests that name them."""
        new = self._functions(change)
        tests = [path for path in repository.paths(Side.HEAD) if new and is_test_path(path) and path.endswith(".py")]
        if not tests:
            return
        told: set[RelPath] = set()
        changed = {file.path for file in change.files}
        for file, parsed, name, function in new:
            stem = module_stem(file.path)
            known = [hit.path for hit in found.get(stem, ()) if is_test_path(hit.path)]
            known += [path for path in tests if stem in path.rpartition("/")[2]]
            if file.base is not None and not known and not any(_cases(file, found, 0)):
                continue
            if not _is_customary(file, tests, repository, found):
                continue
            mentions = [hit.path for hit in found.get(function.name, ()) if is_test_path(hit.path)]
            mentions += [path for path in known if file.base is None or path in changed]
            if file.path not in told and not mentions:
                told.add(file.path)
                yield Hit(path=file.path, span=parsed.name_span(function), subject=code(name))

    def _functions(self, change: Change) -> list[tuple[FileChange, Parsed, str, Function]]:
        if self._new is None:
            new = [(file, *row) for file in change.files if _is_production(file) for row in _new_functions(file)]
            gone = {name for file in change.files if new for name in _removed(file)}
            self._new = [row for row in new if row[-1].name not in gone]
        return self._new


def _is_customary(
    file: FileChange, tests: Collection[RelPath], repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]
) -> bool:
    """Whether tests name most of what a module had, or of a new module's neighbours; of fewer than FEWEST who knows."""
    if file.base is not None:
        cases = _cases(file, found, BRANCHES)
    else:
        named = " ".join(path.rpartition("/")[2] for path in tests)
        folder = file.path.rpartition("/")[0]
        beside = [
            path
            for path in repository.paths(Side.HEAD)
            if path != file.path and path.endswith(".py") and path.rpartition("/")[0] == folder
        ]
        cases = [
            module_stem(path) in named for path in beside if is_imported(path) and not path.endswith("__init__.py")
        ]
    return len(cases) < FEWEST or 2 * sum(cases) >= len(cases)


def _cases(file: FileChange, found: Mapping[str, tuple[GrepHit, ...]], least: int) -> list[bool]:
    """Whether tests name what a module had, one by one."""
    return [any(is_test_path(hit.path) for hit in found.get(name, ())) for name in _had(file, least)]


def _had(file: FileChange, least: int) -> list[str]:
    """The public functions with that many branches that a module had, as many as it takes to know its custom."""
    if file.base is None or language_of(file.base.path) != "python":
        return []
    try:
        before = definitions(parse(file.base).tree)
    except NotPythonError:
        return []
    return [
        function.name
        for name, function in before.items()
        if len(function.name) >= RARE
        and not any(part.startswith("_") for part in name.split("."))
        and sum(isinstance(part, _BRANCHES) for part in within(function)) >= least
    ][:ENOUGH]


def _is_production(file: FileChange) -> bool:
    path = file.path
    return (
        file.head is not None
        and language_of(path) == "python"
        and is_imported(path)
        and any(line.lstrip().startswith(("def ", "async def ")) for line in file.added_lines)
    )


def _removed(file: FileChange) -> Iterator[str]:
    """The names whose definitions went from a file, by the removed lines."""
    if file.base is not None and language_of(file.path) == "python":
        for line in file.removed:
            match = _DEFINITION.match(file.base.index.line(line))
            if match is not None:
                yield match[1]


def _new_functions(file: FileChange) -> Iterator[tuple[Parsed, str, Function]]:
    assert file.head is not None  # noqa: S101  only files with a head are asked about
    try:
        parsed = parse(file.head)
        before = definitions(parse(file.base).tree) if file.base is not None else {}
    except NotPythonError:
        return
    old = {name.rpartition(".")[2] for name in before}
    parts = [*ast.walk(parsed.tree)]
    used = {last_name(part.func) for part in parts if isinstance(part, ast.Call)}
    used |= {part.id for part in parts if isinstance(part, ast.Name)}
    derived = tuple(f"{name}." for name in _derived(parsed.tree))
    for name, function in definitions(parsed.tree).items():
        if function.name in old or any(part.startswith("_") for part in name.split(".")) or function.decorator_list:
            continue
        if function.name in used or name.startswith(derived) or parsed.name_span(function).start.line not in file.added:
            continue
        if sum(isinstance(part, _BRANCHES) for part in within(function)) >= BRANCHES:
            yield parsed, name, function


def _derived(tree: ast.Module) -> Iterator[str]:
    """The classes that have bases, by qualified name, at any depth but not inside functions."""
    stack: list[tuple[str, ast.stmt]] = [("", node) for node in tree.body]
    while stack:
        prefix, node = stack.pop()
        if isinstance(node, ast.ClassDef):
            if node.bases:
                yield prefix + node.name
            stack += [(f"{prefix}{node.name}.", child) for child in node.body]
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            stack += [(prefix, child) for child in blocks(node)]


CHECKER: Final = NewLogicUntested
