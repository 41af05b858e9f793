"""lock-partly-regenerated: a lock that a program writes was changed by hand, or by the program in part.

Looks for what one run of pip-compile or uv cannot leave behind: a row without a checksum among rows that have one
(which pip then refuses to install), a row that nothing asked for among rows that say what did, a row that was asked
for by a row that is not there, or, as it was, is by now by another one that is as it was, and one requirements file
written in two ways. A row that is a link has the name of what it leads to. Resolves nothing. Invariant: it is said only
on lines this change wrote, and only if the base was not so already.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import RelationChecker, code
from roundzero.checkers._dependency_files import is_requirements
from roundzero.core.finding import Hit
from roundzero.core.regex import regex
from roundzero.core.requirements import canonical, read_requirements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.checkers._base import Pair
    from roundzero.core.change import FileChange
    from roundzero.core.requirements import Requirement, RequirementsFile

LEAST_ROWS: Final = 5
"""Rows that must do as the program does before another one stands out."""
SHARE: Final = 0.9
_BY_PROGRAM: Final = regex(r"generated|pip-compile|pip compile", re.IGNORECASE)
_LINK: Final = regex(r"^(?:-e[ \t]+)?(?:\w+\+)?(?:https?|ssh|git|file)://[^\s@#?]*/([\w.-]+)", re.MULTILINE)
_WORD: Final = regex(r"[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?")


class LockPartlyRegenerated(RelationChecker):
    """Finds the traces of an edit in a written file."""

    name = "lock-partly-regenerated"
    version = "2"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Look at the rows that this change wrote."""
        file = pair.file
        if file.head is None or file.base is None or not is_requirements(file.path):
            return
        now, before = read_requirements(file.head.index), read_requirements(file.base.index)
        if not now.is_lock or not before.is_lock:
            return
        rewritten = len(file.added) * 2 > file.head.index.line_count
        linked = {canonical(name.removesuffix(".git")) for name in _LINK.findall(file.head.text)}
        seen: set[int] = set()
        rows = (*_bare(now, before), *_orphaned(now, before), *_asked_anew(now, before), *_spelt_twice(now, before))
        for row, says in rows:
            line = row.span.start.line
            if (
                rewritten
                or line in seen
                or not _is_written(file, row)
                or not linked.isdisjoint(map(canonical, row.via))
            ):
                continue
            seen.add(line)
            yield Hit(path=file.path, span=row.span, subject=f"{code(row.spelt)} ({says})")


def _is_written(file: FileChange, row: Requirement) -> bool:
    return any(line in file.added for line in row.lines)


def _bare(now: RequirementsFile, before: RequirementsFile) -> Iterator[tuple[Requirement, str]]:
    """Rows without a checksum, or without a word on who asked, where nearly all others have it."""
    known = {row.name for row in before.rows}
    hashed = [row for row in now.rows if row.digests]
    explained = [row for row in now.rows if row.has_via]
    for row in now.rows:
        is_old = row.name in known
        if _stands_out(len(hashed), len(now.rows)) and not row.digests and not _had(before, row.name, digests=False):
            yield row, "--hash: -"
        elif _stands_out(len(explained), len(now.rows)) and not row.has_via and not is_old:
            yield row, "# via: -"


def _had(before: RequirementsFile, name: str, *, digests: bool) -> bool:
    """Whether the base had the row with, or without, checksums."""
    return any(row.name == name and bool(row.digests) is digests for row in before.rows)


def _stands_out(count: int, total: int) -> bool:
    return count >= LEAST_ROWS and count >= SHARE * total and count < total


def _orphaned(now: RequirementsFile, before: RequirementsFile) -> Iterator[tuple[Requirement, str]]:
    """Rows that were asked for, by their annotation, only by what the lock does not have (any more)."""
    if not _BY_PROGRAM.search(" ".join(now.header)):
        return
    here = {row.name for row in now.rows}
    was = {row.name for row in before.rows}
    for row in now.rows:
        asking = [match.group() for via in row.via if (match := _WORD.match(via)) is not None and "(" not in via]
        if not asking or len(asking) != len(row.via):
            continue
        gone = [name for name in asking if canonical(name.partition("[")[0]) not in here]
        if len(gone) == len(asking) and all(
            canonical(name.partition("[")[0]) in was or row.name not in was for name in gone
        ):
            yield row, f"# via {gone[0]}: -"


def _asked_anew(now: RequirementsFile, before: RequirementsFile) -> Iterator[tuple[Requirement, str]]:
    """Rows as they were, of which another annotation says who asked: one that is not there, or that is as it was too.

    What a row asks for changes with its version, and with the header where that names another Python.
    """
    if now.header != before.header or not _BY_PROGRAM.search(" ".join(now.header)):
        return
    old, new = _only(before), _only(now)
    here = {row.name for row in now.rows}
    for name, row in new.items():
        if name not in old or not _is_same(row, old[name]):
            continue
        came = set(row.via) - set(old[name].via)
        for via in sorted(came | (set(old[name].via) - set(row.via))):
            asking = canonical(via)
            if _WORD.fullmatch(via) is None or "[" in via:
                continue
            if asking in old and asking in new and _is_same(new[asking], old[asking]):
                yield row, f"# via {via}: {'+' if via in came else '-'}"
            elif via in came and asking not in here:
                yield row, f"# via {via}: -"


def _only(read: RequirementsFile) -> dict[str, Requirement]:
    """The rows whose name no other row has, with what asked for them."""
    counted = Counter(row.name for row in read.rows)
    return {row.name: row for row in read.rows if counted[row.name] == 1 and row.has_via}


def _is_same(row: Requirement, old: Requirement) -> bool:
    return (row.spelt, row.range, row.url, row.marker, row.digests) == (
        old.spelt,
        old.range,
        old.url,
        old.marker,
        old.digests,
    )


def _spelt_twice(now: RequirementsFile, before: RequirementsFile) -> Iterator[tuple[Requirement, str]]:
    """The first row that names a requirements file by another path than most do, in a lock that had one path before."""
    for base_name, paths in _spellings(now).items():
        if len(paths) < 2 or len(_spellings(before).get(base_name, ())) > 1:
            continue
        usual = max(paths, key=paths.__getitem__)
        for odd in sorted(set(paths) - {usual}):
            row = next(row for row in now.rows if f"-r {odd}" in row.via)
            yield row, f"-r {odd}; -r {usual}"


def _spellings(read: RequirementsFile) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for row in read.rows:
        for via in row.via:
            if via.startswith("-r "):
                path = via[3:].strip()
                found.setdefault(posixpath.basename(path), Counter())[path] += 1
    return found


CHECKER: Final = LockPartlyRegenerated
