"""What is known of the change right now: per file what was seen and which findings it makes.

Knows no tasks, versions or clocks; the session feeds it. Cost follows what changed: only the file at hand is judged,
and the files its hits may have been moved from. Invariants: a finding that was here before an edit and is here after it
keeps its id; what a text that does not parse cannot show is carried over from the last one that did.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from roundzero.core.change import FileChange, Side, Status
from roundzero.core.finding import Finding, FindingId, Observation, Origin, first_id
from roundzero.core.judge import Sight, View, judge
from roundzero.core.matching import Moves, assign_ids, pair
from roundzero.core.rebase import carry, edit_map
from roundzero.engine.sights import ChangeSight, Elsewhere, FileSight, combine, failures_of, gaps

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from roundzero.core.change import Change
    from roundzero.core.checklist import Failure
    from roundzero.core.gate import GatePolicy
    from roundzero.core.item import ItemId, Language
    from roundzero.core.linemap import Hunk, LineMap
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.suppress import Directive
    from roundzero.core.text import RelPath

Key: TypeAlias = "tuple[str | None, RelPath | None, str | None, tuple[Hunk, ...]]"
Wanted: TypeAlias = "Mapping[RelPath, frozenset[ItemId]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How to judge."""

    ruleset: Ruleset
    view: View
    policy: GatePolicy
    language: Language
    linters: tuple[str, ...] = ()


@dataclass(slots=True)
class _Entry:
    """One file. ``good`` is the last sight of a text that parsed, with that file."""

    file: FileChange
    sight: FileSight
    complete: bool
    wanted: Wanted = field(default_factory=dict)
    good: tuple[FileChange, FileSight] | None = None
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


