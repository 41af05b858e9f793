"""Runs checkers and text rules over one changed file, as a pure function.

``check_file`` takes and returns plain values, so that it can run in another process. It decides nothing about what is
shown: hits outside the changed lines are returned too, and the base is looked at only to tell old from new. Invariants:
a broken checker costs its own results and one of the ``failures``, nothing else; what could not be looked at is named,
on either side.
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, TypeVar

from roundzero.checkers import find, is_wide
from roundzero.checkers._base import CheckContext, Checker, Pair, PythonChecker, RelationChecker, TextChecker
from roundzero.checkers._failure import CheckFailure, broke
from roundzero.checkers._python import Parsed, StoppedError, parse, walk
from roundzero.checkers._text_rules import text_hits
from roundzero.core.change import Side, Source
from roundzero.core.finding import observe
from roundzero.core.frozen import dataclass
from roundzero.core.item import Item, ItemId, LooksAt, TextCheck, language_of
from roundzero.core.scope import out_of_scope
from roundzero.core.syntax import NotPythonError

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from roundzero.core.change import FileChange
    from roundzero.core.finding import Hit
    from roundzero.core.text import Position

_Kind = TypeVar("_Kind", bound=Checker)

BASES_KEPT: Final = 512
"""Base results kept in a process: a large branch's files, each a few hits."""

TREES_KEPT: Final = 2
"""Base trees kept: the file being typed in, and one more. Many live trees make the collector run (measured 3 x)."""


@dataclass(frozen=True, slots=True)
class Unparsed:
    """Where a text is no Python of the running interpreter's grammar, which may be older than the text's.

    ``items`` are those whose checkers therefore saw nothing.
    """

    position: Position
    message: str
    items: frozenset[ItemId]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What was seen in one changed file.

    ``head`` holds every hit of the head text and of the comparison, ``base`` those of the base text for items that hit
    at the head in scope, but for those in ``unbased``: of what the base has of them, nothing is known. The items of
    ``failures``, of ``unparsed`` (the head) and of ``base_unparsed`` (what compares both texts) are *not checked* here.
    """

    head: tuple[tuple[ItemId, Hit], ...] = ()
    base: tuple[tuple[ItemId, Hit], ...] = ()
    unbased: frozenset[ItemId] = frozenset()
    failures: tuple[CheckFailure, ...] = ()
    unparsed: Unparsed | None = None
    base_unparsed: Unparsed | None = None

    @property
    def not_checked(self) -> frozenset[ItemId]:
        """The items that some check of theirs could not look for at the head."""
        broken = (each.items for each in (self.unparsed, self.base_unparsed) if each is not None)
        return frozenset().union(*(failure.items for failure in self.failures), *broken)


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
    head = _Run(items, should_stop, parse)
    if file.head is not None:
        head.version(file.head, added=file.added)
    head.relations(file)
    seen = FileResult(
        head=tuple(head.hits),
        failures=tuple(head.failures),
        unparsed=head.unparsed(file.head),
        base_unparsed=head.unparsed(file.base),
    )
    concerned = _in_scope(file, items, head.hits) if file.base is not None else ()
    if file.base is None or not concerned:
        return seen
    if should_stop():
        raise StoppedError
    base = _base_result(_BaseQuestion(file.base.blob, file.base.path, concerned, file.base))
    where = base.unparsed
    if where is not None:
        compared = seen.base_unparsed
        where = replace(where, items=compared.items if compared is not None else frozenset())
    return replace(
        seen,
        base=base.head,
        unbased=base.not_checked,
        failures=(*seen.failures, *base.failures),
        base_unparsed=where or seen.base_unparsed,
    )


def _in_scope(file: FileChange, items: tuple[Item, ...], hits: Iterable[tuple[ItemId, Hit]]) -> tuple[Item, ...]:
    """The items with a head hit of one version of the text that they look at."""
    by_id = {item.id: item for item in items}
    concerned: set[ItemId] = set()
    for name, hit in hits:
        if name in concerned or hit.side is Side.BASE or hit.cause is not None:
            continue
        item = by_id[name]
        if any(_reads_one_version(check_name) for check_name in item.checkers) or _text_checks(item):
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
def _base_result(question: _BaseQuestion) -> FileResult:
    """What the base holds, as if it were a head."""
    run = _Run(question.items, _never, _parsed_base)
    run.version(question.source, added=None)
    return FileResult(
        head=tuple(run.hits),
        failures=tuple(replace(each, message=f"{each.message} (at the base)") for each in run.failures),
        unparsed=run.unparsed(question.source),
    )


@dataclass(frozen=True, slots=True)
class _TreeQuestion:
    blob: str
    path: str
    source: Source = field(compare=False)


def _parsed_base(source: Source) -> Parsed:
    """A base's tree, as kept. Raises NotPythonError."""
    tree = _base_tree(_TreeQuestion(source.blob, source.path, source))
    if isinstance(tree, Parsed):
        return tree
    raise NotPythonError(*tree, source)


@lru_cache(maxsize=TREES_KEPT)
def _base_tree(question: _TreeQuestion) -> Parsed | tuple[str, Position]:
    """A base's tree, or why and where it has none."""
    try:
        return parse(question.source)
    except NotPythonError as error:
        return error.message, error.position


