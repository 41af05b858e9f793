"""Pairs observations of one version with those of another, one to one, surest test first.

Used for origin (base against head) and for identity (ledger against now). The tests, in order: same fingerprint on the
line the old one moved to, of several on it the one that marks the same piece of code; for a line that is gone, same
text elsewhere in the file, with the same symbol or the same surroundings; same item where the old line was replaced, if
symbol or text still resemble or the same piece of code is marked, as a name in a list that was laid out anew; same item
and text anywhere in the change (a moved block), with the same symbol or surroundings, or a text so long that it is
hardly written twice. A line that was kept can only be paired where it is now: whoever looks at new lines alone must not
have one of them excused by an old line like it. Where a test allows several pairs, the lines around them decide
(core/neighbours), then distance. Titles and bare line numbers are never compared. Invariant: no observation takes part
in two pairs, and the result does not depend on input order.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, TypeAlias

from roundzero.core.change import Side
from roundzero.core.finding import fingerprint, first_id
from roundzero.core.frozen import dataclass
from roundzero.core.neighbours import Around, Spot, couple

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from roundzero.core.change import Change, Source
    from roundzero.core.finding import FindingId, Observation
    from roundzero.core.linemap import LineMap
    from roundzero.core.text import RelPath

RESEMBLES: Final = 0.6
"""Least ratio of equal characters at which an edited line still counts as the same place."""

_NAME: Final = 3
"""Least characters of a piece of code that is known by itself."""

_STEM: Final = 6
"""Least characters that a line must keep for its end not to matter."""

MODEL_LINES: Final = 3
"""How many lines two mentions of one item may lie apart and mean one place, where a model said one of them.

Models count lines badly; further apart is more often another place of the same kind.
"""

TELLING: Final = 20
"""From so many characters on, white space folded, a line is taken for the same one wherever it went.

