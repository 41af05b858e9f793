"""The findings of a change right now, by what was seen in its files and in it as a whole, and by earlier rounds.

Knows no tasks, versions or clocks; the session feeds it. What was seen in files is in ``known_files``, what it makes
says ``judging``, where findings stand in the ledger ``recall``. Cost follows what changed: only the file at hand is
judged, and the files its hits may have been moved from. Invariant: whoever feeds it learns which files show others now.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.change import FileChange, Status
from roundzero.core.judge import Sight, shown
from roundzero.core.matching import Moves
from roundzero.core.rebase import carry, edit_map
from roundzero.core.report import order
from roundzero.engine.answers import Answers
from roundzero.engine.exposure import Reach
from roundzero.engine.identity import kept_ids, renamed
from roundzero.engine.judging import Judging
from roundzero.engine.known_file import head_texts, moved, paths_of
from roundzero.engine.known_files import KnownFiles
from roundzero.engine.sights import ChangeSight, Elsewhere, FileSight, combine, failures_of, gaps

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from roundzero.core.change import BaseChoice, Change, Source
    from roundzero.core.checklist import Failure
    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import Finding, FindingId, Observation
    from roundzero.core.known_texts import Texts
    from roundzero.core.ledger import Ledger
    from roundzero.core.suppress import Directive
    from roundzero.core.text import RelPath
    from roundzero.engine.known_file import KnownFile
    from roundzero.engine.recall import Recall
    from roundzero.engine.rules import Rules


class Live:
    """The state of one change under one set of rules."""

    def __init__(self, rules: Rules) -> None:
        """Know nothing."""
        self.rules = rules
        self.files = KnownFiles()
        self.looked: BaseChoice | None = None
        """The base of the change that was looked at as a whole last; before that there is no verdict."""
        self.wide = ChangeSight()
        self.wide_of: tuple[str | None, str | None, str] | None = None
        self._wide_files: dict[RelPath, FileChange] = {}
        self._reach = Reach()
        self.recall: Recall | None = None
        self.answers = Answers()
        """What a model said."""
        self._raw_rest: list[Finding] = []
        self._rest: list[Finding] = []
        self._aside: Mapping[FindingId, Dismissal] = {}
        """What is dismissed beside the ledger's entries."""
        self._settled: list[Finding] | None = None
        self._unsettled = False

    def inherit(self, old: Live) -> None:
        """Keep what rules do not change, until files are looked at again: the change, and findings for their ids."""
        self.files.inherit(old.files)
        self._reach = old._reach
        self.recall, self.answers = old.recall, old.answers
        changed = {file.path for file in self.change.files} if self.change is not None else set()
        self.answers.keep(self.answers.paths | changed, self.rules.ruleset.by_id)
        self._raw_rest, self._rest, self._aside = old._raw_rest, old._rest, old._aside

    @property
    def change(self) -> Change | None:
        """The change as it is known; None before it was collected."""
        return self.files.change

    def judged(self, path: RelPath) -> FileChange | None:
        """The version of a file its findings lie in; one without hunks for a file beyond the change."""
        if path in self.files.entries:
            return self.files.file(path)
        text = self._texts_beyond.get(path)
        if text is None:
            return None
        return FileChange(path=path, status=Status.MODIFIED, base=text, head=text, hunks=())

    @property
    def _texts_beyond(self) -> Mapping[RelPath, Source]:
        """Texts of files beyond the change that something was seen in."""
        return {**self.answers.outside, **self.wide.outside} if self.answers.outside else self.wide.outside

    def install(self, change: Change) -> set[RelPath]:
        """Take a change collected anew. The paths that left it, and had findings, are returned."""
        self._settled = None
        left = self.files.install(change)
        self.answers.keep({file.path: file for file in change.files}, self.rules.ruleset.by_id)
        return left

    def drop(self, path: RelPath) -> None:
        """A file is no longer part of the change."""
        self.files.drop(path)
        self._settled = None

    def judge(self, path: RelPath) -> set[RelPath]:
        """Judge a file anew, with those it is related to; the paths whose findings are others now."""
        if self.change is None or path not in self.files.entries:
            return set()
        entries = self.files.together(path)
        before = {each: entry.findings for each, entry in entries.items()}
        others = self._ids_beyond(entries)
        elsewhere = self.files.bases_beside(entries)
        said = (seen for each, entry in entries.items() for seen in self.answers.seen_in(each, entry.file.head))
        wide = replace(self.wide, seen=(*self._wide_in(entries), *said))
        sight = combine((entry.sight for entry in entries.values()), elsewhere, wide)
        sight = replace(sight, reached=self._reach.now(self.change, entries))
        found = self._judged(sight, entries, others)
        by_path: dict[RelPath, list[Finding]] = defaultdict(list)
        for finding in found:
            by_path[finding.seen.path or path].append(finding)
        for each, entry in entries.items():
            entry.raw, entry.judged = by_path.get(each, []), entry.file
            entry.findings = self._stood(entry.raw, head_texts([entry.file]))
        changed = {each for each, entry in entries.items() if entry.findings != before[each]} | {path}
        return changed | self._put_aside()

    def take_wide(self, wide: ChangeSight, change: Change) -> set[RelPath]:
        """Take what was seen in the change as a whole, as it was then. The paths whose findings are others now."""
        paths = {seen.path for seen in (*self.wide.seen, *wide.seen) if seen.path is not None}
        self.wide = wide
        self._wide_files = {file.path: file for file in change.files if file.path in paths}
        changed = self._judge_rest() | self._put_aside()
        for path in sorted(paths):
            changed |= self.judge(path)
        return changed

    def take_answer(self, changed: Iterable[RelPath]) -> set[RelPath]:
        """Judge anew where something a model said is another. The paths whose findings are others now."""
        paths = set(changed)
        found = set() if paths <= self.files.entries.keys() else self._judge_rest() | self._put_aside()
        return found | {each for path in sorted(paths) for each in self.judge(path)}

    def checked(self) -> tuple[Observation, ...]:
        """What checks saw at the head."""
        own = (seen for entry in self.files.entries.values() for seen in entry.sight.seen)
        return (*own, *self.wide.seen)

    def seen_of(self, change: Change, more: Sequence[FileSight]) -> Sight:
        """What was seen in the texts of a change; ``more`` was seen in those that are not fresh."""
        fresh = {file.path for file in change.files if self.files.fresh(file)}.difference(sight.path for sight in more)
        entries = {path: entry for path, entry in self.files.entries.items() if path in fresh}
        return combine(
            (*(entry.sight for entry in entries.values()), *more), self.files.bases_beside(entries), ChangeSight()
        )

    def take_reach(self, reach: Reach) -> set[RelPath]:
        """Take what the change newly reaches. The paths whose findings are others now."""
        paths = self._reach.paths | reach.paths
        self._reach = reach
        return {changed for path in sorted(paths) for changed in self.judge(path)}

    def _wide_in(self, entries: Mapping[RelPath, KnownFile]) -> Iterable[Observation]:
        """What the checks of the whole change saw in files, carried over to the files' texts of now."""
        by_path: dict[RelPath, list[Observation]] = defaultdict(list)
        for seen in self.wide.seen:
            if seen.path is not None and seen.path in entries:
                by_path[seen.path].append(seen)
        for path, found in by_path.items():
            then, now = self._wide_files.get(path), entries[path].file
            if then is not None:
                yield from carry(found, path, moved(then, now))
            elif (text := self.wide.outside.get(path)) is not None and now.head is not None:
                yield from carry(found, path, edit_map(text.text, now.head.text))
            else:
                yield from found

    def _judge_rest(self) -> set[RelPath]:
        """Judge what the checks of the whole change saw outside reviewed files; paths whose findings changed."""
        if self.change is None:
            return set()
        seen = tuple(each for each in self.wide.seen if each.path is None or each.path not in self.files.entries)
        before = self._rest
        seen += self.answers.beyond(self.files.entries)
        sight = combine((), Elsewhere(), replace(self.wide, seen=seen))
        self._raw_rest = self._judged(sight, {}, self._ids_beyond({}))
        self._rest = self._stood(self._raw_rest, self._texts_beyond)
        if self._rest == before:
            return set()
        return {each.seen.path for each in (*before, *self._rest) if each.seen.path is not None} | {
            each.anchor.path for each in (*before, *self._rest) if each.anchor is not None
        }

    def _ids_beyond(self, entries: Mapping[RelPath, KnownFile]) -> frozenset[FindingId]:
        """The ids of findings that are not of these files; of all files when there are none."""
        if self.recall is None:
            return frozenset()
        beyond = {
            finding.id for path, entry in self.files.entries.items() if path not in entries for finding in entry.raw
        }
        return frozenset(beyond | {finding.id for finding in self._raw_rest if entries})

    def _judged(
        self, sight: Sight, entries: Mapping[RelPath, KnownFile], others: frozenset[FindingId]
    ) -> list[Finding]:
        assert self.change is not None  # noqa: S101  callers looked
        judging = Judging(
            change=self.change,
            rules=self.rules,
            answers=self.answers,
            recall=self.recall,
            old=[finding for entry in entries.values() for finding in entry.raw] if entries else self._raw_rest,
            heads=head_texts(entry.file for entry in entries.values()) if entries else self._texts_beyond,
            others=others,
        )
        return judging.findings(sight, entries)

    # --- what is remembered ---

    def remember(self, recall: Recall) -> set[RelPath]:
        """Take what was read of the ledger and of dismissals. The paths whose findings are others now."""
        before = self.recall
        self.recall = recall
        self._settled = None
        changed = self.take_answer(self._remind(recall))
        return changed if before is not None and before.says_as(recall) else changed | self.settle(anew=True)

    def _remind(self, recall: Recall) -> frozenset[RelPath]:
        """Take what a model said in earlier rounds and nobody said since; the files where that is other than before."""
        if self.change is None or all(each.sighting.source == "check" for each in recall.ledger.entries.values()):
            return self.answers.recall(()) if self.answers.paths else frozenset()
        from roundzero.engine.reminding import reminded  # noqa: PLC0415  where a model took part

        return reminded(self.answers, recall, self.change, self.rules.ruleset)

    def settle(self, *, anew: bool = False) -> set[RelPath]:
        """Recognise over all files, for when everything was looked at; paths whose findings are others now.

        ``anew``: the ledger is another, so take all findings as it has them.
        """
        recall = self.recall
        if recall is None or not (anew or self._unsettled):
            return set()
        everything = [*self.files.raw(), *self._raw_rest]
        heads = {**self._texts_beyond, **head_texts(entry.file for entry in self.files.entries.values())}
        names = recall.renamed(everything, heads)
        self._unsettled = False
        if not names and not anew:
            return set()
        changed: set[RelPath] = set()
        for path, entry in self.files.entries.items():
            if entry.raw:
                entry.raw = renamed(entry.raw, names)
                found = self._stood(entry.raw, head_texts([entry.file]))
                if found != entry.findings:
                    entry.findings = found
                    changed.add(path)
        if self._raw_rest:
            self._raw_rest = renamed(self._raw_rest, names)
            found = self._stood(self._raw_rest, self._texts_beyond)
            if found != self._rest:
                changed |= paths_of([*found, *self._rest])
                self._rest = found
        self._unsettled = False
        return changed | self._put_aside()

    def _stood(self, raw: list[Finding], heads: Mapping[RelPath, Source]) -> list[Finding]:
        self._settled = None
        self._unsettled = True
        return raw if self.recall is None else self.recall.standing(raw, heads, self.rules.policy)

    def _put_aside(self) -> set[RelPath]:
        """Find out what is dismissed beside entries; the paths where that is other than before."""
        before, self._aside = self._aside, {}
        if self.recall is not None:
            self._aside = self.recall.put_aside(self._all())
        if before == self._aside:
            return set()
        self._settled = None
        names = {name for name in before.keys() | self._aside.keys() if before.get(name) != self._aside.get(name)}
        return paths_of(finding for finding in self._all() if finding.id in names)

    def dismissal_of(self, name: FindingId) -> Dismissal | None:
        """What dismisses a finding beside its entry."""
        return self._aside.get(name)

    def _dressed(self, finding: Finding) -> Finding:
        dismissal = self._aside.get(finding.id)
        if dismissal is None:
            return finding
        from roundzero.core.recalled import dismissed  # noqa: PLC0415  needed where something is dismissed
        from roundzero.core.standing import gated_again  # noqa: PLC0415  as above

        return gated_again(dismissed(finding, dismissal), self.rules.policy)

    def _all(self) -> list[Finding]:
        return [*self.files.findings(), *self._outside()]

    def gated(self) -> list[Finding]:
        """All findings, hidden ones too, of which each family has one that blocks."""
        found = self.findings() if self._settled is None else self._settled
        return found if sum(finding.blocking for finding in found) < 2 else self.settled()

    def settled(self) -> list[Finding]:
        """All findings, hidden ones too, sorted, with their families: of each only one blocks."""
        if self._settled is None:
            from roundzero.core.families import families, one_blocker  # noqa: PLC0415  after the first diagnostics

            raw = [*self.files.raw(), *self._raw_rest]
            entries = self.recall.ledger.entries if self.recall is not None else {}
            known = {name: entry.family for name, entry in entries.items() if entry.family is not None}
            named = families([finding for finding in sorted(raw, key=order) if shown(finding)], known)
            found = [
                finding.but(family=named[finding.id]) if finding.id in named else finding for finding in self.findings()
            ]
            self._settled = one_blocker(sorted(found, key=order))
        return self._settled

    def findings(self, path: RelPath | None = None) -> list[Finding]:
        """All findings, hidden ones too, of a file or of everything."""
        if path is not None:
            entry = self.files.entries.get(path)
            own = entry.findings if entry is not None else []
            found = [*own, *(each for each in self._outside() if each.seen.path == path)]
        else:
            found = self._all()
        return [self._dressed(finding) for finding in found] if self._aside else found

    def _outside(self) -> Iterable[Finding]:
        """What was found beyond the change, but for files that an edit has made part of it since."""
        return (each for each in self._rest if each.seen.path not in self.files.entries)

    def failures(self) -> tuple[Failure, ...]:
        """What was not checked."""
        paths = [file.path for file in self.change.files] if self.change is not None else []
        known = failures_of((entry.sight for entry in self.files.entries.values()), self.wide)
        return (*gaps(self.rules.ruleset, self.rules.linters, paths), *known)

    def directives(self) -> dict[RelPath, tuple[Directive, ...]]:
        """The comments that dismiss, by path."""
        return {path: entry.sight.directives for path, entry in self.files.entries.items() if entry.sight.directives}

    def identify(self, seen: Sequence[Observation], ledger: Ledger, texts: Texts) -> list[FindingId]:
        """Ids for observations of the whole change, by what is known now and then by a ledger."""
        from roundzero.engine.recall import identified  # noqa: PLC0415  only for a round

        return identified(seen, kept_ids(seen, self._all(), Moves({})), ledger, texts)
