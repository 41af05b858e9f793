"""Runs checkers and text rules over one changed file, or over a change, as pure functions.

``check_file`` takes and returns plain values, so that it can run in another process. It decides nothing about what is
shown: hits outside the changed lines are returned too, and the base is looked at only to tell old from new. Invariant:
a broken checker costs its own results and one line in ``failures``, nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from roundzero.checkers import discover
from roundzero.checkers._base import (
    ChangeChecker,
    CheckContext,
    Checker,
    Pair,
    PythonChecker,
    RelationChecker,
    SymbolChecker,
    SymbolView,
    TextChecker,
)
from roundzero.checkers._python import NotPythonError, Parsed, StoppedError, parse, walk
from roundzero.checkers._text_rules import text_hits
from roundzero.core.change import Side, Source
from roundzero.core.finding import observe
from roundzero.core.item import CheckerCheck, Item, ItemId, LooksAt, TextCheck, language_of
from roundzero.core.scope import out_of_scope
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from roundzero.core.change import Change, FileChange
    from roundzero.core.finding import Hit
    from roundzero.core.ports import Repository, Symbols
    from roundzero.core.text import Position

_Kind = TypeVar("_Kind", bound=Checker)
_Answer = TypeVar("_Answer")

BASES_KEPT: Final = 512
"""Base results kept in a process: a large branch's files, each a few hits."""

TREES_KEPT: Final = 2
"""Base trees kept: the file being typed in, and one more. Many live trees make the collector run (measured 3 x)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What was seen in one changed file.

    ``head`` holds every hit of the head text and of the comparison, ``base`` those of the base text for items that hit
    at the head in scope. ``failures`` say in words what did not run: its items are *not checked* here.
    ``syntax_error`` is where the head is no Python of the running interpreter's grammar, which may be older than the
    file's; checkers that need a tree then saw nothing.
    """

    head: tuple[tuple[ItemId, Hit], ...] = ()
    base: tuple[tuple[ItemId, Hit], ...] = ()
    failures: tuple[str, ...] = ()
    syntax_error: tuple[Position, str] | None = None


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """What was seen in the change as a whole."""

    hits: tuple[tuple[ItemId, Hit], ...] = ()
    failures: tuple[str, ...] = ()


def _never() -> bool:
    return False


def check_file(file: FileChange, items: Sequence[Item], should_stop: Callable[[], bool] = _never) -> FileResult | None:
    """Everything the checkers and text rules of ``items`` see in one file; None once ``should_stop`` says so.

    Items that do not apply to the path, or have neither a checker nor a text rule, are left alone.
    """
    mine = tuple(item for item in items if item.enabled and item.applies.matches(file.path))
    try:
        return _check_file(file, mine, should_stop)
    except StoppedError:
        return None


def _check_file(file: FileChange, items: tuple[Item, ...], should_stop: Callable[[], bool]) -> FileResult:
    head = _Run(items, should_stop)
    if file.head is not None:
        head.version(file.head, added=file.added)
    head.relations(file)
    base_hits: tuple[tuple[ItemId, Hit], ...] = ()
    failures = head.failures
    if file.base is not None:
        concerned = _in_scope(file, items, head.hits)
        if concerned:
            if should_stop():
                raise StoppedError
            base_hits, base_failures = _base_result(_BaseQuestion(file.base.blob, file.base.path, concerned, file.base))
            failures = [*failures, *base_failures]
    return FileResult(head=tuple(head.hits), base=base_hits, failures=tuple(failures), syntax_error=head.syntax_error)


def _in_scope(file: FileChange, items: tuple[Item, ...], hits: Iterable[tuple[ItemId, Hit]]) -> tuple[Item, ...]:
    """The items with a head hit of one version of the text that they look at."""
    by_id = {item.id: item for item in items}
    concerned: set[ItemId] = set()
    for name, hit in hits:
        if name in concerned or hit.side is Side.BASE or hit.cause is not None:
            continue
        item = by_id[name]
        if any(_reads_one_version(check_name) for check_name in _checker_names(item)) or _text_checks(item):
            seen = observe(item, hit, file.head, producer="", version="")
            if out_of_scope(item, seen, file) is None:
                concerned.add(name)
    return tuple(item for item in items if item.id in concerned)


@dataclass(frozen=True, slots=True)
class _BaseQuestion:
    """What a base result depends on; ``source`` is the text of ``blob``."""

    blob: str
    path: str
    items: tuple[Item, ...]
    source: Source = field(compare=False)


