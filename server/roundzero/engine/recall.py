"""What a live engine remembers of its branch: the ledger and the dismissals as they were read last.

Says who findings are and where they stand by that; reads and writes nothing (the change lane reads, ``dismissing``
writes). While somebody types, only the entries of the file at hand are asked. Invariants: an entry is one finding at
most; what was recognised once keeps its name until the ledger itself says otherwise of the very same text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.finding import FindingId, State, first_id
from roundzero.core.rebase import edit_map
from roundzero.core.recalled import recalled
from roundzero.core.recognition import match
from roundzero.core.report import RoundInfo
from roundzero.core.sighting import redacted
from roundzero.core.standing import gated_again, put_aside

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import Finding, Observation
    from roundzero.core.gate import GatePolicy
    from roundzero.core.known_texts import Texts, Then
    from roundzero.core.ledger import Entry, Ledger
    from roundzero.core.sighting import Sighting
    from roundzero.core.text import RelPath


class Recall:
    """See the module. ``settings`` is the digest of the settings in force, ``at`` the time of reading (ISO 8601)."""

    def __init__(  # noqa: PLR0913  each is read from another place
        self,
        ledger: Ledger,
        texts: Texts,
        *,
        dismissals: tuple[Dismissal, ...],
        shared: tuple[Dismissal, ...],
        settings: str,
        at: str,
        notices: tuple[str, ...] = (),
        quoted: Mapping[RelPath, Source] | None = None,
    ) -> None:
        """Take what was read: ``dismissals`` beside the entries, ``shared`` those of the file that everyone has.

        ``quoted``: texts beyond the change that a model's findings quote.
        """
        self.ledger = ledger
        self.texts = texts
        self.dismissals = dismissals
        self.shared = shared
        self.settings = settings
        self.at = at
        self.notices = notices
        self.quoted = quoted or {}
        self._by_path: dict[RelPath | None, list[Entry]] = defaultdict(list)
        for entry in ledger.entries.values():
            self._by_path[texts.where(entry.sighting).path].append(entry)
        self._leading_to: dict[RelPath, list[Then]] = defaultdict(list)
        for then, (path, _) in texts.maps.items():
            self._leading_to[path].append(then)

    def says_as(self, other: Recall) -> bool:
        """Whether both remember the same, whatever became of the texts."""
        return (
            self.settings == other.settings
            and self.ledger == other.ledger
            and {each for each in self._beside if not each.over(self.at)}
            == {each for each in other._beside if not each.over(other.at)}
        )

    @property
    def _beside(self) -> tuple[Dismissal, ...]:
        return (*self.dismissals, *self.shared)

    def known(
        self, seen: Mapping[int, Observation], files: Mapping[RelPath, Source], taken: Collection[FindingId]
    ) -> dict[int, FindingId]:
        """Which of these observations are entries of their own files, by index. ``taken`` entries are found already.

        ``files`` are the texts of now that were looked at.
        """
        paths: set[RelPath | None] = {each.path for each in seen.values()}
        entries = [entry for path in paths for entry in self._by_path.get(path, ()) if entry.id not in taken]
        if not entries:
            return {}
        places = list(seen)
        found = match(entries, [seen[at] for at in places], self._texts(files, everywhere=False))
        return {places[at]: name for at, name in found.items()}

    def renamed(self, findings: Sequence[Finding], files: Mapping[RelPath, Source]) -> dict[FindingId, FindingId]:
        """The names that findings of the whole change must take over, by their names so far."""
        if not self.ledger.entries or not findings:
            return {}
        live = {at: finding.id for at, finding in enumerate(findings)}
        texts = self._texts(files, everywhere=True)
        ids = identified([finding.seen for finding in findings], live, self.ledger, texts)
        return {finding.id: name for finding, name in zip(findings, ids, strict=True) if finding.id != name}

    def standing(
        self, findings: Sequence[Finding], files: Mapping[RelPath, Source], policy: GatePolicy
    ) -> list[Finding]:
        """Findings as their entries have them, gated again; dismissals beside entries come with ``put_aside``."""
        entries = self.ledger.entries
        if not entries:
            return list(findings)
        texts = replace(self.texts, heads=files)
        stood: list[Finding] = []
        for finding in findings:
            entry = entries.get(finding.id)
            if entry is not None:
                known = recalled(finding, self.ledger, texts, settings=self.settings)
                same = known.state is finding.state and known.seen is finding.seen
                stood.append(known if same else gated_again(known, policy))
            else:
                stood.append(finding)
        return stood

    def put_aside(self, findings: Sequence[Finding]) -> dict[FindingId, Dismissal]:
        """The findings that a dismissal covers which is no entry's own."""
        beside = self._beside
        items = frozenset(each.item for each in beside)
        # Asked at every keystroke, of all that is known: what no dismissal names costs a look at its item.
        findings = [each for each in findings if each.seen.item in items] if items else ()
        if not findings:
            return {}
        return {findings[at].id: dismissal for at, dismissal in put_aside(beside, findings, self.at).items()}

    def info(self) -> RoundInfo:
        """The last committed round."""
        last = self.ledger.last
        if last is None:
            return RoundInfo()
        return RoundInfo(
            index=last.index, previous=last.index - 1 or None, delta_files=len(last.delta), full_files=last.full
        )

    def texts_with(self, files: Mapping[RelPath, Source]) -> Texts:
        """What is known of all texts, with these as they are now."""
        return self._texts(files, everywhere=True)

    def _texts(self, files: Mapping[RelPath, Source], *, everywhere: bool) -> Texts:
        """What is known of the texts with these files as they are now. ``everywhere`` False: of these alone."""
        maps = dict(self.texts.maps)
        for path, now in files.items():
            then = self.texts.heads.get(path)
            if then is None or then.blob == now.blob:
                continue
            since = edit_map(then.text, now.text)
            for key in self._leading_to.get(path, ()):
                maps[key] = (path, maps[key][1].then(since))
            maps[path, then.blob] = (path, since)
        heads = {**self.texts.heads, **files} if everywhere else files
        return replace(self.texts, heads=heads, maps=maps)


