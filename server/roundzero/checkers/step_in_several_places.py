"""step-in-several-places: a new function without a result is called as a step by several modules of the change.

Each entry then has to know of the step, and the next one forgets it, or takes it twice. A question for whoever reads
the change: who owns it, does a second call harm, which entry lacks it. Checks, logs and the like are called wherever
they are of use, and left alone. Invariant: the function was not there before, and its calls stand on added lines of
production code.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._paths import is_imported
from roundzero.checkers._python import Parsed, defined_in, definitions, dotted, parse_or_none, within
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.checkers._python import Function
    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository

LEAST_MODULES: Final = 2

_ANYWHERE: Final = regex(
    r"(?:log|print|warn|assert|check|validate|verify|ensure|require|raise|fail|emit|record|report|debug|trace|write|"
    r"send|echo|show|display|add|append|update|set|register|delete|remove|copy|move|close|is|deprecat)(?:_|[a-z]*_|$)"
)
"""How functions begin that are meant to be called wherever they are of use."""


class StepInSeveralPlaces(ChangeChecker):
    """Finds steps that each caller takes by itself."""

    name = "step-in-several-places"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Find the new functions, then who calls them."""
        parsed: list[tuple[FileChange, Parsed]] = []
        steps: dict[str, tuple[FileChange, Parsed, Function]] = {}
        files = [file for file in change.files if _is_production(file)]
        if not any(line.startswith("def ") for file in files for line in file.added_lines):
            return
        for file in files:
            assert file.head is not None  # noqa: S101  only files with a head are kept
            tree = parse_or_none(file.head)
            if tree is None:
                continue
            parsed.append((file, tree))
            steps |= {function.name: (file, tree, function) for function in _steps(file, tree)}
        called: dict[str, list[tuple[FileChange, Parsed, ast.Call]]] = defaultdict(list)
        for file, tree in parsed if steps else ():
            for name, call in _calls(file, tree):
                called[name].append((file, tree, call))
        for name, (home, tree, function) in steps.items():
            calls = [row for row in called[name] if row[0] is not home]
            if len({file.path for file, _, _ in calls}) >= LEAST_MODULES:
                subject = f"{code(name)} ({len(calls)})"
                yield Hit(path=home.path, span=tree.name_span(function), subject=subject)
                for file, each, call in calls:
                    yield Hit(path=file.path, span=each.span(call), subject=subject)


def _is_production(file: FileChange) -> bool:
    path = file.path
    return file.head is not None and language_of(path) == "python" and bool(file.added) and is_imported(path)


def _steps(file: FileChange, parsed: Parsed) -> Iterator[Function]:
    """The public functions of a module that return nothing and were not there before."""
    old = defined_in(file.base)
    for name, function in definitions(parsed.tree).items():
        if name != function.name or name.startswith("_") or function.decorator_list or _ANYWHERE.match(name):
            continue
        if name not in old and not any(
            isinstance(node, (ast.Yield, ast.YieldFrom)) or (isinstance(node, ast.Return) and node.value is not None)
            for node in within(function)
        ):
            yield function


def _calls(file: FileChange, parsed: Parsed) -> Iterator[tuple[str, ast.Call]]:
    """The statements on added lines, inside functions, that are nothing but a call, by the name of what is called."""
    for function in definitions(parsed.tree).values():
        for node in within(function):
            call = node.value if isinstance(node, ast.Expr) else None
            if not isinstance(call, ast.Call) or parsed.start(call).line not in file.added:
                continue
            yield dotted(call.func).rpartition(".")[2], call


CHECKER: Final = StepInSeveralPlaces
