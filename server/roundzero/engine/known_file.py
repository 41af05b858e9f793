"""One changed file as a live engine knows it: what was seen in which of its texts, and the findings that makes.

Values and how one text's results are carried to the next; judges nothing. Invariant: what a text that does not parse
cannot show comes from the last one that did, and only from lines that were not edited since.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

from roundzero.core.change import Side
from roundzero.core.finding import Origin
from roundzero.core.frozen import dataclass
from roundzero.core.rebase import carry, carry_foreign, edit_map

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from roundzero.core.change import FileChange, Source
    from roundzero.core.finding import Finding, Observation
    from roundzero.core.item import ItemId
    from roundzero.core.linemap import Hunk, LineMap
    from roundzero.core.text import RelPath
    from roundzero.engine.sights import FileSight

Key: TypeAlias = "tuple[str | None, RelPath | None, str | None, tuple[Hunk, ...]]"
Wanted: TypeAlias = "Mapping[RelPath, frozenset[ItemId]]"
"""Items by the path of another file whose base hits may come from."""


@dataclass(slots=True)
class KnownFile:
    """One file. ``good`` is the last sight of a text that parsed, with that file.

    ``raw`` are the findings as judged, ``findings`` the same as the ledger has them.
    """

    file: FileChange
    sight: FileSight
    complete: bool
    wanted: Wanted = field(default_factory=dict)
    good: tuple[FileChange, FileSight] | None = None
    raw: list[Finding] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    judged: FileChange | None = None


def key(file: FileChange) -> Key:
    """What a file's results depend on, beside the rules."""
    return (
        file.base.blob if file.base is not None else None,
        file.base.path if file.base is not None else None,
        file.head.blob if file.head is not None else None,
        file.hunks,
    )


def head_texts(files: Iterable[FileChange]) -> dict[RelPath, Source]:
    """The head texts of files, by path."""
    return {file.path: file.head for file in files if file.head is not None}


def same_base(one: FileChange, other: FileChange) -> bool:
    """Whether two versions of a file are compared with the same text."""
    return key(one)[:2] == key(other)[:2]


def moved(old: FileChange, new: FileChange) -> LineMap:
    """Where lines went between two versions of a head text."""
    before, after = old.head, new.head
    return edit_map(before.text if before is not None else "", after.text if after is not None else "")


def completed(sight: FileSight, good: FileSight, lines: LineMap) -> FileSight:
    """A sight with what the last good one had and this one could not see."""
    head = dict(sight.head)
    for name, part in good.head.items():
        there = {_place(seen) for seen in head.get(name, ())}
        carried = (seen for seen in carry(part, sight.path, lines) if _place(seen) not in there)
        head[name] = (*head.get(name, ()), *carried)
    known = {_place(seen) for seen in sight.base}
    base = (*sight.base, *(seen for seen in good.base if _place(seen) not in known))
    silencers = (each for each in carry_foreign(good.directives, lines) if each not in sight.directives)
    directives = (*sight.directives, *silencers)
    return replace(sight, head=head, base=base, based=sight.based | good.based, directives=directives)


def related(path: RelPath, linked: Collection[RelPath], known: Mapping[RelPath, KnownFile]) -> set[RelPath]:
    """The file, the files its hits may come from, the files whose hits may come from it, and so on."""
    links: dict[RelPath, set[RelPath]] = defaultdict(set)
    for each in known.keys() & linked:
        for other in known[each].wanted:
            if other in known:
                links[each].add(other)
                links[other].add(each)
    found, todo = {path}, [path]
    while todo:
        for other in links[todo.pop()] - found:
            found.add(other)
            todo.append(other)
    return found


def paths_of(findings: Iterable[Finding]) -> set[RelPath]:
    """The files that show these findings."""
    paths: set[RelPath] = set()
    for finding in findings:
        if finding.seen.path is not None:
            paths.add(finding.seen.path)
        if finding.anchor is not None:
            paths.add(finding.anchor.path)
    return paths


def may_be_moved(finding: Finding) -> bool:
    """Whether a finding may turn out to have come from another file."""
    seen = finding.seen
    return (
        finding.origin is Origin.INTRODUCED
        and seen.side is Side.HEAD
        and seen.cause is None
        and seen.span is not None
        and len(seen.anchor_text) > 1
    )


def _place(seen: Observation) -> tuple[object, ...]:
    return (seen.item, seen.side, seen.span, seen.title)
