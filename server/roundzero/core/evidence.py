"""Checks quotes against the text they are said to come from, and finds where those stand that have moved.

A quote is evidence only where it can be read. Reviewers cite from memory: line numbers are off, white space differs,
Markdown has eaten marks, the middle is left out. Each quote comes out exact at its line, moved, whitespace (it reads
the same but for white space, marks and framing) or missing. Whether a finding may rest on it is the gate's to decide.
Invariant: a quote is never placed on a line that does not read so, nor moved where nothing tells which of several lines
that read so is meant.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.core.finding import Verified
from roundzero.core.frozen import dataclass
from roundzero.core.quotes import CLOSE, TELLING, Reading, Text, readings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping, Sequence

    from roundzero.core.change import Side, Source
    from roundzero.core.finding import Evidence
    from roundzero.core.text import LineIndex, RelPath

HERE: Final = 6
"""The same to be taken for a part of the line it is said to be from: a bracket is a part of many."""
MARKED: Final = 12
"""The same where marks were ignored: more lines read like it."""
PARTIAL: Final = 20
"""The same where the quote is a part of its line: it may be what other lines have in common."""
UNMISTAKABLE: Final = 30
"""The same from which on a quote that stands in one place alone is believed to have passed its neighbours."""
TWICE: Final = 10
"""Most lines between two places said of one line that is named twice; two such lines are rarely as near."""
FAR: Final = 100
"""How far all other places must be for one as close as that to be meant."""
SIDES: Final = 2
"""Neighbours that must agree: over months of a large repository one alone sent 7 lines of 9,000 astray, two none."""


@dataclass(frozen=True, slots=True)
class Quote:
    """What is said to stand at a line (from 1); of several lines, the first."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """How a quote came out, and the line it stands at: as it was said where it is missing."""

    verified: Verified
    line: int


def verified(
    evidence: Sequence[Evidence],
    sources: Mapping[tuple[RelPath, Side], Source],
    forms: MutableMapping[tuple[RelPath, Side], Text] | None = None,
) -> tuple[Evidence, ...]:
    """The evidence, checked against ``sources``: the texts under review, by path and side.

    What was found has the path of its text, which is another one than that asked for at the base of a renamed file.
    ``forms`` keeps what was made of the texts for the next call, since that takes longer than the looking.
    """
    forms = {} if forms is None else forms
    by_file: dict[tuple[RelPath, Side], list[int]] = defaultdict(list)
    for at, each in enumerate(evidence):
        by_file[each.path, each.side].append(at)
    result = list(evidence)
    for key, numbers in by_file.items():
        source = sources.get(key)
        if source is None:
            for at in numbers:
                result[at] = replace(result[at], verified=Verified.MISSING)
            continue
        if key not in forms:
            forms[key] = Text(source.index)
        places = locate([Quote(result[at].line, result[at].quote) for at in numbers], source.index, forms[key])
        for at, place in zip(numbers, places, strict=True):
            found = replace(result[at], verified=place.verified, line=place.line, blob=source.blob)
            result[at] = replace(found, path=source.path)
    return tuple(result)


def locate(quotes: Sequence[Quote], index: LineIndex, text: Text | None = None) -> list[Place]:
    """Where the quotes from one text stand in it. ``text``: what was made of it before, if anything.

    They are looked at together: what two neighbours say of how lines moved tells which of several places is meant, and
    that a place is not the meant one although it reads the same.
    """
    text = text or Text(index)
    traces = [_trace(quote, text) for quote in quotes]
    traces = _in_order(_apart(traces))
    ways = [(trace.said, trace.line) for trace in traces if trace.line is not None and trace.shows_way]
    return [_place(trace, _between(trace, ways) if trace.line is None else trace.line) for trace in traces]


class _Trace(NamedTuple):
    """What became of a quote so far. ``line`` None: nowhere, or at several places; ``here``: at the line it is said."""

    said: int
    key: str
    reading: Reading | None
    line: int | None
    here: bool

    @property
    def told(self) -> int:
        return self.reading.told if self.reading is not None else 0

    @property
    def shows_way(self) -> bool:
        """Whether others may be judged by where this one went."""
        return self.told >= MARKED and self.reading is not None and len(self.reading.found) == 1


def _trace(quote: Quote, text: Text) -> _Trace:
    key = text.key(quote.text)
    strictest: Reading | None = None
    for reading in readings(quote.text, text, quote.line):
        if any(each.line == quote.line and (each.whole or reading.told >= HERE) for each in reading.found):
            return _Trace(quote.line, key, reading, quote.line, here=True)
        # A laxer reading would find more places, never the meant one.
        strictest = strictest or (reading if reading.found else None)
    return _Trace(quote.line, key, strictest, _only(strictest) if strictest is not None else None, here=False)


def _only(reading: Reading) -> int | None:
    """The one line a quote can mean."""
    whole = [each for each in reading.found if each.whole]
    found = whole if len(whole) == 1 else list(reading.found)
    needed = PARTIAL if not whole else MARKED if reading.marked else TELLING
    return found[0].line if len(found) == 1 and reading.told >= needed else None


def _apart(traces: Sequence[_Trace]) -> list[_Trace]:
    """Without what was said of two lines and would go to one: at most one of them stood there."""
    meeting: dict[tuple[str, int], list[_Trace]] = defaultdict(list)
    for trace in traces:
        if trace.line is not None:
            meeting[trace.key, trace.line].append(trace)
    lost: set[_Trace] = set()
    for group in meeting.values():
        said = {trace.said for trace in group}
        if max(said) - min(said) > TWICE:
            ways = [(each.said, each.line) for each in traces if each.line is not None and each not in group]
            meant = {each.said for each in group if each.here} or _meant(group, ways)
            lost.update(each for each in group if each.said not in meant)
    return [trace._replace(line=None, reading=None) if trace in lost else trace for trace in traces]


def _meant(group: Sequence[_Trace], ways: Sequence[tuple[int, int]]) -> set[int]:
    """The one line of those said that the place belongs to, if anything tells."""
    tests: tuple[Callable[[_Trace], bool], ...] = (
        lambda each: each.reading is not None and each.reading.plain,
        lambda each: each.line is not None and each.line - each.said in _shifts(each.said, ways),
        lambda each: each.line is not None and abs(each.line - each.said) <= CLOSE,
    )
    for test in tests:
        passed = {each.said for each in group if test(each)}
        if len(passed) == 1:
            return passed
    return set()


def _in_order(traces: Sequence[_Trace]) -> list[_Trace]:
    """Without what would have crossed a neighbour that says more, unless it says so much that there is no other."""
    settled = [trace for trace in traces if trace.line is not None]
    lost: set[_Trace] = set()
    for trace in settled:
        if trace.here or trace.told >= UNMISTAKABLE or trace.line is None:
            continue
        for other in settled:
            crossed = other.line is not None and (other.said - trace.said) * (other.line - trace.line) < 0
            if crossed and other.told >= max(trace.told, MARKED):
                lost.add(trace)
    return [trace._replace(line=None, reading=None) if trace in lost else trace for trace in traces]


def _between(trace: _Trace, ways: Sequence[tuple[int, int]]) -> int | None:
    """Which of several places a quote means: where its neighbours moved to, or the one by far the nearest."""
    if trace.reading is None or trace.told < TELLING or len(trace.reading.found) < 2:
        return None
    lines = [each.line for each in trace.reading.found]
    shifts = _shifts(trace.said, ways)
    if len(shifts) == SIDES and len(set(shifts)) == 1 and (target := trace.said + shifts[0]) in lines:
        return target
    nearest, *others = sorted(lines, key=lambda line: abs(line - trace.said))
    still = all(abs(shift) <= CLOSE for shift in shifts)
    near, far = abs(nearest - trace.said), abs(others[0] - trace.said)
    return nearest if still and near <= CLOSE and far >= FAR else None


def _shifts(line: int, ways: Sequence[tuple[int, int]]) -> list[int]:
    """By how many lines the neighbours of a line moved, on either side of it where there are any."""
    before = max((way for way in ways if way[0] <= line), default=None)
    after = min((way for way in ways if way[0] > line), default=None)
    return [way[1] - way[0] for way in (before, after) if way is not None]


def _place(trace: _Trace, line: int | None) -> Place:
    if line is None or trace.reading is None:
        return Place(Verified.MISSING, trace.said)
    if not trace.reading.plain:
        return Place(Verified.WHITESPACE, line)
    return Place(Verified.EXACT if line == trace.said else Verified.MOVED, line)
