"""Runs the linters over changed files: all heads in one batch, then the bases that matter.

Invariants: a linter that failed costs its own items and a ``Failure``; what a linter could not say of a base is kept as
unknown, never as *clean*.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.engine.gathering import Applying
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roundzero.core.change import Source
    from roundzero.core.finding import Observation
    from roundzero.core.item import Item, ItemId
    from roundzero.core.text import Position, RelPath
    from roundzero.engine.gathering import Gathering
    from roundzero.engine.observer import Observer
    from roundzero.linters import Linter, LinterResult


class Linting:
    """The linters of one ruleset, and what they saw in bases so far."""

    def __init__(self, observer: Observer, linters: Sequence[Linter]) -> None:
        """Run nothing yet."""
        self.versions: dict[str, str] = {}
        """Of the linters that saw something, by name."""
        self._observer = observer
        self._taken = {
            linter.name: (linter, items)
            for linter in linters
            if (items := tuple(item for item in observer.ruleset.checked if linter.takes(item)))
        }
        self._bases = _Bases()

    @property
    def names(self) -> tuple[str, ...]:
        """The linters that have something to look for."""
        return tuple(self._taken)

    async def heads(self, name: str, gatherings: Sequence[Gathering]) -> None:
        """Run one linter over heads, then over the bases that matter."""
        linter, items = self._taken[name]
        applying = Applying(items)
        mine = [each for each in gatherings if each.file.head is not None and applying.to(each.file.path)]
        if not mine:
            return
        sources = [gathering.file.head for gathering in mine if gathering.file.head is not None]
        result = await self._run(linter, items, sources, mine)
        if result is None:
            return
        for at, gathering in enumerate(mine):
            gathering.head[name] = []
            gathering.silencers += result.silencers_in(at)
        by_id = {item.id: item for item in items}
        for at, item, hit in result.hits:
            gathering = mine[at]
            if by_id[item].applies.matches(gathering.file.path):
                seen = self._observer.linted(item, hit, gathering.file.head, name, self.versions[name])
                gathering.head[name].append(seen)
        for at, position, message in result.syntax_errors:
            gathering = mine[at]
            costs = (item for item in items if not item.reads_syntax)
            gathering.silent |= Applying(costs).to(gathering.file.path)
            gathering.head_parsing.failed[name] = (position, message)
        for at in result.parsed:
            mine[at].head_parsing.readable = True
        await self.bases(
            name, [(gathering, self._observer.needs_base(gathering.file, gathering.head[name])) for gathering in mine]
        )
        about_syntax = {item.id for item in items if item.reads_syntax}
        for gathering in mine:
            if name in gathering.base_parsing.failed:  # it was no text of this grammar before either
                gathering.head[name] = [seen for seen in gathering.head[name] if seen.item not in about_syntax]

    async def bases(self, name: str, wanted: Iterable[tuple[Gathering, set[ItemId]]]) -> None:
        """Let one linter look at the bases of files for some items, as far as it has not."""
        linter, items = self._taken[name]
        names = {item.id for item in items}
        rows = [
            (gathering, base, needed & names)
            for gathering, needed in wanted
            if needed & names and (base := gathering.file.base) is not None
        ]
        todo = [row for row in rows if not self._bases.holds(name, row[1], row[2])]
        if todo:
            await self._learn(linter, items, todo)
        for gathering, base, needed in rows:
            gathering.based |= needed
            if (error := self._bases.unread(name, base)) is not None:
                gathering.base_parsing.failed[name] = error
            if error is not None or not self._bases.holds(name, base, needed):
                gathering.unbased |= needed
            else:
                gathering.base += self._bases.get(name, base, needed)

    async def _learn(
        self, linter: Linter, items: tuple[Item, ...], todo: Sequence[tuple[Gathering, Source, set[ItemId]]]
    ) -> None:
        asked = set().union(*(needed for _, _, needed in todo))
        gatherings, sources = [gathering for gathering, _, _ in todo], [base for _, base, _ in todo]
        result = await self._run(linter, tuple(item for item in items if item.id in asked), sources, gatherings)
        failed = {at for at, _ in result.failures} if result is not None else {None}
        if result is None or None in failed:
            return
        seen: dict[int, list[Observation]] = defaultdict(list)
        for at, item, hit in result.hits:
            version = self.versions[linter.name]
            seen[at].append(self._observer.linted(item, hit, sources[at], linter.name, version))
        errors = {at: (position, message) for at, position, message in result.syntax_errors}
        for at, base in enumerate(sources):
            if at not in failed:
                self._bases.keep(linter.name, base, asked, seen[at], errors.get(at))

    async def _run(
        self, linter: Linter, items: tuple[Item, ...], sources: Sequence[Source], gatherings: Sequence[Gathering]
    ) -> LinterResult | None:
        """One run of a linter; its failures go to the files they cost. None when it did not run at all."""
        try:
            result = await linter.run(sources, items)
            if result.hits and linter.name not in self.versions:
                self.versions[linter.name] = await linter.version()
        except OutsideError as error:
            costs = Applying(items)
            for gathering in gatherings:
                gathering.silence(f"{linter.name}: {error}", costs.to(gathering.file.path), everywhere=True)
            return None
        for at, message in result.failures:
            costs = Applying(items)
            for gathering in gatherings if at is None else [gatherings[at]]:
                gathering.silence(f"{linter.name}: {message}", costs.to(gathering.file.path), everywhere=at is None)
        return result


class _Bases:
    """What linters saw in base texts, by blob: the base of the file being typed in is looked at once."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, tuple[frozenset[ItemId], tuple[Observation, ...]]] = OrderedDict()
        self._unread: dict[_Key, tuple[Position, str]] = {}

    def holds(self, linter: str, base: Source, items: set[ItemId]) -> bool:
        """Whether a look would tell nothing new."""
        key = (linter, base.blob, base.path)
        known = self._kept.get(key)
        return key in self._unread or (known is not None and items <= known[0])

    def unread(self, linter: str, base: Source) -> tuple[Position, str] | None:
        """Where and why a base does not parse, if a linter said so."""
        return self._unread.get((linter, base.blob, base.path))

    def keep(
        self,
        linter: str,
        base: Source,
        items: set[ItemId],
        seen: Sequence[Observation],
        error: tuple[Position, str] | None,
    ) -> None:
        """Add what was seen for some items, or that the base does not parse; the least recent base goes."""
        key = (linter, base.blob, base.path)
        if error is not None:
            self._unread[key] = error
            seen = ()
        known, old = self._kept.get(key, (frozenset(), ()))
        fresh = tuple(each for each in seen if each.item in items - known)
        self._kept[key] = (known | items, (*old, *fresh))
        self._kept.move_to_end(key)
        if len(self._kept) > _BASES_KEPT:
            gone, _ = self._kept.popitem(last=False)
            self._unread.pop(gone, None)

    def get(self, linter: str, base: Source, items: set[ItemId]) -> list[Observation]:
        """What was seen for some items."""
        _, seen = self._kept.get((linter, base.blob, base.path), (frozenset(), ()))
        return [each for each in seen if each.item in items]


_Key = tuple[str, str, "RelPath"]
_BASES_KEPT: Final = 1000
