"""test-never-collected: a test that no runner will run, because of where it stands or what it is called.

Four ways: a test function inside another function, a test that a later one of the same name replaces, a class of tests
that pytest passes over (it has ``__init__``, or its name does not begin with ``Test``), and a unittest file that Bazel
runs as a program and that has no main. Anything that may run the test by another way silences: a use of its name, a
decorator, an unknown base class, a configured rule. Invariant: what was so at the base is not reported.
"""

from __future__ import annotations

import ast
import fnmatch
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import SymbolChecker, SymbolView, code
from roundzero.checkers._collection import is_run_as_script, runs_default_pytest
from roundzero.checkers._python import dotted, parse
from roundzero.core.change import Side
from roundzero.core.finding import Anchor, Edit, Fix, Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.syntax import NotPythonError
from roundzero.core.text import Position, Span, dominant_eol, with_eol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from roundzero.checkers._python import Function, Parsed
    from roundzero.core.change import Change, FileChange
    from roundzero.core.facts import Definition, ModuleFacts
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

_COLLECTED: Final = ("test_*.py", "*_test.py")
"""pytest's default ``python_files``."""
_HELPER_NAMES: Final = ("Base", "Mixin", "Abstract", "Helper", "Case", "Mock", "Fake", "Stub", "Dummy", "Interface")

_OTHER_RUNNERS: Final = frozenset({"unittest", "nose", "testtools", "twisted", "django", "absl", "ward", "behave"})


@dataclass(frozen=True, slots=True)
class _Lost:
    """A test that is not collected. ``key`` is the same on both sides; ``others`` are lines that explain it.

    ``because`` is the line that took it away, where that is another one.
    """

    key: tuple[str, str]
    span: Span
    subject: str
    others: tuple[tuple[int, str], ...] = ()
    because: int | None = None


