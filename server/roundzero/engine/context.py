"""What a question holds: the parts of a change that may be sent, and what is known of the repository around them.

``guidance_of`` and ``mentioned`` ask git on the loop, ``gather`` runs beside it and may wait. Everything is optional:
what cannot be found out in time is left out, since a question with less context is still a question. Invariants: facts
hold no secret; guidance comes from the base, so that a branch cannot instruct its own reviewer; nothing is shown of a
file that may not leave the machine.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side, Source
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.ledger import LIVE_OR_DISMISSED
from roundzero.core.model_values import Excerpt, Fact, Uncovered, Unit
from roundzero.core.outline import symbol_at
from roundzero.core.text import RelPath
from roundzero.core.units import Cut, cut, excerpt, redacted_text
from roundzero.errors import OutsideError
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from roundzero.core.change import Change
    from roundzero.core.finding import Observation
    from roundzero.core.known_texts import Texts as Recognised
    from roundzero.core.ledger import Ledger
    from roundzero.core.ports import GrepHit, Symbols
    from roundzero.core.resolution import UseSite
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.strengths import KeptStrength
    from roundzero.engine.repository import BridgedRepository, Snapshot

GUIDANCE: Final = (
    RelPath("AGENTS.md"),
    RelPath("CLAUDE.md"),
    RelPath("CONTRIBUTING.md"),
    RelPath(".github/copilot-instructions.md"),
)
_CLOSED: Final = "kept back because the ignore file cannot be read"
_MOST_GUIDANCE: Final = 60
_MOST_FACTS: Final = 8
_MOST_NAMES: Final = 12
_MOST_TRIGGERS: Final = 10
_MOST_WIDTH: Final = 160
_MOST_DISMISSED: Final = 10
_MOST_PRAISED: Final = 3
_MOST_FETCHED: Final = 50
"""Files read side by side before anybody asks for them; the rest come one by one, within the time limit."""


@dataclass(frozen=True, slots=True)
class Told:
    """One thing a person said of a line (from 1): an answer to an open question, or a dismissal with its reason."""

    path: RelPath
    line: int
    text: str
    dismissed: bool


@dataclass(frozen=True, slots=True)
class Praise:
    """What an earlier round praised in a line (from 1) and, where it has one, a function or class."""

    path: RelPath
    line: int
    symbol: str | None
    text: str


def praise(strengths: Iterable[KeptStrength]) -> tuple[Praise, ...]:
    """Kept strengths by the head lines that show them."""
    return tuple(
        Praise(proof.path, proof.line, symbol, each.text)
        for each in strengths
        for proof, symbol in zip(each.evidence, each.symbols, strict=True)
        if proof.side is Side.HEAD
    )


def told(ledger: Ledger, texts: Recognised) -> tuple[Told, ...]:
    """What people said of findings, where their lines are now: the same for every front end and in every round.

    What is open is not told: a model that is asked not to repeat it could not confirm it. By item and code, not by
    title, so that it reads the same when a model words it otherwise.
    """
    found: list[Told] = []
    for entry in sorted(ledger.entries.values(), key=lambda entry: entry.id):
        then = entry.sighting
        place = texts.where(then)
        if place.path is None or entry.state not in LIVE_OR_DISMISSED:
            continue
        if entry.state is State.DISMISSED and entry.dismissal is not None:
            text = f"{then.item} at {then.anchor_text} (dismissed: {entry.dismissal.reason})"
            found.append(Told(place.path, place.near, text, dismissed=True))
        for each in then.anatomy.open_questions if then.anatomy is not None else ():
            if each.answer is not None:
                text = f"{then.item} at {then.anchor_text}: {each.text} - answered: {each.answer}"
                found.append(Told(place.path, place.near, text, dismissed=False))
    return tuple(found)


def _said(unit: Unit, told: Iterable[Told], *, dismissed: bool) -> Iterable[str]:
    return (each.text for each in told if each.dismissed is dismissed and shows(unit, each.path, each.line))


def _praised(unit: Unit, change: Change, praised: Iterable[Praise]) -> Iterable[str]:
    """What was praised in the lines a unit shows, or in a function or class that it changes."""
    own = [each for each in praised if each.path == unit.path]
    names = _names(unit, change) if own else []
    for each in own:
        symbol = (each.symbol or "").rpartition(".")[2]
        if symbol in names or shows(unit, each.path, each.line):
            yield each.text


def shows(unit: Unit, path: RelPath | None, line: int) -> bool:
    """Whether a line of the head is among those a unit shows."""
    return unit.path == path and any(
        each.side is Side.HEAD and 0 <= line - each.first <= each.text.count("\n") for each in unit.excerpts
    )


async def parts_of(
    change: Change, ruleset: Ruleset, snapshot: Snapshot, *, max_lines: int, covers: Callable[[RelPath], bool]
) -> Cut:
    """The units of a change, as core/units cuts it, without files that were renamed from a path that is not sent."""
    try:
        open_ = await snapshot.may_share()
    except OutsideError:
        open_ = False
    if not open_:
        closed = (file for file in change.files if covers(file.path) and file.head is not None and file.hunks)
        return Cut(uncovered=tuple(Uncovered(path=each.path, hunks=each.hunks, reason=_CLOSED) for each in closed))
    renamed = {file.path: file.old_path for file in change.files if file.old_path is not None and covers(file.path)}
    hidden: frozenset[RelPath] = frozenset()
    if renamed:
        try:
            allowed = await snapshot.shareable(frozenset(renamed.values()), Side.BASE)
        except OutsideError:
            allowed = frozenset()
        hidden = frozenset(path for path, old in renamed.items() if old not in allowed)

    def may_be_sent(path: RelPath) -> bool:
        return path not in hidden and covers(path)

    # Beside the loop: all texts are searched for secrets first.
    parts = await asyncio.to_thread(cut, change, ruleset, max_lines=max_lines, covers=may_be_sent)
    kept_back = tuple(
        Uncovered(path=file.path, hunks=file.hunks, reason="renamed from a path that is not sent")
        for file in change.files
        if file.path in hidden
    )
    return replace(parts, uncovered=(*parts.uncovered, *kept_back)) if kept_back else parts


async def guidance_of(snapshot: Snapshot) -> tuple[Excerpt, ...]:
    """The beginning of the first file for reviewers that there is at the base; () where that cannot be found out."""
    try:
        # Whether there are any is asked of the reader that runs already; whether they may be shown takes two processes.
        texts = [await snapshot.read(path, Side.BASE) for path in GUIDANCE]
        there = [source for source in texts if source is not None and source.text.strip()]
        allowed = await snapshot.shareable([source.path for source in there], Side.BASE) if there else ()
    except OutsideError:
        return ()
    first = next((source for source in there if source.path in allowed), None)
    return (excerpt(first, Side.BASE, 1, _MOST_GUIDANCE, role="guidance"),) if first is not None else ()


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Where the functions and classes that units change are named: lines by name, and files that may be shown."""

    found: Mapping[str, tuple[GrepHit, ...]] = field(default_factory=dict)
    allowed: Collection[RelPath] = ()


