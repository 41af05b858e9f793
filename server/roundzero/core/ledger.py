"""What is remembered of findings over rounds: entries, their states, and the events that made them so.

The ledger is the fold of its events; this module folds and decides nothing else (``core/advance`` writes events,
``store/ledger_db`` keeps them). Time is handed in as ISO 8601 text. Invariants: a state changes only by a row of
``TRANSITIONS``; an event that has no row changes nothing, so that the order in which two processes write cannot tear
the ledger; an entry's id never changes.
"""

from __future__ import annotations

from dataclasses import field, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.finding import FindingId, State
from roundzero.core.frozen import dataclass
from roundzero.core.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.anatomy import Anatomy
    from roundzero.core.dismissal import Dismissal
    from roundzero.core.item import Severity
    from roundzero.core.report import VerdictStatus
    from roundzero.core.sighting import Sighting
    from roundzero.core.text import RelPath


class Sign(Enum):
    """What happened to an entry.

    SEEN_SAME is SEEN on the very bytes it was refuted on. REGRADED (severity), JOINED (family) and ANSWERED (an open
    question) change no state. Of this version nothing writes SEEN_SAME or MERGED. REFUTED is written of a check whose
    rule changed, and of a model's finding whose decisive claim a probe or a deep review refuted.
    """

    SEEN = "seen"
    SEEN_SAME = "seen-same"
    NEGATED = "negated"
    DISMISSED = "dismissed"
    REOPENED = "reopened"
    EXPIRED = "expired"
    MOVED_ON = "moved-on"
    RECHECK_FAILED = "recheck-failed"
    REFUTED = "refuted"
    MERGED = "merged"
    REGRADED = "regraded"
    JOINED = "joined"
    ANSWERED = "answered"


TRANSITIONS: Final[Mapping[tuple[State, Sign], State]] = {
    (State.OPEN, Sign.SEEN): State.OPEN,
    (State.OPEN, Sign.NEGATED): State.FIXED,
    (State.OPEN, Sign.DISMISSED): State.DISMISSED,
    (State.OPEN, Sign.MOVED_ON): State.STALE,
    (State.STALE, Sign.SEEN): State.OPEN,
    (State.STALE, Sign.NEGATED): State.FIXED,
    (State.STALE, Sign.DISMISSED): State.DISMISSED,
    (State.STALE, Sign.RECHECK_FAILED): State.UNCONFIRMED,
    (State.UNCONFIRMED, Sign.SEEN): State.OPEN,
    (State.UNCONFIRMED, Sign.NEGATED): State.FIXED,
    (State.UNCONFIRMED, Sign.DISMISSED): State.DISMISSED,
    (State.FIXED, Sign.SEEN): State.OPEN,
    (State.FIXED, Sign.NEGATED): State.FIXED,
    (State.DISMISSED, Sign.SEEN): State.DISMISSED,
    (State.DISMISSED, Sign.REOPENED): State.OPEN,
    (State.DISMISSED, Sign.EXPIRED): State.OPEN,
    (State.REFUTED, Sign.SEEN_SAME): State.REFUTED,
    (State.REFUTED, Sign.SEEN): State.OPEN,
    **{(state, Sign.REFUTED): State.REFUTED for state in State},
    **{(state, Sign.MERGED): State.SUPERSEDED for state in State},
}
"""Every change of state there is. SUPERSEDED is left by nothing but a refutation: it follows its target."""

LIVE: Final = frozenset({State.OPEN, State.STALE, State.UNCONFIRMED})
"""States in which a finding still says something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Why an entry is in its state: words and, where there is one, the place (line from 1) and commit that show it.

    ``quote`` is what stands at the place, where that is the proof.
    """

    text: str
    path: RelPath | None = None
    line: int | None = None
    commit: str | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened to one entry. ``round`` is None between rounds. Which fields count depends on ``sign``.

    SEEN and ANSWERED need ``sighting``; DISMISSED ``dismissal``; MERGED ``into``; REGRADED ``severity`` and ``proof``;
    JOINED ``into`` (the family); the others ``proof``.
    """

    id: FindingId
    sign: Sign
    at: str
    round: int | None = None
    sighting: Sighting | None = None
    proof: Proof | None = None
    dismissal: Dismissal | None = None
    into: FindingId | None = None
    severity: Severity | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One committed round. ``absent`` are the entries, live or put aside, it did not see: it saw all others of them.

    ``counts`` P0 to P3. ``verdict`` None: not decided yet. ``settings`` is a digest of the rules and, after a colon,
    the depth a model reached completely. ``delta`` are the paths that differ from the round before; ``full`` counts the
    files of the change.
    """

    index: int
    at: str
    merge_base: str | None
    snapshot: str
    settings: str
    verdict: VerdictStatus | None
    counts: tuple[int, int, int, int]
    commit: str | None = None
    delta: tuple[RelPath, ...] = ()
    full: int = 0
    absent: tuple[FindingId, ...] = ()

    @property
    def rules(self) -> str:
        """The digest of the rules alone."""
        return rules_of(self.settings)

    def repeats(self, last: Round | None) -> bool:
        """Whether nothing that decides a review has changed since ``last``, and it was looked at no deeper."""
        return (
            last is not None
            and (self.merge_base, self.snapshot, self.rules) == (last.merge_base, last.snapshot, last.rules)
            and _depth_of(self.settings) <= _depth_of(last.settings)
        )


def rules_of(settings: str) -> str:
    """The part of a round's settings that is not about how deep a model looked."""
    return settings.partition(":")[0]