class TestNeverCollected(SymbolChecker):
    """Finds tests that no runner will run."""

    name = "test-never-collected"

    def words(self, view: SymbolView) -> Collection[str]:
        """The names of classes that may be used elsewhere after all."""
        return {
            row.name
            for file in _test_files(view.change)
            if (facts := view.symbols.facts(file.path, Side.HEAD)) is not None
            for row in facts.definitions
            if _may_be_passed_over(row, facts)
        }

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Look at every changed test file in which something may be lost."""
        paths: frozenset[RelPath] = frozenset()
        for file in _test_files(view.change):
            facts = view.symbols.facts(file.path, Side.HEAD)
            if facts is None or not _is_suspect(file, facts):
                continue
            paths = paths or frozenset(view.repository.paths(Side.HEAD))
            for parsed in _parsed(file, Side.HEAD):
                lost = [*_nested(parsed), *_replaced(parsed)]
                classes = [row for row in _classes(parsed) if _is_alone(row.key[1], file.path, view.found)]
                if classes and runs_default_pytest(file.path, view.repository, paths, is_pytests=_is_pytests(parsed)):
                    lost += classes
                yield from _new(file, lost)
                yield from _without_main(file, parsed, view.repository, paths)


def _is_suspect(file: FileChange, facts: ModuleFacts) -> bool:
    """Whether facts leave room for a lost test: saves parsing again."""
    names = [row.qualified for row in facts.definitions if row.name.lower().startswith("test")]
    return (
        len(set(names)) < len(names)
        or any(row.parent == "function" and row.name.startswith("test_") for row in facts.definitions)
        or any(_may_be_passed_over(row, facts) for row in facts.definitions)
        or (
            file.head is not None
            and "__main__" not in file.head.text
            and any(base.endswith("TestCase") for row in facts.definitions for base in row.bases)
        )
    )


def _may_be_passed_over(row: Definition, facts: ModuleFacts) -> bool:
    """Whether a class looks like one of tests that pytest would not collect."""
    return (
        row.kind == "class"
        and row.parent == "module"
        and not row.decorators
        and set(row.bases) <= {"object"}
        and (not row.name.startswith("Test") or facts.definition(f"{row.name}.__init__") is not None)
        and any(other.qualified.startswith(f"{row.name}.test_") for other in facts.definitions)
    )


def _test_files(change: Change) -> Iterator[FileChange]:
    for file in change.files:
        name = file.path.rpartition("/")[2]
        if language_of(file.path) == "python" and any(fnmatch.fnmatchcase(name, glob) for glob in _COLLECTED):
            yield file


def _parsed(file: FileChange, side: Side) -> Iterator[Parsed]:
    """One side of a file, if it is there and is Python."""
    source = file.head if side is Side.HEAD else file.base
    if source is not None and "test" in source.text:
        try:
            yield parse(source)
        except NotPythonError:
            return


def _new(file: FileChange, lost: Sequence[_Lost]) -> Iterator[Hit]:
    """What was not so at the base."""
    if not lost or file.head is None:
        return
    before = {
        row.key
        for parsed in _parsed(file, Side.BASE)
        for row in (*_nested(parsed), *_replaced(parsed), *_classes(parsed))
    }
    for row in lost:
        if row.key not in before:
            evidence = tuple(evidence_at(file.head, *other) for other in row.others)
            own = row.because is None or row.span.start.line in file.added
            cause = None if own or row.because is None else Anchor(file.path, row.because)
            yield Hit(path=file.path, span=row.span, subject=row.subject, evidence=evidence, cause=cause)


def _nested(parsed: Parsed) -> Iterator[_Lost]:
    """Test functions inside functions that nothing there mentions; one for each function around them."""
    for outer in _outermost(parsed.tree):
        inner = [
            node
            for node in ast.walk(outer)
            if node is not outer
            and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.name.startswith("test_")
            and not node.decorator_list
        ]
        if not inner:
            continue
        used = {part.id for part in ast.walk(outer) if isinstance(part, ast.Name)}
        in_classes = {
            id(child) for part in ast.walk(outer) if isinstance(part, ast.ClassDef) for child in ast.walk(part)
        }
        if used & {"locals", "inspect", "exec", "eval"}:
            continue
        lost = [node for node in inner if node.name not in used and id(node) not in in_classes]
        if lost:
            first, *others = lost
            names = f"{outer.name}.{first.name}"
            also = tuple((parsed.start(node).line, "nor does this one") for node in others[:4])
            yield _Lost(("nested", outer.name), parsed.name_span(first), code(names), also)


def _outermost(tree: ast.Module) -> Iterator[Function]:
    """The functions of the module and the methods of its classes."""
    stack: list[ast.stmt] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        elif isinstance(node, ast.ClassDef):
            stack += reversed(node.body)


def _replaced(parsed: Parsed) -> Iterator[_Lost]:
    """Tests whose name is defined again in the same block, with nothing in between that uses it."""
    blocks: list[tuple[str, list[ast.stmt]]] = [("", parsed.tree.body)]
    blocks += [
        (node.name, node.body)
        for node in parsed.tree.body
        if isinstance(node, ast.ClassDef) and (node.name.startswith("Test") or node.bases)
    ]
    for owner, body in blocks:
        first: dict[str, Function | ast.ClassDef] = {}
        for node in body:
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            is_test = node.name.startswith("Test" if isinstance(node, ast.ClassDef) else "test")
            earlier = first.get(node.name)
            first[node.name] = node
            if earlier is None or not is_test or _is_kept(earlier, node, body):
                continue
            yield _Lost(
                ("replaced", f"{owner}.{node.name}"),
                parsed.name_span(earlier),
                code(node.name),
                ((parsed.name_span(node).start.line, "the one that runs instead"),),
                parsed.name_span(node).start.line,
            )


def _is_kept(earlier: Function | ast.ClassDef, later: Function | ast.ClassDef, body: Sequence[ast.stmt]) -> bool:
    """Whether the earlier one may run after all: something reads its name before it is taken, or registers it.

    Decorators of pytest's own marks and of mock leave the name as it is.
    """
    if any(not dotted(_called(item)).startswith(("pytest.mark.", "mock.", "patch", "unittest.", "skip"))
           for node in (earlier, later) for item in node.decorator_list):  # fmt: skip
        return True
    first, last = body.index(earlier), body.index(later)
    between = [*body[first + 1 : last], *later.decorator_list, *getattr(later, "bases", [])]
    return any(
        isinstance(part, ast.Name) and part.id == later.name for node in between for part in ast.walk(node)
    ) or any(isinstance(node, ast.Delete) for node in between)


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _classes(parsed: Parsed) -> Iterator[_Lost]:
    """Classes of tests that pytest's default rules pass over."""
    for node in parsed.tree.body:
        if not isinstance(node, ast.ClassDef) or node.decorator_list or node.keywords:
            continue
        if any(dotted(base) != "object" for base in node.bases):
            continue
        tests = [
            child
            for child in node.body
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) and _is_test(child)
        ]
        if not tests or any("__test__" in ast.unparse(child) for child in node.body if isinstance(child, ast.Assign)):
            continue
        made = next(
            (child for child in node.body if isinstance(child, ast.FunctionDef) and child.name == "__init__"), None
        )
        if node.name.startswith("Test"):
            if made is not None:
                subject = code(f"{node.name}.__init__")
                others = ((parsed.start(node).line, "the class"),)
                yield _Lost(("constructed", node.name), parsed.name_span(made), subject, others)
        elif made is None and node.name[0] != "_" and not any(word in node.name for word in _HELPER_NAMES):
            yield _Lost(("unprefixed", node.name), parsed.name_span(node), code(node.name))


