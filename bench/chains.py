"""Which listings of several rounds are one defect, when all that is known of them is path, line and title.

For findings that came without an anchor, such as another reviewer's reports; ours have one, so nothing but the
measurement in bench/identity.py needs this. The rounds are read once forwards and once backwards. A reading makes
chains: round by round, the surest links first, each listing continues at most one chain and each chain takes at most
one listing, since what one round lists twice is seldom one defect. A place alone joins nothing, since one line may
hold two defects; beyond that a link's evidence is how alike the titles are, the path, the line, and whether the chain
was there in the round before; what its rivals have is taken off, because a title that fits two chains fits neither
surely. Invariant: the answer depends on the listings alone, not on their order within a round.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from roundzero.core.cluster import alike

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, order=True)
class Listing:
    """One finding in one round's report. Rounds count up; ``line`` from 1, 0 when there is none."""

    round: int
    path: str
    line: int
    title: str


LIKENESS: Final = 19.0
FILE: Final = 1.4
FOLDER: Final = 0.7
NEAR: Final = 4.0
PAUSE: Final = 0.75
DOUBT: Final = 4.6
"""Evidence in log odds: for equal titles, the same file, the same folder, the same line; against, for a chain that the
round before had not, and for any link at all. Fitted on two branches, 280 listings."""

_REACH: Final = 1.75
"""Lines over which nearness falls to a third."""

_OTHER_LISTINGS: Final = 0.4
_OTHER_CHAINS: Final = 0.9
"""How much the odds of a chain's other listings, and of a listing's other chains, take off. A chain may well end, a
listing often finds its chain, so rivals for the listing say more."""


def same_defect(listings: Sequence[Listing]) -> frozenset[tuple[int, int]]:
    """The pairs of indices, smaller first, that are one defect, as read forwards or backwards."""
    evidence = _Evidence(listings)
    order = sorted({each.round for each in listings})
    return frozenset(
        pair
        for rounds in (order, order[::-1])
        for chain in _read(listings, evidence, rounds)
        for pair in itertools.combinations(sorted(chain), 2)
    )


def _read(listings: Sequence[Listing], evidence: _Evidence, rounds: Sequence[int]) -> list[list[int]]:
    result: list[list[int]] = []
    by_round: dict[int, list[int]] = defaultdict(list)
    for at in sorted(range(len(listings)), key=lambda at: listings[at]):
        by_round[listings[at].round].append(at)
    for rank, number in enumerate(rounds):
        new = by_round[number]
        before = rounds[rank - 1] if rank else None
        odds = _against_rivals([[evidence.of(chain, at, before) for at in new] for chain in result])
        links = sorted((-value, row, at) for row, values in enumerate(odds) for at, value in enumerate(values))
        used: set[int] = set()
        taken: set[int] = set()
        for value, row, at in links:
            if value < 0 and row not in used and at not in taken:
                result[row].append(new[at])
                used.add(row)
                taken.add(at)
        result += [[index] for at, index in enumerate(new) if at not in taken]
    return result


def _against_rivals(scores: list[list[float]]) -> list[list[float]]:
    """Each score less what the others in its row and column have."""
    odds = [[math.exp(min(value, 30.0)) for value in row] for row in scores]
    rows = [sum(row) for row in odds]
    columns = [sum(column) for column in zip(*odds, strict=True)]
    return [
        [
            value
            - _OTHER_LISTINGS * math.log1p(max(0.0, rows[row] - odds[row][column]))
            - _OTHER_CHAINS * math.log1p(max(0.0, columns[column] - odds[row][column]))
            for column, value in enumerate(values)
        ]
        for row, values in enumerate(scores)
    ]


class _Evidence:
    """What speaks for a listing to continue a chain, in log odds."""

    def __init__(self, listings: Sequence[Listing]) -> None:
        self._listings = listings
        self._folders = [each.path.rpartition("/")[0] for each in listings]
        self._alike = alike([each.round for each in listings], [each.title for each in listings])
        self._anchors: dict[tuple[str, str], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        for each in listings:
            self._anchors[each.path, each.title][each.round].add(each.line)
        self._moves: dict[tuple[str, int, int], list[tuple[int, int]]] = {}

    def of(self, chain: Sequence[int], at: int, before: int | None) -> float:
        """For listing ``at`` after ``chain``; ``before`` is the round read before the listing's."""
        new, last = self._listings[at], chain[-1]
        alike = self._alike[at]
        cosine = max(alike[member][0] for member in chain)
        if not cosine:
            return -DOUBT
        overlap = max(alike[member][1] for member in chain)
        found = LIKENESS * (cosine + overlap) / 2 - DOUBT
        if any(self._listings[member].path == new.path for member in chain):
            found += FILE
        if self._folders[last] == self._folders[at]:
            found += FOLDER
        found += NEAR * max(self._near(self._listings[member], new) for member in chain[-2:])
        return found - PAUSE if self._listings[last].round != before else found

    def _near(self, old: Listing, new: Listing) -> float:
        """1 where the old line is now, less around it. Lines moved as the nearest did whose title stayed the same."""
        if old.path != new.path or not old.line or not new.line:
            return 0.0
        moves = self._moved(old.path, old.round, new.round)
        nearest = min(moves, key=lambda move: abs(move[0] - old.line), default=(0, 0))
        return math.exp(-abs(old.line + nearest[1] - new.line) / _REACH)

    def _moved(self, path: str, then: int, now: int) -> list[tuple[int, int]]:
        """Lines of then, and by how much each has moved: of titles that each of both rounds has once in the file."""
        key = (path, then, now)
        if key not in self._moves:
            kept = (
                (min(lines[then]), min(lines[now]))
                for (file, _), lines in self._anchors.items()
                if file == path and len(lines.get(then, ())) == len(lines.get(now, ())) == 1
            )
            self._moves[key] = sorted((old, new - old) for old, new in kept)
        return self._moves[key]
