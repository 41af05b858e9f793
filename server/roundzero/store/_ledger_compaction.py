"""Makes a branch's long history shorter: what only said where a finding went is joined.

Within a transaction of the caller's. Invariant: births, changes of state, rounds and the last place before each stay,
so that folding what is left gives the same entries.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from roundzero.core.ledger import Sign
from roundzero.store import _ledger_rows as rows
from roundzero.store._ledger_file import decoding

if TYPE_CHECKING:
    import sqlite3

COMPACT_FROM: Final = 20_000
"""From this many events of a branch on, a commit compacts them."""


def is_long(connection: sqlite3.Connection, branch: int) -> bool:
    """Whether a branch has so many events that joining them pays."""
    row = connection.execute("SELECT max(number) FROM events").fetchone()
    if int(row[0] or 0) % COMPACT_FROM >= 1000:
        return False
    count = connection.execute("SELECT count(*) FROM events WHERE branch = ?", (branch,)).fetchone()
    return int(count[0]) >= COMPACT_FROM


def compact(connection: sqlite3.Connection, branch: int) -> None:
    """Join each run of SEEN of one entry into its last, which then says all that differs since the event before.

    So births, changes of state and rounds stay; what goes only said where a finding went.
    """
    found = connection.execute("SELECT number, id, data FROM events WHERE branch = ? ORDER BY number", (branch,))
    runs: dict[str, tuple[int, dict[str, object]]] = {}
    gone: list[tuple[int]] = []
    changed: dict[int, str] = {}
    born: set[str] = set()
    for number, name, data in found.fetchall():
        with decoding():
            row = json.loads(data)
            kind = row["k"]
        if kind != Sign.SEEN.value or name not in born or "g" not in row:
            runs.pop(name, None)
            if kind == Sign.SEEN.value:
                born.add(name)
            else:
                born.discard(name)
            continue
        if name in runs:
            before, joined = runs[name]
            gone.append((before,))
            changed.pop(before, None)
            row["g"] = {**joined, **row["g"]}
            changed[number] = rows.dumps(row)
        runs[name] = (number, row["g"])
    connection.executemany("DELETE FROM events WHERE number = ?", gone)
    connection.executemany("UPDATE events SET data = ? WHERE number = ?", [(data, at) for at, data in changed.items()])