async def mentioned(units: Iterable[Unit], snapshot: Snapshot, bridge: BridgedRepository) -> Mentioned:
    """One search for all units, nothing where that fails. ``bridge`` learns the first texts meanwhile.

    What only units of one file ask about is not looked for in that file: it is being edited, and would be parsed anew.
    """
    asking: dict[str, set[RelPath]] = defaultdict(set)
    for unit in units:
        for name in _names(unit, snapshot.change):
            asking[name].add(unit.path)
    try:
        hits = await snapshot.grep(sorted(asking)) if asking else {}
        found = {name: tuple(hit for hit in rows if asking[name] != {hit.path}) for name, rows in hits.items()}
        places = {hit.path for rows in found.values() for hit in rows if language_of(hit.path) == "python"}
        async with side_by_side() as group:
            allowed = group.create_task(snapshot.shareable(places, Side.HEAD))
            group.create_task(bridge.fetch(sorted(places)[:_MOST_FETCHED], Side.HEAD))
        return Mentioned(found, allowed.result())
    except OutsideError:
        return Mentioned()


def gather(  # noqa: PLR0913  each is an independent input
    units: Sequence[Unit],
    change: Change,
    symbols: Symbols,
    mentions: Mentioned,
    *,
    known: Callable[[Source], Source],
    seen: Iterable[Observation] = (),
    told: Sequence[Told] = (),
    praised: Sequence[Praise] = (),
) -> tuple[tuple[Unit, ...], tuple[tuple[Side, Source], ...]]:
    """The units with what is known, and the texts of other files that were shown in part.

    ``mentions``: as ``mentioned`` found them. ``known``: a text as it was met before. ``seen``: what checks saw, shown
    or not. ``told``: what people said of lines before; ``praised``: what earlier rounds did.
    """
    noticed = sorted(seen, key=lambda each: (each.path or "", each.line, each.item, each.title))
    uses = _Uses(units, change, symbols, mentions, known)
    made = [
        replace(
            unit,
            facts=tuple(uses.facts(unit)),
            triggers=tuple(_triggers(unit, noticed)),
            earlier=tuple(_said(unit, told, dismissed=False)),
            dismissed=tuple(_said(unit, told, dismissed=True))[:_MOST_DISMISSED],
            praised=tuple(dict.fromkeys(_praised(unit, change, praised)))[:_MOST_PRAISED],
        )
        for unit in units
    ]
    return tuple(made), tuple((Side.HEAD, source) for source in uses.shown.values())


