"""Which entries of the ledger the observations of now are.

The tests, surest first and one to one: same print on the line it moved to; same text elsewhere in the file, with the
same symbol or surroundings; the one long text that left its file for another; same item where its line was edited; for
a model's, same item within three lines or at the same evidence, or another item there under a title that is alike; same
print in another file. Where a test allows several pairs, the lines around them decide, as for origin (core/neighbours),
then distance. Lines are followed through a line map from the text an entry was last seen in. Where that text is known
to be the one of now, or a map is known, a kept line can only be found where it is now; where nothing is known, text
decides and the old line only breaks ties. Fixed entries come back by print in their file only. Invariants: no entry
and no observation is used twice, and the result does not depend on input order.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, TypeAlias

from roundzero.core.ascending import ascending
from roundzero.core.change import Side
from roundzero.core.cluster import likeness
from roundzero.core.finding import FindingId, State, first_id
from roundzero.core.frozen import dataclass
from roundzero.core.matching import MODEL_LINES, RESEMBLES, TELLING, assign_ids, resemblance
from roundzero.core.neighbours import Spot, couple
from roundzero.core.sighting import Sighting, redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from roundzero.core.finding import Observation
    from roundzero.core.known_texts import Texts
    from roundzero.core.ledger import Entry, Ledger
    from roundzero.core.linemap import Hunk
    from roundzero.core.text import RelPath

SAME_WORDS: Final = 0.4
"""How alike titles of different items are when they mean one defect: a place may hold two."""


def recognise(ledger: Ledger, seen: Sequence[Observation], texts: Texts) -> list[FindingId]:
    """Ids for all observations of a review: that of the entry each is, else a first id nobody has."""
    if not ledger.entries:
        return assign_ids(seen)
    matched = match(ledger.entries.values(), seen, texts)
    taken = set(ledger.entries)
    ids: list[FindingId | None] = [matched.get(at) for at in range(len(seen))]
    fresh = sorted((at for at, name in enumerate(ids) if name is None), key=lambda at: _order(seen[at], seen[at].line))
    for at in fresh:
        each, ordinal = seen[at], 0
        while (name := first_id(each.item, each.path, each.symbol, each.anchor_text, ordinal)) in taken:
            ordinal += 1
        ids[at] = name
        taken.add(name)
    return [name for name in ids if name is not None]


def match(entries: Iterable[Entry], seen: Sequence[Observation], texts: Texts) -> dict[int, FindingId]:
    """The entry of each observation that has one, by index."""
    live: list[_Row] = []
    fixed: list[_Row] = []
    for entry in entries:
        seen_then = entry.sighting
        place = texts.where(seen_then)
        text, base = seen_then.anchor_text, seen_then.side is Side.BASE
        row = _Row(entry.id, seen_then, place.path, place.line, place.near, place.hunk, place.known, text, base)
        (fixed if entry.state is State.FIXED else live).append(row)
    after = []
    for at, each in enumerate(seen):
        line = each.line
        text, base = redacted(each.anchor_text), each.side is Side.BASE
        after.append(_Row(at, each, each.path, line, line, None, True, text, base))  # noqa: FBT003  its place is known
    matcher = _Recogniser(live, after, texts)
    matcher.exactly(lambda row: (row.seen.item, row.base, row.path, row.seen.symbol, row.text, row.line))
    if matcher.unfinished:
        matcher.by_key(lambda row: (row.seen.item, row.base, row.path, row.text, row.line))
    if matcher.unfinished:
        kept = matcher.set_kept_aside()
        matcher.follow_files(texts.gone)
        matcher.follow_lines()
        matcher.by_key(lambda row: (row.seen.item, row.base, row.path, row.text), one_symbol=True)
        matcher.by_key(_text_in_file)
        matcher.alone(lambda row: (row.seen.item, row.text) if _is_itself(row) and _may_have_left(row, texts) else None)
        matcher.edited()
        matcher.before += [row for row in kept if _is_model(row)]
        matcher.by_model()
        matcher.by_model_elsewhere()
        matcher.before = [row for row in matcher.before if not _is_kept(row)]
    if fixed and matcher.after:
        matcher.before += fixed
        matcher.only(fixed, lambda row: (row.seen.item, row.base, row.path, row.seen.symbol, row.text))
    matcher.before = [row for row in matcher.before if _may_have_left(row, texts)]
    if matcher.unfinished:
        matcher.alone(lambda row: (row.seen.item, row.seen.symbol, row.text) if row.seen.symbol else None)
        matcher.alone(lambda row: (row.seen.item, row.text) if _is_itself(row) else None)
    return matcher.pairs


@dataclass(slots=True, eq=False)
class _Row:
    """One side of a possible pair. ``name``: the entry's id, or the observation's index; ``base``: seen at the base."""

    name: FindingId | int
    seen: Observation | Sighting
    path: RelPath | None
    line: int | None
    near: int
    hunk: Hunk | None
    known: bool
    text: str
    base: bool


class _Recogniser:
    def __init__(self, before: list[_Row], after: list[_Row], texts: Texts) -> None:
        self._texts = texts
        self.pairs: dict[int, FindingId] = {}
        self.before = before
        self.after = after

    @property
    def unfinished(self) -> bool:
        return bool(self.before and self.after)

    def exactly(self, key: Callable[[_Row], Hashable]) -> None:
        """Pair what has equal keys, several of one key from left to right: nearly everything, in one pass."""
        old: dict[Hashable, list[_Row]] = defaultdict(list)
        for row in self.before:
            old[key(row)].append(row)
        new: dict[Hashable, list[_Row]] = defaultdict(list)
        for row in self.after:
            new[key(row)].append(row)
        for value, rows in new.items():
            others = old.get(value)
            if others is None:
                continue
            if len(rows) > 1 or len(others) > 1:
                rows.sort(key=_column)
                others.sort(key=_column)
            for row, other in zip(rows, others, strict=False):
                self._pair(other, row)
        self._drop()

    def follow_files(self, gone: frozenset[RelPath]) -> None:
        """Let the entries of a file that is gone look where most of their prints are now: it was renamed.

        Where their lines were edited as well, most of their symbols say so, of a file that had nothing before.
        """
        by_path: dict[RelPath, list[_Row]] = defaultdict(list)
        for row in self.before:
            if row.path is not None and row.path in gone:
                by_path[row.path].append(row)
        if not by_path:
            return
        before = {row.seen.path for row in self.before}
        by_print = self._places(lambda row: (row.seen.item, row.seen.symbol, row.text))
        by_symbol = self._places(
            lambda row: (row.seen.item, row.seen.symbol) if row.seen.symbol and row.path not in before else None
        )
        for path, lost in sorted(by_path.items()):
            best = _most(path, [by_print.get((row.seen.item, row.seen.symbol, row.text), set()) for row in lost])
            best = best or _most(path, [by_symbol.get((row.seen.item, row.seen.symbol), set()) for row in lost])
            if best is not None:
                for row in lost:
                    row.path = best

    def _places(self, key: Callable[[_Row], Hashable | None]) -> dict[Hashable, set[RelPath]]:
        """The paths in which something of each key is seen."""
        there: dict[Hashable, set[RelPath]] = defaultdict(set)
        for row in self.after:
            if row.path is not None and (value := key(row)) is not None:
                there[value].add(row.path)
        return there

    def follow_lines(self) -> None:
        """Where no line map is known, shift lines as the nearest print moved that is the only one of its kind."""
        lost: dict[RelPath, list[_Row]] = defaultdict(list)
        for row in self.before:
            if row.path is not None and not row.known:
                lost[row.path].append(row)
        here: dict[RelPath, list[_Row]] = defaultdict(list)
        for row in self.after:
            if row.path is not None and row.path in lost:
                here[row.path].append(row)
        for path, rows in lost.items():
            fixed = _fixed_points(rows, here.get(path, []))
            lines = [old for old, _ in fixed]
            for row in rows:
                if fixed and row.near:
                    at = bisect_right(lines, row.near)
                    old, new = fixed[max(0, at - 1)]
                    row.near = max(1, row.near + new - old)

    def by_key(self, key: Callable[[_Row], Hashable | None], *, one_symbol: bool = False) -> None:
        """Pair what has equal keys; within a key by surroundings, then nearest lines first."""
        self._couple(self.before, key, one_symbol=one_symbol)

    def only(self, before: list[_Row], key: Callable[[_Row], Hashable | None]) -> None:
        """As by_key, for some entries; afterwards none of them takes part any more."""
        self._couple(before, key)
        aside = {id(row) for row in before}
        self.before = [row for row in self.before if id(row) not in aside]

    def alone(self, key: Callable[[_Row], Hashable | None]) -> None:
        """Pair across files what is the only one of its key on both sides."""
        olds = Counter(key(row) for row in self.before)
        news = Counter(key(row) for row in self.after)
        one = {value for value, count in olds.items() if value is not None and count == news.get(value, 0) == 1}
        self.by_key(lambda row: value if (value := key(row)) in one else None)

    def set_kept_aside(self) -> list[_Row]:
        """Take out entries whose line is still there: what is seen elsewhere is something else."""
        kept = [row for row in self.before if _is_kept(row)]
        self.before = [row for row in self.before if not _is_kept(row)]
        return kept

    def edited(self) -> None:
        """Pair places of one item whose text was edited: in one hunk or, without a map, where they stood."""
        groups: dict[Hashable, list[_Row]] = defaultdict(list)
        for row in self.after:
            groups[row.seen.item, row.base, row.path].append(row)
        found: list[_Candidate] = []
        for row in self.before:
            for other in groups.get((row.seen.item, row.base, row.path), ()):
                likeness = _likeness(row, other)
                if likeness > 0:
                    found.append(_candidate(-likeness, row, other))
        self._settle(found)

    def by_model(self) -> None:
        """Pair a model's findings of one item that lie close, or that cite one line."""
        groups: dict[Hashable, list[_Row]] = defaultdict(list)
        for row in self.after:
            if _is_model(row):
                groups[row.seen.item].append(row)
        found: list[_Candidate] = []
        for row in self.before:
            for other in groups.get(row.seen.item, ()) if _is_model(row) else ():
                distance = abs(row.near - other.near)
                close = row.path == other.path and distance <= MODEL_LINES
                if close or _cites(row) & _cites(other):
                    found.append(_candidate(distance if close else 100 + distance, row, other))
        self._settle(found)

    def by_model_elsewhere(self) -> None:
        """Pair what a model files under another item this time: close by, and said in like words."""
        here: dict[RelPath | None, list[_Row]] = defaultdict(list)
        for row in self.after:
            if _is_model(row):
                here[row.path].append(row)
        found: list[_Candidate] = []
        for row in self.before if here else ():
            for other in here.get(row.path, ()) if _is_model(row) else ():
                if abs(row.near - other.near) <= MODEL_LINES:
                    alike = likeness(row.seen.title, other.seen.title)
                    if alike >= SAME_WORDS:
                        found.append(_candidate(-alike, row, other))
        self._settle(found)

    def _couple(self, before: list[_Row], key: Callable[[_Row], Hashable | None], *, one_symbol: bool = False) -> None:
        olds: dict[Hashable, list[_Row]] = defaultdict(list)
        for row in before:
            if (value := key(row)) is not None:
                olds[value].append(row)
        news: dict[Hashable, list[_Row]] = defaultdict(list)
        for row in self.after:
            if (value := key(row)) in olds:
                news[value].append(row)
        for value, rows in news.items():
            for old, new in couple(olds[value], rows, self._spot, one_symbol=one_symbol):
                self._pair(old, new)
        if news:
            self._drop()

    def _spot(self, row: _Row) -> Spot:
        order = (row.path or "", row.near, *_order(row.seen, row.seen.line)[1:], str(row.name))
        return Spot(near=row.near, symbol=row.seen.symbol, order=order, around=self._texts.around(row.seen))

    def _settle(self, candidates: list[_Candidate]) -> None:
        used: set[int] = set()
        for _, _, _, _, old, new in sorted(candidates, key=lambda each: each[:4]):
            if id(old) not in used and id(new) not in used:
                self._pair(old, new)
                used |= {id(old), id(new)}
        if used:
            self._drop()

    def _pair(self, old: _Row, new: _Row) -> None:
        assert isinstance(new.name, int)  # noqa: S101  rows of ``after``
        assert not isinstance(old.name, int)  # noqa: S101  rows of ``before``
        self.pairs[new.name] = old.name
        old.text = new.text = ""
        old.name = new.name = _USED

    def _drop(self) -> None:
        self.before = [row for row in self.before if row.name != _USED]
        self.after = [row for row in self.after if row.name != _USED]