class _Run:
    """One pass over one version of a file, and what it saw."""

    def __init__(
        self, items: tuple[Item, ...], should_stop: Callable[[], bool], parse_with: Callable[[Source], Parsed]
    ) -> None:
        self.hits: list[tuple[ItemId, Hit]] = []
        self.failures: list[CheckFailure] = []
        self._items = items
        self._should_stop = should_stop
        self._parse = parse_with
        self._parsed: Parsed | None = None
        self._wanted: dict[str, list[ItemId]] = {}
        self._unread: list[tuple[NotPythonError, list[ItemId]]] = []
        for item in items:
            for name in item.checkers:
                self._wanted.setdefault(name, []).append(item.id)
        self._checkers = dict(self._found())

    def version(self, source: Source, added: Collection[int] | None) -> None:
        """Look at one version; ``added`` limits text rules that look at added lines, None where nothing is added."""
        for item in self._items:
            for check in _text_checks(item):
                self._ask()
                lines = added if item.looks_at is LooksAt.ADDED else None
                self._collect([item.id], item.id, partial(text_hits, check, source, lines))
        for name, checker in self._of_kind(TextChecker):
            self._ask()
            self._collect(self._wanted[name], name, partial(_checked, checker, source))
        python = list(self._of_kind(PythonChecker))
        if python and language_of(source.path) == "python":
            self._ask()
            self._walk(source, python)

    def relations(self, file: FileChange) -> None:
        """Compare both versions. Without a version a checker needs it sees nothing."""
        if file.head is None or not file.hunks:
            return
        pair = Pair(file, self._parsed, _parsed_base)
        for name, checker in self._of_kind(RelationChecker):
            self._ask()
            self._collect(self._wanted[name], name, partial(_compared, checker, pair))

    def unparsed(self, source: Source | None) -> Unparsed | None:
        """Where and for whom a text did not parse, if it did not."""
        mine = [(error, items) for error, items in self._unread if error.source is source]
        if source is None or not mine:
            return None
        first = mine[0][0]
        return Unparsed(first.position, first.message, frozenset(item for _, items in mine for item in items))

    def _of_kind(self, kind: type[_Kind]) -> Iterator[tuple[str, type[_Kind]]]:
        for name, checker in self._checkers.items():
            if issubclass(checker, kind):
                yield name, checker

    def _found(self) -> Iterator[tuple[str, type[Checker]]]:
        """Those of the wanted checkers that there are and that look at files."""
        for name, items in self._wanted.items():
            if is_wide(name):
                continue
            try:
                checker = find(name)
            except Exception as error:  # noqa: BLE001  a broken checker costs its own results
                self._failed(name, broke(error), items)
            else:
                if checker is not None:
                    yield name, checker

    def _walk(self, source: Source, checkers: list[tuple[str, type[PythonChecker]]]) -> None:
        try:
            self._parsed = self._parse(source)
        except NotPythonError as error:
            self._unread.append((error, [item for name, _ in checkers for item in self._wanted[name]]))
            return
        context = CheckContext(self._parsed)
        seats = [_Seat(name, checker(), context) for name, checker in checkers]
        table: dict[type[ast.AST], list[Callable[[ast.AST], None]]] = {}
        for seat in seats:
            for kind in seat.nodes():
                table.setdefault(kind, []).append(seat.visit)
        walk(self._parsed.tree, table, context.scopes, self._should_stop)
        for seat in seats:
            self._ask()
            seat.finish()
            if seat.failure is not None:
                self._failed(seat.name, seat.failure, self._wanted[seat.name])
            else:
                self.hits += [(item, hit) for hit in seat.hits for item in self._wanted[seat.name]]

    def _collect(self, items: list[ItemId], name: str, look: Callable[[], Iterable[Hit]]) -> None:
        try:
            seen = list(look())
        except NotPythonError as error:
            self._unread.append((error, items))
        except Exception as error:  # noqa: BLE001  a broken checker costs its own results
            self._failed(name, broke(error), items)
        else:
            self.hits += [(item, hit) for hit in seen for item in items]

    def _failed(self, name: str, message: str, items: Iterable[ItemId]) -> None:
        self.failures.append(CheckFailure(name, message, frozenset(items)))

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
            self.failure = broke(error)
        return self.checker.nodes if self._concerned else ()

    def visit(self, node: ast.AST) -> None:
        if self.failure is None:
            try:
                if seen := self._visit(node, self._context):
                    self.hits += seen
            except Exception as error:  # noqa: BLE001  a broken checker costs its own results
                self.failure = broke(error)

    def finish(self) -> None:
        if self.failure is None and self._concerned:
            try:
                self.hits += self.checker.finish(self._context)
            except Exception as error:  # noqa: BLE001  a broken checker costs its own results
                self.failure = broke(error)


def _checked(checker: type[TextChecker], source: Source) -> Iterable[Hit]:
    return checker().check(source)


def _compared(checker: type[RelationChecker], pair: Pair) -> Iterable[Hit]:
    return checker().compare(pair)


def _text_checks(item: Item) -> list[TextCheck]:
    return [check for check in item.checks if isinstance(check, TextCheck)]


def _reads_one_version(name: str) -> bool:
    checker = None if is_wide(name) else find(name)
    return checker is not None and issubclass(checker, (PythonChecker, TextChecker))
