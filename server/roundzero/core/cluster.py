"""Which listings of several rounds are one defect, when all that is known of them is path, line and title.

For findings that came without an anchor: another reviewer's reports, or a model's that cited nothing. Several readings
of the same rounds are made, each a chain of one-to-one assignments from round to round under its own weights; a pair
holds when enough of them agree, since a link that only one set of weights sees is chance. Titles are compared by words
and parts of identifiers and, where words have no spaces, by neighbouring characters; what many titles of a round share
says little, what a defect's own rewordings share counts in full. Severity is not compared: it drifts. Invariant: the
answer depends on the listings alone, not on their order within a round.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True, order=True)
class Listing:
    """One finding in one round's report. Rounds count up; ``line`` from 1, 0 when there is none."""

    round: int
    path: str
    line: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How one reading weighs. Likeness of titles is between 0 and 1; all else is added to it.

    ``rarity``: power of a word's rarity. ``characters``, ``pairs``, ``names``: weight of single characters and of
    neighbouring ones in a script without spaces, and of whole names with ``_`` or ``.``, where a word weighs 1.
    ``path``: same path; ``near``: falling off over ``reach`` lines; ``same``: same line; both by ``fading`` a round.
    ``gap`` a round and ``pause`` once are taken off for rounds without it. ``centre``: share of the likeness to all
    titles of a chain together, the rest to its likest. ``rivals``: share of the runners-up that is taken off.
    ``least``: what a link needs.
    """

    rarity: float
    characters: float
    pairs: float
    names: float
    path: float
    near: float
    same: float
    reach: float
    fading: float
    gap: float
    pause: float
    centre: float
    rivals: float
    least: float


READINGS: Final = (
    Weights(
        rarity=2,
        characters=0.3,
        pairs=1.1,
        names=0.02,
        path=0.25,
        near=0.05,
        same=0,
        reach=6,
        fading=0.43,
        gap=0.02,
        pause=0.2,
        centre=0.48,
        rivals=0.3,
        least=0.25,
    ),
    Weights(
        rarity=2,
        characters=0.14,
        pairs=0.7,
        names=0,
        path=0.08,
        near=0.25,
        same=0.02,
        reach=9.6,
        fading=0.38,
        gap=0.01,
        pause=0.04,
        centre=0.6,
        rivals=0,
        least=0.11,
    ),
    Weights(
        rarity=2,
        characters=0.28,
        pairs=0.7,
        names=0.3,
        path=0.15,
        near=0.1,
        same=0,
        reach=15,
        fading=0.09,
        gap=0.04,
        pause=0.02,
        centre=0.03,
        rivals=0.15,
        least=0.25,
    ),
    Weights(
        rarity=2,
        characters=0.09,
        pairs=0.5,
        names=0.72,
        path=0.31,
        near=0.1,
        same=0.17,
        reach=100,
        fading=1,
        gap=0.03,
        pause=0.09,
        centre=0.48,
        rivals=0,
        least=0.4,
    ),
    Weights(
        rarity=0.54,
        characters=0.42,
        pairs=0.62,
        names=0.1,
        path=0.36,
        near=0.27,
        same=0.04,
        reach=12,
        fading=0.22,
        gap=0.3,
        pause=0.03,
        centre=1.55,
        rivals=0.2,
        least=1,
    ),
)
"""Local optima of a search over weights, found from different starts on one branch's 14 rounds."""

ALIKE: Final = 0.03
"""Least likeness of two titles: a place alone joins nothing, since one line may hold two defects."""

AGREE: Final = 0.4
"""The share of readings that must join a pair."""


def same_defect(listings: Sequence[Listing]) -> frozenset[tuple[int, int]]:
    """The pairs of indices, smaller first, that are one defect."""
    titles = _Titles(listings)
    votes: Counter[tuple[int, int]] = Counter()
    for weights in READINGS:
        for chain in _read(listings, titles, weights):
            members = sorted(chain)
            votes.update((one, other) for at, one in enumerate(members) for other in members[at + 1 :])
    return frozenset(pair for pair, count in votes.items() if count >= AGREE * len(READINGS))


_WORD: Final = re.compile(r"[a-z0-9_./+-]+|[^\W\d_a-z]+")
_PART: Final = re.compile(r"[a-z]+|[0-9]+")


def _words(title: str) -> frozenset[tuple[int, str]]:
    """What a title consists of: (0, word or part of a name), (1, character), (2, neighbours), (3, whole name)."""
    found: set[tuple[int, str]] = set()
    for match in _WORD.finditer(title.lower()):
        word = match.group()
        if word[0].isascii():
            found.update((0, part) for part in _PART.findall(word))
            if "_" in word or "." in word:
                found.add((3, word))
        else:
            found.update((1, char) for char in word)
            found.update((2, word[at : at + 2]) for at in range(len(word) - 1))
    return frozenset(found)


