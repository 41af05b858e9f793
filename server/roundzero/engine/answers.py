"""What a model said of the change, followed through edits until it is asked again.

Knows neither requests nor judgement: the model lane brings what was admitted, a live engine judges it with everything
else. A model that says nothing of an earlier finding has not taken it back, so one on lines that still
read the same stays. Invariants: what a model said stands on the very lines it was said of, or is stale; a line that is
put back is as it was; what was said of deleted lines is gone.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.rebase import aged, carry, edit_map

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.core.finding import FindingId, Observation
    from roundzero.core.item import ItemId
    from roundzero.core.linemap import LineMap
    from roundzero.core.model_values import Unit
    from roundzero.core.text import RelPath

STALE: Final = "its text has changed since"
UNCONFIRMED: Final = "asked again, and not raised again"
WHY: Final = {State.STALE: STALE, State.UNCONFIRMED: UNCONFIRMED}
"""Why something is not open any more, in words."""


@dataclass(slots=True, eq=False)
class Said:
    """One thing a model said. ``first`` is as it was said, of ``text``; ``now`` where that is in ``at``.

    ``unit`` and ``of`` are the key and path of the unit it was said about.
    """

    first: Observation
    text: Source
    unit: str
    of: RelPath
    now: Observation
    at: Source
    state: State = State.OPEN
    gone: bool = False
    """Whether its lines are deleted just now; undo brings them back."""
    at_first: State = State.OPEN
    """Where it stood in ``text``: what is remembered of an earlier round may be stale from the start."""
    recalled: bool = False
    """Whether it is of an earlier round, and no model was asked about its lines since."""
    name: FindingId | None = None
    """The entry of the ledger it was recalled from."""

    def begin(self, seen: Observation, text: Source, state: State) -> None:
        """Stand as remembered, in a text, whatever became of it so far."""
        self.first = self.now = seen
        self.text = self.at = text
        self.state = self.at_first = state
        self.unit, self.of, self.gone = "", text.path, False

    @property
    def led_from(self) -> RelPath:
        """The file of the change that it comes from, where it is said of another."""
        cause = self.first.cause
        return cause.path if cause is not None else self.of

    def become(self, seen: Observation, text: Source) -> None:
        """Be what a deep review made of it, and the same thing still: an answer on its way finds it."""
        unit, of = self.unit, self.of
        self.begin(seen, text, State.OPEN)
        self.unit, self.of, self.recalled, self.name = unit, of, False, None

    def follow(self, source: Source, ways: Ways, lines: LineMap | None = None) -> None:
        """Move to another text of its file, to which ``ways`` lead.

        ``lines`` is where lines went from the text it is in, if that is known better.
        """
        if source.text == self.at.text:
            self.gone = False
            return
        path = source.path
        if back := carry([self.first], path, ways.since(self.text)):
            self.now, self.at, self.gone = back[0], source, False
            if self.state is State.STALE:
                self.state = self.at_first
            return
        moved = lines if lines is not None else ways.since(self.at)
        if self.state is State.OPEN and (there := carry([self.now], path, moved)):
            self.now, self.at = there[0], source
            return
        old = aged(self.now, path, moved)
        if old is None or self.gone:
            self.gone = True
            return
        self.now, self.at = old, source
        if self.state is State.OPEN:
            self.state = State.STALE


class Ways:
    """Where lines went on the way to one text, worked out once for each text they come from."""

    def __init__(self, to: Source) -> None:
        """Lead to a text."""
        self._to = to
        self._known: dict[str, LineMap] = {}

    def since(self, then: Source) -> LineMap:
        """The lines of an earlier text in the one of now."""
        way = self._known.get(then.text)
        if way is None:
            way = self._known[then.text] = edit_map(then.text, self._to.text)
        return way


class Answers:
    """See the module."""

    def __init__(self) -> None:
        """Know nothing."""
        self.outside: dict[RelPath, Source] = {}
        """Texts beyond the change that something was said of."""
        self.forgotten = 0
        """How often something was forgotten that a model would have to be asked about again."""
        self._said: dict[RelPath, list[Said]] = defaultdict(list)
        self._answered: dict[RelPath, frozenset[str]] = {}

    @property
    def paths(self) -> frozenset[RelPath]:
        """The files something was said of."""
        return frozenset(path for path, said in self._said.items() if said)

    def answered(self, path: RelPath, key: str) -> bool:
        """Whether a unit of a file was answered, and nothing else has been said of its lines since."""
        return key in self._answered.get(path, frozenset())

    def know(self, answered: Mapping[RelPath, Iterable[str]]) -> None:
        """These are the units of the change that were answered; of files that are not named none was."""
        self._answered = {path: frozenset(keys) for path, keys in answered.items()}

    def follow(self, path: RelPath, source: Source) -> None:
        """Move what was said of a file to another text of it."""
        ways = Ways(source)
        for said in self._said.get(path, ()):
            said.follow(source, ways)

    def seen_in(self, path: RelPath, source: Source | None) -> tuple[Observation, ...]:
        """What was said of a file, where it is now in ``source``."""
        if source is None or path not in self._said:
            return ()
        self.follow(path, source)
        return tuple(each.now for each in self._said[path] if not each.gone)

    def beyond(self, paths: Iterable[RelPath]) -> tuple[Observation, ...]:
        """What was said of files other than these."""
        others = self.outside.keys() - frozenset(paths)
        return tuple(each.now for path in sorted(others) for each in self._said.get(path, ()) if not each.gone)

    def said(self) -> tuple[Observation, ...]:
        """All that was said since a model was asked here, where it is now."""
        return tuple(each.now for said in self._said.values() for each in said if not each.recalled)

    def recall(self, found: Iterable[tuple[FindingId, Observation, Source, State]]) -> frozenset[RelPath]:
        """Take what is remembered of earlier rounds, with its text and where it stands; files that are others now.

        What is there by its name stays the same thing, so that an answer on its way still finds it.
        """
        before = self._recalled()
        known = {each.name: each for said in self._said.values() for each in said if each.recalled}
        for path, said in list(self._said.items()):
            self._said[path] = [each for each in said if not each.recalled]
        for name, seen, text, state in found:
            said_before = known.get(name) or Said(seen, text, "", text.path, seen, text, recalled=True, name=name)
            said_before.begin(seen, text, state)
            self._said[text.path].append(said_before)
        after = self._recalled()
        return frozenset(path for path in before.keys() | after.keys() if before.get(path, []) != after.get(path, []))

    def _recalled(self) -> dict[RelPath, list[Observation]]:
        return {path: [each.now for each in said if each.recalled] for path, said in self._said.items()}

    def state_of(self, seen: Observation) -> State:
        """Where something stands that ``seen_in`` gave."""
        place = _place(seen)
        said = self._said.get(seen.path, ()) if seen.path is not None else ()
        return next((each.state for each in said if _place(each.now) == place), State.OPEN)

    def holding_in(self, path: RelPath, source: Source | None) -> tuple[Observation, ...]:
        """What holds as it was said in a text of a file, without following there."""
        if source is None:
            return ()
        found: list[Observation] = []
        ways = Ways(source)
        for each in self._said.get(path, ()):
            if each.state is State.UNCONFIRMED or each.at_first is not State.OPEN:
                continue
            if each.state is State.OPEN and not each.gone and each.at.text == source.text:
                found.append(each.now)
            else:
                found += carry([each.first], path, ways.since(each.text))
        return tuple(found)

    def within(self, unit: Unit, key: str, current: Iterable[str]) -> list[tuple[Said, int]]:
        """What was said before of a unit's lines, each with its line now. ``current`` are the keys of all units."""
        others = frozenset(current) - {key}
        shown = _shown(unit)
        found = []
        for said in (each for path in list(self._said) for each in self._said[path]):
            if said.gone or said.of != unit.path or (said.unit in others and said.unit != key):
                continue
            here = said.now.path == unit.path and any(said.now.line in lines for lines in shown)
            if here or said.now.path != unit.path or said.unit == key:
                found.append((said, said.now.line))
        return found

    def take(
        self,
        unit: Unit,
        key: str,
        before: Sequence[tuple[Said, int]],
        observations: Iterable[Observation],
        texts: Mapping[RelPath, Source],
        *,
        moved: Mapping[RelPath, tuple[Source, LineMap]] | None = None,
    ) -> frozenset[RelPath]:
        """Take a unit's answer; the files where something is another now.

        ``before`` is what ``within`` gave when it was asked, ``texts`` the head texts it was asked of, ``moved`` those
        that are others by now, and where lines went. What is stale and not said again is unconfirmed; what is open
        stays, because silence about a text that is the same proves nothing; and what a deep review made of it stays
        though a single draft says it again.
        """
        from roundzero.core.said_again import said_again  # noqa: PLC0415  off the start-up path

        changed: set[RelPath] = set()
        found = [seen for seen in observations if seen.path is not None and seen.path in texts]
        pairs = said_again([(said.now, line) for said, line in before], found)
        replaced: set[int] = set()
        for at, seen in enumerate(found):
            path = seen.path
            if path is None:
                continue
            old = pairs.get(at)
            if old is not None:
                if _is_deeper(before[old][0], seen):
                    continue
                self._drop(before[old][0], changed)
                replaced.add(old)
            said = Said(seen, texts[path], key, unit.path, seen, texts[path])
            if moved is not None and path in moved:
                now, lines = moved[path]
                said.follow(now, Ways(now), lines)
            self._said[path].append(said)
            changed.add(path)
        left = [row for at, row in enumerate(before) if at not in replaced]
        for said, _ in left:
            if said.now.path is not None and said.state is State.STALE:
                said.state = State.UNCONFIRMED
                changed.add(said.now.path)
            said.unit, said.recalled = key, False
        return frozenset(changed)

    def settle(
        self, found: Iterable[tuple[Observation, Source, State]], *, known: Collection[Observation] = ()
    ) -> frozenset[RelPath]:
        """Take what a deep review made of findings, each in its text, in place of what was said of them before.

        What it refuted goes. ``known`` are the same findings as they were shown, whatever they were said to be then;
        what else was said stays, unless it is plainly one of those that are not known. The files where something is
        another now.
        """
        changed: set[RelPath] = set()
        shown = {(each.path, _place(each)) for each in known}
        old = self._at(shown)
        by_path: dict[RelPath, list[tuple[Observation, Source, State]]] = defaultdict(list)
        for row in found:
            if row[0].path is not None:
                by_path[row[0].path].append(row)
        for path, rows in by_path.items():
            self.follow(path, rows[0][1])
        old |= self._at(shown)
        for path, rows in by_path.items():
            for (seen, text, state), before in zip(rows, self._before(path, rows, old), strict=True):
                if state is State.REFUTED:
                    if before is not None:
                        self._drop(before, changed)
                    continue
                if before is None:
                    self._said[path].append(Said(seen, text, "", path, seen, text))
                else:
                    before.become(seen, text)
                changed.add(path)
        return frozenset(changed)

    def _at(self, places: Collection[Hashable]) -> set[int]:
        """The identities of what stands at some places."""
        lots = self._said.items()
        return {id(said) for path, lot in lots for said in lot if (path, _place(said.now)) in places}

    def _before(
        self, path: RelPath, rows: Iterable[tuple[Observation, Source, State]], old: Collection[int]
    ) -> list[Said | None]:
        """What each of the findings in a file was before, one to one: of ``old`` first, which are known to be there."""
        from roundzero.core.said_again import said_again  # noqa: PLC0415  off the start-up path

        seen = [row[0] for row in rows]
        result: list[Said | None] = [None] * len(seen)
        for known in (True, False):
            there = [each for each in self._said[path] if (id(each) in old) is known and (known or not each.gone)]
            open_ = [at for at, was in enumerate(result) if was is None]
            pairs = said_again([(each.now, each.now.line) for each in there], [seen[at] for at in open_], surely=known)
            for at, row in pairs.items():
                result[open_[at]] = there[row]
        return result

    def prune(self, units: Iterable[Unit]) -> frozenset[RelPath]:
        """Drop what is stale on lines that are in no unit any more, and what is gone; the files where that is so."""
        shown: dict[RelPath, list[range]] = defaultdict(list)
        for unit in units:
            shown[unit.path] += _shown(unit)
        changed = set()
        for path, said in self._said.items():
            lines = shown[path]
            kept = [
                each
                for each in said
                if not each.gone and (each.state is State.OPEN or any(each.now.line in lot for lot in lines))
            ]
            if len(kept) != len(said):
                self._said[path] = kept
                changed.add(path)
        return frozenset(changed)

    def keep(self, paths: Iterable[RelPath], items: Iterable[ItemId]) -> None:
        """Forget what was said for other items, of other files, and beyond the change what no file of it leads to."""
        there, asked = frozenset(paths), frozenset(items)
        for path in list(self._said):
            kept = [
                each
                for each in self._said[path]
                if each.first.item in asked and (path in there or (path in self.outside and each.led_from in there))
            ]
            if len(kept) != len(self._said[path]):
                self.forgotten += 1
                for gone in {path, *(each.of for each in self._said[path])}:
                    self._answered.pop(gone, None)
            if kept:
                self._said[path] = kept
            else:
                del self._said[path]

    def _drop(self, said: Said, changed: set[RelPath]) -> None:
        path = said.now.path
        if path is not None and said in self._said[path]:
            self._said[path].remove(said)
            changed.add(path)


def _is_deeper(said: Said, seen: Observation) -> bool:
    """Whether a deep review has looked at what was said before, and at no more than one draft of it now."""
    then, now = said.now.anatomy, seen.anatomy
    return said.state is State.OPEN and then is not None and then.votes is not None and (now is None or not now.votes)


def _place(seen: Observation) -> Hashable:
    return (seen.item, seen.side, seen.span, seen.title)


def _shown(unit: Unit) -> list[range]:
    """The lines of the head that a unit shows."""
    heads = (each for each in unit.excerpts if each.side is Side.HEAD)
    return [range(each.first, each.first + each.text.count("\n") + 1) for each in heads]