_USED: Final = -1
_VOTES: Final = 2
"""So many prints at least must say that a file was renamed."""


def _most(path: RelPath, found: Sequence[set[RelPath]]) -> RelPath | None:
    """The path other than ``path`` that more than half, and enough, of those looked for are in."""
    votes = Counter(new for each in found for new in each if new != path)
    best = min(votes, key=lambda new: (-votes[new], new), default=None)
    return best if best is not None and votes[best] * 2 > len(found) and votes[best] >= _VOTES else None


def _fixed_points(before: list[_Row], after: list[_Row]) -> list[tuple[int, int]]:
    """Old and new lines of prints that occur once on both sides of a file, ascending on both."""
    old = _once(before)
    new = _once(after)
    return ascending(sorted((old[key], new[key]) for key in old.keys() & new.keys()))


def _once(rows: list[_Row]) -> dict[Hashable, int]:
    """The lines of prints that occur once, by print."""
    counts = Counter((row.seen.item, row.base, row.seen.symbol, row.text) for row in rows)
    return {
        key: row.near
        for row in rows
        if row.near and counts[key := (row.seen.item, row.base, row.seen.symbol, row.text)] == 1
    }


_Candidate: TypeAlias = "tuple[float, tuple[str, int, int, str], tuple[str, int, int, str], str, _Row, _Row]"


