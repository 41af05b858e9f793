"""Which old symbols this change newly reaches: an added line calls or imports them, and nothing but tests did before.

Sure on one side, doubtful on the other: an added line counts only where it surely means the symbol, and at the base
whatever may mean it counts (a method of something unknown, a name in a string, an entry point). Says nothing about
findings. Invariant: a symbol is reached only when every mention of its name outside tests at the base was seen to be
something else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side, Status
from roundzero.core.facts import Where
from roundzero.core.finding import evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.resolution import External, Found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.facts import Definition, Import, ModuleFacts, ModuleUses
    from roundzero.core.finding import Evidence
    from roundzero.core.origin import Holder
    from roundzero.core.ports import Symbols
    from roundzero.core.resolution import ChainAnswer, NameAnswer
    from roundzero.core.text import RelPath

USE: Final = "use"
"""The role of the added line as evidence."""

_NEUTRAL: Final = frozenset(
    {"staticmethod", "classmethod", "property", "cached_property", "contextmanager", "asynccontextmanager", "wraps",
     "cache", "lru_cache", "dataclass", "total_ordering", "final", "override", "deprecated", "abstractmethod"}
)  # fmt: skip
"""Decorators that hand the function to nobody else."""

_PROSE: Final = (".md", ".rst", ".txt", ".adoc", ".po", ".pot", ".html", ".css", ".svg", ".lock")


def newly_reached(
    symbols: Symbols, change: Change, holders: Iterable[Holder], is_test: Callable[[RelPath], bool]
) -> Mapping[Holder, Evidence]:
    """For the holders that are newly reached, the added line that reaches them. Raises OutsideError."""
    asked: dict[tuple[RelPath, str], list[Holder]] = {}
    for holder in holders:
        asked.setdefault((holder.path, holder.symbol.partition(".")[0]), []).append(holder)
    found: dict[Holder, Evidence] = {}
    for (path, name), rows in sorted(asked.items()):
        file = change.file(path)
        target = _target(symbols, file, name) if file is not None else None
        if target is None:
            continue
        search = _Search(symbols, change, target, is_test)
        sites = sorted(search.added())
        if not sites:
            continue
        unused = not search.was_used(name)
        for holder in sorted(rows, key=lambda row: row.symbol):
            method = target.method(holder)
            whole = [site for site in sites if not site.attribute or target.definition.kind != "class"]
            here = whole if unused else []
            here += [site for site in sites if site.attribute and site.attribute == method]
            if here and (unused or (target.own_methods and method is not None and not search.was_used(method))):
                found[holder] = evidence_at(here[0].source(symbols), here[0].line, USE, column=here[0].column)
    return found


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class _Site:
    """An added line that surely means the symbol. ``attribute``: what it reads of it, as in ``Class.method``.

    Sorts uses before imports, since a call says more.
    """

    imports: bool
    path: RelPath
    line: int
    column: int
    attribute: str

    def source(self, symbols: Symbols) -> Source:
        source = symbols.source(self.path, Side.HEAD)
        assert source is not None  # noqa: S101  facts were made of it
        return source


@dataclass(frozen=True, slots=True)
class _Target:
    """A function or class at module level that is there, and called the same, on both sides."""

    base_path: RelPath
    path: RelPath
    definition: Definition
    facts: ModuleFacts

    @property
    def own_methods(self) -> bool:
        """Whether nobody can call a method through a base class."""
        return not self.definition.bases and not self.definition.keywords

    def method(self, holder: Holder) -> str | None:
        """The method a place lies in."""
        if self.definition.kind != "class":
            return None
        name = ".".join(holder.symbol.split(".")[:2])
        definition = self.facts.definition(name)
        if definition is None or definition.parent != "class" or not _is_plain(definition):
            return None
        return definition.name

    def is_inside(self, path: RelPath, scope: str) -> bool:
        """Whether a scope is the symbol's own: what calls itself is not reached by that."""
        name = self.definition.name
        return path in {self.path, self.base_path} and (scope == name or scope.startswith(name + "."))


def _target(symbols: Symbols, file: FileChange, name: str) -> _Target | None:
    if file.base is None or name.startswith("test"):
        return None
    head, base = symbols.facts(file.path, Side.HEAD), symbols.facts(file.base.path, Side.BASE)
    if head is None or base is None:
        return None
    now, then = head.definition(name), base.definition(name)
    if now is None or then is None or now.parent != "module" or (now.kind == "class") != (then.kind == "class"):
        return None
    if len(head.bound(name)) != 1 or not _is_plain(now) or not _is_plain(then):
        return None
    return _Target(file.base.path, file.path, now, head)


def _is_plain(definition: Definition) -> bool:
    return all(row.rpartition(".")[2] in _NEUTRAL for row in definition.decorators)