class _Titles:
    """The titles' words, and how rare each is: by the round that has most titles with it."""

    def __init__(self, listings: Sequence[Listing]) -> None:
        self.words = [_words(each.title) for each in listings]
        by_round: dict[int, Counter[tuple[int, str]]] = defaultdict(Counter)
        sizes: Counter[int] = Counter()
        for each, words in zip(listings, self.words, strict=True):
            by_round[each.round].update(words)
            sizes[each.round] += 1
        most: dict[tuple[int, str], int] = {}
        for counts in by_round.values():
            for word, count in counts.items():
                most[word] = max(most.get(word, 0), count)
        full = max(sizes.values(), default=1)
        self.rarity = {word: max(0.05, math.log((full + 1) / (count + 0.5))) for word, count in most.items()}

    def vectors(self, weights: Weights) -> list[dict[tuple[int, str], float]]:
        """Each title as a vector of length 1."""
        by_kind = (1.0, weights.characters, weights.pairs, weights.names)
        result = []
        for words in self.words:
            vector = {word: math.sqrt(self.rarity[word] ** weights.rarity * by_kind[word[0]]) for word in words}
            length = math.sqrt(sum(value * value for value in vector.values())) or 1.0
            result.append({word: value / length for word, value in vector.items()})
        return result


@dataclass(slots=True)
class _Chain:
    members: list[int]
    centre: dict[tuple[int, str], float]

    def add(self, at: int, vector: Mapping[tuple[int, str], float]) -> None:
        self.members.append(at)
        for word, value in vector.items():
            self.centre[word] = self.centre.get(word, 0.0) + value


def _read(listings: Sequence[Listing], titles: _Titles, weights: Weights) -> list[list[int]]:
    """One reading: chains of listings, extended round by round, one listing a chain and round."""
    vectors = titles.vectors(weights)
    chains: list[_Chain] = []
    for number in sorted({each.round for each in listings}):
        new = sorted((at for at, each in enumerate(listings) if each.round == number), key=lambda at: listings[at])
        scores = [[_score(listings, vectors, chain, at, weights) for at in new] for chain in chains]
        links = sorted(
            (-value, row, column)
            for row, column, value in _against_rivals(scores, weights.rivals)
            if value >= weights.least
        )
        used: set[int] = set()
        taken: set[int] = set()
        for _, row, column in links:
            if row not in used and column not in taken:
                chains[row].add(new[column], vectors[new[column]])
                used.add(row)
                taken.add(column)
        for column, at in enumerate(new):
            if column not in taken:
                chains.append(_Chain([at], dict(vectors[at])))
    return [chain.members for chain in chains]


def _against_rivals(scores: list[list[float]], share: float) -> Iterator[tuple[int, int, float]]:
    """Each score less a share of the mean of its best rivals in row and column."""
    rows = [sorted(row, reverse=True)[:2] for row in scores]
    columns = [sorted(column, reverse=True)[:2] for column in zip(*scores, strict=True)]
    for row, values in enumerate(scores):
        for column, value in enumerate(values):
            rivals = _other(rows[row], value) + _other(columns[column], value)
            yield row, column, value - share * rivals / 2


def _other(best: list[float], value: float) -> float:
    rival = best[0] if value < best[0] else best[1] if len(best) > 1 else 0.0
    return max(0.0, rival)


def _score(
    listings: Sequence[Listing],
    vectors: Sequence[Mapping[tuple[int, str], float]],
    chain: _Chain,
    at: int,
    weights: Weights,
) -> float:
    """How well a listing continues a chain."""
    new, vector = listings[at], vectors[at]
    places = [_place(listings[member], new, weights) for member in chain.members]
    likeness = [_dot(vectors[member], vector) for member in chain.members]
    if max(likeness) < ALIKE:
        return 0.0
    best = max(map(sum, zip(likeness, places, strict=True)))
    length = math.sqrt(sum(value * value for value in chain.centre.values())) or 1.0
    together = _dot(vector, chain.centre) / length + max(places)
    missed = new.round - listings[chain.members[-1]].round - 1
    off = weights.gap * min(missed, 4) + (weights.pause if missed else 0.0)
    return (1 - weights.centre) * best + weights.centre * together - off


def _place(old: Listing, new: Listing, weights: Weights) -> float:
    """What the places of two listings say: the same file, the same name elsewhere, near lines not long ago."""
    if old.path != new.path:
        return weights.path * 0.8 if _name(old.path) == _name(new.path) else 0.0
    near = weights.near * math.exp(-abs(old.line - new.line) / weights.reach)
    near += weights.same if old.line == new.line else 0.0
    return weights.path + near * weights.fading ** (new.round - old.round - 1)


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _dot(one: Mapping[tuple[int, str], float], other: Mapping[tuple[int, str], float]) -> float:
    return sum(value * other[word] for word, value in one.items() if word in other)
