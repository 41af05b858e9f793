"""What earlier rounds found, and what became of it.

Open findings are not told: a draft that knows them could neither confirm them nor do without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.ledger import LIVE
from roundzero.engine.tools._arguments import Parameter
from roundzero.engine.tools._view import ROOT, Found, first_of, unsecret

if TYPE_CHECKING:
    from roundzero.core.ledger import Entry
    from roundzero.core.text import RelPath
    from roundzero.engine.tools._arguments import Arguments
    from roundzero.engine.tools._view import ToolView

_MOST: Final = 30
_MOST_WIDTH: Final = 400


class Earlier:
    """Findings of earlier rounds."""

    name = "earlier"
    description = (
        "Findings of earlier reviews of this branch that are over: fixed, dismissed by a person, refuted or "
        "superseded, each with where it was and why it is over. What is open is not told."
    )
    parameters = (
        Parameter(name="path", description="only of this file or folder", most=1000),
        Parameter(name="symbol", description="only of this function or class"),
    )

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer."""
        under = view.path(asked.text("path")) if asked.text("path") else ROOT
        symbol = asked.text("symbol")
        over = [entry for entry in view.ledger.entries.values() if entry.state not in LIVE]
        wanted = [entry for entry in over if _is_of(entry, under, symbol)]
        wanted.sort(key=lambda entry: (entry.sighting.path or "", entry.sighting.line, entry.id))
        rest = first_of(_MOST, len(wanted))
        rows = [_told(entry)[:_MOST_WIDTH] for entry in wanted[:_MOST]]
        return Found(f"{len(wanted)} earlier findings that are over", rows, rest)


def _is_of(entry: Entry, under: RelPath, symbol: str) -> bool:
    seen = entry.sighting
    path = seen.path or ROOT
    of_path = not under or path == under or path.startswith(f"{under}/")
    return of_path and (not symbol or symbol in (seen.symbol or "").split(".") or symbol == seen.symbol)


def _told(entry: Entry) -> str:
    seen = entry.sighting
    why = entry.dismissal.reason if entry.dismissal is not None else entry.proof.text if entry.proof is not None else ""
    place = f"{seen.path}:{seen.line}" if seen.path is not None else "the change"
    within = f" in {seen.symbol}" if seen.symbol is not None else ""
    text = f"{entry.state.value}: [{seen.severity.name}] {seen.title} ({place}{within}, {seen.item})"
    return unsecret(f"{text} - {why}" if why else text)


TOOL: Final = Earlier()