@lru_cache(maxsize=BASES_KEPT)
def _base_result(question: _BaseQuestion) -> tuple[tuple[tuple[ItemId, Hit], ...], tuple[str, ...]]:
    run = _Run(question.items, _never)
    run.version(question.source, added=None)
    return tuple(run.hits), tuple(f"{failure} (at the base)" for failure in run.failures)


@dataclass(frozen=True, slots=True)
class _TreeQuestion:
    blob: str
    path: str
    source: Source = field(compare=False)


@lru_cache(maxsize=TREES_KEPT)
def _base_tree(question: _TreeQuestion) -> Parsed:
    return parse(question.source)


class _Run:
    """One pass over one version of a file, and what it saw."""

    def __init__(self, items: tuple[Item, ...], should_stop: Callable[[], bool]) -> None:
        self.hits: list[tuple[ItemId, Hit]] = []
        self.failures: list[str] = []
        self.syntax_error: tuple[Position, str] | None = None
        self._items = items
        self._should_stop = should_stop
        self._parsed: Parsed | None = None
        self._head: Source | None = None
        self._wanted: dict[str, list[ItemId]] = {}
        for item in items:
            for name in _checker_names(item):
                self._wanted.setdefault(name, []).append(item.id)

    def version(self, source: Source, added: Collection[int] | None) -> None:
        """Look at one version; ``added`` limits text rules that look at added lines, None where nothing is added."""
        for item in self._items:
            for check in _text_checks(item):
                self._ask()
                lines = added if item.looks_at is LooksAt.ADDED else None
                self._collect([item.id], item.id, lambda check=check, lines=lines: text_hits(check, source, lines))  # type: ignore[misc]
        for name, checker in self._of_kind(TextChecker):
            self._ask()
            self._collect(self._wanted[name], name, lambda checker=checker: checker().check(source))  # type: ignore[misc]
        python = list(self._of_kind(PythonChecker))
        if python and language_of(source.path) == "python":
            self._ask()
            self._walk(source, [(name, checker()) for name, checker in python])

    def relations(self, file: FileChange) -> None:
        """Compare both versions. Without Python of both sides a checker sees nothing."""
        if file.head is None or not file.hunks:
            return
        self._head = file.head
        pair = Pair(file, self._parsed, lambda source: _base_tree(_TreeQuestion(source.blob, source.path, source)))
        for name, checker in self._of_kind(RelationChecker):
            self._ask()
            self._collect(self._wanted[name], name, lambda checker=checker: checker().compare(pair))  # type: ignore[misc]

    def _of_kind(self, kind: type[_Kind]) -> Iterator[tuple[str, type[_Kind]]]:
        for name in self._wanted:
            checker = discover().get(name)
            if checker is not None and issubclass(checker, kind):
                yield name, checker

    def _walk(self, source: Source, checkers: list[tuple[str, PythonChecker]]) -> None:
        try:
            self._parsed = parse(source)
        except NotPythonError as error:
            self.syntax_error = (error.position, error.message)
            return
        context = CheckContext(self._parsed)
        seats = [_Seat(name, checker, context) for name, checker in checkers]
        table: dict[type[ast.AST], list[Callable[[ast.AST], None]]] = {}
        for seat in seats:
            for kind in seat.nodes():
                table.setdefault(kind, []).append(seat.visit)
        walk(self._parsed.tree, table, context.scopes, self._should_stop)
        for seat in seats:
            self._ask()
            seat.finish()
            if seat.failure is not None:
                self.failures.append(seat.failure)
            else:
                self.hits += [(item, hit) for hit in seat.hits for item in self._wanted[seat.name]]

    def _collect(self, items: list[ItemId], name: str, look: Callable[[], Iterable[Hit]]) -> None:
        try:
            seen = list(look())
        except NotPythonError as error:
            if self._head is not None and error.source is self._head:
                self.syntax_error = (error.position, error.message)
            return
        except Exception as error:  # noqa: BLE001  a broken checker costs its own results
            self.failures.append(_failure(name, error))
            return
        self.hits += [(item, hit) for hit in seen for item in items]

    def _ask(self) -> None:
        if self._should_stop():
            raise StoppedError