def _triggers(unit: Unit, seen: Iterable[Observation]) -> Iterable[Fact]:
    """What checks noticed in the unit's lines, near them or because of them."""
    found = 0
    for each in seen:
        where = each.cause if each.cause is not None else each
        if where.path != unit.path or found >= _MOST_TRIGGERS:
            continue
        near = any(hunk.head_gap <= where.line <= hunk.head_start + max(hunk.head_count, 1) for hunk in unit.hunks)
        if near:
            found += 1
            yield Fact(text=f"{each.item}: {each.title}", path=each.path, line=each.line)


class _Uses:
    """Who uses the functions and classes that the units change, elsewhere in the repository: one search for all."""

    def __init__(
        self,
        units: Sequence[Unit],
        change: Change,
        symbols: Symbols,
        mentions: Mentioned,
        known: Callable[[Source], Source],
    ) -> None:
        self.shown: dict[RelPath, Source] = {}
        self._symbols = symbols
        self._known = known
        self._lines: dict[RelPath, list[str]] = {}
        self._names = {unit: _names(unit, change) for unit in units}
        self._sites: Mapping[str, Sequence[UseSite]] = {}
        self._allowed = mentions.allowed
        try:
            if mentions.found:
                symbols.know(mentions.found)
                self._sites = symbols.uses_of(sorted(mentions.found), Side.HEAD)
        except OutsideError:
            self._sites = {}

    def facts(self, unit: Unit) -> Iterable[Fact]:
        """What is known for one unit. Files that may not be shown count and are not named."""
        for name in self._names[unit]:
            if name not in self._sites:
                continue
            sites = [site for site in self._sites[name] if site.path != unit.path]
            yield Fact(text=f"{name} is used in {len(sites)} other places")
            for site in [site for site in sites if site.path in self._allowed][:_MOST_FACTS]:
                text = self._line(site.path, site.use.line)
                if text:
                    yield Fact(text=f"uses {name}: {text}", path=site.path, line=site.use.line)

    def _line(self, path: RelPath, line: int) -> str:
        if path not in self._lines:
            try:
                source = self._symbols.source(path, Side.HEAD)
            except OutsideError:
                source = None
            source = self._known(source) if source is not None else None
            self._lines[path] = redacted_text(source).split("\n") if source is not None else []
            if source is not None:
                self.shown[path] = source
        lines = self._lines[path]
        return lines[line - 1].strip()[:_MOST_WIDTH] if 0 < line <= len(lines) else ""


def _names(unit: Unit, change: Change) -> list[str]:
    """The functions and classes whose lines the unit changes, by the last part of their names."""
    file = change.file(unit.path)
    if file is None or file.head is None:
        return []
    head = file.head
    names = {
        name.rsplit(".", 1)[-1]
        for hunk in unit.hunks
        for line in (hunk.head_start, hunk.head_start + max(0, hunk.head_count - 1))
        if (name := symbol_at(head.path, head.index, max(1, line))) is not None
    }
    return sorted(name for name in names if not (name.startswith("__") and name.endswith("__")))[:_MOST_NAMES]