def identified(
    seen: Sequence[Observation], live: Mapping[int, FindingId], ledger: Ledger, texts: Texts
) -> list[FindingId]:
    """Ids for all observations of a change, given those they had while somebody typed, by index.

    An entry that was seen in the very text of now gives its id. Who is an entry already keeps its id. The rest is
    matched with the other entries, and what is none keeps the id it had, or gets a first one that nothing else has.
    """
    entries = ledger.entries
    ids = _in_their_text(seen, ledger, texts)
    used = set(ids.values())
    for at, name in live.items():
        if at not in ids and name in entries and name not in used:
            ids[at] = name
            used.add(name)
    rest = [at for at in range(len(seen)) if at not in ids]
    free = [entry for entry in entries.values() if entry.id not in used] if rest else []
    found = match(free, [seen[at] for at in rest], texts) if free else {}
    ids |= {rest[at]: name for at, name in found.items()}
    used = {*ids.values(), *entries}
    for at in rest:
        if at not in ids:
            ids[at] = _free_id(seen[at], used, live.get(at))
            used.add(ids[at])
    return [ids[at] for at in range(len(seen))]


def _in_their_text(seen: Sequence[Observation], ledger: Ledger, texts: Texts) -> dict[int, FindingId]:
    """The entries that were seen at these very places of the very texts of now, by index."""
    there: dict[Hashable, FindingId | None] = {}
    for entry in ledger.entries.values():
        then = entry.sighting
        if entry.state is not State.FIXED and then.blob and then.blob == texts.blob(then.path, then.side):
            place = _place(then)
            there[place] = None if place in there else entry.id
    places = [_place(each) for each in seen] if there else []
    once = Counter(places)
    return {at: name for at, place in enumerate(places) if once[place] == 1 and (name := there.get(place)) is not None}


def _place(seen: Observation | Sighting) -> Hashable:
    span = seen.span
    start = (span.start.line, span.start.column) if span is not None else None
    return (seen.item, seen.side.value, seen.path, redacted(seen.title), start)


def _free_id(seen: Observation, used: Collection[FindingId], first: FindingId | None = None) -> FindingId:
    """``first`` or else a first id that nothing has."""
    name, ordinal = first, 0
    while name is None or name in used:
        name = first_id(seen.item, seen.path, seen.symbol, seen.anchor_text, ordinal)
        ordinal += 1
    return name
