"""What is asked about a change as a whole: the points of the checklists that no part of it can answer alone.

Words one question, and says which part of the change a finding that answers it is let in with; what becomes of it is
every draft's way (core/drafting, core/votes). Invariants: only what may be sent is shown; a point is asked where it
applies to a path of the change, and of a small change only what may block.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.asked_items import asked_of
from roundzero.core.change import Side
from roundzero.core.few import few
from roundzero.core.frozen import dataclass
from roundzero.core.item import LooksAt
from roundzero.core.model_values import Unit
from roundzero.core.outline import symbol_at
from roundzero.core.overview import shown
from roundzero.core.prompt import checks, posed
from roundzero.core.text import RelPath
from roundzero.core.units import excerpt

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.item import Item, ItemId, Language
    from roundzero.core.model_values import Draft, DraftFinding, Question
    from roundzero.core.overview import Described
    from roundzero.core.ruleset import Ruleset

MARK: Final = "The change as a whole"
"""How the question begins."""

_MOST_SYMBOLS: Final = 8
_MOST_CODE: Final = 24_000
"""Characters of changed lines that are shown: what is asked has to fit beside what is looked up."""
_MOST_GONE: Final = 200
"""Lines that are shown of a file that was deleted."""

_TASK: Final = """\
You review a change as a whole, after its parts were read one by one. Answer the listed checks, which no part can \
answer alone, and look for nothing else. Report only what you can prove from the text you are shown or look up; each \
finding quotes a line that the change adds or removes.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A change as one unit. ``units``: its parts, and what was deleted; ``items`` are asked, ``spared`` are not."""

    units: tuple[Unit, ...]
    items: tuple[ItemId, ...]
    spared: frozenset[ItemId] = frozenset()

    @property
    def unit(self) -> Unit:
        """What votes are counted in; no part of the change is it."""
        return Unit(path=RelPath(""), hunks=(), excerpts=(), items=self.items)


def whole_of(units: Sequence[Unit], change: Change, ruleset: Ruleset, gone: Collection[RelPath] = ()) -> Whole:
    """What to ask about a change whose ``units`` may be sent, and of whose deleted files ``gone`` may be."""
    parts = (*units, *(_deleted(file, file.base) for file in change.files if file.head is None and file.path in gone))
    paths = {unit.path for unit in parts}
    paths |= {file.old_path for file in change.files if file.old_path is not None and file.path in paths}
    applying = [
        item
        for item in ruleset.items
        if item.enabled and item.ask and item.looks_at is LooksAt.CHANGE and any(map(item.applies.matches, paths))
    ]
    items = asked_of(applying, sum(unit.lines for unit in parts))
    return Whole(units=parts, items=items, spared=frozenset(item.id for item in applying) - frozenset(items))


def question(  # noqa: PLR0913  each is an independent input
    whole: Whole,
    change: Change,
    described: Sequence[Described],
    items: Mapping[ItemId, Item],
    *,
    language: Language,
    schema: Mapping[str, object],
    note: str = "",
) -> Question:
    """The question about a change. ``described``: what its commits say; ``note``: on how it may be looked at; ours."""
    rows = shown(
        whole.units, change, described, title="Its files, and what of them it touches", row=_row, most=_MOST_CODE
    )
    sent = "\n".join((MARK, note, *rows, *checks(whole.items, items)))
    return posed(_TASK, sent, sent, language=language, schema=schema)


def by_unit(draft: Draft, whole: Whole) -> Iterator[tuple[Unit, Draft]]:
    """The findings of a draft with the part of the change that each stands in, or is nearest to, each part once."""
    found: dict[Unit, list[DraftFinding]] = {}
    for each in draft.findings:
        found.setdefault(_unit_of(each, whole.units), []).append(each)
    faults = draft.faults
    for unit, findings in found.items():
        yield unit, replace(draft, findings=tuple(findings), faults=faults)
        faults = ()


def _unit_of(found: DraftFinding, units: Sequence[Unit]) -> Unit:
    def distance(unit: Unit) -> int:
        return min((abs(hunk.head_start - found.line) for hunk in unit.hunks), default=0)

    own = [unit for unit in units if unit.path == found.path.removeprefix("./")]
    return min(own or units, key=distance)


def _deleted(file: FileChange, base: Source | None) -> Unit:
    lines = 0 if base is None else min(base.index.line_count, _MOST_GONE)
    shown_of = () if base is None else (excerpt(base, Side.BASE, 1, lines, role="removed"),)
    return Unit(path=file.path, hunks=file.hunks, excerpts=shown_of)


def _row(file: FileChange, units: Sequence[Unit]) -> str:
    """A file in the outline: what became of it, how much, and in which functions and classes."""
    source = file.head if file.head is not None else file.base
    hunks = [hunk for unit in units for hunk in unit.hunks]
    added, removed = sum(hunk.head_count for hunk in hunks), sum(hunk.base_count for hunk in hunks)
    starts = [max(1, hunk.head_start) for hunk in hunks] if file.head is not None else []
    names = [symbol_at(source.path, source.index, line) for line in starts] if source is not None else []
    named = list(dict.fromkeys(name for name in names if name is not None))
    more = f": {few(named, _MOST_SYMBOLS)}" if named else ""
    return f"{file.path} ({file.status.value}, +{added} -{removed}){more}"
