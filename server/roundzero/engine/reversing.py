"""Finds the lines that took the place of defects which were fixed, for core/reversal.

Reads the texts defects were last seen in, as far as git has them. Invariant: what cannot be found out is not claimed;
nothing fails here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.finding import State
from roundzero.core.linemap import LineMap
from roundzero.core.reversal import advice, lines_that_came
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from roundzero.core.change import Change
    from roundzero.core.finding import FindingId
    from roundzero.core.ledger import Entry, Ledger
    from roundzero.core.reversal import Advice
    from roundzero.core.strengths import KeptStrength
    from roundzero.core.text import RelPath
    from roundzero.git.repository import Git

MOST: Final = 200
"""Most fixed findings that are followed, those that were fixed last."""


async def earlier_advice(
    git: Git, ledger: Ledger, change: Change, strengths: Iterable[KeptStrength] = ()
) -> tuple[Advice, ...]:
    """What earlier rounds advised that shows in the texts of now, and what they praised."""
    heads = change.head_texts
    fixed = [
        entry
        for entry in ledger.entries.values()
        if entry.state is State.FIXED
        and entry.sighting.side is Side.HEAD
        and entry.sighting.line
        and entry.sighting.path in heads
    ]
    fixed = sorted(fixed, key=lambda entry: (-(entry.left or 0), entry.id))[:MOST]
    return advice(ledger, strengths, came=await _came(git, fixed, change))


async def _came(git: Git, fixed: Iterable[Entry], change: Change) -> dict[FindingId, tuple[RelPath, Collection[int]]]:
    """The head lines of the hunk that took the line of each."""
    heads = change.head_texts
    wanted = {
        (entry.sighting.path, entry.sighting.blob)
        for entry in fixed
        if entry.sighting.path is not None
        and entry.sighting.blob
        and heads[entry.sighting.path].blob != entry.sighting.blob
    }
    try:
        olds = await git.texts({blob: path for path, blob in sorted(wanted)})
        pairs = [(path, blob) for path, blob in sorted(wanted) if blob in olds]
        hunks = await git.hunks_of([(olds[blob].text, heads[path].text) for path, blob in pairs])
    except OutsideError:
        return {}
    maps = {pair: LineMap(each) for pair, each in zip(pairs, hunks, strict=True)}
    found: dict[FindingId, tuple[RelPath, Collection[int]]] = {}
    for entry in fixed:
        path, seen = entry.sighting.path, entry.sighting
        lines = maps.get((path, seen.blob)) if path is not None else None
        hunk = lines.hunk_of(seen.line) if lines is not None else None
        if hunk is not None and path is not None:
            found[entry.id] = (path, lines_that_came(heads, path, hunk.head_lines))
    return found
