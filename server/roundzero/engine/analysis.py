"""Runs every check over changed files, and joins what they saw with items. Decides nothing about what is shown.

Linters look at all heads in one batch, Python checks run beside them. The base is looked at only where the head has a
hit in scope, and in other files only where a hit's line was removed, because a moved block is no new defect.
Invariant: what fails costs its own results and becomes a ``Failure``; nothing is ever silently *clean*.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from roundzero import __version__
from roundzero.core.change import FileChange, Side, Source, Status
from roundzero.core.checklist import Failure
from roundzero.core.finding import Hit, Observation, Origin, observe
from roundzero.core.item import CheckerCheck, Item, ItemId, Language, TextCheck
from roundzero.core.linemap import Hunk
from roundzero.core.matching import Moves
from roundzero.core.origin import origins
from roundzero.core.scope import out_of_scope
from roundzero.core.suppress import directives
from roundzero.core.text import RelPath, collapse
from roundzero.engine.sights import ChangeSight, Elsewhere, FileSight
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from roundzero.checkers._base import Checker
    from roundzero.checkers.run import FileResult
    from roundzero.core.change import Change
    from roundzero.core.ruleset import Ruleset
    from roundzero.engine.pool import Runner
    from roundzero.engine.repository import Snapshot
    from roundzero.linters import Linter, LinterResult

_INTERPRETER: Final = f"Python {sys.version_info.major}.{sys.version_info.minor}, which runs Round Zero,"

CHECKS: Final = "roundzero"
"""The part of a file's results that our own checks give, beside one part for each linter."""


@dataclass(frozen=True, slots=True)
class Early:
    """Someone who wants what the linters saw when our own checks take longer than ``seconds``."""

    seconds: float
    tell: Callable[[list[FileSight]], None]


@dataclass(slots=True)
class _Draft:
    """A file's sight while it is put together."""

    file: FileChange
    head: dict[str, list[Observation]] = field(default_factory=dict)
    base: list[Observation] = field(default_factory=list)
    based: set[ItemId] = field(default_factory=set)
    silent: set[ItemId] = field(default_factory=set)
    failures: list[Failure] = field(default_factory=list)
    broken: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By who could not parse the head: the line, and why."""
    readable: bool = False
    """Whether a linter parsed the head."""


class _Bases:
    """What linters saw in base texts, by blob: the base of the file being typed in is looked at once."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, RelPath], tuple[frozenset[ItemId], tuple[Observation, ...]]]
        self._kept = OrderedDict()

    def holds(self, linter: str, base: Source, items: set[ItemId]) -> bool:
        known = self._kept.get((linter, base.blob, base.path))
        return known is not None and items <= known[0]

    def keep(self, linter: str, base: Source, items: set[ItemId], seen: list[Observation]) -> None:
        """Add what was seen for some items; the least recent base goes."""
        key = (linter, base.blob, base.path)
        known, old = self._kept.get(key, (frozenset(), ()))
        fresh = tuple(each for each in seen if each.item in items - known)
        self._kept[key] = (known | items, (*old, *fresh))
        self._kept.move_to_end(key)
        if len(self._kept) > _BASES_KEPT:
            self._kept.popitem(last=False)

    def get(self, linter: str, base: Source, items: set[ItemId]) -> list[Observation]:
        _, seen = self._kept.get((linter, base.blob, base.path), (frozenset(), ()))
        return [each for each in seen if each.item in items]


