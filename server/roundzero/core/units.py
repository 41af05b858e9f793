"""Cuts a change into units small enough for one good question each.

Models read ten changed lines well and hundreds badly, so hunks that share a function or stand close together go
together, up to a limit; a larger hunk is split, and what even that does not make small enough is named. Nothing is
asked here. Invariants: every hunk of every covered file that is still there is in a unit or uncovered with a reason; an
excerpt holds no secret, and its lines keep their numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.asked_items import asked_of
from roundzero.core.change import Change, FileChange, Side, Source
from roundzero.core.frozen import dataclass
from roundzero.core.item import LooksAt
from roundzero.core.linemap import Hunk
from roundzero.core.model_values import Excerpt, Uncovered, Unit
from roundzero.core.outline import block_around

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from roundzero.core.item import Item, ItemId
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import LineIndex, RelPath

CLOSE: Final = 12
"""Hunks with at most so many lines between them are read together."""

CONTEXT: Final = 10
"""Lines shown on either side of a hunk where no function encloses it, or one that is too long."""

MOST_PIECES: Final = 8
"""Most pieces one hunk is split into; what is longer was not written by hand."""

MOST_LINE: Final = 2_000
"""Longest line that is asked about, in code points, and most of any that is shown: longer ones are data."""

_FENCED: Final = 100
"""Most lines of an enclosing function that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The units of a change, in its order, and what is in none."""

    units: tuple[Unit, ...] = ()
    uncovered: tuple[Uncovered, ...] = ()
    spared: frozenset[ItemId] = frozenset()
    """Items that apply to a unit and are in none, because each is too small for them."""

    @property
    def hunks(self) -> int:
        """How many hunks there are, a split one counted by its pieces."""
        asked = sum(len(unit.hunks) for unit in self.units)
        return asked + sum(len(each.hunks) for each in self.uncovered)


def cut(change: Change, ruleset: Ruleset, *, max_lines: int, covers: Callable[[RelPath], bool]) -> Cut:
    """The units of all files that ``covers`` takes. ``max_lines``: most changed lines of a unit."""
    units: list[Unit] = []
    uncovered: list[Uncovered] = []
    applying: set[ItemId] = set()
    asked = [item for item in ruleset.items if item.enabled and item.ask and item.looks_at is not LooksAt.CHANGE]
    for file in change.files:
        if not covers(file.path) or file.head is None or not file.hunks:
            continue
        items = [item for item in asked if item.applies.matches(file.path)]
        made, left = _of_file(file, file.head, items, max_lines)
        units += made
        uncovered += left
        applying.update(item.id for item in items if made or left)
    spared = applying.difference(*(unit.items for unit in units)) if not uncovered else ()
    return Cut(units=tuple(units), uncovered=tuple(uncovered), spared=frozenset(spared))


def redacted_text(source: Source) -> str:
    """A text with every secret's value replaced by a placeholder that says what it was; lines keep their numbers."""
    parts: list[str] = []
    at = 0
    numbers: dict[str, int] = {}
    for span in source.sensitive:
        value = source.text[span.start : span.end]
        number = numbers.setdefault(value, len(numbers) + 1)
        parts += [source.text[at : span.start], f"<secret {number}: {span.label}>", "\n" * value.count("\n")]
        at = span.end
    return "".join([*parts, source.text[at:]])


def redacted_source(source: Source) -> Source:
    """A source with its text redacted; the blob stays that of the text as it is."""
    if not source.sensitive:
        return source
    return Source(source.path, redacted_text(source), source.blob, encoding=source.encoding, bom=source.bom)


def excerpt(source: Source, side: Side, first: int, last: int, *, role: str, index: LineIndex | None = None) -> Excerpt:
    """Lines ``first`` to ``last`` of a source, without secrets. ``index``: of its redacted text, if known already.

    Of a line that is too long the beginning is shown.
    """
    index = redacted_source(source).index if index is None else index
    shown = [index.line(line)[:MOST_LINE] for line in range(first, min(last, index.line_count) + 1)]
    return Excerpt(path=source.path, side=side, first=first, text="\n".join(shown), role=role)


