"""What a review adds to the ledger: pure, from the ledger and what was seen, listened to and rechecked.

"Not checked" is no event: only where a check listened does silence say something. Four kinds of silence are told
apart: the code was deleted (fixed, the deletion is the proof); the rule changed, the code did not (refuted); a check
looked again and saw nothing (fixed); a model's finding whose text moved on (stale until it is rechecked). Invariants: a
review that checked nothing adds nothing but its round; one of an unchanged merge base, snapshot and rules adds not even
that, unless other findings are open now, or argued in another way, or a model looked at all of it deeper than before.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Final, Literal

from roundzero.core.change import Side
from roundzero.core.finding import Finding, State
from roundzero.core.frozen import dataclass
from roundzero.core.ledger import LIVE, LIVE_OR_DISMISSED, Entry, Event, Ledger, Proof, Round, Sign, step, with_answers
from roundzero.core.regrading import SETTINGS_CHANGED, may_be_regraded, regrade_reason, settled_deeply
from roundzero.core.sighting import Sighting, line_reading

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

    from roundzero.core.finding import FindingId, Observation
    from roundzero.core.item import ItemId
    from roundzero.core.known_texts import Texts
    from roundzero.core.text import RelPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Listened:
    """What was really checked: items by path of a reviewed head, and items that looked at the change as a whole.

    ``unread`` are changed files whose text no item was shown.
    """

    files: Mapping[RelPath, frozenset[ItemId]] = field(default_factory=dict)
    wide: frozenset[ItemId] = frozenset()
    unread: frozenset[RelPath] = frozenset()

    def hears(self, item: ItemId, path: RelPath | None) -> bool:
        """Whether silence about an item there means something."""
        if item in self.wide:
            return path not in self.unread
        return path is not None and item in self.files.get(path, frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """What became of looking at one finding again.

    "lapsed": what it quotes is no longer there; "failed": a model was asked as well, and did not say it again.
    """

    outcome: Literal["negated", "lapsed", "failed", "refuted"]
    proof: Proof


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """The review that is written down: the round it becomes, and what a round does not keep.

    ``round`` gets its index and who was absent from the ledger. ``versions`` are those of the producers that ran.
    ``uncommitted`` are the paths in which the work tree differs from the reviewed commit (see ``rests_on_edits``).
    """

    round: Round
    versions: Mapping[str, str] = field(default_factory=dict)
    rechecks: Mapping[FindingId, Recheck] = field(default_factory=dict)
    uncommitted: frozenset[RelPath] = frozenset()


@dataclass(frozen=True, slots=True)
class Advance:
    """What to write: events, then the round; ``round`` None: nothing that decides a review has changed."""

    events: tuple[Event, ...]
    round: Round | None


def advance(
    ledger: Ledger, findings: Sequence[Finding], texts: Texts, listened: Listened, occasion: Occasion
) -> Advance:
    """The events and the round of a review. ``findings`` are all of it, hidden ones too, with recognised ids.

    Hidden findings keep known entries seen and make no new ones.
    """
    clerk = _Clerk(ledger, texts, listened, occasion)
    expired = tuple(expiries(ledger, occasion.round.at))
    for event in expired:
        clerk.write(replace(event, round=ledger.next_index))
    ran_out = clerk.standing()
    for finding in findings:
        clerk.seen(finding)
    absent: list[FindingId] = []
    there = {finding.id for finding in findings}
    for name in ledger.entries:
        if name in there:
            continue
        clerk.unseen(name)
        if clerk.state(name) in LIVE_OR_DISMISSED:
            absent.append(name)
    if occasion.round.repeats(ledger.last) and clerk.standing() == ran_out:
        return Advance(expired, None)
    written = replace(occasion.round, index=ledger.next_index, absent=tuple(sorted(absent)))
    return Advance(tuple(clerk.events), written)


def expiries(ledger: Ledger, now: str) -> Iterator[Event]:
    """The dismissals that have run out by ``now`` (ISO 8601)."""
    for entry in ledger.entries.values():
        dismissal = entry.dismissal
        if entry.state is State.DISMISSED and dismissal is not None and dismissal.over(now):
            proof = Proof(text=f"the dismissal expired on {dismissal.expires}")
            yield Event(id=entry.id, sign=Sign.EXPIRED, at=now, proof=proof)


_SIGNS: Final = {
    "negated": Sign.NEGATED,
    "lapsed": Sign.MOVED_ON,
    "failed": Sign.RECHECK_FAILED,
    "refuted": Sign.REFUTED,
}


class _Clerk:
    """Writes the events of one review."""

    def __init__(self, ledger: Ledger, texts: Texts, listened: Listened, occasion: Occasion) -> None:
        self._entries: dict[FindingId, Entry] = dict(ledger.entries)
        self._ledger = ledger
        self._index = ledger.next_index
        self._texts = texts
        self._listened = listened
        self._occasion = occasion
        self.events: list[Event] = []

    def state(self, name: FindingId) -> State:
        """A known entry's state by now."""
        return self._entries[name].state

    def standing(self) -> dict[FindingId, Hashable]:
        """What stands where, how grave it is, and what of that deep reviews made of it, by now."""
        return {
            name: (entry.state, entry.sighting.severity, _deep(entry.sighting)) for name, entry in self._entries.items()
        }

    def write(self, event: Event) -> None:
        """Write an event, unless it changes nothing."""
        before = self._entries.get(event.id)
        after = step(before, event)
        if after is not None and after is not before and after != before:
            self._entries[event.id] = after
            self.events.append(event)

    def seen(self, finding: Finding) -> None:
        """A finding of this review."""
        name, at = finding.id, self._occasion.round.at
        sighting = Sighting.of(finding.seen, self._texts.blob(finding.seen.path, finding.seen.side))
        entry = self._entries.get(name)
        if finding.state is State.REFUTED:
            if _is_newly_refuted(entry, sighting):
                self._refuted(finding, entry, sighting)
            return
        if entry is None:
            if finding.hidden is None:
                self.write(Event(id=name, round=self._index, sign=Sign.SEEN, at=at, sighting=sighting))
                self._join(finding)
            return
        sighting = replace(sighting, anatomy=with_answers(sighting.anatomy, entry.sighting.anatomy))
        if self._rests_on_edits(finding.seen) or self._rests_on_edits(entry.sighting):
            if self._regraded(entry, sighting) == SETTINGS_CHANGED:
                self._regrade(name, sighting, SETTINGS_CHANGED)
            return
        if entry.state is State.REFUTED and sighting.blob == entry.sighting.blob:
            return
        same = replace(sighting, severity=entry.sighting.severity) == entry.sighting
        if not same or entry.first_seen is None or entry.state not in {State.OPEN, State.DISMISSED}:
            self.write(Event(id=name, round=self._index, sign=Sign.SEEN, at=at, sighting=sighting))
        reason = self._regraded(entry, sighting)
        if reason is not None:
            self._regrade(name, sighting, reason)
        self._join(finding)

    def _refuted(self, finding: Finding, entry: Entry | None, sighting: Sighting) -> None:
        """A finding that this review refuted: it was seen, in a text of which it is remembered not to hold."""
        if finding.hidden is not None if entry is None else self._rests_on_edits(finding.seen):
            return
        at, line = self._occasion.round.at, sighting.line or None
        proof = Proof(text=finding.state_text or "", path=sighting.path, line=line)
        self.write(Event(id=finding.id, round=self._index, sign=Sign.SEEN, at=at, sighting=sighting))
        self.write(Event(id=finding.id, round=self._index, sign=Sign.REFUTED, at=at, proof=proof))

    def _rests_on_edits(self, seen: Observation | Sighting) -> bool:
        return rests_on_edits(seen, self._occasion.uncommitted, self._listened.wide)

    def _join(self, finding: Finding) -> None:
        if finding.family is not None and self._entries[finding.id].family != finding.family:
            self.write(
                Event(
                    id=finding.id, round=self._index, sign=Sign.JOINED, at=self._occasion.round.at, into=finding.family
                )
            )

    def _regrade(self, name: FindingId, sighting: Sighting, reason: str) -> None:
        at, proof = self._occasion.round.at, Proof(text=reason, path=sighting.path, line=sighting.line or None)
        self.write(
            Event(id=name, round=self._index, sign=Sign.REGRADED, at=at, severity=sighting.severity, proof=proof)
        )

    def _regraded(self, old: Entry, new: Sighting) -> str | None:
        """Why another severity may stand, or None when it is the same or must not change."""
        changed = may_be_regraded(old, self._ledger, self._occasion.round.settings)
        return regrade_reason(old.sighting, new, settings_changed=changed)

    def unseen(self, name: FindingId) -> None:
        """An entry that is not among this review's findings."""
        entry, at = self._entries[name], self._occasion.round.at
        if self._rests_on_edits(entry.sighting):
            return
        recheck = self._occasion.rechecks.get(name)
        if recheck is not None:
            if recheck.outcome == "failed" and entry.state is State.OPEN:
                self.write(Event(id=name, round=self._index, sign=Sign.MOVED_ON, at=at, proof=recheck.proof))
            sign = _SIGNS[recheck.outcome]
            self.write(Event(id=name, round=self._index, sign=sign, at=at, proof=recheck.proof))
            return
        if entry.state not in LIVE:
            return
        verdict = self._silence(entry.sighting)
        if verdict is not None:
            sign, proof = verdict
            self.write(Event(id=name, round=self._index, sign=sign, at=at, proof=proof))

    def _silence(self, seen: Sighting) -> tuple[Sign, Proof] | None:
        """What the silence about a live entry means, if anything."""
        place = self._texts.where(seen)
        heard = self._listened.hears(seen.item, place.path)
        if seen.source == "model" or heard:
            deletion = self._deletion(seen)
            if deletion is not None:
                return Sign.NEGATED, deletion
        if seen.source == "model":
            blob = self._texts.blob(place.path, seen.side)
            moved_on = bool(blob) and blob != seen.blob
            return (Sign.MOVED_ON, Proof(text="its text has changed since")) if moved_on else None
        if not heard:
            return None
        version = self._occasion.versions.get(seen.producer, seen.producer_version)
        line = self._kept(seen)
        if version != seen.producer_version and line is not None:
            text = f"the rule changed in {seen.producer} {version}"
            return Sign.REFUTED, Proof(text=text, path=place.path, line=line or None)
        text = "checked again, and no longer there"
        return Sign.NEGATED, Proof(
            text=text, path=place.path, line=place.near or None, commit=self._occasion.round.commit
        )

    def _deletion(self, seen: Sighting) -> Proof | None:
        """The proof that the code of a head finding was deleted, if it was."""
        if seen.path is None or seen.side is Side.BASE or not seen.line:
            return None
        commit = self._occasion.round.commit
        place = self._texts.where(seen)
        if seen.path in self._texts.gone and place.path == seen.path:
            return Proof(text="the file was deleted", path=seen.path, commit=commit)
        hunk = place.hunk
        if hunk is not None and not hunk.head_count:
            return Proof(text="the code was deleted", path=place.path, line=max(1, hunk.head_start), commit=commit)
        return None

    def _kept(self, seen: Sighting) -> int | None:
        """The line where an entry's code still stands unchanged; 0 for the file or change as a whole; None: nowhere."""
        place = self._texts.where(seen)
        if place.known:
            return place.line
        head = self._texts.heads.get(place.path) if place.path is not None else None
        if head is None or not seen.anchor_text:
            return None
        return line_reading(seen.anchor_text, head.index, place.near)


def rests_on_edits(seen: Observation | Sighting, uncommitted: Collection[RelPath], wide: Collection[ItemId]) -> bool:
    """Whether edits that are not committed may decide if a finding is there.

    A review of the commit alone says nothing new about such a finding once it is known: what was seen with the edits is
    neither fixed because the commit lacks it, nor back because the commit still has it. ``wide`` are the items that
    look at the change as a whole, where an edit of one file decides about another.
    """
    return bool(uncommitted) and (seen.path is None or seen.path in uncommitted or seen.item in wide)


def _is_newly_refuted(entry: Entry | None, now: Sighting) -> bool:
    """Whether a refutation is news of an entry; of what is fixed or put aside it is none."""
    if entry is None or entry.state in LIVE:
        return True
    return entry.state is State.REFUTED and entry.sighting.blob != now.blob


def _deep(seen: Sighting) -> Hashable:
    """What decides whether a finding blocks, of what a deep review found out about it."""
    case = seen.anatomy
    return (case.votes, settled_deeply(seen)) if case is not None and case.votes is not None else None