class _Search:
    """Looks for one symbol."""

    def __init__(self, symbols: Symbols, change: Change, target: _Target, is_test: Callable[[RelPath], bool]) -> None:
        self._symbols = symbols
        self._change = change
        self._target = target
        self._is_test = is_test

    def added(self) -> Iterator[_Site]:
        """The added lines outside tests that surely call or import the symbol."""
        name = self._target.definition.name
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        for file in self._change.files:
            head = file.head
            if head is None or language_of(file.path) != "python" or self._is_test(file.path):
                continue
            if not any(word.search(head.index.line(line)) for line in file.added):
                continue
            yield from self._added_imports(file, name)
            uses = self._symbols.uses(file.path, Side.HEAD)
            if uses is not None:
                yield from self._added_uses(file, uses, name)

    def _added_imports(self, file: FileChange, name: str) -> Iterator[_Site]:
        facts = self._symbols.facts(file.path, Side.HEAD)
        rows = [
            row
            for row in (facts.imports if facts is not None else ())
            if row.name == name and row.line in file.added and not row.where & Where.TYPING
        ]
        for row, answer in self._symbols.resolve_imports(file.path, rows, Side.HEAD).items() if rows else ():
            if self._is_it(answer, self._target.path):
                yield _Site(imports=True, path=file.path, line=row.line, column=row.column, attribute="")

    def _added_uses(self, file: FileChange, uses: ModuleUses, name: str) -> Iterator[_Site]:
        target = self._target
        rows = (
            [(use.chain, use.line, use.column, use.scope) for use in uses.uses if not use.local]
            if target.definition.kind != "class"
            else [(call.callee, call.line, call.column, call.scope) for call in uses.calls if not call.local]
        )
        for chain, line, column, scope in rows:
            if line not in file.added or name not in chain.split("."):
                continue
            if target.is_inside(file.path, uses.scopes[scope]):
                continue
            answer = self._symbols.resolve_chain(file.path, chain, Side.HEAD)
            if self._is_it(answer.answer, target.path):
                attribute = answer.rest[0] if answer.rest else ""
                yield _Site(imports=False, path=file.path, line=line, column=column, attribute=attribute)

    def was_used(self, name: str) -> bool:
        """Whether anything but tests may have meant a name of the symbol at the base."""
        hits = self._symbols.mentions({name}, Side.BASE)[name]
        quoted = re.compile(rf"""["']{re.escape(name)}["']|["'][^"']*\w[.:]{re.escape(name)}(?!\w)""")
        reached = re.compile(rf"[.:]{re.escape(name)}(?!\w)")
        python: set[RelPath] = set()
        for hit in hits:
            if self._is_test(hit.path):
                continue
            if language_of(hit.path) != "python":
                if not hit.path.endswith(_PROSE) and reached.search(hit.text):
                    return True
                continue
            python.add(hit.path)
            if quoted.search(hit.text) and not self._is_exported(hit.path, name):
                return True
        if any(self._may_use(path, name) for path in sorted(python)):
            return True
        return self._is_in_skipped(name) or self._is_starred()

    def _is_in_skipped(self, name: str) -> bool:
        """Whether a changed file that is not reviewed, and so not searched, had the name at the base."""
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        for skip in self._change.skipped:
            path = skip.old_path or skip.path
            if skip.status is Status.ADDED or language_of(path) != "python" or self._is_test(path):
                continue
            source = self._symbols.source(path, Side.BASE)
            if source is None or word.search(source.text) is not None:
                return True
        return False

    def _is_exported(self, path: RelPath, name: str) -> bool:
        facts = self._symbols.facts(path, Side.BASE)
        return facts is not None and facts.exported is not None and name in facts.exported

    def _is_starred(self) -> bool:
        """Whether a module takes everything from the symbol's."""
        return any(
            site.imported.name == "*" and not self._is_test(site.path)
            for site in self._symbols.importers(self._target.base_path, Side.BASE)
        )

    def _may_use(self, path: RelPath, name: str) -> bool:
        facts, uses = self._symbols.facts(path, Side.BASE), self._symbols.uses(path, Side.BASE)
        if facts is None or uses is None:
            return True
        imports = [row for row in facts.imports if row.name == name]
        if any(not self._is_other_import(path, row) for row in imports):
            return True
        return any(
            name in use.chain.split(".")
            and not self._target.is_inside(path, uses.scopes[use.scope])
            and not self._is_other(path, facts, use.chain, name, local=use.local)
            for use in uses.uses
        )

    def _is_other_import(self, path: RelPath, row: Import) -> bool:
        if isinstance(self._symbols.module(path, row.module, row.level, Side.BASE), External):
            return True
        answer = self._symbols.resolve_imports(path, [row], Side.BASE)[row]
        return isinstance(answer, Found) and answer.sure and not self._is_it(answer, self._target.base_path)

    def _is_other(self, path: RelPath, facts: ModuleFacts, chain: str, name: str, *, local: bool) -> bool:
        """Whether a chain surely means something else than the symbol, or an attribute of something else."""
        root = chain.partition(".")[0]
        is_own = name == self._target.definition.name
        if root in {"self", "cls"} and is_own:
            return True
        if local or not root:
            return False
        bound = facts.bound(root)
        rows = facts.import_of(root)
        if rows and len(rows) == len(bound) and all(self._is_external(path, row) for row in rows):
            return True
        answer: ChainAnswer = self._symbols.resolve_chain(path, chain, Side.BASE)
        found = answer.answer
        if not isinstance(found, Found) or not found.sure or found.binding is None:
            return False
        if self._is_it(found, self._target.base_path):
            return not is_own and name not in answer.rest
        return found.definition is not None and (is_own or found.definition.kind != "class")

    def _is_external(self, path: RelPath, row: Import) -> bool:
        return isinstance(self._symbols.module(path, row.module, row.level, Side.BASE), External)

    def _is_it(self, answer: NameAnswer, path: RelPath) -> bool:
        return (
            isinstance(answer, Found)
            and answer.sure
            and answer.path == path
            and answer.definition is not None
            and answer.definition.qualified == self._target.definition.qualified
        )
