"""Tells places of equal text apart by the lines around them.

Used by the matchers where more than one pair is possible: a copied line, a block that was indented or moved beside its
twin. Compares lines with white space folded, so that indentation says nothing; lines without a letter or digit are
passed over, because they say nothing either. Where there is one place on each side it is never asked, so that a
keystroke pays for it only in a tie. Invariant: the answer depends on texts and places, not on the order of the input.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from dataclasses import field
from typing import TYPE_CHECKING, Final, TypeVar

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.text import LineIndex, collapse

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

SURE: Final = 2.0
"""From this likeness on, surroundings say as much as a common symbol: as if both neighbouring lines are the same."""

_SYMBOL: Final = 1.0
"""What a common symbol adds to a likeness: as much as one neighbouring line."""

_RUN: Final = 40
"""So many lines in each direction at most, as long as they are the same."""

_WINDOW: Final = 8
"""So many lines more after the first difference, among which the same ones are looked for in order."""

_PAIRS: Final = 1000
"""About so many pairs of one group are compared, in some 25 ms; in a larger group each with its nearest."""

_SAYS: Final = regex(r"[^\W_]")

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Around:
    """The lines above and below one line (from 1) of a text, nearest first, read as far as they are asked for."""

    index: LineIndex
    line: int
    _read: dict[int, list[str]] = field(default_factory=lambda: {-1: [], 1: []})
    _next: dict[int, int] = field(default_factory=dict)

    def lines(self, step: int, count: int) -> list[str]:
        """At least ``count`` lines above (-1) or below (1), fewer where the text ends."""
        found = self._read[step]
        if len(found) >= count:
            return found
        at = self._next.get(step, self.line + step)
        last = self.index.line_count
        while len(found) < count and 1 <= at <= last:
            text = self.index.line(at)
            if _SAYS.search(text) is not None:
                found.append(collapse(text))
            at += step
        self._next[step] = at
        return found

    def print(self) -> Hashable:
        """The nearest lines on both sides: equal for places in the same surroundings."""
        return (tuple(self.lines(-1, _WINDOW)[:_WINDOW]), tuple(self.lines(1, _WINDOW)[:_WINDOW]))


def likeness(one: Around, other: Around) -> float:
    """How alike two surroundings are: a common line counts 1 as a neighbour, half as much behind it, and so on."""
    return sum(_common(one, other, step) for step in (-1, 1))


def _common(one: Around, other: Around, step: int) -> float:
    old, new = one.lines(step, _WINDOW), other.lines(step, _WINDOW)
    run, total = 0, 0.0
    while run < _RUN:
        if run == len(old) or run == len(new):
            old, new = one.lines(step, run + _WINDOW), other.lines(step, run + _WINDOW)
        if run >= len(old) or run >= len(new) or old[run] != new[run]:
            break
        run += 1
        total += 1 / run
    past = run + _WINDOW
    return total + _in_order(one.lines(step, past)[run:past], other.lines(step, past)[run:past], run)


def _in_order(old: Sequence[str], new: Sequence[str], run: int) -> float:
    """The weight of the best common subsequence of two short lists that stand behind ``run`` equal lines."""
    if not set(old) & set(new):
        return 0.0
    above = [0.0] * (len(new) + 1)
    for i, text in enumerate(old):
        row = [0.0]
        for j, other in enumerate(new):
            best = max(above[j + 1], row[j])
            if text == other:
                best = max(best, above[j] + 1 / (run + 1 + max(i, j)))
            row.append(best)
        above = row
    return above[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place among others of equal text. ``near`` is its line on the new side, exact or guessed.

    ``order``, which begins with the path on the new side, decides where nothing else does. ``around`` None: its text is
    not at hand.
    """

    near: int
    symbol: str | None
    order: tuple[str | int, ...]
    around: Around | None


