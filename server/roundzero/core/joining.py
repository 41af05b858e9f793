"""Which findings of several drafts of one text are one finding.

Drafts of one text word a defect differently, file it under other items and stand on other lines of it. Two findings of
different drafts are one where their places say so *and* their words do: the nearer the places, the less the words must
agree, since one line may hold two defects and one defect shows at several lines. What each of two drafts quotes, which
check it files it under, which code it names, how it says things fail and which claim it rests on weigh in. A draft says
a thing once, so two findings of one draft are one only where they are plainly the same. In doubt they are two: a defect
that is listed twice is seen, one that went into another is not. Invariant: every finding is in exactly one group, and
the groups depend on nothing but the findings.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.core.anatomy import FailureClass
from roundzero.core.cluster import rarity, words
from roundzero.core.frozen import dataclass
from roundzero.core.matching import MODEL_LINES
from roundzero.core.prompt import OTHER
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from roundzero.core.change import Side
    from roundzero.core.deep import Drafted
    from roundzero.core.finding import Observation
    from roundzero.core.text import RelPath

HERE: Final = (0.15, 0.30)
NEAR: Final = (0.25, 0.40)
AROUND: Final = (0.40, 0.50)
"""How alike two drafts must be (0 to 1) that stand on one line, within a few lines or where the other quotes, and
elsewhere in one function or with a line of evidence in common: by their titles, and by titles and decisive claims.