class _Seat:
    """A checker's place in the walk: what it saw, and whether it broke."""

    __slots__ = ("_concerned", "_context", "_visit", "checker", "failure", "hits", "name")

    def __init__(self, name: str, checker: PythonChecker, context: CheckContext) -> None:
        self.name = name
        self.checker = checker
        self.hits: list[Hit] = []
        self.failure: str | None = None
        self._context = context
        self._visit = checker.visit
        self._concerned = False

    def nodes(self) -> tuple[type[ast.AST], ...]:
        """The kinds of node it looks at in this file."""
        try:
            self._concerned = self.checker.concerns(self._context)
        except Exception as error:  # noqa: BLE001  a broken checker costs its own results
            self.failure = _failure(self.name, error)
        return self.checker.nodes if self._concerned else ()

    def visit(self, node: ast.AST) -> None:
        if self.failure is None:
            try:
                if seen := self._visit(node, self._context):
                    self.hits += seen
            except Exception as error:  # noqa: BLE001  a broken checker costs its own results
                self.failure = _failure(self.name, error)

    def finish(self) -> None:
        if self.failure is None and self._concerned:
            try:
                self.hits += self.checker.finish(self._context)
            except Exception as error:  # noqa: BLE001  a broken checker costs its own results
                self.failure = _failure(self.name, error)


def check_change(
    change: Change,
    repository: Repository,
    symbols: Symbols,
    items: Sequence[Item],
    should_stop: Callable[[], bool] = _never,
) -> ChangeResult | None:
    """What the checkers of the whole change see; None once ``should_stop`` says so. Raises OutsideError without a grep.

    One grep serves all of them. A hit on a path an item does not apply to is left out.
    """
    run = _WholeRun(SymbolView(change=change, repository=repository, symbols=symbols, found={}), should_stop)
    names = dict.fromkeys(name for item in items if item.enabled for name in _checker_names(item))
    return run.result(names, items)


class _WholeRun:
    """One pass over a change, and what it saw."""

    def __init__(self, view: SymbolView, should_stop: Callable[[], bool]) -> None:
        self._view = view
        self._should_stop = should_stop
        self._failures: list[str] = []

    def result(self, names: Iterable[str], items: Sequence[Item]) -> ChangeResult | None:
        checkers = [
            (name, kind())
            for name in names
            if (kind := discover().get(name)) is not None and issubclass(kind, (ChangeChecker, SymbolChecker))
        ]
        words: set[str] = set()
        able: list[tuple[str, ChangeChecker | SymbolChecker]] = []
        for name, checker in checkers:
            asked = self._tried(name, lambda checker=checker: self._words(checker))  # type: ignore[misc]
            if asked is not None:
                words.update(asked)
                able.append((name, checker))
        if words:
            found = self._view.repository.grep(words)
            self._view.symbols.know({word: tuple(found.get(word, ())) for word in words})
            self._view = replace(self._view, found=found)
        hits: list[tuple[ItemId, Hit]] = []
        for name, checker in able:
            if self._should_stop():
                return None
            seen = self._tried(name, lambda checker=checker: self._hits(checker))  # type: ignore[misc]
            for item in items if seen else ():
                if item.enabled and name in _checker_names(item):
                    hits += [(item.id, hit) for hit in seen or () if hit.path is None or item.applies.matches(hit.path)]
        return ChangeResult(tuple(hits), tuple(self._failures))

    def _words(self, checker: ChangeChecker | SymbolChecker) -> Collection[str]:
        return checker.words(self._view.change) if isinstance(checker, ChangeChecker) else checker.words(self._view)

    def _hits(self, checker: ChangeChecker | SymbolChecker) -> Iterable[Hit]:
        view = self._view
        if isinstance(checker, ChangeChecker):
            return checker.check(view.change, view.repository, view.found)
        return checker.check(view)

    def _tried(self, name: str, ask: Callable[[], Iterable[_Answer]]) -> list[_Answer] | None:
        """What a checker answers; None, and a line in the failures, when it cannot or is broken."""
        try:
            return list(ask())
        except OutsideError as error:
            self._failures.append(f"{name}: {error}")
        except Exception as error:  # noqa: BLE001  a broken checker costs its own results
            self._failures.append(_failure(name, error))
        return None


def _checker_names(item: Item) -> list[str]:
    return [check.name for check in item.checks if isinstance(check, CheckerCheck)]


def _text_checks(item: Item) -> list[TextCheck]:
    return [check for check in item.checks if isinstance(check, TextCheck)]


def _reads_one_version(name: str) -> bool:
    checker = discover().get(name)
    return checker is not None and issubclass(checker, (PythonChecker, TextChecker))


def _failure(name: str, error: Exception) -> str:
    """A line that says which checker broke, how and where, without any text of the file it looked at."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {trace.tb_frame.f_code.co_name}:{trace.tb_lineno}" if trace is not None else ""
    detail = f": {error}" if isinstance(error, ValueError) else ""
    return f"{name} broke: {type(error).__name__}{detail}{place}"
