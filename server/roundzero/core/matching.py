"""Pairs observations of one version with those of another, one to one, surest test first.

Used for origin (base against head) and for identity (ledger against now). The tests, in order: same fingerprint on the
line the old one moved to; for a line that is gone, same fingerprint elsewhere in the file; same item where the old line
was replaced, if symbol or text still resemble; same item and text in another file of the change (a moved block). A line
that was kept can only be paired where it is now: whoever looks at new lines alone must not have one of them excused by
an old line like it. Titles and bare line numbers are never compared. Invariant: no observation takes part in two
pairs, and the result does not depend on input order.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from roundzero.core.finding import fingerprint, first_id

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from roundzero.core.change import FileChange
    from roundzero.core.finding import FindingId, Observation
    from roundzero.core.linemap import LineMap
    from roundzero.core.text import RelPath

RESEMBLES: Final = 0.6
"""Least ratio of equal characters at which an edited line still counts as the same place."""


@dataclass(frozen=True, slots=True)
class Moves:
    """How old places map to new ones: per *old* path its new path and line map. Paths not named did not change."""

    files: Mapping[RelPath, tuple[RelPath, LineMap]]

    @staticmethod
    def of(files: Iterable[FileChange]) -> Moves:
        """The moves of a change, from the base to the head."""
        return Moves(
            {
                file.base.path: (file.path, file.line_map)
                for file in files
                if file.base is not None and file.head is not None
            }
        )

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


@dataclass(frozen=True, slots=True)
class _Place:
    """An observation seen from the new version: where it would be if nothing but the text around it had changed."""

    at: int
    seen: Observation
    path: RelPath | None
    line: int | None
    near: int


def pair(old: Sequence[Observation], new: Sequence[Observation], moves: Moves) -> dict[int, int]:
    """Pair new observations with old ones. The result maps indices of ``new`` to indices of ``old``.

    Only observations of one item are ever paired, so calling this with all items at once is right.
    """
    before = [
        _Place(at, seen, moves.path(seen.path), moves.line(seen.path, seen.line), moves.near(seen.path, seen.line))
        for at, seen in enumerate(old)
    ]
    after = [_Place(at, seen, seen.path, seen.line, seen.line) for at, seen in enumerate(new)]
    matcher = _Matcher(before, after)
    matcher.by_key(lambda p: (*_print(p), p.line))
    matcher.by_key(lambda p: (p.seen.item, p.path, p.seen.anchor_text, p.line))
    matcher.forget_kept()
    matcher.by_key(_print)
    matcher.edited(moves)
    matcher.by_key(lambda p: (p.seen.item, p.seen.anchor_text) if len(p.seen.anchor_text) > 1 else None)
    return matcher.pairs


def _print(place: _Place) -> tuple[Hashable, ...]:
    return (place.seen.item, place.path, place.seen.symbol, place.seen.anchor_text)


class _Matcher:
    def __init__(self, before: list[_Place], after: list[_Place]) -> None:
        self.pairs: dict[int, int] = {}
        self._taken: set[int] = set()
        self._before = before
        self._after = after

    def by_key(self, key: Callable[[_Place], tuple[Hashable, ...] | None]) -> None:
        """Pair what has equal keys; within a key nearest lines first."""
        groups: dict[tuple[Hashable, ...], list[_Place]] = defaultdict(list)
        for place in self._before:
            if (value := key(place)) is not None:
                groups[value].append(place)
        candidates: list[_Candidate] = []
        for place in self._after:
            value = key(place)
            if value is not None:
                candidates += [
                    _candidate(abs(other.near - place.near), place, other) for other in groups.get(value, ())
                ]
        self._settle(candidates)

    def forget_kept(self) -> None:
        """Leave only old places whose line is gone."""
        self._before = [place for place in self._before if place.line is None or not place.seen.line]

    def edited(self, moves: Moves) -> None:
        """Pair what lies in one hunk: the old line was removed by it, the new line was added by it."""
        groups: dict[tuple[Hashable, ...], list[_Place]] = defaultdict(list)
        for place in self._after:
            groups[place.seen.item, place.path].append(place)
        candidates: list[_Candidate] = []
        for place in self._before:
            if place.seen.path is None or place.seen.path not in moves.files:
                continue
            hunk = moves.files[place.seen.path][1].hunk_of(place.seen.line)
            if hunk is None:
                continue
            for other in groups.get((place.seen.item, place.path), ()):
                if other.seen.line in hunk.head_lines and (likeness := _likeness(place, other)) > 0:
                    candidates.append(_candidate(-likeness, other, place))
        self._settle(candidates)

    def _settle(self, candidates: list[_Candidate]) -> None:
        for _, _, _, new_at, old_at in sorted(candidates):
            if new_at not in self.pairs and old_at not in self._taken:
                self.pairs[new_at] = old_at
                self._taken.add(old_at)
        self._before = [place for place in self._before if place.at not in self._taken]
        self._after = [place for place in self._after if place.at not in self.pairs]


_Candidate = tuple[float, tuple[str, int, int, str], tuple[str, int, int, str], int, int]


def _candidate(cost: float, new: _Place, old: _Place) -> _Candidate:
    """Sorts by cost, then by where the two stand in their texts, so that input order decides nothing."""
    return (cost, _order(new.seen), _order(old.seen), new.at, old.at)


def _likeness(old: _Place, new: _Place) -> float:
    """How alike two places of one hunk are, 0 when they are not the same defect's."""
    ratio = SequenceMatcher(None, old.seen.anchor_text, new.seen.anchor_text, autojunk=False).ratio()
    if ratio >= RESEMBLES:
        return ratio
    same_symbol = old.seen.symbol is not None and old.seen.symbol == new.seen.symbol
    return ratio / 2 + 0.01 if same_symbol else 0.0


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
