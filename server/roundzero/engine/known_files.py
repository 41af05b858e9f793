"""The change and what was seen in each of its files, with the bases that hits of one may have been moved from.

Judges nothing; has room for the findings that whoever judges makes of a file. Invariant: what was seen in a base counts
only while that is the base's text.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from roundzero.engine.known_file import KnownFile, completed, key, may_be_moved, moved, related, same_base
from roundzero.engine.sights import Elsewhere, FileSight

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.core.change import Change, FileChange
    from roundzero.core.finding import Finding, Observation
    from roundzero.core.item import ItemId
    from roundzero.core.text import RelPath
    from roundzero.engine.known_file import Wanted


class KnownFiles:
    """See the module. ``entries``: what is known, by path; ``change`` None: none was collected yet."""

    def __init__(self) -> None:
        """Know nothing."""
        self.change: Change | None = None
        self.entries: dict[RelPath, KnownFile] = {}
        self._linked: set[RelPath] = set()
        """The files whose hits may come from others: few, so that judging one file does not look at all."""
        self._elsewhere: dict[RelPath, tuple[str, Elsewhere]] = {}

    def inherit(self, old: KnownFiles) -> None:
        """Keep the change, and findings for their ids, until files are looked at again."""
        self.change = old.change
        for path, entry in old.entries.items():
            sight = FileSight(path=path, failures=entry.sight.failures)
            self.entries[path] = KnownFile(
                entry.file, sight, complete=False, raw=entry.raw, findings=entry.findings, judged=entry.judged
            )

    def install(self, change: Change) -> set[RelPath]:
        """Take a change collected anew. The paths that left it, and had findings, are returned."""
        self.change = change
        there = {file.path for file in change.files}
        left = {path for path, entry in self.entries.items() if path not in there and entry.findings}
        for path in {*self.entries, *self._elsewhere} - there:
            self.drop(path)
        return left

    def drop(self, path: RelPath) -> None:
        """A file is no longer part of the change."""
        self.entries.pop(path, None)
        self._elsewhere.pop(path, None)

    def fresh(self, file: FileChange) -> bool:
        """Whether a file's results are there and still true."""
        entry = self.entries.get(file.path)
        return entry is not None and entry.complete and key(entry.file) == key(file)

    def file(self, path: RelPath) -> FileChange | None:
        """The version of a file its findings belong to."""
        entry = self.entries.get(path)
        return entry.file if entry is not None else None

    def together(self, path: RelPath) -> dict[RelPath, KnownFile]:
        """What is known of a file and of those it is related to, by path, in the order of paths."""
        return {each: self.entries[each] for each in sorted(related(path, self._linked, self.entries))}

    def raw(self) -> Iterator[Finding]:
        """All findings as judged."""
        return (finding for entry in self.entries.values() for finding in entry.raw)

    def findings(self) -> Iterator[Finding]:
        """All findings as the ledger has them."""
        return (finding for entry in self.entries.values() for finding in entry.findings)

    def take(self, file: FileChange, sight: FileSight, wanted: Wanted, *, complete: bool = True) -> None:
        """Take what was seen in a version of a file. ``complete`` False: our own checks are still running."""
        entry = self.entries.get(file.path)
        before = entry.good if entry is not None else None
        unfinished = sight.broken is not None or not complete
        if unfinished and before is not None and same_base(before[0], file):
            sight = completed(sight, before[1], moved(before[0], file))
        if sight.broken is None:
            before = (file, sight)
        if entry is None:
            self.entries[file.path] = KnownFile(file, sight, complete, wanted, before)
        else:
            entry.file, entry.sight, entry.complete, entry.wanted, entry.good = file, sight, complete, wanted, before
        if wanted:
            self._linked.add(file.path)
        else:
            self._linked.discard(file.path)

    # --- where hits may have been moved from ---

    def missing(self, wanted: Wanted, sight: FileSight) -> dict[RelPath, frozenset[ItemId]]:
        """Of the bases hits may come from, those not looked at yet; ``sight`` is about to be taken."""
        lacking: dict[RelPath, frozenset[ItemId]] = {}
        for path, items in wanted.items():
            entry, other = self.entries.get(path), self._known(path)
            own = sight if path == sight.path else entry.sight if entry is not None else None
            known = set(own.based) if own is not None else set()
            known |= {item for _, item in other.based}
            if items - known:
                lacking[path] = items - known
        return lacking

    def takers(self, path: RelPath, removed: frozenset[str]) -> dict[RelPath, frozenset[ItemId]]:
        """The other files with introduced findings whose line is among what ``path`` removed, with their items."""
        found: dict[RelPath, set[ItemId]] = defaultdict(set)
        for other, entry in self.entries.items() if removed else ():
            if other == path:
                continue
            for finding in entry.findings:
                seen = finding.seen
                if seen.anchor_text in removed and finding.hidden is None and may_be_moved(finding):
                    found[other].add(seen.item)
        return {other: frozenset(items) for other, items in found.items()}

    def link(self, path: RelPath, takers: Mapping[RelPath, frozenset[ItemId]]) -> None:
        """Note that hits of other files may have been moved from ``path``."""
        for other, items in takers.items():
            if (entry := self.entries.get(other)) is not None:
                entry.wanted = {**entry.wanted, path: entry.wanted.get(path, frozenset()) | items}
                self._linked.add(other)

    def take_bases(self, elsewhere: Elsewhere) -> None:
        """Take what was seen in the bases of files beside what their own sights hold."""
        for path in {path for path, _ in elsewhere.based}:
            file = self.change.file(path) if self.change is not None else None
            if file is None or file.base is None:
                continue
            old = self._known(path)
            new = {row for row in elsewhere.based if row[0] == path} - old.based
            items = {item for _, item in new}
            base = (seen for seen in elsewhere.base if seen.item in items and seen.path == file.base.path)
            self._elsewhere[path] = (file.base.blob, Elsewhere((*old.base, *base), old.based | new))

    def bases_beside(self, entries: Mapping[RelPath, KnownFile]) -> Elsewhere:
        """Base observations of files beyond what their own sights hold."""
        base: list[Observation] = []
        based: set[tuple[RelPath, ItemId]] = set()
        for path, entry in entries.items():
            known = self._known(path)
            base += [seen for seen in known.base if seen.item not in entry.sight.based]
            based |= known.based
        return Elsewhere(tuple(base), frozenset(based))

    def _known(self, path: RelPath) -> Elsewhere:
        """What is known of a file's base beside its own sight."""
        blob, known = self._elsewhere.get(path, ("", Elsewhere()))
        file = self.change.file(path) if self.change is not None else None
        there = file is not None and file.base is not None and file.base.blob == blob
        return known if there else Elsewhere()
