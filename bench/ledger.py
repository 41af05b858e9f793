"""The ledger on disk and in memory, against a bare SQLite that writes or reads the same rows.

One round of 1,000 findings committed, with its report, and opened; the same matched as at a keystroke; 500 rounds of
100 findings whose file changes every time, the worst case for a store that writes nothing for what is unchanged.
"""

from __future__ import annotations

import hashlib
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from report import Row, table
from roundzero.core.advance import Listened, Occasion, advance
from roundzero.core.change import BaseChoice, BaseHow, Change, FileChange, HeadState, Source, Status
from roundzero.core.finding import Finding, Hit, Observation, Origin, observe
from roundzero.core.item import Item, ItemId, Prose, Severity
from roundzero.core.known_texts import Texts
from roundzero.core.ledger import Round
from roundzero.core.linemap import Hunk, LineMap
from roundzero.core.recognition import recognise
from roundzero.core.report import Coverage, Report, Verdict, VerdictStatus
from roundzero.core.text import RelPath
from roundzero.render.kept import pack
from roundzero.store.ledger_db import LedgerDb
from roundzero.store.report_db import ReportDb

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from roundzero.core.ledger import Ledger

_ITEM = Item(id=ItemId("python/bare-except"), title=Prose("Bare except"), why=Prose("It hides."), severity=Severity.P2)
_REF = "refs/heads/topic"


