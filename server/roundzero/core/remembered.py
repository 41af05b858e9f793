"""What a model said in earlier rounds, looked at again in the texts of now without asking anybody.

Decides whether it stands, not what becomes of it. A model that is not asked, or says something else today, takes
nothing back: what was said holds as long as its line and all that it quotes can be read. Invariants: what holds stands
on a line that reads as the one it was said of, and is tied to a changed line by a verified quote; nothing is said of a
file that is not at hand, nor of code that was deleted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.change import Side, Source
from roundzero.core.drafting import cause_of
from roundzero.core.evidence import verified
from roundzero.core.finding import Anchor, State
from roundzero.core.frozen import dataclass
from roundzero.core.matching import TELLING
from roundzero.core.outline import symbol_at
from roundzero.core.scope import nearest_changed_line
from roundzero.core.sighting import line_reading
from roundzero.core.text import RelPath, collapse
from roundzero.core.units import redacted_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from roundzero.core.change import Change
    from roundzero.core.finding import Evidence, FindingId, Observation
    from roundzero.core.known_texts import Texts
    from roundzero.core.ledger import Entry, Ledger
    from roundzero.core.quotes import Text
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.sighting import Sighting


@dataclass(frozen=True, slots=True)
class Remembered:
    """An entry in the text of now. ``holds`` False: its line or a quote is gone, and ``seen`` is where it would be."""

    id: FindingId
    seen: Observation
    text: Source
    holds: bool


def entries_of_model(ledger: Ledger) -> tuple[Entry, ...]:
    """What a model said that a report lists where it holds: nobody has settled it, or a person put it aside."""
    return tuple(
        entry
        for entry in ledger.entries.values()
        if entry.sighting.source == "model" and entry.state in {State.OPEN, State.STALE, State.DISMISSED}
    )


def quoted_paths(ledger: Ledger) -> frozenset[RelPath]:
    """The head paths that a model's findings quote."""
    return frozenset(
        each.path for entry in entries_of_model(ledger) for each in entry.sighting.evidence if each.side is Side.HEAD
    )


def remembered(
    ledger: Ledger, change: Change, texts: Texts, quoted: Mapping[RelPath, Source], ruleset: Ruleset
) -> tuple[Remembered, ...]:
    """A model's findings of earlier rounds, open, stale or put aside.

    ``quoted``: texts beyond the change that they quote.
    """
    quotable = _Quotable(change, {**quoted, **texts.heads})
    found: list[Remembered] = []
    for entry in entries_of_model(ledger):
        item = ruleset.by_id.get(entry.sighting.item)
        if item is not None and item.enabled:
            found += _again(entry, change, texts, quotable)
    return tuple(found)


class _Quotable:
    """The texts that may be quoted, as a model saw them: each is prepared when it is first needed, and once."""

    def __init__(self, change: Change, beyond: Mapping[RelPath, Source]) -> None:
        self._plain = {(path, Side.HEAD): each for path, each in beyond.items()} | dict(change.sides)
        self._shown: dict[tuple[RelPath, Side], Source] = {}
        self._forms: dict[tuple[RelPath, Side], Text] = {}

    def verified(self, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
        """Evidence, checked against the texts it is from."""
        for key in {(each.path, each.side) for each in evidence} & self._plain.keys() - self._shown.keys():
            self._shown[key] = redacted_source(self._plain[key])
        return verified(evidence, self._shown, self._forms)


def _again(entry: Entry, change: Change, texts: Texts, quotable: _Quotable) -> Iterable[Remembered]:
    then = entry.sighting
    place = texts.where(then)
    head = texts.heads.get(place.path) if place.path is not None else None
    if head is None or place.path is None or not then.line or then.side is not Side.HEAD:
        return
    line = place.line or _same_line(then, head, place.near, sure=place.known)
    if line is None and place.hunk is not None and not place.hunk.head_count:
        return
    at = line or min(max(1, place.near), head.index.line_count)
    evidence = tuple(_shifted(each, then, place.path, at - then.line) for each in then.evidence)
    now = quotable.verified(evidence)
    lost = any(before.is_found and not after.is_found for before, after in zip(evidence, now, strict=True))
    cause = cause_of([each for each in now if each.is_found], change)
    file = change.file(place.path)
    holds = line is not None and not lost and cause is not None
    if cause is None and file is not None and file.hunks:
        cause = Anchor(file.path, nearest_changed_line(file, at))
    on_change = file is not None and at in file.added
    seen = replace(
        then.observation(),
        path=place.path,
        span=head.index.line_span(at),
        symbol=symbol_at(head.path, head.index, at) if holds else then.symbol,
        anchor_text=collapse(head.index.line(at)) if holds else then.anchor_text,
        evidence=now,
        cause=None if on_change else cause,
    )
    yield Remembered(entry.id, seen, head, holds)


def _same_line(then: Sighting, head: Source, near: int, *, sure: bool) -> int | None:
    """The nearest line that reads as the one something was said of.

    ``sure``: that line itself is known to be gone, so that only one whose text is its own can be meant.
    """
    if not then.anchor_text or (sure and len(then.anchor_text) < TELLING):
        return None
    return line_reading(then.anchor_text, head.index, near)


def _shifted(each: Evidence, then: Sighting, path: RelPath, by: int) -> Evidence:
    """Evidence of the finding's own file where it would be if the lines around moved with the finding's."""
    if each.path != then.path or each.side is not Side.HEAD:
        return each
    return replace(each, path=path, line=max(1, each.line + by))