def _candidate(cost: float, old: _Row, new: _Row) -> _Candidate:
    """Sorts by cost, then by where the two stand, so that input order decides nothing."""
    return (cost, _order(new.seen, new.near), _order(old.seen, old.near), str(old.name), old, new)


def _order(seen: Observation | Sighting, line: int) -> tuple[str, int, int, str]:
    column = seen.span.start.column if seen.span is not None else 0
    return (seen.path or "", line, column, seen.title)


def _column(row: _Row) -> tuple[str, int, int, str]:
    return _order(row.seen, row.near)


def _may_have_left(row: _Row, texts: Texts) -> bool:
    """Whether it is known that an entry is no longer in its file: nobody looked into a file that is not at hand."""
    return row.path is None or row.path in texts.heads or row.path in texts.gone


def _is_itself(row: _Row) -> bool:
    """Whether a line's text alone says which line it is."""
    return len(row.text) >= TELLING


def _text_in_file(row: _Row) -> Hashable | None:
    return (row.seen.item, row.base, row.path, row.text) if len(row.text) > 1 else None


def _is_kept(row: _Row) -> bool:
    return row.known and bool(row.line)


def _is_model(row: _Row) -> bool:
    return row.seen.source == "model"


def _cites(row: _Row) -> set[tuple[str, str]]:
    return {(each.path, " ".join(each.quote.split())) for each in row.seen.evidence if len(each.quote) >= TELLING}


def _likeness(old: _Row, new: _Row) -> float:
    """How alike an old place and a new one are; 0 when they are not the same defect's."""
    hunk = old.hunk
    if old.known and (hunk is None or new.line not in hunk.head_lines):
        return 0.0
    same_symbol = old.seen.symbol is not None and old.seen.symbol == new.seen.symbol
    if not old.known and not same_symbol and abs(old.near - new.near) > MODEL_LINES:
        return 0.0
    ratio = resemblance(old.text, new.text)
    if ratio >= RESEMBLES:
        return ratio
    return ratio / 2 + 0.01 if same_symbol and old.known else 0.0