``except:``, ``breakpoint()`` and ``import os`` are written anew every day; a line of this length is copied or moved.
"""


@dataclass(frozen=True, slots=True)
class Moves:
    """How old places map to new ones: per *old* path its new path and line map. Paths not named did not change.

    ``before`` and ``after`` are old and new texts by old and new path, as far as they are at hand.
    """

    files: Mapping[RelPath, tuple[RelPath, LineMap]]
    before: Mapping[RelPath, Source] = field(default_factory=dict)
    after: Mapping[RelPath, Source] = field(default_factory=dict)

    @staticmethod
    def within(change: Change) -> Moves:
        """The moves of a whole change, from the base to the head."""
        return Moves(change.whereabouts, change.base_texts, change.head_texts)

    def path(self, old: RelPath | None) -> RelPath | None:
        """Where an old path is now."""
        return self.files[old][0] if old is not None and old in self.files else old

    def line(self, old_path: RelPath | None, old_line: int) -> int | None:
        """Where an old line is now; None when it was removed or replaced."""
        if old_path is not None and old_path in self.files:
            return self.files[old_path][1].new(old_line)
        return old_line

    def near(self, old_path: RelPath | None, old_line: int) -> int:
        """Where an old line is now or, when replaced, the line of the same rank in its replacement."""
        if old_path is not None and old_path in self.files:
            return self.files[old_path][1].nearest(old_line)
        return old_line


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Place:
    """An observation seen from the new version: where it would be if nothing but the text around it had changed."""

    at: int
    seen: Observation
    path: RelPath | None
    line: int | None
    near: int
    source: Source | None


def pair(old: Sequence[Observation], new: Sequence[Observation], moves: Moves) -> dict[int, int]:
    """Pair new observations with old ones. The result maps indices of ``new`` to indices of ``old``.

    Only observations of one item are ever paired, so calling this with all items at once is right.
    """
    before = [
        _Place(
            at=at,
            seen=seen,
            path=moves.path(seen.path),
            line=moves.line(seen.path, seen.line),
            near=moves.near(seen.path, seen.line),
            source=_text(seen, moves.before),
        )
        for at, seen in enumerate(old)
    ]
    after = [
        _Place(at=at, seen=seen, path=seen.path, line=seen.line, near=seen.line, source=_text(seen, moves.after))
        for at, seen in enumerate(new)
    ]
    matcher = _Matcher(before, after, moves)
    matcher.by_key(lambda p: (p.seen.item, p.path, piece, p.line) if (piece := _marked(p)) else None, here=True)
    matcher.by_key(lambda p: (p.seen.item, p.path, p.seen.symbol, p.seen.anchor_text, p.line), here=True)
    matcher.by_key(lambda p: (p.seen.item, p.path, p.seen.anchor_text, p.line), here=True)
    matcher.forget_kept()
    matcher.by_key(lambda p: (p.seen.item, p.path, p.seen.anchor_text), one_symbol=True)
    matcher.edited()
    matcher.elsewhere()
    return matcher.pairs


class _Matcher:
    def __init__(self, before: list[_Place], after: list[_Place], moves: Moves) -> None:
        self.pairs: dict[int, int] = {}
        self._taken: set[int] = set()
        self._before = before
        self._after = after
        self._moves = moves

    def by_key(
        self,
        key: Callable[[_Place], Hashable | None],
        spot: Callable[[_Place], Spot] | None = None,
        *,
        one_symbol: bool = False,
        here: bool = False,
    ) -> None:
        """Pair what has equal keys; within a key by surroundings, then nearest lines first. ``here``: on one line."""
        spot = _bare if here else spot or _spot
        if not self._before:
            return
        before: dict[Hashable, list[_Place]] = defaultdict(list)
        for place in self._before:
            if (value := key(place)) is not None:
                before[value].append(place)
        after: dict[Hashable, list[_Place]] = defaultdict(list)
        for place in self._after:
            if (value := key(place)) in before:
                after[value].append(place)
        for value, new in after.items():
            old = before[value]
            if len(old) == len(new) == 1 and not one_symbol:
                self._take(old[0], new[0])
                continue
            for was, now in couple(old, new, spot, one_symbol=one_symbol):
                self._take(was, now)
        self._drop()

    def elsewhere(self) -> None:
        """Pair equal texts of different functions or files: those whose place resembles first, then those that tell."""

        def text(place: _Place) -> Hashable | None:
            return (place.seen.item, place.seen.anchor_text) if len(place.seen.anchor_text) > 1 else None

        self.by_key(text, _distant, one_symbol=True)
        self.by_key(lambda p: text(p) if len(p.seen.anchor_text) >= TELLING or p.source is None else None)

    def forget_kept(self) -> None:
        """Leave only old places whose line is gone."""
        self._before = [place for place in self._before if place.line is None or not place.seen.line]

    def edited(self) -> None:
        """Pair what lies in one hunk: the old line was removed by it, the new line was added by it."""
        files = self._moves.files
        groups: dict[Hashable, list[_Place]] = defaultdict(list)
        for place in self._after:
            groups[place.seen.item, place.path].append(place)
        candidates: list[_Candidate] = []
        for place in self._before:
            if place.seen.path is None or place.seen.path not in files:
                continue
            hunk = files[place.seen.path][1].hunk_of(place.seen.line)
            if hunk is None:
                continue
            for other in groups.get((place.seen.item, place.path), ()):
                if other.seen.line in hunk.head_lines and (likeness := _likeness(place, other)) > 0:
                    candidates.append((-likeness, _order(other.seen), _order(place.seen), place, other))
        for *_, old, new in sorted(candidates, key=lambda row: row[:3]):
            if new.at not in self.pairs and old.at not in self._taken:
                self._take(old, new)
        self._drop()

    def _take(self, old: _Place, new: _Place) -> None:
        self.pairs[new.at] = old.at
        self._taken.add(old.at)

    def _drop(self) -> None:
        self._before = [place for place in self._before if place.at not in self._taken]
        self._after = [place for place in self._after if place.at not in self.pairs]


_Candidate: TypeAlias = "tuple[float, tuple[str, int, int, str], tuple[str, int, int, str], _Place, _Place]"
"""Sorts by cost, then by where the two stand in their texts, so that input order decides nothing."""


def _text(seen: Observation, texts: Mapping[RelPath, Source]) -> Source | None:
    """The text an observation was made in, if it is at hand. On the base side it is another one."""
    return texts.get(seen.path) if seen.path is not None and seen.line and seen.side is Side.HEAD else None


def _bare(place: _Place) -> Spot:
    return Spot(near=place.near, symbol=place.seen.symbol, order=_here(place), around=None)


def _spot(place: _Place) -> Spot:
    around = Around(place.source.index, place.seen.line) if place.source is not None else None
    return Spot(near=place.near, symbol=place.seen.symbol, order=_here(place), around=around)


def _distant(place: _Place) -> Spot:
    """As ``_spot``; the top levels of two files are not the same symbol."""
    spot = _spot(place)
    return spot if spot.symbol is not None else replace(spot, symbol=f"top level of {place.path}")


def _here(place: _Place) -> tuple[str, int, int, str]:
    return (place.path or "", *_order(place.seen)[1:])


def _likeness(old: _Place, new: _Place) -> float:
    """How alike two places of one hunk are, 0 when they are not the same defect's."""
    ratio = resemblance(old.seen.anchor_text, new.seen.anchor_text)
    same_symbol = old.seen.symbol == new.seen.symbol
    same_piece = len(marked := _marked(new)) >= _NAME and marked == _marked(old)
    if same_piece and (same_symbol or ratio >= RESEMBLES):
        return 1.0 + ratio
    if ratio >= RESEMBLES:
        return ratio
    return ratio / 2 + 0.01 if same_symbol and old.seen.symbol is not None else 0.0


def _marked(place: _Place) -> str:
    """The piece of code that an observation marks, if it is known and less than a line; otherwise ""."""
    span = place.seen.span
    if place.source is None or span is None or span.start.line != span.end.line:
        return ""
    piece = place.source.index.slice(span)
    return piece if len(piece) < len(place.source.index.line(span.start.line).strip()) else ""


def resemblance(one: str, other: str) -> float:
    """How alike two lines are, from 0 to 1; one that only got or lost its end, such as a comment, resembles itself."""
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    shorter, longer = sorted((one, other), key=len)
    return max(ratio, RESEMBLES) if len(shorter) >= _STEM and longer.startswith(shorter) else ratio


def assign_ids(observations: Sequence[Observation]) -> list[FindingId]:
    """First ids for observations of one version. Equal fingerprints are told apart by order of line and column."""
    counted: dict[str, int] = defaultdict(int)
    order = sorted(range(len(observations)), key=lambda at: _order(observations[at]))
    ids: list[FindingId | None] = [None] * len(observations)
    for at in order:
        seen = observations[at]
        value = fingerprint(seen.item, seen.path, seen.symbol, seen.anchor_text)
        ids[at] = first_id(seen.item, seen.path, seen.symbol, seen.anchor_text, counted[value])
        counted[value] += 1
    return [value for value in ids if value is not None]


def _order(seen: Observation) -> tuple[str, int, int, str]:
    column = seen.span.start.column if seen.span is not None else 0
    return (seen.path or "", seen.line, column, seen.title)