def _of_file(
    file: FileChange, head: Source, items: Sequence[Item], max_lines: int
) -> tuple[list[Unit], list[Uncovered]]:
    pieces: list[Hunk] = []
    left: list[Uncovered] = []
    for hunk in file.hunks:
        parts = split(hunk, max_lines)
        longest = max((len(head.index.line(line)) for line in hunk.head_lines), default=0)
        if len(parts) > MOST_PIECES:
            lines = hunk.head_count + hunk.base_count
            left.append(Uncovered(path=file.path, hunks=(hunk,), reason=f"too large: {lines} lines in one piece"))
        elif longest > MOST_LINE:
            left.append(Uncovered(path=file.path, hunks=(hunk,), reason=f"too large: a line of {longest} characters"))
        else:
            pieces += parts
    index = redacted_source(head).index
    base = redacted_source(file.base).index if file.base is not None else None
    units = [_unit(file, head, group, items, index, base) for group in _groups(pieces, head, max_lines)]
    return units, left


def split(hunk: Hunk, max_lines: int) -> list[Hunk]:
    """Hunks of at most so many lines that together are the one given."""
    if hunk.base_count + hunk.head_count <= max_lines:
        return [hunk]
    pieces: list[Hunk] = []
    removed, added = hunk.base_count, hunk.head_count
    half = max(1, max_lines // 2) if removed and added else max_lines
    base, head = hunk.base_start, hunk.head_start
    while removed > 0 or added > 0:
        out, new = min(removed, half), min(added, half)
        pieces.append(Hunk(base if out else max(0, base - 1), out, head if new else max(0, head - 1), new))
        base, head, removed, added = base + out, head + new, removed - out, added - new
    return pieces


def _groups(hunks: Sequence[Hunk], head: Source, max_lines: int) -> list[list[Hunk]]:
    """Neighbours that belong together, as long as they stay small enough."""
    groups: list[list[Hunk]] = []
    size = 0
    for hunk in hunks:
        lines = hunk.base_count + hunk.head_count
        if groups and size + lines <= max_lines and _together(groups[-1][-1], hunk, head):
            groups[-1].append(hunk)
            size += lines
        else:
            groups.append([hunk])
            size = lines
    return groups


def _together(one: Hunk, other: Hunk, head: Source) -> bool:
    end = one.head_start + max(0, one.head_count - 1)
    if other.head_start - end <= CLOSE:
        return True
    block = block_around(head.path, head.index, max(1, end))
    return block is not None and other.head_start in block and len(block) <= _FENCED


def _unit(
    file: FileChange,
    head: Source,
    hunks: Sequence[Hunk],
    items: Sequence[Item],
    index: LineIndex,
    base: LineIndex | None,
) -> Unit:
    shown = _merged([_shown(head, hunk.head_start, hunk.head_count) for hunk in hunks])
    excerpts = [excerpt(head, Side.HEAD, each.start, each.stop - 1, role="head", index=index) for each in shown]
    if file.base is not None:
        for hunk in hunks:
            if hunk.base_count:
                last = hunk.base_start + hunk.base_count - 1
                excerpts.append(excerpt(file.base, Side.BASE, hunk.base_start, last, role="removed", index=base))
    asked = asked_of(items, sum(hunk.base_count + hunk.head_count for hunk in hunks))
    return Unit(path=file.path, hunks=tuple(hunks), excerpts=tuple(excerpts), items=asked)


def _shown(source: Source, start: int, count: int) -> range:
    """The lines around a hunk: its function, or some lines on either side."""
    first, last = max(1, start), max(1, start + max(0, count - 1))
    lines = source.index.line_count
    near = range(max(1, first - CONTEXT), min(lines, last + CONTEXT) + 1)
    block = block_around(source.path, source.index, first)
    if block is None or len(block) > max(_FENCED, count + 2 * CONTEXT):
        return near
    return range(min(block.start, first), min(lines, max(block.stop - 1, last)) + 1)


def _merged(ranges: Sequence[range]) -> list[range]:
    """Ranges of lines in order, joined where they touch or nearly do."""
    merged: list[range] = []
    for each in sorted(ranges, key=lambda lines: lines.start):
        if merged and each.start <= merged[-1].stop + 2:
            merged[-1] = range(merged[-1].start, max(merged[-1].stop, each.stop))
        else:
            merged.append(each)
    return merged