class Live:
    """The state of one change under one set of rules."""

    def __init__(self, rules: Rules) -> None:
        """Know nothing."""
        self.rules = rules
        self.change: Change | None = None
        self.wide = ChangeSight()
        self.wide_of: tuple[str | None, str | None, str] | None = None
        self._wide_files: dict[RelPath, FileChange] = {}
        self._entries: dict[RelPath, _Entry] = {}
        self._linked: set[RelPath] = set()
        """The files whose hits may come from others: few, so that judging one file does not look at all."""
        self._elsewhere: dict[RelPath, tuple[str, Elsewhere]] = {}
        self._rest: list[Finding] = []

    def inherit(self, old: Live) -> None:
        """Keep what rules do not change, until files are looked at again: the change, and findings for their ids."""
        self.change = old.change
        self._rest = old._rest
        for path, entry in old._entries.items():
            sight = FileSight(path=path, failures=entry.sight.failures)
            self._entries[path] = _Entry(
                entry.file, sight, complete=False, findings=entry.findings, judged=entry.judged
            )

    def fresh(self, file: FileChange) -> bool:
        """Whether a file's results are there and still true."""
        entry = self._entries.get(file.path)
        return entry is not None and entry.complete and key(entry.file) == key(file)

    def file(self, path: RelPath) -> FileChange | None:
        """The version of a file its findings belong to."""
        entry = self._entries.get(path)
        return entry.file if entry is not None else None

    def judged(self, path: RelPath) -> FileChange | None:
        """The version of a file its findings lie in; one without hunks for a file beyond the change."""
        if path in self._entries:
            return self.file(path)
        text = self.wide.outside.get(path)
        if text is None:
            return None
        return FileChange(path=path, status=Status.MODIFIED, base=text, head=text, hunks=())

    def install(self, change: Change) -> set[RelPath]:
        """Take a change collected anew. The paths that left it, and had findings, are returned."""
        self.change = change
        there = {file.path: file for file in change.files}
        left = {path for path, entry in self._entries.items() if path not in there and entry.findings}
        for path in [path for path in self._entries if path not in there]:
            del self._entries[path]
        for path in list(self._elsewhere):
            if path not in there:
                del self._elsewhere[path]
        return left

    def drop(self, path: RelPath) -> None:
        """A file is no longer part of the change."""
        self._entries.pop(path, None)
        self._elsewhere.pop(path, None)

    def missing(self, wanted: Wanted, sight: FileSight) -> dict[RelPath, frozenset[ItemId]]:
        """Of the bases hits may come from, those not looked at yet; ``sight`` is about to be taken."""
        lacking: dict[RelPath, frozenset[ItemId]] = {}
        for path, items in wanted.items():
            entry, other = self._entries.get(path), self._known(path)
            own = sight if path == sight.path else entry.sight if entry is not None else None
            known = set(own.based) if own is not None else set()
            known |= {item for _, item in other.based}
            if items - known:
                lacking[path] = items - known
        return lacking

    def takers(self, path: RelPath, removed: frozenset[str]) -> dict[RelPath, frozenset[ItemId]]:
        """The other files with introduced findings whose line is among what ``path`` removed, with their items."""
        found: dict[RelPath, set[ItemId]] = defaultdict(set)
        for other, entry in self._entries.items() if removed else ():
            if other == path:
                continue
            for finding in entry.findings:
                seen = finding.seen
                if seen.anchor_text in removed and finding.hidden is None and _may_be_moved(finding):
                    found[other].add(seen.item)
        return {other: frozenset(items) for other, items in found.items()}

    def take(
        self, file: FileChange, sight: FileSight, wanted: Wanted, elsewhere: Elsewhere, *, complete: bool = True
    ) -> None:
        """Take what was seen in a version of a file. ``complete`` False: our own checks are still running."""
        entry = self._entries.get(file.path)
        before = entry.good if entry is not None else None
        unfinished = sight.broken is not None or not complete
        if unfinished and before is not None and _same_base(before[0], file):
            sight = _completed(sight, before[1], _moved(before[0], file))
        if sight.broken is None:
            before = (file, sight)
        if entry is None:
            self._entries[file.path] = _Entry(file, sight, complete, wanted, before)
        else:
            entry.file, entry.sight, entry.complete, entry.wanted, entry.good = file, sight, complete, wanted, before
        if wanted:
            self._linked.add(file.path)
        else:
            self._linked.discard(file.path)
        self._add(elsewhere)

    def link(self, path: RelPath, takers: Mapping[RelPath, frozenset[ItemId]]) -> None:
        """Note that hits of other files may have been moved from ``path``."""
        for other, items in takers.items():
            if (entry := self._entries.get(other)) is not None:
                entry.wanted = {**entry.wanted, path: entry.wanted.get(path, frozenset()) | items}
                self._linked.add(other)

    def _add(self, elsewhere: Elsewhere) -> None:
        for path in {path for path, _ in elsewhere.based}:
            file = self.change.file(path) if self.change is not None else None
            if file is None or file.base is None:
                continue
            old = self._known(path)
            new = {row for row in elsewhere.based if row[0] == path} - old.based
            items = {item for _, item in new}
            base = (seen for seen in elsewhere.base if seen.item in items and seen.path == file.base.path)
            self._elsewhere[path] = (file.base.blob, Elsewhere((*old.base, *base), old.based | new))

    def _known(self, path: RelPath) -> Elsewhere:
        """What is known of a file's base beside its own sight."""
        blob, known = self._elsewhere.get(path, ("", Elsewhere()))
        file = self.change.file(path) if self.change is not None else None
        there = file is not None and file.base is not None and file.base.blob == blob
        return known if there else Elsewhere()

    def judge(self, path: RelPath) -> set[RelPath]:
        """Judge a file anew, with those it is related to; the paths whose findings are others now."""
        if self.change is None or path not in self._entries:
            return set()
        together = self._related(path)
        entries = {each: self._entries[each] for each in sorted(together)}
        before = {each: entry.findings for each, entry in entries.items()}
        elsewhere = self._beside(entries)
        wide = replace(self.wide, seen=tuple(self._wide_in(entries)))
        sight = combine((entry.sight for entry in entries.values()), elsewhere, wide)
        found = self._judged(sight, entries)
        by_path: dict[RelPath, list[Finding]] = defaultdict(list)
        for finding in found:
            by_path[finding.seen.path or path].append(finding)
        for each, entry in entries.items():
            entry.findings, entry.judged = by_path.get(each, []), entry.file
        return {each for each, entry in entries.items() if entry.findings != before[each]} | {path}

    def take_wide(self, wide: ChangeSight, change: Change) -> set[RelPath]:
        """Take what was seen in the change as a whole, as it was then. The paths whose findings are others now."""
        paths = {seen.path for seen in (*self.wide.seen, *wide.seen) if seen.path is not None}
        self.wide = wide
        self._wide_files = {file.path: file for file in change.files if file.path in paths}
        changed = self._judge_rest()
        for path in sorted(paths):
            changed |= self.judge(path)
        return changed

    def _wide_in(self, entries: Mapping[RelPath, _Entry]) -> Iterable[Observation]:
        """What the checks of the whole change saw in files, carried over to the files' texts of now."""
        by_path: dict[RelPath, list[Observation]] = defaultdict(list)
        for seen in self.wide.seen:
            if seen.path is not None and seen.path in entries:
                by_path[seen.path].append(seen)
        for path, found in by_path.items():
            then, now = self._wide_files.get(path), entries[path].file
            if then is not None:
                yield from carry(found, path, _moved(then, now))
            elif (text := self.wide.outside.get(path)) is not None and now.head is not None:
                yield from carry(found, path, edit_map(text.text, now.head.text))
            else:
                yield from found

    def _beside(self, entries: Mapping[RelPath, _Entry]) -> Elsewhere:
        """Base observations of files beyond what their own sights hold."""
        base: list[Observation] = []
        based: set[tuple[RelPath, ItemId]] = set()
        for path, entry in entries.items():
            known = self._known(path)
            base += [seen for seen in known.base if seen.item not in entry.sight.based]
            based |= known.based
        return Elsewhere(tuple(base), frozenset(based))

    def _judge_rest(self) -> set[RelPath]:
        """Judge what the checks of the whole change saw outside reviewed files; paths whose findings changed."""
        if self.change is None:
            return set()
        seen = tuple(each for each in self.wide.seen if each.path is None or each.path not in self._entries)
        before = self._rest
        self._rest = self._judged(combine((), Elsewhere(), replace(self.wide, seen=seen)), {})
        if self._rest == before:
            return set()
        return {each.seen.path for each in (*before, *self._rest) if each.seen.path is not None} | {
            each.anchor.path for each in (*before, *self._rest) if each.anchor is not None
        }

    def _judged(self, sight: Sight, entries: Mapping[RelPath, _Entry]) -> list[Finding]:
        assert self.change is not None  # noqa: S101  callers looked
        old = [finding for entry in entries.values() for finding in entry.findings]
        if not entries:
            old = self._rest
        moves = Moves(
            {
                path: (path, _moved(entry.judged, entry.file))
                for path, entry in entries.items()
                if entry.judged is not None
            }
        )
        return judge(
            self.change,
            sight,
            self.rules.ruleset,
            view=self.rules.view,
            policy=self.rules.policy,
            language=self.rules.language,
            identify=lambda seen: identify(seen, old, moves),
        )

    def _related(self, path: RelPath) -> set[RelPath]:
        """The file, the files its hits may come from, the files whose hits may come from it, and so on."""
        links: dict[RelPath, set[RelPath]] = defaultdict(set)
        for each in self._linked & self._entries.keys():
            for other in self._entries[each].wanted:
                if other in self._entries:
                    links[each].add(other)
                    links[other].add(each)
        found, todo = {path}, [path]
        while todo:
            for other in links[todo.pop()] - found:
                found.add(other)
                todo.append(other)
        return found

    def findings(self, path: RelPath | None = None) -> list[Finding]:
        """All findings, hidden ones too, of a file or of everything."""
        if path is not None:
            entry = self._entries.get(path)
            own = entry.findings if entry is not None else []
            return [*own, *(each for each in self._outside() if each.seen.path == path)]
        return [*(finding for entry in self._entries.values() for finding in entry.findings), *self._outside()]

    def _outside(self) -> Iterable[Finding]:
        """What was found beyond the change, but for files that an edit has made part of it since."""
        return (each for each in self._rest if each.seen.path not in self._entries)

    def failures(self) -> tuple[Failure, ...]:
        """What was not checked."""
        paths = [file.path for file in self.change.files] if self.change is not None else []
        known = failures_of((entry.sight for entry in self._entries.values()), self.wide)
        return (*gaps(self.rules.ruleset, self.rules.linters, paths), *known)

    def broken(self) -> list[str]:
        """The texts that do not parse just now."""
        return [entry.sight.broken for entry in self._entries.values() if entry.sight.broken is not None]

    def directives(self) -> dict[RelPath, tuple[Directive, ...]]:
        """The comments that dismiss, by path."""
        return {path: entry.sight.directives for path, entry in self._entries.items() if entry.sight.directives}

    def identify(self, seen: Sequence[Observation]) -> list[FindingId]:
        """Ids for observations of the whole change as it is known now."""
        return identify(seen, self.findings(), Moves({}))