def couple(
    old: Sequence[T], new: Sequence[T], spot: Callable[[T], Spot], *, one_symbol: bool = False
) -> Iterator[tuple[T, T]]:
    """Pairs of old and new places of equal text, one to one: by their surroundings and symbol, then by distance.

    With ``one_symbol`` places of different symbols are paired only where their surroundings are as good as the same.
    """
    if len(old) == len(new) == 1 and not one_symbol:
        yield old[0], new[0]
        return
    before = sorted(((spot(each), each) for each in old), key=lambda row: row[0].order)
    after = sorted(((spot(each), each) for each in new), key=lambda row: row[0].order)
    if len(before) == len(after) == 1:
        if before[0][0].symbol == after[0][0].symbol or _alike(before[0][0], after[0][0]) >= SURE:
            yield before[0][1], after[0][1]
        return
    couples = _Couples(len(before), len(after))
    olds, news = [row[0] for row in before], [row[0] for row in after]
    couples.take(_unmistakable(olds, news))
    couples.take(_in_order_only(olds, news, one_symbol=one_symbol))
    couples.take(_likely(olds, news, couples, one_symbol=one_symbol))
    couples.take(_in_turn(olds, news, couples, one_symbol=one_symbol))
    for at, there in couples.found:
        yield before[at][1], after[there][1]


class _Couples:
    """Takes possible pairs of indices, surest first, and keeps those whose sides are both free."""

    def __init__(self, old: int, new: int) -> None:
        self.found: list[tuple[int, int]] = []
        self.old = [True] * old
        self.new = [True] * new

    def take(self, rows: Iterable[tuple[int, int]]) -> None:
        for at, there in rows:
            if self.old[at] and self.new[there]:
                self.old[at] = self.new[there] = False
                self.found.append((at, there))


def _unmistakable(old: Sequence[Spot], new: Sequence[Spot]) -> Iterator[tuple[int, int]]:
    """Pairs whose surroundings and symbol are the same, and nobody else's: nearly all of a block that moved."""
    prints: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, spots in enumerate((old, new)):
        for at, each in enumerate(spots):
            if each.around is not None:
                prints[each.symbol, each.around.print()][side].append(at)
    for before, after in prints.values():
        if len(before) == len(after) == 1:
            yield before[0], after[0]


def _in_order_only(old: Sequence[Spot], new: Sequence[Spot], *, one_symbol: bool) -> Iterator[tuple[int, int]]:
    """Where texts are not at hand: places of one file, as many before as after, in their order."""
    if all(each.around is not None for each in (*old, *new)):
        return
    places: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, spots in enumerate((old, new)):
        for at, each in enumerate(spots):
            places[each.symbol if one_symbol else None, each.order[0]][side].append(at)
    for before, after in places.values():
        if len(before) == len(after):
            yield from zip(before, after, strict=True)


def _likely(old: Sequence[Spot], new: Sequence[Spot], free: _Couples, *, one_symbol: bool) -> Iterator[tuple[int, int]]:
    """Possible pairs of those left, the likeliest first. Of a large group only near ones."""
    by_line = sorted((there for there in range(len(new)) if free.new[there]), key=lambda there: new[there].near)
    lines = [new[there].near for there in by_line]
    width = max(2, _PAIRS // len(old))
    rows: list[tuple[float, int, int, int]] = []
    for at, before in enumerate(old):
        middle = bisect_left(lines, before.near)
        for there in by_line[max(0, middle - width) : middle + width] if free.old[at] else ():
            after = new[there]
            alike = _alike(before, after)
            same = before.symbol == after.symbol
            if same or alike >= SURE or not one_symbol:
                rows.append((-(alike + (_SYMBOL if same else 0.0)), abs(before.near - after.near), there, at))
    for _, _, there, at in sorted(rows):
        yield at, there


def _in_turn(
    old: Sequence[Spot], new: Sequence[Spot], free: _Couples, *, one_symbol: bool
) -> Iterator[tuple[int, int]]:
    """What is left of a group too large to compare everything, in the order of places."""
    waiting: dict[str | None, deque[int]] = defaultdict(deque)
    for there, spot in enumerate(new):
        if free.new[there]:
            waiting[spot.symbol if one_symbol else None].append(there)
    for at, spot in enumerate(old):
        row = waiting.get(spot.symbol if one_symbol else None)
        if free.old[at] and row:
            yield at, row.popleft()


def _alike(old: Spot, new: Spot) -> float:
    return likeness(old.around, new.around) if old.around is not None and new.around is not None else 0.0
