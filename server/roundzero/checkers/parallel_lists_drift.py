"""parallel-lists-drift: lists of dependencies that have to agree, and after this change do not.

Requirements and their locks, project files and theirs, lists in build files that repeat a requirements file, wheels
built for another library, interpreter or machine than their list pins, and a new lock that nothing names while its
siblings are named. Resolves nothing and asks no index. Each row is a finding of its own, so that one can be put right,
dismissed or added without the others; those that one lock lags behind in show that lock, and so are one family.
Invariant: a disagreement that the base had already is not reported, wherever its lines moved.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._dependency_files import DependencyFiles, is_requirements
from roundzero.checkers._drift import Drift, Pair, Place, between_listing_and_file, between_lock_and_source, partners
from roundzero.checkers._hubs import DECLARES, LOADS, Hubs
from roundzero.checkers._listings import listings
from roundzero.checkers._project_locks import is_project_file, project_drifts, project_pairs
from roundzero.checkers._starlark import is_starlark, parse_starlark
from roundzero.checkers._wheel_tags import mismatches
from roundzero.checkers._workspace_locks import is_workspace_file, workspace_drifts, workspace_pairs
from roundzero.core.change import Side, Status
from roundzero.core.few import few
from roundzero.core.finding import Anchor, Edit, Evidence, Fix, Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import Severity
from roundzero.core.regex import regex
from roundzero.core.scope import nearest_changed_line
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from roundzero.checkers._drift import Listing
    from roundzero.core.change import Change, Source
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.requirements import RequirementsFile

_PINS: Final = regex(r"[\w.-]\s*(?:==|@\s*\w+://)")
"""A line of a build file that may pin a distribution."""
_WORD: Final = regex(r"\w{2}")
_NOT_REGENERATED: Final = frozenset({"missing", "version", "url", "project"})
"""Disagreements, by the first part of their keys, that go when the lock is made anew."""
_ROW: Final = regex(r"(?P<name>[\w.-]+(?:\[[^\]]*\])?\s*(?:@\s*)?)(?P<pin>(?:==\s*)?[^\s;,=<>~!]+)\s*(?:;.*)?")
"""A string that pins a distribution, in parts that stay and one that does not."""
MOST_NAMED: Final = 3
"""Lists named in one finding; the rest is left out."""
MOST_PINS: Final = 100
"""Pins of one file that build files are searched for; where more of them went, it is a lock."""
MOST_BUILD_FILES: Final = 50
MOST_CALLERS: Final = 300
"""Build files that are looked at for who asks a hub."""
LEAST_SIBLINGS: Final = 2
"""Locks beside a new one that have to be named somewhere before it is missed."""


class ParallelListsDrift(ChangeChecker):
    """Finds lists that drifted apart."""

    name = "parallel-lists-drift"
    version = "3"

    def words(self, change: Change) -> Collection[str]:
        """The pins that went, which build files may still repeat, and the names of new locks."""
        gone: set[str] = set()
        added: set[str] = set()
        for file in change.files:
            if not is_requirements(file.path):
                continue
            if file.status is Status.ADDED:
                added.add(posixpath.basename(file.path))
            elif file.base is not None:
                pins = _pinned(file.base, file.removed)
                gone |= pins if len(pins) <= MOST_PINS else set()
        asks = any(is_requirements(file.path) or is_starlark(file.path) for file in change.files)
        return gone | added | ({DECLARES, LOADS} if asks else set())

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Compare the lists on both sides, and report what only the head has."""
        touched = {path for file in change.files for path in (file.path, file.old_path) if path is not None}
        touched |= {skip.path for skip in change.skipped}
        kinds = (_may_list, is_project_file, is_workspace_file, is_starlark)
        if not any(is_kind(path) for path in touched for is_kind in kinds):
            return
        builds = {file.path for file in change.files if is_starlark(file.path)}
        builds |= {
            hit.path for hits in found.values() for hit in hits if is_starlark(hit.path) and _PINS.search(hit.text)
        }
        closed = _closed(change)
        chosen = sorted(builds - closed)[:MOST_BUILD_FILES]
        known: dict[str, RequirementsFile] = {}
        head = _Lists(DependencyFiles(repository, Side.HEAD, known), touched, chosen)
        moved = {file.path: file.old_path for file in change.files if file.old_path is not None}
        base = _Lists(
            DependencyFiles(repository, Side.BASE, known), touched, [moved.get(path, path) for path in chosen]
        )
        base.pair(head, moved)
        repeats = {**head.repeats(), **base.repeats()}
        back = {old: new for new, old in moved.items()}
        before = {tuple(str(back.get(RelPath(part), part)) for part in drift.key) for drift in base.drifts(repeats)}
        drifts = head.drifts(repeats)
        asking = _Asking.of(found, head.files, repository, closed)
        if asking is not None and (asking.involved & touched):
            before |= {drift.key for drift in asking.drifts(base.files)}
            drifts += asking.drifts(head.files)
        fresh = [drift for drift in drifts if drift.key not in before]
        yield from _hits(change, fresh, base.files, head.files)
        yield from _unnamed(change, head.files, found, repository)