def _is_pytests(parsed: Parsed) -> bool:
    """Whether a module of tests is for pytest: it imports it, or neither another runner nor runs by itself."""
    names: set[str] = set()
    for node in parsed.tree.body:
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return "pytest" in names or not (names & _OTHER_RUNNERS or "__main__" in parsed.source.text)


def _is_test(node: Function) -> bool:
    """Whether a method is a test by its name, takes the object, and is no stub."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    return node.name.startswith("test_") and bool(arguments) and arguments[0].arg == "self"


def _is_alone(name: str, path: RelPath, found: Mapping[str, tuple[GrepHit, ...]]) -> bool:
    """Whether nothing but its definition names a class: no subclass, no alias, no loader."""
    return len([hit for hit in found.get(name, ()) if language_of(hit.path) == "python" or hit.path == path]) <= 1


def _without_main(file: FileChange, parsed: Parsed, repository: Repository, paths: frozenset[RelPath]) -> Iterator[Hit]:
    """The first new class of unittest tests of a file that is run as a program, and ends without running them."""
    if file.head is None or not (cases := _cases(parsed.tree)) or _runs(parsed.tree):
        return
    for base in _parsed(file, Side.BASE):
        if _cases(base.tree) and not _runs(base.tree):
            return
    if is_run_as_script(file.path, repository, paths):
        first = next((node for node in cases if parsed.start(node).line in file.added), cases[0])
        yield Hit(
            path=file.path,
            span=parsed.name_span(first),
            subject=code(first.name),
            fixes=_main_added(file, parsed),
        )


def _cases(tree: ast.Module) -> list[ast.ClassDef]:
    return [
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any(dotted(base) in {"TestCase", "unittest.TestCase", "IsolatedAsyncioTestCase",
                                 "unittest.IsolatedAsyncioTestCase"} for base in node.bases)
        and any(getattr(child, "name", "").startswith("test") for child in node.body)
    ]  # fmt: skip


def _runs(tree: ast.Module) -> bool:
    """Whether the module does anything at its level that may run tests."""
    return any(
        isinstance(node, (ast.If, ast.With, ast.Try, ast.For))
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
        for node in tree.body
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        and not (isinstance(node, ast.Expr) and "sys.path" in ast.unparse(node))
    )


def _main_added(file: FileChange, parsed: Parsed) -> tuple[Fix, ...]:
    if file.head is None or not any(
        isinstance(node, ast.Import) and any(alias.name == "unittest" and alias.asname is None for alias in node.names)
        for node in parsed.tree.body
    ):
        return ()
    index = file.head.index
    end = index.position(len(index.text))
    lead = "\n\n" if index.text.endswith("\n") else "\n\n\n"
    new = with_eol(f'{lead}if __name__ == "__main__":\n    unittest.main()\n', dominant_eol(index.text))
    place = Span(Position(end.line, end.column), Position(end.line, end.column))
    return (Fix("Run the tests when the file is run", safe=True, edits=(Edit(file.path, place, "", new),)),)


CHECKER: Final = TestNeverCollected