_DEPTHS: Final = ("", "quick", "deep")


def _depth_of(settings: str) -> int:
    """How deep a model looked at all of it, 0 where none did."""
    depth = settings.partition(":")[2]
    return _DEPTHS.index(depth) if depth in _DEPTHS else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One defect over rounds. ``sighting.severity`` is the severity in force. ``since`` is when the state began.

    ``first_seen`` is None for one that was dismissed in an editor before any round saw it.
    """

    id: FindingId
    state: State
    sighting: Sighting
    first_seen: int | None
    last_seen: int | None
    regressions: int = 0
    family: FindingId | None = None
    into: FindingId | None = None
    proof: Proof | None = None
    dismissal: Dismissal | None = None
    regraded: Proof | None = None
    since: str = ""
    left: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """All that is remembered of one branch. ``left`` of an entry names the round in which it stopped being live."""

    entries: Mapping[FindingId, Entry] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()

    @property
    def last(self) -> Round | None:
        """The last committed round."""
        return self.rounds[-1] if self.rounds else None

    @property
    def next_index(self) -> int:
        """What the next round will be called; the first is 1."""
        return self.rounds[-1].index + 1 if self.rounds else 1

    def target(self, name: FindingId) -> Entry | None:
        """The entry a name stands for, through what it was merged into."""
        entry, walked = self.entries.get(name), {name}
        while entry is not None and entry.state is State.SUPERSEDED and entry.into is not None:
            if entry.into in walked:
                return entry
            walked.add(entry.into)
            entry = self.entries.get(entry.into)
        return entry


def fold(history: Iterable[Event | Round], start: Ledger | None = None) -> Ledger:
    """The ledger after ``history``, given the one before it."""
    entries = dict(start.entries) if start is not None else {}
    rounds = list(start.rounds) if start is not None else []
    for each in history:
        if isinstance(each, Round):
            rounds.append(each)
            absent = frozenset(each.absent)
            for name, entry in entries.items():
                standing = entry.state in LIVE_OR_DISMISSED and entry.first_seen is not None
                if entry.last_seen != each.index and standing and name not in absent:
                    entries[name] = replace(entry, last_seen=each.index)
            continue
        after = step(entries.get(each.id), each)
        if after is not None:
            entries[each.id] = after
    return Ledger(entries=entries, rounds=tuple(rounds))


LIVE_OR_DISMISSED: Final = LIVE | {State.DISMISSED}


def step(entry: Entry | None, event: Event) -> Entry | None:  # noqa: PLR0911  one return for each kind of event
    """An entry after an event. Only SEEN makes one; an event without a row in ``TRANSITIONS`` changes nothing."""
    if entry is None:
        return _born(event)
    if event.sign is Sign.REGRADED:
        if event.severity is None:
            return entry
        return replace(entry, sighting=replace(entry.sighting, severity=event.severity), regraded=event.proof)
    if event.sign is Sign.ANSWERED and event.sighting is not None:
        return replace(entry, sighting=_seen_again(event.sighting, entry.sighting))
    if event.sign is Sign.JOINED:
        return replace(entry, family=event.into)
    state = TRANSITIONS.get((entry.state, event.sign))
    if state is None:
        return entry
    return _stepped(entry, event, state)


def _born(event: Event) -> Entry | None:
    if event.sign is not Sign.SEEN or event.sighting is None:
        return None
    return Entry(
        id=event.id,
        state=State.OPEN,
        sighting=event.sighting,
        first_seen=event.round,
        last_seen=event.round,
        since=event.at,
    )


def _stepped(entry: Entry, event: Event, state: State) -> Entry:
    sighting = entry.sighting
    if event.sighting is not None and event.sign in {Sign.SEEN, Sign.SEEN_SAME}:
        sighting = _seen_again(event.sighting, sighting)
    seen = event.sign is Sign.SEEN and event.round is not None
    first = event.round if seen and entry.first_seen is None else entry.first_seen
    after = replace(entry, sighting=sighting, first_seen=first, last_seen=event.round if seen else entry.last_seen)
    if event.sign is Sign.DISMISSED:
        after = replace(after, dismissal=event.dismissal)
    if event.sign is Sign.MERGED:
        after = replace(after, into=event.into)
    if state is entry.state:
        return after
    return replace(
        after,
        state=state,
        since=event.at,
        proof=event.proof,
        dismissal=event.dismissal if state is State.DISMISSED else None,
        regressions=after.regressions + (entry.state is State.FIXED and state is State.OPEN),
        left=event.round if state not in LIVE else None,
    )


def _seen_again(sighting: Sighting, before: Sighting) -> Sighting:
    """A sighting with what is kept of the last: its severity, and answers that whoever saw it may not have known."""
    return replace(sighting, severity=before.severity, anatomy=with_answers(sighting.anatomy, before.anatomy))


def with_answers(case: Anatomy | None, before: Anatomy | None) -> Anatomy | None:
    """An anatomy with what people answered before, to the same questions and to those that are not asked any more.

    The latter stay so that what a person said goes along with the next question as it did with the last.
    """
    if case is None or before is None:
        return case
    known = {each.text: each for each in before.open_questions if each.answer is not None}
    if not known:
        return case
    asked = {redact(each.text) for each in case.open_questions}
    again = (
        replace(each, answer=each.answer or (known[text].answer if (text := redact(each.text)) in known else None))
        for each in case.open_questions
    )
    return replace(case, open_questions=(*again, *(each for text, each in known.items() if text not in asked)))
