"""How alike titles are that say what is wrong, for findings that share no anchor.

Titles are compared by words, parts of names and, where words have no spaces, by characters; what many titles of a
round say tells little. There is no list of words and no look at severity, which drifts. Deliberately not which
findings are one: who compares decides what else has to agree. Invariant: likeness is symmetric, and 1 for equal titles.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

ALIKE: Final = 0.3
"""From this likeness on two titles say one thing, where nothing else tells but that they stand within a few lines."""

_WORD: Final = regex(r"[A-Za-z0-9_]+(?:[./+-][A-Za-z0-9_]+)*|[^\W\d_A-Za-z]+")
_PART: Final = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PLURAL: Final = regex(r"(?<=[a-z]{3})(?<!s)s$")
_CHARACTER: Final = 0.25
_NEIGHBOURS: Final = 0.7
"""What a character, and two side by side, of a script without spaces weigh beside a word."""


def likeness(one: str, other: str) -> float:
    """How alike two titles are, from 0 to 1, with every word as telling as another."""
    return sum(alike((1, 2), (one, other))[0][1]) / 2


def alike(rounds: Sequence[int], titles: Sequence[str]) -> list[list[tuple[float, float]]]:
    """How alike each two titles are: the cosine of their words, and the share of the shorter one's that is common.

    ``rounds``: by whom or when each was said; a word is rare as rarity has it.
    """
    found = [words(title) for title in titles]
    telling = rarity(rounds, found)
    weighed = [{word: weight * telling[word] ** 2 for word, weight in each.items()} for each in found]
    whole = [sum(each.values()) or 1.0 for each in weighed]
    result = [[(0.0, 0.0)] * len(titles) for _ in titles]
    for one, first in enumerate(weighed):
        for other in range(one):
            second = weighed[other]
            common = sum(first[word] for word in first.keys() & second.keys())
            both = (common / math.sqrt(whole[one] * whole[other]), common / min(whole[one], whole[other]))
            result[one][other] = result[other][one] = both
    return result


def words(title: str) -> dict[str, float]:
    """What a title consists of, and how much each weighs.

    A name counts by its parts, by neighbouring parts and as a whole, so that ``copy-out``, ``copyout`` and
    ``local_copyout`` have something in common.
    """
    found: dict[str, float] = {}
    for match in _WORD.finditer(title):
        word = match.group()
        if word[0].isascii():
            parts = [_PLURAL.sub("", part.lower()) for part in _PART.findall(word)]
            found.update(dict.fromkeys(parts, 1.0))
            found.update((one + other, 1.0) for one, other in itertools.pairwise(parts))
            found["".join(parts)] = 1.0
        else:
            found.update((word[at : at + 2], _NEIGHBOURS) for at in range(len(word) - 1))
            found.update((character, _CHARACTER) for character in word)
    return found


def rarity(rounds: Sequence[int], said: Sequence[dict[str, float]]) -> dict[str, float]:
    """How rare each word is: by the round with most titles that have it. ``said``: the words of each title."""
    by_round: dict[int, Counter[str]] = defaultdict(Counter)
    for number, found in zip(rounds, said, strict=True):
        by_round[number].update(found.keys())
    most: dict[str, int] = {}
    for counts in by_round.values():
        for word, count in counts.items():
            most[word] = max(most.get(word, 0), count)
    full = max(Counter(rounds).values(), default=1)
    return {word: max(0.05, math.log((full + 1) / (count + 0.5))) for word, count in most.items()}