def _may_list(path: RelPath) -> bool:
    """Whether a file may list distributions: a lock's header may name any ``.in``."""
    return is_requirements(path) or path.endswith(".in")


def _pinned(source: Source, lines: Collection[int]) -> set[str]:
    """The pins on lines of a file as they are written: ``name==version``, or the name of a wheel."""
    texts = (source.index.line(line).partition(" ")[0] for line in lines)
    return {
        text.partition("#")[0].rpartition("/")[2]
        for text in texts
        if text[:1].isalnum() and ("==" in text or "://" in text)
    }


class _Lists:
    """The lists of one side that the change could have set against each other."""

    def __init__(self, files: DependencyFiles, touched: Collection[RelPath], builds: Iterable[RelPath]) -> None:
        self.files = files
        self._touched = touched
        self._listings = [each for path in builds for each in listings(path, files.source(path))]
        self.locks = dict(files.locks()) if self._listings or any(map(_may_list, touched)) else {}
        self.sources = [path for path in files.all() if path in touched and path not in self.locks]
        self.pairs = {*project_pairs(files, touched), *workspace_pairs(files, touched)}

    def pair(self, other: _Lists, moved: Mapping[RelPath, RelPath]) -> None:
        """Also compare what belongs together on the other side, where nothing here says otherwise.

        A new name may set against each other what the same two texts disagreed about before.
        """
        here = self.files.paths
        old = {lock: moved.get(source, source) for lock, source in other.locks.items()}
        locks = {moved.get(lock, lock): source for lock, source in old.items()}
        self.locks.update(
            {lock: source for lock, source in locks.items() if lock not in self.locks and {lock, source} <= here}
        )
        more = (moved.get(path, path) for path in other.sources)
        self.sources += [path for path in more if path in here and path not in self.locks and path not in self.sources]
        self.pairs |= {
            Pair(moved.get(each.lock, each.lock), moved.get(each.project, each.project), each.kind)
            for each in other.pairs
        }

    def repeats(self) -> dict[tuple[str, str], RelPath]:
        """The requirements file that each list in a build file repeats."""
        return {(each.path, each.owner): path for each, path in partners(self.files, self._listings)}

    def drifts(self, repeats: Mapping[tuple[str, str], RelPath]) -> list[Drift]:
        """All disagreements of the lists that the change touches."""
        found: list[Drift] = []
        for lock, source in sorted(self.locks.items()):
            involved = {lock, *(each.path for each in self.files.closure(source)), source}
            if involved & set(self._touched):
                found += between_lock_and_source(self.files, lock, source)
        for listing in self._listings:
            partner = repeats.get((listing.path, listing.owner))
            if partner is not None and partner in self.files.paths:
                found += between_listing_and_file(self.files, listing, partner)
            found += _built_for_another(listing)
        for path in self.sources:
            found += self._built_for_another_file(path)
        found += project_drifts(self.files, sorted(self.pairs))
        found += workspace_drifts(self.files, sorted(self.pairs))
        return found

    def _built_for_another_file(self, path: RelPath) -> Iterator[Drift]:
        closure = self.files.closure(path)
        home = {id(each.row): each.path for each in closure}
        for row, mine, theirs in mismatches([each.row for each in closure if not each.only_limits]):
            place = Place(home[id(row)], row.span)
            yield Drift(key=("built", path, row.name), name=row.name, mine=mine, theirs=theirs, places=(place,))


