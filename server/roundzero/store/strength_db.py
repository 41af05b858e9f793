"""What a branch was praised for, beside its ledger in the same file.

Invariants: what is kept of one branch says nothing of another; a strength that is known keeps the round that saw it
first, however often it is written.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from roundzero.core.change import Side
from roundzero.core.finding import Evidence, Verified
from roundzero.core.rule_files import LEDGER_FILE
from roundzero.core.strengths import KeptStrength
from roundzero.core.text import RelPath
from roundzero.store._ledger_file import WITH_STRENGTHS, LedgerFile, decoding

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from roundzero.store.ledger_branches import Branch


class StrengthDb:
    """The strengths of one repository. Every method raises OutsideError when the file cannot be used."""

    def __init__(self, common_dir: Path) -> None:
        """Use ``roundzero/ledger.sqlite3`` under the git common directory."""
        self._file = LedgerFile(common_dir / LEDGER_FILE)

    def kept(self, branch: Branch | None) -> tuple[KeptStrength, ...]:
        """Those of a branch, the oldest first; also what its last round undid."""
        with self._file.reading() as connection:
            if branch is None or connection is None:
                return ()
            if connection.execute("PRAGMA user_version").fetchone()[0] < WITH_STRENGTHS:
                return ()
            found = connection.execute(
                "SELECT first, left, data FROM strengths WHERE branch = ? ORDER BY first, name", (branch.number,)
            )
            with decoding():
                return tuple(_strength_of(first, left, json.loads(data)) for first, left, data in found)

    def keep(self, branch: Branch, index: int, strengths: Iterable[KeptStrength]) -> None:
        """Write down those of a round; what earlier rounds undid is forgotten."""
        rows = [
            (branch.number, each.name, each.round, each.left, json.dumps(_row(each), separators=(",", ":")))
            for each in strengths
        ]
        with self._file.writing() as connection:
            connection.execute("DELETE FROM strengths WHERE branch = ? AND left < ?", (branch.number, index))
            connection.executemany(
                "INSERT INTO strengths VALUES (?, ?, ?, ?, ?) ON CONFLICT (branch, name) DO UPDATE SET "
                "left = excluded.left, data = excluded.data, first = min(first, excluded.first)",
                rows,
            )


def _row(each: KeptStrength) -> dict[str, object]:
    evidence = [
        [proof.path, proof.side.value, proof.line, proof.quote, proof.role, proof.blob, proof.verified.value]
        for proof in each.evidence
    ]
    return {"t": each.text, "e": evidence, "y": list(each.symbols)}


def _strength_of(first: int, left: int | None, row: dict[str, Any]) -> KeptStrength:
    evidence = tuple(
        Evidence(
            path=RelPath(path), side=Side(side), line=line, quote=quote, role=role, blob=blob, verified=Verified(found)
        )
        for path, side, line, quote, role, blob, found in row["e"]
    )
    return KeptStrength(text=row["t"], evidence=evidence, symbols=tuple(row["y"]), round=first, left=left)