def identify(seen: Sequence[Observation], old: Sequence[Finding], moves: Moves) -> list[FindingId]:
    """Ids for observations: that of the old finding each is matched with, else a first id nobody has."""
    ids = assign_ids(seen)
    if not old:
        return ids
    pairs = pair([finding.seen for finding in old], seen, moves)
    kept = {at: old[was].id for at, was in pairs.items()}
    taken = set(kept.values())
    for at, first in enumerate(ids):
        if at in kept:
            ids[at] = kept[at]
            continue
        ordinal, each, name = 0, seen[at], first
        while name in taken:
            name = first_id(each.item, each.path, each.symbol, each.anchor_text, ordinal)
            ordinal += 1
        ids[at] = name
        taken.add(name)
    return ids


def _may_be_moved(finding: Finding) -> bool:
    seen = finding.seen
    return (
        finding.origin is Origin.INTRODUCED
        and seen.side is Side.HEAD
        and seen.cause is None
        and seen.span is not None
        and len(seen.anchor_text) > 1
    )


def _same_base(one: FileChange, other: FileChange) -> bool:
    return key(one)[:2] == key(other)[:2]


def _moved(old: FileChange, new: FileChange) -> LineMap:
    before, after = old.head, new.head
    return edit_map(before.text if before is not None else "", after.text if after is not None else "")


def _completed(sight: FileSight, good: FileSight, moved: LineMap) -> FileSight:
    """A sight with what the last good one had and this one could not see."""
    head = dict(sight.head)
    for name, part in good.head.items():
        there = {_place(seen) for seen in head.get(name, ())}
        carried = (seen for seen in carry(part, sight.path, moved) if _place(seen) not in there)
        head[name] = (*head.get(name, ()), *carried)
    known = {_place(seen) for seen in sight.base}
    base = (*sight.base, *(seen for seen in good.base if _place(seen) not in known))
    return replace(sight, head=head, base=base, based=sight.based | good.based)


def _place(seen: Observation) -> tuple[object, ...]:
    return (seen.item, seen.side, seen.span, seen.title)