def _built_for_another(listing: Listing) -> Iterator[Drift]:
    for row, mine, theirs in mismatches(listing.rows):
        key = ("built", listing.path, listing.owner, row.name)
        yield Drift(key=key, name=row.name, mine=mine, theirs=theirs, places=(Place(listing.path, row.span),))


@dataclass(frozen=True, slots=True)
class _Asking:
    """The Bazel files that declare hubs, load from them, and may call the macros which those that load define."""

    declaring: tuple[RelPath, ...]
    loading: tuple[RelPath, ...]
    calling: tuple[RelPath, ...]
    involved: frozenset[RelPath]

    @classmethod
    def of(
        cls,
        found: Mapping[str, tuple[GrepHit, ...]],
        files: DependencyFiles,
        repository: Repository,
        closed: Collection[RelPath],
    ) -> _Asking | None:
        """What the head has; None where nothing makes a hub or nothing loads from one. ``closed`` are left out."""
        declaring, loading = (_starlark_files(found.get(word, ())) for word in (DECLARES, LOADS))
        if not declaring or not loading or any(path in closed for path in (*declaring, *loading)):
            return None
        hubs = Hubs(files, declaring, loading)
        modules = {posixpath.basename(macro.path) for macro in hubs.macros}
        calls = repository.grep(modules) if modules else {}
        calling = _starlark_files([hit for hits in calls.values() for hit in hits if hit.path not in closed])
        locks = [path for path in files.all() if (read := files.read(path)) is not None and read.is_lock]
        return cls(declaring, loading, calling, frozenset((*declaring, *loading, *calling, *locks)))

    def drifts(self, files: DependencyFiles) -> list[Drift]:
        """What one side asks of hubs that lack it."""
        return list(Hubs(files, self.declaring, self.loading).drifts(self.calling))


def _closed(change: Change) -> set[RelPath]:
    """The changed build files whose base cannot be read: what they said before is not known."""
    return {
        file.path
        for file in change.files
        if is_starlark(file.path) and file.base is not None and parse_starlark(file.base) is None
    }


def _starlark_files(hits: Iterable[GrepHit]) -> tuple[RelPath, ...]:
    return tuple(sorted({hit.path for hit in hits if is_starlark(hit.path)}))[:MOST_CALLERS]


def _hits(change: Change, drifts: Iterable[Drift], base: DependencyFiles, head: DependencyFiles) -> Iterator[Hit]:
    """One hit for each place: a dependency that several locks lack is one mistake."""
    at: dict[Place, list[Drift]] = defaultdict(list)
    for drift in drifts:
        at[_place(change, drift)].append(drift)
    for place, group in at.items():
        first = group[0]
        theirs = list(dict.fromkeys(drift.theirs for drift in group))
        spelt = list(dict.fromkeys(drift.name for drift in group))
        names = few([code(name) for name in spelt], MOST_NAMED)
        fixes: tuple[Fix, ...] = ()
        if len(group) == 1 and first.replacement and place == first.places[0] and place.span is not None:
            fixes = _replaced(change, place, first.replacement)
        yield Hit(
            path=place.path,
            span=place.span,
            subject=f"{names} ({first.mine}; {few(theirs, MOST_NAMED)})",
            evidence=tuple(_behind(group, head)),
            fixes=fixes,
            cause=_cause(change, place, first, base),
            severity=Severity.P2 if all(drift.key[0] == "left" for drift in group) else None,
        )


