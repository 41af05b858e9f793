"""Whether this branch brought a finding: introduced, exposed or pre-existing.

Introduced means: no counterpart at the merge base, wherever the finding lies. Counterparts are found by the matcher
over the change. Exposed means: old code that this branch newly reaches. Who calls what is not known here: ``asked``
says of which symbols it has to be asked (few or none, so that nobody else pays), and the answer is handed to ``judge``.
Invariant: one counterpart excuses one finding only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.finding import Origin
from roundzero.core.frozen import dataclass
from roundzero.core.item import LooksAt, language_of
from roundzero.core.matching import Moves, pair
from roundzero.core.regex import regex
from roundzero.core.scope import out_of_scope, touches_change

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from roundzero.core.change import Change, FileChange
    from roundzero.core.finding import Observation
    from roundzero.core.item import Item, ItemId
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath

_WORD: Final = regex(r"\w+")


@dataclass(frozen=True, slots=True, order=True)
class Holder:
    """The symbol an old finding lies in: its file at the head, and its qualified name as the finding has it."""

    path: RelPath
    symbol: str


def origins(base: Sequence[Observation], head: Sequence[Observation], moves: Moves) -> list[Origin]:
    """The origin of each head observation, given all observations of the same items at the base.

    An observation on the base side (a removed line) or with a ``cause`` was made by this branch by its nature.
    """
    compared = [at for at, seen in enumerate(head) if seen.side is Side.HEAD and seen.cause is None]
    old = [seen for seen in base if seen.cause is None]
    pairs = pair(old, [head[at] for at in compared], moves)
    result = [Origin.INTRODUCED] * len(head)
    for position, at in enumerate(compared):
        if position in pairs:
            result[at] = Origin.PRE_EXISTING
    return result


def holder_of(item: Item, seen: Observation, file: FileChange | None) -> Holder | None:
    """The symbol through which a finding could be exposed; None where it cannot.

    Its file was there before, its lines are unchanged, and its item looks at more than added lines.
    """
    if file is None or file.base is None or seen.side is not Side.HEAD or seen.cause is not None:
        return None
    if seen.symbol is None or seen.span is None or item.looks_at is LooksAt.ADDED:
        return None
    if language_of(file.path) != "python" or touches_change(file, seen) or out_of_scope(item, seen, file) is not None:
        return None
    return Holder(file.path, seen.symbol)


def asked(
    change: Change,
    ruleset: Ruleset,
    *,
    head: Sequence[Observation],
    base: Sequence[Observation],
    based: Collection[tuple[RelPath, ItemId]],
    is_test: Callable[[RelPath], bool],
) -> frozenset[Holder]:
    """The symbols of which it has to be known whether this branch newly reaches them.

    Those with an old finding, outside tests, that some added line outside tests names.
    """
    rows: dict[Holder, set[ItemId]] = {}
    for seen in head:
        file = change.file(seen.path) if seen.path is not None else None
        holder = holder_of(ruleset.by_id[seen.item], seen, file)
        if holder is not None and (holder.path, seen.item) in based and not is_test(holder.path):
            rows.setdefault(holder, set()).add(seen.item)
    if not rows:
        return frozenset()
    words = _added_words(change, is_test)
    rows = {holder: items for holder, items in rows.items() if holder.symbol.partition(".")[0] in words}
    items = {item for each in rows.values() for item in each}
    there = [seen for seen in head if seen.item in items]
    came = origins([seen for seen in base if seen.item in items], there, Moves.within(change)) if items else []
    old = {
        Holder(seen.path, seen.symbol)
        for seen, origin in zip(there, came, strict=True)
        if origin is Origin.PRE_EXISTING and seen.path is not None and seen.symbol is not None
    }
    return frozenset(rows.keys() & old)


def _added_words(change: Change, is_test: Callable[[RelPath], bool]) -> frozenset[str]:
    """The words on added lines of Python files, but of tests."""
    words: set[str] = set()
    for file in change.files:
        if file.head is not None and language_of(file.path) == "python" and not is_test(file.path):
            index = file.head.index
            for line in file.added:
                words.update(_WORD.findall(index.line(line)))
    return frozenset(words)