class Analyst:
    """Runs one ruleset's checks. ``all_origins``: look at the base for every hit, also out of scope."""

    def __init__(
        self,
        ruleset: Ruleset,
        *,
        linters: Sequence[Linter],
        runner: Runner,
        language: Language = "en",
        all_origins: bool = False,
    ) -> None:
        """Run nothing yet."""
        self.ruleset = ruleset
        self.language: Language = language
        self._all_origins = all_origins
        self._runner = runner
        self._versions: dict[str, str] = {}
        self._taken = {
            linter.name: (linter, items)
            for linter in linters
            if (items := tuple(item for item in ruleset.checked if linter.takes(item)))
        }
        self._own = tuple(
            item
            for item in ruleset.checked
            if any(isinstance(check, CheckerCheck | TextCheck) for check in item.checks)
        )
        self._removed: dict[tuple[str, tuple[Hunk, ...]], frozenset[str]] = {}
        self._bases = _Bases()

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of the producers that ran, by name."""
        return {**{_producer(item): __version__ for item in self._own}, **self._versions}

    def but(self, *, runner: Runner) -> Analyst:
        """The same rules with Python checks running elsewhere."""
        return Analyst(
            self.ruleset,
            linters=[linter for linter, _ in self._taken.values()],
            runner=runner,
            language=self.language,
            all_origins=self._all_origins,
        )

    async def files(
        self,
        files: Sequence[FileChange],
        *,
        progress: Callable[[int], None] | None = None,
        early: Early | None = None,
    ) -> list[FileSight]:
        """Look at files. ``progress`` is told how many are done.

        ``early`` is told what the linters saw when our own checks are not done in time.
        """
        drafts = [_Draft(file) for file in files]
        async with asyncio.TaskGroup() as group:
            by_linter = [group.create_task(self._lint(linter, items, drafts)) for linter, items in self._taken.values()]
            own = group.create_task(self._own_checks(drafts, progress))
            if early is not None:
                await asyncio.wait([own], timeout=early.seconds)
                linting = set(by_linter)
                while linting and not own.done():
                    _, left = await asyncio.wait({own, *linting}, return_when=asyncio.FIRST_COMPLETED)
                    linting &= left
                if not own.done():
                    early.tell([self._done(draft) for draft in drafts])
        return [self._done(draft) for draft in drafts]

    def moved_from(self, change: Change, sights: Iterable[FileSight]) -> dict[RelPath, frozenset[ItemId]]:
        """The files some hit's line may have been moved from, by path, with the items of those hits."""
        sights = list(sights)
        lost = self._without_counterpart(change, sights)
        wanted: dict[RelPath, set[ItemId]] = defaultdict(set)
        for file in change.files if lost else ():
            if file.base is None or not file.removed:
                continue
            removed = self.removed_texts(file)
            for seen in lost:
                if seen.path != file.path and seen.anchor_text in removed:
                    wanted[file.path].add(seen.item)
        return {path: frozenset(items) for path, items in wanted.items()}

    async def elsewhere(self, change: Change, wanted: Mapping[RelPath, frozenset[ItemId]]) -> Elsewhere:
        """Look at the bases of files for some items."""
        drafts = [_Draft(file) for file in change.files if file.path in wanted]
        if not drafts:
            return Elsewhere()
        rows = [(draft, set(wanted[draft.file.path])) for draft in drafts]
        async with asyncio.TaskGroup() as group:
            for draft, needed in rows:
                group.create_task(self._own_base(draft, needed))
            for linter, items in self._taken.values():
                group.create_task(self._lint_base(linter, items, rows))
        return Elsewhere(
            tuple(seen for draft in drafts for seen in draft.base),
            frozenset((draft.file.path, item) for draft, needed in rows for item in needed),
        )

    async def change(self, snapshot: Snapshot) -> ChangeSight:
        """Look at the change as a whole."""
        items = self._change_items()
        if not items:
            return ChangeSight()
        names = frozenset(item.id for item in items)
        try:
            result = await self._runner.check_change(snapshot, items)
        except OutsideError as error:
            return ChangeSight(failures=(Failure(message=f"checks of the whole change: {error}", items=names),))
        failures = tuple(Failure(message=line, items=_blamed(line, items)) for line in result.failures)
        seen: list[Observation] = []
        sources: dict[tuple[RelPath, Side], Source | None] = {}
        for name, hit in result.hits:
            if hit.path is not None and hit.span is not None and (hit.path, hit.side) not in sources:
                try:
                    sources[hit.path, hit.side] = await _source(snapshot, hit.path, hit.side)
                except OutsideError:
                    sources[hit.path, hit.side] = None
            source = sources.get((hit.path, hit.side)) if hit.path is not None else None
            seen.append(self._observed(self.ruleset.by_id[name], hit, source))
        silent = frozenset(item for failure in failures for item in failure.items)
        outside = {
            path: source
            for (path, side), source in sources.items()
            if source is not None and side is Side.HEAD and snapshot.change.file(path) is None
        }
        return ChangeSight(tuple(seen), failures, names - silent, outside)

    def _change_items(self) -> tuple[Item, ...]:
        from roundzero.checkers._base import ChangeChecker, SymbolChecker  # noqa: PLC0415  heavy

        names = self._of_kind(ChangeChecker, SymbolChecker)
        return tuple(item for item in self._own if item.id in names)

    @cached_property
    def _wide(self) -> frozenset[ItemId]:
        return frozenset(item.id for item in self._change_items())

    def _needing_a_tree(self) -> frozenset[ItemId]:
        from roundzero.checkers._base import PythonChecker, RelationChecker  # noqa: PLC0415  heavy

        return self._of_kind(PythonChecker, RelationChecker)

    def _of_kind(self, *kinds: type[Checker]) -> frozenset[ItemId]:
        from roundzero.checkers import discover  # noqa: PLC0415  heavy

        names = {name for name, checker in discover().items() if issubclass(checker, kinds)}
        return frozenset(
            item.id
            for item in self._own
            if any(isinstance(check, CheckerCheck) and check.name in names for check in item.checks)
        )

    async def _lint(self, linter: Linter, items: tuple[Item, ...], drafts: Sequence[_Draft]) -> None:
        """Run one linter over heads, then over the bases that matter."""
        mine = [
            draft
            for draft in drafts
            if draft.file.head is not None and any(item.applies.matches(draft.file.path) for item in items)
        ]
        if not mine:
            return
        sources = [draft.file.head for draft in mine if draft.file.head is not None]
        result = await self._linted(linter, items, sources, mine)
        if result is None:
            return
        for draft in mine:
            draft.head[linter.name] = []
        for at, name, hit in result.hits:
            draft, item = mine[at], self.ruleset.by_id[name]
            if item.applies.matches(draft.file.path):
                seen = self._observed(item, hit, draft.file.head, linter.name, self._versions[linter.name])
                draft.head[linter.name].append(seen)
        for at, position, message in result.syntax_errors:
            draft = mine[at]
            draft.silent |= _applying(items, draft.file.path)
            draft.broken[linter.name] = (position.line, message)
        for at in result.parsed:
            mine[at].readable = True
        wanted = [(draft, self._needs_base(draft.file, draft.head[linter.name])) for draft in mine]
        await self._lint_base(linter, items, wanted)

    async def _lint_base(
        self, linter: Linter, items: tuple[Item, ...], wanted: Iterable[tuple[_Draft, set[ItemId]]]
    ) -> None:
        names = {item.id for item in items}
        rows = [
            (draft, base, needed & names)
            for draft, needed in wanted
            if needed & names and (base := draft.file.base) is not None
        ]
        todo = [
            (draft, base, needed) for draft, base, needed in rows if not self._bases.holds(linter.name, base, needed)
        ]
        if todo:
            asked = set().union(*(needed for _, _, needed in todo))
            drafts, sources = [draft for draft, _, _ in todo], [base for _, base, _ in todo]
            result = await self._linted(linter, tuple(item for item in items if item.id in asked), sources, drafts)
            if result is None:
                return
            seen: dict[int, list[Observation]] = defaultdict(list)
            for at, name, hit in result.hits:
                item = self.ruleset.by_id[name]
                seen[at].append(self._observed(item, hit, sources[at], linter.name, self._versions[linter.name]))
            unreadable = {at for at, _, _ in result.syntax_errors}
            for at, base in enumerate(sources):
                if at not in unreadable:
                    self._bases.keep(linter.name, base, asked, seen[at])
        for draft, base, needed in rows:
            if not self._bases.holds(linter.name, base, needed):
                continue  # it does not parse: nothing is known of what was there
            draft.base += self._bases.get(linter.name, base, needed)
            draft.based |= needed

    async def _linted(
        self, linter: Linter, items: tuple[Item, ...], sources: Sequence[Source], drafts: Sequence[_Draft]
    ) -> LinterResult | None:
        """One run of a linter; its failures go to the files they cost. None when it did not run at all."""
        try:
            result = await linter.run(sources, items)
            if result.hits and linter.name not in self._versions:
                self._versions[linter.name] = await linter.version()
        except OutsideError as error:
            for draft in drafts:
                self._silence(draft, f"{linter.name}: {error}", _applying(items, draft.file.path), everywhere=True)
            return None
        for at, message in result.failures:
            for draft in drafts if at is None else [drafts[at]]:
                self._silence(
                    draft, f"{linter.name}: {message}", _applying(items, draft.file.path), everywhere=at is None
                )
        return result

    async def _own_checks(self, drafts: Sequence[_Draft], progress: Callable[[int], None] | None) -> None:
        await asyncio.sleep(0)  # let the linters' processes start first
        todo, done = iter(drafts), itertools.count(1)

        async def take() -> None:
            for draft in todo:
                items = _applying(self._own, draft.file.path)
                if items:
                    await self._own_check(draft, items)
                if progress is not None:
                    progress(next(done))

        async with asyncio.TaskGroup() as group:
            for _ in range(self._runner.parallel):
                group.create_task(take())

    async def _own_check(self, draft: _Draft, items: frozenset[ItemId]) -> None:
        file = draft.file
        try:
            result = await self._runner.check_file(file, self._own)
        except OutsideError as error:
            self._silence(draft, f"{file.path}: {error}", items)
            return
        seen = [self._own_seen(name, hit, file) for name, hit in result.head]
        if result.syntax_error is not None:
            position, message = result.syntax_error
            draft.silent |= self._needing_a_tree() & items
            draft.broken[CHECKS] = (position.line, message)
        for line in result.failures:
            self._silence(draft, f"{file.path}: {line}", _blamed(line, self._own))
        if file.base is not None:
            needed = self._needs_base(file, seen)
            draft.based |= needed
            if self._all_origins:
                await self._own_base(draft, needed)
            else:
                draft.base += [self._own_seen(name, hit, file, base=True) for name, hit in result.base]
        draft.head[CHECKS] = seen

    async def _own_base(self, draft: _Draft, needed: set[ItemId]) -> None:
        """Look at a base as if it were a new file."""
        base = draft.file.base
        items = tuple(item for item in self._own if item.id in needed)
        if base is None or not items:
            return
        result = await self._checked_alone(base, items)
        if result is not None:
            draft.base += [self._own_seen(name, hit, draft.file, base=True) for name, hit in result.head]

    async def _checked_alone(self, source: Source, items: tuple[Item, ...]) -> FileResult | None:
        lines = source.index.line_count
        hunks = (Hunk(0, 0, 1, lines),) if lines else ()
        file = FileChange(path=source.path, status=Status.ADDED, base=None, head=source, hunks=hunks)
        try:
            return await self._runner.check_file(file, items)
        except OutsideError:
            return None

    def _needs_base(self, file: FileChange, seen: Iterable[Observation]) -> set[ItemId]:
        """The items whose hits at the head must be compared with the base."""
        if file.base is None:
            return set()
        return {
            each.item
            for each in seen
            if each.side is Side.HEAD
            and each.cause is None
            and (self._all_origins or out_of_scope(self.ruleset.by_id[each.item], each, file) is None)
        }

    def _without_counterpart(self, change: Change, sights: Sequence[FileSight]) -> list[Observation]:
        """Head observations in scope that look introduced so far and whose line could have come from elsewhere."""
        head = [
            seen
            for sight in sights
            if (file := change.file(sight.path)) is not None
            for seen in sight.seen
            if len(seen.anchor_text) > 1
            and seen.span is not None
            and (self._all_origins or out_of_scope(self.ruleset.by_id[seen.item], seen, file) is None)
        ]
        if not head:
            return []
        base = [seen for sight in sights for seen in sight.base]
        came_from = origins(base, head, Moves(change.whereabouts))
        return [
            seen
            for seen, origin in zip(head, came_from, strict=True)
            if origin is Origin.INTRODUCED and seen.side is Side.HEAD and seen.cause is None
        ]

    def removed_texts(self, file: FileChange) -> frozenset[str]:
        """The collapsed lines that the change removed from a file."""
        if file.base is None:
            return frozenset()
        key = (file.base.blob, file.hunks)
        if key not in self._removed:
            if len(self._removed) > _REMOVED_KEPT:
                self._removed.clear()
            index = file.base.index
            self._removed[key] = frozenset(collapse(index.line(line)) for line in file.removed)
        return self._removed[key]

    def _own_seen(self, name: ItemId, hit: Hit, file: FileChange, *, base: bool = False) -> Observation:
        source = file.base if base or hit.side is Side.BASE else file.head
        return self._observed(self.ruleset.by_id[name], hit, source)

    def _observed(
        self, item: Item, hit: Hit, source: Source | None, producer: str = "", version: str = __version__
    ) -> Observation:
        return observe(item, hit, source, producer=producer or _producer(item), version=version, language=self.language)

    def _silence(self, draft: _Draft, message: str, items: frozenset[ItemId], *, everywhere: bool = False) -> None:
        draft.silent |= items
        draft.failures.append(Failure(message=message, items=items, path=None if everywhere else draft.file.path))

    def _done(self, draft: _Draft) -> FileSight:
        file = draft.file
        failures = list(draft.failures)
        broken: str | None = None
        if draft.broken:
            # A linter's own parser knows newer grammars than the interpreter our checks run in: its word decides.
            who = min(draft.broken, key=lambda name: (name == CHECKS, name))
            line, why = draft.broken[who]
            if who == CHECKS and draft.readable:
                said = f"{file.path}: Python checks did not run: {_INTERPRETER} cannot parse line {line} ({why})"
            else:
                said = broken = f"{file.path}:{line}: does not parse: {why}"
            failures.append(Failure(message=said, items=frozenset(draft.silent), path=file.path))
        found = directives(file.head) if file.head is not None else ()
        listened = _applying(self.ruleset.checked, file.path) - self._wide - draft.silent
        return FileSight(
            path=file.path,
            head={name: tuple(part) for name, part in draft.head.items()},
            base=tuple(draft.base),
            based=frozenset(draft.based),
            listened=listened,
            directives=found,
            failures=tuple(failures),
            broken=broken,
        )


_REMOVED_KEPT: Final = 1000
_BASES_KEPT: Final = 1000


async def _source(snapshot: Snapshot, path: RelPath, side: Side) -> Source | None:
    file = snapshot.change.file(path)
    if file is not None:
        return file.head if side is Side.HEAD else file.base
    return await snapshot.read(path, side)


def _applying(items: Iterable[Item], path: RelPath) -> frozenset[ItemId]:
    return frozenset(item.id for item in items if item.applies.matches(path))


def _producer(item: Item) -> str:
    names = [check.name for check in item.checks if isinstance(check, CheckerCheck)]
    return names[0] if names else "text"


def _blamed(line: str, items: Iterable[Item]) -> frozenset[ItemId]:
    """The items of the checker a failure line begins with (``name broke: ...`` or ``name: ...``)."""
    name = line.replace(":", " ", 1).split(" ", 1)[0]
    return frozenset(
        item.id
        for item in items
        if item.id == name or any(isinstance(check, CheckerCheck) and check.name == name for check in item.checks)
    )
