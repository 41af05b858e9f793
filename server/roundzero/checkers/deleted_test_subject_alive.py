"""deleted-test-subject-alive: a test was deleted, and what only it named is still there, untested by name.

The subject is what the test called, imported from production code that still defines it: the one thing it called, or
what its own name speaks of. Silent where a test file of the head still uses the subject, or has a test of the deleted
one's name (it moved). One hit a subject. Invariant: the hit lies on the removed definition of a test.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._paths import is_test_module, is_test_path
from roundzero.checkers._python import definitions, dotted, parse
from roundzero.core.change import Side
from roundzero.core.finding import Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.syntax import NotPythonError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._python import Function
    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import Span

SHORTEST: Final = 5
"""Letters of a subject's name: shorter ones mean too many things."""

_TEST: Final = regex(r"[ \t]*(?:async[ \t]+)?def[ \t]+(test_\w+)")


@dataclass(frozen=True, slots=True)
class _Gone:
    """A deleted test: where its name stood, and what it called, by name and the module it came from."""

    file: FileChange
    name: str
    span: Span
    subjects: tuple[tuple[str, str], ...]


class DeletedTestSubjectAlive(ChangeChecker):
    """Finds code that lost the last test that named it."""

    name = "deleted-test-subject-alive"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._gone: list[_Gone] | None = None

    def words(self, change: Change) -> Collection[str]:
        """The names of the tests and of what they called."""
        gone = self._deleted(change)
        return {test.name for test in gone} | {name for test in gone for name, _ in test.subjects}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look for a subject's definition, and for tests that name it."""
        told: set[str] = set()
        for test in self._deleted(change):
            if any(re.search(rf"\bdef {test.name}\b", hit.text) for hit in found.get(test.name, ())):
                continue
            for name, module in test.subjects:
                hits = found.get(name, ())
                if name in told or any(is_test_path(hit.path) and _uses(hit, name) for hit in hits):
                    continue
                alive = [hit for hit in hits if _defines(hit, name, module)]
                if len(alive) != 1:
                    continue
                told.add(name)
                source = repository.read(alive[0].path, Side.HEAD)
                if source is None or source.path in {file.path for file in change.files if file.base is None}:
                    continue
                shown = evidence_at(source, alive[0].line, "still defined")
                yield Hit(
                    path=test.file.path,
                    span=test.span,
                    side=Side.BASE,
                    subject=f"{code(name)} ({code(test.name)})",
                    evidence=(shown,),
                )

    def _deleted(self, change: Change) -> list[_Gone]:
        if self._gone is None:
            self._gone = [test for file in change.files for test in _deleted(file)]
        return self._gone


def _deleted(file: FileChange) -> Iterator[_Gone]:
    """The tests of a file that its head does not have."""
    base = file.base
    if base is None or language_of(base.path) != "python" or not is_test_module(base.path) or not file.removed:
        return
    if not _may_lose_a_test(file):
        return
    try:
        before = parse(base)
        after = definitions(parse(file.head).tree) if file.head is not None else {}
    except NotPythonError:
        return
    imported = _imported(before.tree)
    own = {name.rpartition(".")[2] for name in definitions(before.tree)}
    left = {name.rpartition(".")[2] for name in after}
    for name, node in definitions(before.tree).items():
        leaf = name.rpartition(".")[2]
        if not leaf.startswith("test_") or leaf in left or before.start(node).line not in file.removed:
            continue
        called = [row for row in _called(node, imported) if row[0] not in own]
        subjects = tuple(row for row in called if len(called) == 1 or _is_about(leaf, row[0]))
        if subjects:
            yield _Gone(file, leaf, before.name_span(node), subjects)


def _is_about(test: str, name: str) -> bool:
    """Whether a test's name says the name of what it calls, or most words of it."""
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)]
    said = re.sub(r"[^a-z0-9]", "", test.lower())
    return sum(word in said for word in words) * 2 > len(words)


def _may_lose_a_test(file: FileChange) -> bool:
    """Whether the text says that a test's definition went: saves parsing."""
    base, head = file.base, file.head
    gone = [match[1] for line in file.removed if base is not None and (match := _TEST.match(base.index.line(line)))]
    return any(head is None or re.search(rf"\bdef {name}\b", head.text) is None for name in gone)


def _imported(tree: ast.Module) -> dict[str, str]:
    """What imports bind: to ``module.name`` for names, to the module for modules."""
    bound: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                bound[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                bound[alias.asname or alias.name] = alias.name
    return bound


def _called(node: Function, imported: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Imported functions and classes the body calls, each with the module it comes from."""
    seen: set[tuple[str, str]] = set()
    for part in ast.walk(node):
        if not isinstance(part, ast.Call):
            continue
        chain = dotted(part.func)
        root, _, rest = chain.rpartition(".")
        full = imported.get(chain) or (f"{imported[root]}.{rest}" if root in imported else "")
        module, _, name = full.rpartition(".")
        if len(name) >= SHORTEST and not name.startswith("_") and (module, name) not in seen:
            seen.add((module, name))
            yield name, module


def _uses(hit: GrepHit, name: str) -> bool:
    """Whether a line does more with a name than import it."""
    return re.match(rf"\s*(?:from\s|import\s|\(?{re.escape(name)}\s*,?\s*\)?$)", hit.text) is None


def _defines(hit: GrepHit, name: str, module: str) -> bool:
    """Whether a line defines a name at the module level of the module it was imported from."""
    if re.match(rf"(?:async )?(?:def|class) {re.escape(name)}\b", hit.text) is None or is_test_path(hit.path):
        return False
    here = hit.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    wanted = module.lstrip(".")
    return bool(wanted) and (here == wanted or here.endswith("." + wanted))


CHECKER: Final = DeletedTestSubjectAlive
