"""Drafted findings with hand labels: five drafts that word the same defects otherwise, beside others of one place.

Made up after what models write, with the traps in which joining goes wrong: two defects on one line, in one function,
under one item, in nearly the same words; one defect said at its definition and at its use. Knows no merging. Invariant:
a voice says each defect at most once.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.core.anatomy import Anatomy, Claim, Consequence, FailureClass
from roundzero.core.change import Side
from roundzero.core.deep import Drafted
from roundzero.core.finding import Evidence, Observation
from roundzero.core.item import ItemId, Severity
from roundzero.core.linemap import Hunk
from roundzero.core.model_values import Unit
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.finding import Fix

OTHER: Final = "general/other-defect"
HUNKS: Final = (Hunk(1, 80, 1, 80),)


class Said(NamedTuple):
    """What one voice said. ``more`` are further lines of the same file it quotes; ``symbol`` the function around."""

    defect: str
    voice: int
    line: int
    failure: str
    title: str
    claim: str
    item: str = OTHER
    more: tuple[int, ...] = ()


def _files() -> dict[str, tuple[str | None, tuple[Said, ...]]]:
    """What is in ``defects.json``: by path, the function around and what was said."""
    found: dict[str, tuple[str | None, tuple[Said, ...]]] = {}
    for row in json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8")):
        path, symbol = row.pop("path"), row.pop("symbol")
        said = Said(**row | {"more": tuple(row["more"])})
        found[path] = (symbol, (*found.get(path, (symbol, ()))[1], said))
    return found


FILES: Final = _files()


def drafted() -> list[tuple[str, Drafted]]:
    """All of them, each with the name of its defect."""
    return [
        (f"{path} {said.defect}", draft(said, path, symbol)) for path, (symbol, rows) in FILES.items() for said in rows
    ]


def draft(
    said: Said,
    path: str = "a.py",
    symbol: str | None = "f",
    severity: Severity = Severity.P1,
    fixes: Sequence[Fix] = (),
) -> Drafted:
    """One of them as a voice's observation of the one unit of its file."""
    evidence = tuple(
        Evidence(path=RelPath(path), side=Side.HEAD, line=line, quote=f"line {line}", role="shows it", blob="h")
        for line in dict.fromkeys((said.line, *said.more))
    )
    seen = Observation(
        item=ItemId(said.item),
        producer="m",
        producer_version="1",
        source="model",
        severity=severity,
        title=said.title,
        why="It is wrong.",
        path=RelPath(path),
        side=Side.HEAD,
        span=Span(Position(said.line, 5), Position(said.line, 20)),
        symbol=symbol,
        anchor_text=f"line {said.line}",
        evidence=evidence,
        fixes=tuple(fixes),
        anatomy=Anatomy(
            consequence=Consequence("It goes wrong.", FailureClass(said.failure)),
            claims=(Claim(text=said.claim, decisive=True),) if said.claim else (),
        ),
    )
    return Drafted(said.voice, unit(path), seen)


def unit(path: str) -> Unit:
    """The one unit of a file."""
    return Unit(path=RelPath(path), hunks=HUNKS, excerpts=())
