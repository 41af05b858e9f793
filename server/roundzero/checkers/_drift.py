"""Where two lists of dependencies that should agree do not, on one side of a repository.

Compares a requirements file, with what it includes, with its lock, and a list in a build file with the requirements
file that it repeats. Knows nothing of changes: who calls it takes away what the base had. Invariant: a drift's ``key``
holds neither a version nor a line, so that the same disagreement has the same key on both sides.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.core.frozen import dataclass
from roundzero.core.requirements import artefact
from roundzero.core.versions import exact, parse_version, satisfies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from roundzero.checkers._dependency_files import Asked, DependencyFiles
    from roundzero.core.requirements import Requirement
    from roundzero.core.text import RelPath, Span
    from roundzero.core.versions import Version

_LEFT_OUT: Final = frozenset({"pip", "setuptools", "wheel", "distribute"})
"""What pip-compile leaves out of a lock unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one of the lists speaks of the dependency; ``span`` None where it does not, and should."""

    path: RelPath
    span: Span | None


class Pair(NamedTuple):
    """A lock and the project file it is of. ``kind`` is the name by which such a lock is known."""

    lock: RelPath
    project: RelPath
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One disagreement. ``places``: where it can be put right, the one that names the dependency first.

    ``name`` is shown as code, then what each list says, in terms that need no translation. ``replacement``: the
    version with its sign, or the address, that the first place would have if it agreed, where that is plain.
    """

    key: tuple[str, ...]
    name: str
    mine: str
    theirs: str
    places: tuple[Place, ...]
    replacement: str = ""


def between_lock_and_source(files: DependencyFiles, lock: RelPath, source: RelPath) -> Iterator[Drift]:
    """What a lock lacks or has in another version, from another address or with another hash than its source asks."""
    read = files.read(lock)
    if read is None:
        return
    locked: dict[str, list[Requirement]] = defaultdict(list)
    for row in read.rows:
        locked[row.name].append(row)
    asked: dict[str, list[Asked]] = defaultdict(list)
    for each in files.closure(source):
        asked[each.row.name].append(each)
    for name, rows in asked.items():
        yield from _one_name(lock, name, rows, locked.get(name, []))
    sources = {posixpath.basename(each.path) for rows in asked.values() for each in rows}
    for row in read.rows:
        own = [via for via in row.via if via.startswith("-r ")]
        if (
            row.name not in asked
            and own
            and len(own) == len(row.via)
            and all(posixpath.basename(via[3:].strip()) in sources for via in own)
        ):
            yield Drift(
                key=("left", lock, row.name), name=row.spelt, mine=f"-r {posixpath.basename(own[0][3:].strip())}",
                theirs=f"{posixpath.basename(source)}: -", places=(Place(lock, row.span), Place(source, None)),
            )  # fmt: skip


def _one_name(lock: RelPath, name: str, rows: Sequence[Asked], locked: Sequence[Requirement]) -> Iterator[Drift]:
    asking = [each for each in rows if not each.only_limits]
    if not locked:
        if asking and name not in _LEFT_OUT and not any(each.row.marker for each in asking):
            first = asking[0]
            yield Drift(
                key=("missing", lock, name), name=first.row.spelt, mine=shown(first.row),
                theirs=f"{posixpath.basename(lock)}: -", places=(Place(first.path, first.row.span), Place(lock, None)),
            )  # fmt: skip
        return
    plain = [each for each in rows if not each.row.marker]
    groups = [[each] for each in plain] or [[each for each in rows if each.row.marker]]
    for group in groups:
        for row in locked:
            kinds = [_disagree(each.row, row) for each in group]
            if all(kind is not None for kind in kinds):
                yield _drift(lock, group[0], row, kinds[0] or "")
                break


def _drift(lock: RelPath, asked: Asked, row: Requirement, kind: str) -> Drift:
    return Drift(
        key=(kind, lock, asked.path, row.name), name=row.spelt if not row.url else row.name,
        mine=shown(asked.row) if kind != "hash" else "--hash", theirs=f"{posixpath.basename(lock)}: {shown(row)}",
        places=(Place(asked.path, asked.row.span), Place(lock, row.span)),
    )  # fmt: skip


