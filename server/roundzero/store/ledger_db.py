"""The ledger on disk: append-only events under the git common directory, shared by every front end and worktree.

Beside the events stands their fold, an entry a row, kept up to date in the same transaction, so that opening does not
replay history. Writers take the lock before they read (a deferred transaction that turns to writing fails at once under
WAL). Knows refs as names only: whether one exists, or a head is related to another, the caller says. Invariants: an
event is never changed but by compaction, which keeps births, changes of state and the last place before each; the
entries are the fold of the events; a file that is no good is set aside under another name, never deleted.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.dismissal import OF_REPOSITORY, Dismissal, DismissalScope
from roundzero.core.finding import FindingId
from roundzero.core.ledger import LIVE_OR_DISMISSED, Entry, Event, Ledger, Round, Sign, step
from roundzero.core.rule_files import LEDGER_FILE
from roundzero.store import _ledger_rows as rows
from roundzero.store import ledger_branches as whose
from roundzero.store._ledger_compaction import compact, is_long
from roundzero.store._ledger_file import WITH_STRENGTHS, LedgerFile, decoding

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from roundzero.core.sighting import Sighting
    from roundzero.core.text import RelPath
    from roundzero.store.ledger_branches import Branch

_REPOSITORY: Final = 0


class LedgerDb:
    """The ledgers of one repository. Every method raises OutsideError when the file cannot be used."""

    def __init__(self, common_dir: Path) -> None:
        """Use ``roundzero/ledger.sqlite3`` under the git common directory; the first write creates it."""
        self.path = common_dir / LEDGER_FILE
        self._file = LedgerFile(self.path)

    def find(self, ref: str) -> Branch | None:
        """The current ledger of a ref, without claiming it."""
        with self._file.reading() as connection:
            return None if connection is None else whose.latest(connection, ref)

    def branches(self) -> list[Branch]:
        """Every ledger there is, so that the caller can find out which heads are related."""
        with self._file.reading() as connection:
            return [] if connection is None else whose.branches(connection)

    def claim(self, ref: str, head: str | None, *, refs: Collection[str], related: Collection[str] = ()) -> Branch:
        """The ledger a branch writes to: its own, a renamed ref's, or a new generation.

        ``refs`` are the full names that exist. ``related`` are former heads that belong to this branch (ancestors of
        ``head``, or in the ref's reflog, which goes when the branch is deleted): so amending, rebasing and squashing
        keep the ledger, and re-creating the name does not.
        """
        with self._file.writing() as connection:
            return whose.claim(connection, ref, head, refs=refs, related=related)

    def load(self, branch: Branch | None) -> Ledger:
        """The ledger of a branch; its ``rounds`` hold the last ones only. Empty where there is none."""
        if branch is None:
            return Ledger()
        with self._file.reading() as connection:
            return Ledger() if connection is None else _load(connection, branch.number)

    def commit(
        self,
        branch: Branch,
        events: Sequence[Event],
        this: Round | None = None,
        reviewed: Mapping[RelPath, str] | None = None,
    ) -> Round | None:
        """Append events and a round in one transaction; the round with the index it got, None when it is no new one.

        Events that change nothing by now (another process was quicker) are left out. ``reviewed`` are the blobs of the
        round by path, from which the next one's delta is known.
        """
        with self._file.writing() as connection:
            tail = _rounds(connection, branch.number)
            last = next(tail, None)
            if this is not None and this.repeats(last):
                this = None
            index = last.index + 1 if last is not None else 1
            if this is not None and this.index != index:
                this = _overtaken(connection, branch.number, this, {event.id for event in events})
            written = _append(connection, branch.number, events, index if this is not None else None)
            if this is not None:
                this = replace(this, index=index)
                connection.execute(
                    "INSERT INTO rounds VALUES (?, ?, (SELECT coalesce(max(number), 0) FROM events), ?)",
                    (branch.number, index, rows.round_row(this)),
                )
                if reviewed is not None:
                    _set_reviewed(connection, branch.number, reviewed)
            if written and is_long(connection, branch.number):
                compact(connection, branch.number)
            return this

    def reviewed(self, branch: Branch | None) -> dict[str, str]:
        """The blobs of the last round by path."""
        with self._file.reading() as connection:
            if branch is None or connection is None:
                return {}
            found = connection.execute("SELECT path, blob FROM reviewed WHERE branch = ?", (branch.number,))
            with decoding():
                return {json.loads(path): blob for path, blob in found}

    def is_praised(self, branch: Branch | None) -> bool:
        """Whether strengths are kept of a branch (store/strength_db)."""
        with self._file.reading() as connection:
            if branch is None or connection is None:
                return False
            if connection.execute("PRAGMA user_version").fetchone()[0] < WITH_STRENGTHS:
                return False
            found = connection.execute("SELECT 1 FROM strengths WHERE branch = ? LIMIT 1", (branch.number,))
            return found.fetchone() is not None

    def dismissals(self, branch: Branch | None) -> tuple[Dismissal, ...]:
        """The dismissals that stand beside entries: of files on this branch, of items and likes in the repository."""
        with self._file.reading() as connection:
            if connection is None:
                return ()
            found = connection.execute(
                "SELECT data FROM dismissals WHERE branch IN (0, ?) ORDER BY branch, name",
                (branch.number if branch is not None else _REPOSITORY,),
            )
            with decoding():
                return tuple(each for (data,) in found if (each := rows.dismissal_of(json.loads(data))) is not None)

    def dismiss(self, branch: Branch | None, dismissal: Dismissal, seen: Sighting | None = None) -> bool:
        """Keep a dismissal. ``branch`` may be None for one of the whole repository.

        False for a finding that cannot be dismissed: unknown, fixed, refuted or superseded. ``seen`` is what it looks
        like to someone who sees it now, so that one no round has seen yet, or one that has come back, can be.
        """
        if dismissal.scope is DismissalScope.FINDING:
            if branch is None:
                return False
            event = Event(id=dismissal.id, sign=Sign.DISMISSED, at=dismissal.at, dismissal=dismissal, by=dismissal.by)
            with self._file.writing() as connection:
                known = _some_entries(connection, branch.number, [dismissal.id]).get(dismissal.id)
                events = [event]
                if seen is not None and (known is None or known.state not in LIVE_OR_DISMISSED):
                    events.insert(0, Event(id=dismissal.id, sign=Sign.SEEN, at=dismissal.at, sighting=seen))
                return _append(connection, branch.number, events, None) >= len(events)
        if branch is None and dismissal.scope not in OF_REPOSITORY:
            return False
        with self._file.writing() as connection:
            owner = branch.number if branch is not None and dismissal.scope not in OF_REPOSITORY else _REPOSITORY
            data = rows.dumps(rows.dismissal_row(dismissal))
            connection.execute("INSERT OR REPLACE INTO dismissals VALUES (?, ?, ?)", (owner, dismissal.name, data))
            return True

    def reopen(self, branch: Branch | None, name: FindingId, *, at: str, by: str | None) -> bool:
        """Undo every dismissal made on a finding, without a ``branch`` those of the repository only.

        False when there was none.
        """
        event = Event(id=name, sign=Sign.REOPENED, at=at, by=by)
        names = [f"{scope.value}:{name}" for scope in DismissalScope]
        with self._file.writing() as connection:
            undone = _append(connection, branch.number, [event], None) if branch is not None else 0
            marks = ",".join("?" * len(names))
            cursor = connection.execute(
                f"DELETE FROM dismissals WHERE branch IN (0, ?) AND name IN ({marks})",  # noqa: S608  marks only
                (branch.number if branch is not None else _REPOSITORY, *names),
            )
            return undone > 0 or cursor.rowcount > 0

    def rounds(self, branch: Branch | None) -> tuple[Round, ...]:
        """All rounds of a branch, first to last."""
        with self._file.reading() as connection:
            if branch is None or connection is None:
                return ()
            return tuple(reversed(list(_rounds(connection, branch.number))))

    def history(self, branch: Branch | None, name: FindingId | None = None) -> list[Event | Round]:
        """Everything that happened, oldest first, rounds after their events; ``name``: to one finding, no rounds."""
        with self._file.reading() as connection:
            if branch is None or connection is None:
                return []
            return list(_history(connection, branch.number, name))

    def tidy(self, *, at: str, refs: Collection[str]) -> None:
        """Note which branches are gone, and forget those gone for more than 90 days. ``at`` is the time, ISO 8601."""
        with self._file.writing() as connection:
            whose.tidy(connection, at=at, refs=refs)


def _load(connection: sqlite3.Connection, branch: int) -> Ledger:
    found = connection.execute("SELECT id, data FROM entries WHERE branch = ?", (branch,)).fetchall()
    entries = _entries(found)
    tail = _seen_last(connection, branch, entries)
    return Ledger(entries=entries, rounds=tuple(reversed(tail)))


def _entries(found: Sequence[tuple[str, str]]) -> dict[FindingId, Entry]:
    with decoding():
        decoded = json.loads("[" + ",".join(data for _, data in found) + "]")
        return {FindingId(name): rows.entry_of(name, row) for (name, _), row in zip(found, decoded, strict=True)}


def _seen_last(connection: sqlite3.Connection, branch: int, entries: dict[FindingId, Entry]) -> list[Round]:
    """Bring ``last_seen`` up to date: an entry that is live was seen in every round it is not absent from."""
    waiting = {
        name for name, entry in entries.items() if entry.state in LIVE_OR_DISMISSED and entry.first_seen is not None
    }
    tail: list[Round] = []
    for each in _rounds(connection, branch):
        tail.append(each)
        absent = set(each.absent)
        done = {name for name in waiting if name not in absent or (entries[name].last_seen or 0) >= each.index}
        for name in done:
            entry = entries[name]
            if (entry.last_seen or 0) < each.index:
                entries[name] = replace(entry, last_seen=each.index)
        waiting -= done
        if not waiting:
            break
    return tail


def _rounds(connection: sqlite3.Connection, branch: int) -> Iterator[Round]:
    """Rounds, last to first."""
    found = connection.execute("SELECT number, data FROM rounds WHERE branch = ? ORDER BY number DESC", (branch,))
    for index, data in found:
        with decoding():
            each = rows.round_of(index, data)
        yield each


def _append(connection: sqlite3.Connection, branch: int, events: Iterable[Event], index: int | None) -> int:
    """Append the events that change something, and bring their entries up to date. How many they were."""
    events = list(events)
    entries = _some_entries(connection, branch, {event.id for event in events})
    known = dict(entries)
    new: list[tuple[int, str, int | None, str]] = []
    for event in events:
        placed = event if event.round == index else replace(event, round=index)
        before = entries.get(event.id)
        after = step(before, placed)
        if after is None or after is before or after == before:
            continue
        entries[event.id] = after
        sighting = before.sighting if before is not None else None
        new.append((branch, event.id, index, rows.dumps(rows.event_row(placed, sighting))))
    connection.executemany("INSERT INTO events (branch, id, round, data) VALUES (?, ?, ?, ?)", new)
    changed = [(branch, name, rows.entry_row(entry)) for name, entry in entries.items() if known.get(name) is not entry]
    connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", changed)
    return len(new)


def _overtaken(connection: sqlite3.Connection, branch: int, this: Round, seen: set[FindingId]) -> Round:
    """A round that another process overtook: it cannot have seen what that one brought."""
    found = connection.execute("SELECT id, data FROM entries WHERE branch = ?", (branch,)).fetchall()
    unknown = {
        name for name, entry in _entries(found).items() if (entry.first_seen or 0) >= this.index and name not in seen
    }
    return replace(this, absent=tuple(sorted(unknown | set(this.absent))))


def _some_entries(connection: sqlite3.Connection, branch: int, names: Collection[str]) -> dict[FindingId, Entry]:
    found: list[tuple[str, str]] = []
    wanted = sorted(names)
    for start in range(0, len(wanted), 500):
        part = wanted[start : start + 500]
        marks = ",".join("?" * len(part))
        found += connection.execute(
            f"SELECT id, data FROM entries WHERE branch = ? AND id IN ({marks})",  # noqa: S608  marks only
            (branch, *part),
        )
    entries = _entries(found)
    if entries:
        _seen_last(connection, branch, entries)
    return entries


def _set_reviewed(connection: sqlite3.Connection, branch: int, reviewed: Mapping[RelPath, str]) -> None:
    connection.execute("DELETE FROM reviewed WHERE branch = ?", (branch,))
    connection.executemany(
        "INSERT INTO reviewed VALUES (?, ?, ?)", [(branch, json.dumps(path), blob) for path, blob in reviewed.items()]
    )


def _history(connection: sqlite3.Connection, branch: int, name: FindingId | None) -> Iterator[Event | Round]:
    rounds = (
        []
        if name is not None
        else connection.execute(
            "SELECT after, number, data FROM rounds WHERE branch = ? ORDER BY number", (branch,)
        ).fetchall()
    )
    found = connection.execute(
        "SELECT number, id, round, data FROM events WHERE branch = ? AND (? IS NULL OR id = ?) ORDER BY number",
        (branch, name, name),
    )
    sightings: dict[str, Sighting] = {}
    at = 0
    for number, entry, index, data in found:
        while at < len(rounds) and rounds[at][0] < number:
            with decoding():
                each = rows.round_of(rounds[at][1], rounds[at][2])
            yield each
            at += 1
        with decoding():
            event = rows.event_of(entry, index, json.loads(data), sightings.get(entry))
        if event.sighting is not None:
            before = sightings.get(entry)
            kept = event.sighting if before is None else replace(event.sighting, severity=before.severity)
            sightings[entry] = kept
        if event.sign is Sign.REGRADED and event.severity is not None and entry in sightings:
            sightings[entry] = replace(sightings[entry], severity=event.severity)
        yield event
    for _, number, data in rounds[at:]:
        with decoding():
            each = rows.round_of(number, data)
        yield each