Of 174 listings of a real branch with hand labels (bench/identity.py) titles of one line that were alike by 0.15 were
one defect in all cases but one, and within three lines by 0.25 in all but one; with claims, fitted on
tests/support/defects.json, where the pairs are chosen to mislead.
"""

LEAST: Final = (0.10, 0.12)
"""Less than this joins nothing, whatever else is the same: of one line and item there may be two defects."""

_SAME_ITEM: Final = -0.13
_OTHER_ITEM: Final = 0.06
_SAME_FAILURE: Final = -0.03
_OTHER_KIND: Final = 0.15
"""A missing test of something that crashes is not the crash."""
_OTHER_NAMES: Final = 1.0
"""Two texts that each name parts of the code, and none in common, mean two defects, however alike their words are."""
_FAR: Final = 12
"""Lines of one function from which on two drafts that quote nothing in common mean two places."""
_COMMON_EVIDENCE: Final = -0.20
"""Where two quote exactly the same lines, and more than one; less where only some are the same."""
_PLAINLY: Final = 0.5
"""How alike the words of one draft must be on one line for it to have said a thing twice."""

_SHORT: Final = 3
_SHORT_WEIGHT: Final = 0.25
"""A short word of letters alone is seldom a name."""
_STRANGERS: Final = -1.0
_Line = tuple["RelPath", "Side", int]

_KINDS: Final[Mapping[FailureClass, str]] = {
    FailureClass.TEST_GAP: "tests",
    FailureClass.CI_GAP: "tests",
    FailureClass.MAINTAINABILITY: "form",
    FailureClass.STYLE: "form",
}


def groups(drafted: Sequence[Drafted]) -> list[list[int]]:
    """The findings that are one, by indices in order; first by first member. ``drafted`` in an order of its own."""
    return _groups([_Said.of(each) for each in drafted])


@dataclass(frozen=True, slots=True)
class _Said:
    """One drafted finding with what is compared of it."""

    drafted: Drafted
    title: Mapping[str, float]
    claim: Mapping[str, float]
    names: frozenset[str]
    lines: frozenset[_Line]
    edits: Hashable
    failure: FailureClass | None

    @staticmethod
    def of(drafted: Drafted) -> _Said:
        seen, case = drafted.observation, drafted.observation.anatomy
        claims = [each.text for each in case.claims if each.decisive] if case is not None else []
        return _Said(
            drafted,
            _telling(seen.title),
            _telling(" ".join(claims)),
            _names(" ".join((seen.title, *claims))),
            frozenset((each.path, each.side, each.line) for each in seen.evidence if each.is_found),
            tuple((edit.path, edit.span, edit.new_text) for fix in seen.fixes for edit in fix.edits),
            case.consequence.failure if case is not None and case.consequence is not None else None,
        )

    @property
    def seen(self) -> Observation:
        return self.drafted.observation

    @property
    def voice(self) -> int:
        return self.drafted.voice

    @property
    def standing(self) -> _Line | None:
        return (self.seen.path, self.seen.side, self.seen.line) if self.seen.path is not None else None


def _telling(text: str) -> dict[str, float]:
    """What a text consists of and how much each weighs; what a short word of letters weighs is little."""
    return {
        word: weight * _SHORT_WEIGHT if len(word) <= _SHORT and word.isascii() and word.isalpha() else weight
        for word, weight in words(text).items()
    }


_NAME: Final = regex(r"`([^`\s]+)`|\b([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\b(\()?", re.ASCII)
_WRITTEN: Final = regex(r"[a-z0-9][A-Z]|_|\.|\d")
_COMMON: Final = regex(r"None|True|False|\w*(?:Error|Exception|Interrupt)")


def _names(text: str) -> frozenset[str]:
    """The names of code in a text, without what any code may raise or return; of a dotted one its beginning as well."""
    found: set[str] = set()
    for quoted, plain, call in _NAME.findall(text):
        name = (quoted or plain).removesuffix("()").strip(".")
        if (quoted or call or _WRITTEN.search(name.strip("_"))) and not _COMMON.fullmatch(name):
            found |= {each for each in (name, name.partition(".")[0]) if len(each) > 1}
    return frozenset(found)


def _groups(said: Sequence[_Said]) -> list[list[int]]:
    """Which of the findings are one, by indices in order: the surest pairs first, and as one whole."""
    compared = _Compared(said)
    groups = {at: [at] for at in range(len(said))}
    where = list(range(len(said)))
    for _, one, other in sorted((-score, one, other) for (one, other), score in compared.scores.items() if score >= 0):
        left, right = where[one], where[other]
        if left == right:
            continue
        pairs = [(first, second) for first in groups[left] for second in groups[right]]
        if any(not compared.may_be_one(*pair) for pair in pairs):
            continue
        if sum(compared.of(*pair) for pair in pairs) >= 0:
            keep, gone = sorted((left, right))
            groups[keep] = sorted([*groups[keep], *groups.pop(gone)])
            for at in groups[keep]:
                where[at] = keep
    return list(groups.values())


class _Compared:
    """How surely two findings are one: by how much their words agree more than their places ask for."""

    def __init__(self, said: Sequence[_Said]) -> None:
        self._said = said
        voices = [each.voice for each in said]
        titles, claims = [dict(each.title) for each in said], [dict(each.claim) for each in said]
        self._titles = _weighed(voices, titles)
        self._claims = _weighed(voices, claims)
        self.scores = {pair: self._score(*pair) for pair in sorted(set(_neighbours(said)))}

    def of(self, one: int, other: int) -> float:
        """Above 0: they are one. Two that nothing connects speak against a group."""
        return self.scores.get((min(one, other), max(one, other)), _STRANGERS)

    def may_be_one(self, one: int, other: int) -> bool:
        """Whether two may be in one group: of one voice only what it plainly said twice."""
        first, second = self._said[one], self._said[other]
        if first.voice != second.voice:
            return True
        if first.edits and first.edits == second.edits:
            return True
        same = first.standing == second.standing and first.seen.item == second.seen.item
        return same and _alike(self._titles[one], self._titles[other]) >= _PLAINLY

    def _score(self, one: int, other: int) -> float:
        first, second = self._said[one], self._said[other]
        if first.edits and first.edits == second.edits:
            return 1.0
        alike = _alike(self._titles[one], self._titles[other])
        claims = bool(first.claim and second.claim)
        if claims:
            alike = (alike + _alike(self._claims[one], self._claims[other])) / 2
        return alike - _asked(first, second)[claims]


def _asked(first: _Said, second: _Said) -> tuple[float, float]:
    """How alike their titles must be, and how alike titles and claims."""
    here, there = first.seen, second.seen
    beside = here.path == there.path and here.side is there.side and abs(here.line - there.line) <= MODEL_LINES
    if first.standing == second.standing:
        asked = HERE
    elif beside or first.standing in second.lines or second.standing in first.lines:
        asked = NEAR
    else:
        asked = AROUND
    more = 0.0
    if here.item == there.item:
        more += _SAME_ITEM if here.item != OTHER else 0.0
    elif OTHER not in {here.item, there.item}:
        more += _OTHER_ITEM
    if first.names and second.names and not first.names & second.names:
        more += _OTHER_NAMES
    if first.failure is not None and second.failure is not None:
        if first.failure is second.failure:
            more += _SAME_FAILURE
        elif _KINDS.get(first.failure) != _KINDS.get(second.failure):
            more += _OTHER_KIND
    if min(len(first.lines), len(second.lines)) > 1:
        more += _COMMON_EVIDENCE * len(first.lines & second.lines) / len(first.lines | second.lines)
    return (max(LEAST[0], asked[0] + more), max(LEAST[1], asked[1] + more))


def _neighbours(said: Sequence[_Said]) -> Iterator[tuple[int, int]]:
    """The pairs that a place connects: a line of evidence, an edit, or lines that are near or near in one function."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for at, each in enumerate(said):
        for line in each.lines | ({each.standing} if each.standing is not None else set()):
            groups[line].append(at)
        if each.edits:
            groups[each.edits].append(at)
    for members in groups.values():
        yield from itertools.combinations(members, 2)
    yield from _near(said)


def _near(said: Sequence[_Said]) -> Iterator[tuple[int, int]]:
    """The pairs a few lines apart, or some more in one function."""
    by_file: dict[RelPath, list[int]] = defaultdict(list)
    for at, each in enumerate(said):
        if each.seen.path is not None:
            by_file[each.seen.path].append(at)
    for members in by_file.values():
        order = sorted(members, key=lambda at: said[at].seen.line)
        for number, one in enumerate(order):
            for other in order[number + 1 :]:
                apart = said[other].seen.line - said[one].seen.line
                if apart > _FAR:
                    break
                symbol = said[one].seen.symbol
                if apart > MODEL_LINES and (symbol is None or symbol != said[other].seen.symbol):
                    continue
                yield (min(one, other), max(one, other))


def _weighed(voices: Sequence[int], said: Sequence[dict[str, float]]) -> list[dict[str, float]]:
    telling = rarity(voices, said)
    return [{word: weight * telling[word] ** 2 for word, weight in each.items()} for each in said]


def _alike(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How alike two texts are: the mean of the cosine and of the share of the shorter one that is common."""
    common = sum(one[word] for word in one.keys() & other.keys())
    if not common:
        return 0.0
    first, second = sum(one.values()), sum(other.values())
    return (common / math.sqrt(first * second) + common / min(first, second)) / 2