def _disagree(asked: Requirement, locked: Requirement) -> str | None:
    """How a locked row contradicts what is asked for: its version, address or hash; None where it does not."""
    if asked.url:
        if locked.url:
            if _address(asked.url) != _address(locked.url):
                mine, theirs = asked.artefact, locked.artefact
                return "version" if mine and theirs and mine.version != theirs.version else "url"
        else:
            wanted, got = version_of(asked), version_of(locked)
            if wanted is not None and got is not None and wanted.key != got.key:
                return "version"
    elif asked.range:
        got = version_of(locked)
        if got is not None and satisfies(got, asked.range) is False:
            return "version"
    if asked.digests and locked.digests and not asked.digests & locked.digests:
        return "hash"
    return None


def version_of(row: Requirement) -> Version | None:
    """The one version a row allows, by its range or by the name of the file it points to."""
    made = artefact(row.url) if row.url else None
    return parse_version(made.version) if made is not None else exact(row.range)


def shown(row: Requirement) -> str:
    """What a row pins, shortly: the version of a file, else its name, else the range."""
    if row.url:
        made = row.artefact
        return made.version if made is not None else row.url.rsplit("/", 1)[-1]
    return row.range.replace(" ", "") or "*"


def _address(url: str) -> str:
    return url.partition("://")[2].lower() if "://" in url else url


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A list of dependencies in a build file: a branch of a ``select`` or a plain list. ``owner`` says which one."""

    path: RelPath
    owner: str
    rows: tuple[Requirement, ...]


def partners(files: DependencyFiles, listings: Iterable[Listing]) -> Iterator[tuple[Listing, RelPath]]:
    """The requirements file that a listing repeats: the one with which it shares most rows, at least two.

    Nothing says which belongs to which, so the rows do; where two files fit alike, none does.
    """
    locks = files.locks()
    sources = [path for path in files.all() if path not in locks]
    own = {path: {each.row.name: each.row for each in files.closure(path)} for path in sources}
    for listing in listings:
        pinned = {row.name: row for row in listing.rows if row.url or exact(row.range) is not None}
        score: dict[RelPath, int] = {}
        for path, rows in own.items():
            common = [name for name in pinned if name in rows]
            equal = [name for name in common if _same_pin(pinned[name], rows[name])]
            if len(equal) > 1 and len(equal) * 2 > len(common):
                score[path] = len(equal)
        best = [path for path, count in score.items() if count == max(score.values())]
        if len(best) == 1:
            yield listing, best[0]


def _same_pin(mine: Requirement, theirs: Requirement) -> bool:
    if mine.url or theirs.url:
        return bool(mine.url and theirs.url) and _address(mine.url) == _address(theirs.url)
    return mine.range.replace(" ", "") == theirs.range.replace(" ", "") and bool(mine.range)


def between_listing_and_file(files: DependencyFiles, listing: Listing, path: RelPath) -> Iterator[Drift]:
    """The rows of a listing that are pinned elsewhere than in the requirements file it repeats."""
    rows: dict[str, list[Asked]] = defaultdict(list)
    for each in files.closure(path):
        rows[each.row.name].append(each)
    for row in listing.rows:
        others = rows.get(row.name, [])
        if not others or any(_fits(row, other.row) for other in others):
            continue
        other = others[0]
        new = ""
        if row.url and other.row.url and not other.row.marker:
            new = other.row.url.replace("+", "%2B")
        elif not row.url and not other.row.url and exact(other.row.range) is not None and not other.row.marker:
            new = other.row.range.replace(" ", "")
        yield Drift(
            key=("listing", listing.path, listing.owner, row.name), name=row.spelt, mine=shown(row),
            theirs=f"{posixpath.basename(path)}: {shown(other.row)}", replacement=new,
            places=(Place(listing.path, row.span), Place(other.path, other.row.span)),
        )  # fmt: skip


def _fits(row: Requirement, other: Requirement) -> bool:
    if row.url and other.url:
        return _address(row.url) == _address(other.url) or row.artefact is None or other.artefact is None
    mine, theirs = version_of(row), version_of(other)
    if mine is not None and other.range:
        return satisfies(mine, other.range) is not False
    if theirs is not None and row.range:
        return satisfies(theirs, row.range) is not False
    return mine is None or theirs is None or mine.key == theirs.key