def measure() -> list[Row]:
    """All figures."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        texts = [_source(number, 20, 0) for number in range(50)]
        seen = _seen(texts)
        turns = [_turn(Path(folder) / str(turn), texts, seen) for turn in range(7)]
        commits, opens, bares, reads = zip(*turns, strict=True)
        ledgers = LedgerDb(Path(folder) / "0")
        branch = ledgers.find(_REF)
        ledger = ledgers.load(branch)
        known = Texts(heads={text.path: text for text in texts})
        matching = _median([_milliseconds(lambda: recognise(ledger, seen, known)) for _ in range(9)])
        edited, maps = _edited(texts)
        moved = _seen(edited)
        now = Texts(heads={text.path: text for text in edited}, maps=maps)
        typing = _median([_milliseconds(lambda: recognise(ledger, moved, now)) for _ in range(9)])
        peer, read = _median(bares), _median(reads)
        bare_name = "bare SQLite, same rows"
        rows += [
            Row(what="commit a round of 1,000 findings", ours=_median(commits), unit="ms", bound=100.0),
            Row(what="as a ratio", ours=_median(commits), unit="ms", peer=peer, peer_name=bare_name),
            Row(what="open a ledger of 1,000 findings", ours=_median(opens), unit="ms", bound=20.0),
            Row(what="as a ratio", ours=_median(opens), unit="ms", peer=read, peer_name=bare_name),
            Row(what="match 1,000 open findings, nothing moved", ours=matching, unit="ms", bound=5.0),
            Row(what="match 1,000 open findings, a line more in each file", ours=typing, unit="ms", bound=5.0),
        ]
    with tempfile.TemporaryDirectory() as folder:
        size, bare_size = _long_branch(Path(folder))
        rows += [
            Row(what="500 rounds of 100 findings that all move", ours=size, unit="MB", bound=10.0),
            Row(what="as a ratio", ours=size, unit="MB", peer=bare_size, peer_name=bare_name),
        ]
    return rows


def _turn(folder: Path, texts: Sequence[Source], seen: Sequence[Observation]) -> tuple[float, float, float, float]:
    """Milliseconds to commit, to open, to write the same rows bare, and to read them bare."""
    ledgers = LedgerDb(folder)
    branch = ledgers.claim(_REF, "h", refs=[_REF])
    commit = _milliseconds(lambda: _commit(ledgers, ledgers.load(branch), texts, seen))
    opened = _milliseconds(lambda: ledgers.load(ledgers.find(_REF)))
    bare, stored = folder / "bare.sqlite3", _stored(ledgers.path)
    return commit, opened, _milliseconds(lambda: _write(bare, stored)), _milliseconds(lambda: _read(bare))


def _source(number: int, findings: int, pads: int) -> Source:
    lines = ["import os"] * pads
    for at in range(findings):
        lines += [
            f"def function_{at}(value):",
            "    try:",
            f"        work({number}, {at}, value)",
            "    except:",
            "        pass",
        ]
    text = "".join(f"{line}\n" for line in lines)
    return Source(RelPath(f"src/package/module_{number}.py"), text, hashlib.sha1(text.encode()).hexdigest())  # noqa: S324


def _seen(texts: Sequence[Source]) -> list[Observation]:
    found = []
    for text in texts:
        for line in range(1, text.index.line_count + 1):
            if text.index.line(line) == "    except:":
                hit = Hit(path=text.path, span=text.index.line_span(line))
                found.append(observe(_ITEM, hit, text, producer="ruff", version="0.17.6"))
    return found


def _edited(texts: Sequence[Source]) -> tuple[list[Source], dict[tuple[RelPath, str], tuple[RelPath, LineMap]]]:
    new = [_source(number, 20, 1) for number in range(len(texts))]
    return new, {(text.path, text.blob): (text.path, LineMap((Hunk(0, 0, 1, 1),))) for text in texts}


def _commit(
    ledgers: LedgerDb,
    ledger: Ledger,
    texts: Sequence[Source],
    seen: Sequence[Observation],
    before: Sequence[Source] = (),
) -> None:
    """All that a review does for the ledger: recognise, advance, write."""
    branch = ledgers.find(_REF)
    assert branch is not None
    maps = {
        (old.path, old.blob): (old.path, LineMap((Hunk(0, 0, 1, 1),)))
        for old, new in zip(before, texts, strict=False)
        if old.blob != new.blob
    }
    now = Texts(heads={text.path: text for text in texts}, maps=maps)
    ids = recognise(ledger, seen, now)
    findings = [
        Finding(id=name, group="", seen=each, origin=Origin.INTRODUCED, in_diff=True, anchor=None)
        for name, each in zip(ids, seen, strict=True)
    ]
    listened = Listened(files={text.path: frozenset({_ITEM.id}) for text in texts})
    snapshot = hashlib.sha256("".join(text.blob for text in texts).encode()).hexdigest()
    this = Round(
        index=ledger.next_index,
        at="2026-01-01T00:00:00+00:00",
        merge_base="0" * 40,
        snapshot=snapshot,
        settings="0" * 12,
        verdict=VerdictStatus.LGTM,
        counts=(0, 0, len(seen), 0),
    )
    result = advance(ledger, findings, now, listened, Occasion(round=this))
    committed = ledgers.commit(branch, result.events, result.round, {text.path: text.blob for text in texts})
    assert committed is not None
    data = pack(_report(texts, findings), scope="worktree", base=None, untracked=True)
    ReportDb(ledgers.path.parent.parent).keep(branch, committed.index, data)


def _report(texts: Sequence[Source], findings: Sequence[Finding]) -> Report:
    """The report a review would have made."""
    base = BaseChoice(ref="main", merge_base="0" * 40, how=BaseHow.LATEST_MERGE_BASE)
    files = tuple(
        FileChange(path=text.path, status=Status.ADDED, base=None, head=text, hunks=(Hunk(0, 0, 1, 1),))
        for text in texts
    )
    head = HeadState(commit="1" * 40, branch="topic", dirty=False)
    return Report(
        tool_version="0",
        reviewed_at="2026-01-01T00:00:00+00:00",
        language="en",
        verdict=Verdict(status=VerdictStatus.LGTM, depth="off", blocking=0, reasons=()),
        base=base,
        head=head,
        change=Change(base=base, head=head, files=files, skipped=(), snapshot="2" * 64),
        counts=(0, 0, len(findings), 0),
        coverage=Coverage(files=len(files), reviewed=len(files), added_lines=len(files), skipped=()),
        overview=(),
        checklists=(),
        findings=tuple(findings),
    )


def _long_branch(folder: Path) -> tuple[float, float]:
    ledgers = LedgerDb(folder)
    branch = ledgers.claim(_REF, "h", refs=[_REF])
    before: list[Source] = []
    for number in range(500):
        texts = [_source(0, 100, number)]
        _commit(ledgers, ledgers.load(branch), texts, _seen(texts), before)
        before = texts
    bare = folder / "bare.sqlite3"
    _write(bare, _stored(ledgers.path))
    return _megabytes(ledgers.path), _megabytes(bare)


def _stored(path: Path) -> list[tuple[str, list[tuple[object, ...]]]]:
    """Every table and its rows."""
    connection = sqlite3.connect(path)
    tables = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = [(name, connection.execute(f"SELECT * FROM {name}").fetchall()) for name in tables]  # noqa: S608  our own
    connection.close()
    return found


def _write(path: Path, stored: Sequence[tuple[str, list[tuple[object, ...]]]]) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("BEGIN IMMEDIATE")
    for name, rows in stored:
        if rows:
            columns = ",".join(f"c{at}" for at in range(len(rows[0])))
            connection.execute(f"CREATE TABLE {name} ({columns})")
            marks = ",".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608  our own names
    connection.execute("COMMIT")
    connection.close()


def _read(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("SELECT * FROM entries").fetchall()
    connection.close()


def _megabytes(path: Path) -> float:
    return sum(part.stat().st_size for part in path.parent.glob(path.name + "*")) / 1e6


def _milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def _median(values: Sequence[float]) -> float:
    return statistics.median(values)


if __name__ == "__main__":
    print(table(measure()))