def _behind(group: Sequence[Drift], head: DependencyFiles) -> Iterator[Evidence]:
    """The locks that were not made anew, by their first line with a word; nothing where the rows have other reasons."""
    if not all(drift.key[0] in _NOT_REGENERATED for drift in group):
        return
    for lock in sorted({RelPath(drift.key[1]) for drift in group}):
        source = head.source(lock)
        word = _WORD.search(source.text) if source is not None else None
        if source is not None and word is not None:
            yield evidence_at(source, source.index.position(word.start()).line, "the lock")


def _place(change: Change, drift: Drift) -> Place:
    """Where a disagreement is shown: on a line that the change wrote, if there is one."""
    spoken = [place for place in drift.places if place.span is not None]
    for place in spoken:
        file = change.file(place.path)
        if file is not None and place.span is not None and place.span.start.line in file.added:
            return place
    if drift.key[0] == "hash":
        spoken.sort(key=lambda place: change.file(place.path) is None)
    return spoken[0] if spoken else drift.places[0]


def _cause(change: Change, place: Place, drift: Drift, base: DependencyFiles) -> Anchor | None:
    """The changed line that a disagreement on an unchanged line comes from; None on a changed one."""
    own = change.file(place.path)
    if own is not None and place.span is not None and place.span.start.line in own.added:
        return None
    for other in drift.places:
        file = change.file(other.path)
        if file is None or (other.path == place.path and len(drift.places) > 1):
            continue
        if file.head is None:
            return Anchor(file.path, 1)
        before = base.read(file.base.path) if file.base is not None and is_requirements(file.path) else None
        gone = next((row for row in before.rows if row.name == drift.key[-1]), None) if before is not None else None
        if gone is not None:
            return Anchor(file.path, nearest_changed_line(file, max(1, file.line_map.nearest(gone.span.start.line))))
        return Anchor(file.path, file.first_changed_line)
    changed = next((file for file in change.files if is_requirements(file.path) or is_starlark(file.path)), None)
    return Anchor(changed.path, changed.first_changed_line) if changed is not None else None


def _replaced(change: Change, place: Place, new: str) -> tuple[Fix, ...]:
    file = change.file(place.path)
    if file is None or file.head is None or place.span is None:
        return ()
    line = file.head.index.line(place.span.start.line)
    rest = line[place.span.start.column - 1 :]
    row = _ROW.fullmatch(re.split(r"[\"']", rest, maxsplit=1)[0])
    if row is None or ("@" in row["name"]) is not ("://" in new):
        return ()
    number, column = place.span.start.line, place.span.start.column
    span = Span(Position(number, column + row.start("pin")), Position(number, column + row.end("pin")))
    return (Fix(f"Pin {row['name']}{new}", safe=False, edits=(Edit(place.path, span, row["pin"], new),)),)


def _unnamed(
    change: Change, files: DependencyFiles, found: Mapping[str, tuple[GrepHit, ...]], repository: Repository
) -> Iterator[Hit]:
    """New locks that no file names, while every lock beside them is named."""
    for file in change.files:
        read = files.read(file.path) if file.status is Status.ADDED and is_requirements(file.path) else None
        if read is None or not read.is_lock:
            continue
        folder, name = posixpath.split(file.path)
        if any(hit.path != file.path for hit in found.get(name, ())):
            continue
        beside = [
            path
            for path in files.all()
            if path != file.path and posixpath.dirname(path) == folder and path in _locks_of(files)
        ]
        if len(beside) < LEAST_SIBLINGS:
            continue
        named = repository.grep([posixpath.basename(path) for path in beside])
        if all(any(hit.path != path for hit in named.get(posixpath.basename(path), ())) for path in beside):
            yield Hit(path=file.path, span=None, subject=code(name), severity=Severity.P2)


def _locks_of(files: DependencyFiles) -> set[RelPath]:
    return {path for path in files.all() if (read := files.read(path)) is not None and read.is_lock}


CHECKER: Final = ParallelListsDrift
