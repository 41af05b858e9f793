"""Which files the lines of hits may have been moved from: those whose removed lines have the same text.

Looks at texts only; whether a hit was there before is decided by matching. Invariant: a file is named only for items of
hits that would count as introduced without it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.finding import Origin
from roundzero.core.matching import Moves
from roundzero.core.origin import origins
from roundzero.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roundzero.core.change import Change, FileChange
    from roundzero.core.finding import Observation
    from roundzero.core.item import ItemId
    from roundzero.core.linemap import Hunk
    from roundzero.core.text import RelPath
    from roundzero.engine.observer import Observer
    from roundzero.engine.sights import FileSight


class MovedBlocks:
    """Remembers what changes removed from files."""

    def __init__(self, observer: Observer) -> None:
        """Know no file."""
        self._observer = observer
        self._removed: dict[tuple[str, tuple[Hunk, ...]], frozenset[str]] = {}

    def sources(self, change: Change, sights: Iterable[FileSight]) -> dict[RelPath, frozenset[ItemId]]:
        """The files some hit's line may have been moved from, by path, with the items of those hits."""
        lost = self._without_counterpart(change, list(sights))
        wanted: dict[RelPath, set[ItemId]] = defaultdict(set)
        for file in change.files if lost else ():
            if file.base is None or not file.removed:
                continue
            removed = self.removed_texts(file)
            for seen in lost:
                if seen.path != file.path and seen.anchor_text in removed:
                    wanted[file.path].add(seen.item)
        return {path: frozenset(items) for path, items in wanted.items()}

    def removed_texts(self, file: FileChange) -> frozenset[str]:
        """The collapsed lines that the change removed from a file."""
        if file.base is None:
            return frozenset()
        key = (file.base.blob, file.hunks)
        if key not in self._removed:
            if len(self._removed) > _REMOVED_KEPT:
                self._removed.clear()
            index = file.base.index
            self._removed[key] = frozenset(collapse(index.line(line)) for line in file.removed)
        return self._removed[key]

    def _without_counterpart(self, change: Change, sights: Sequence[FileSight]) -> list[Observation]:
        """Head observations in scope that look introduced so far and whose line could have come from elsewhere."""
        head = [
            seen
            for sight in sights
            if (file := change.file(sight.path)) is not None
            for seen in sight.seen
            if len(seen.anchor_text) > 1 and seen.span is not None and self._observer.in_scope(seen, file)
        ]
        if not head:
            return []
        base = [seen for sight in sights for seen in sight.base]
        came_from = origins(base, head, Moves.within(change))
        return [
            seen
            for seen, origin in zip(head, came_from, strict=True)
            if origin is Origin.INTRODUCED and seen.side is Side.HEAD and seen.cause is None
        ]


_REMOVED_KEPT: Final = 1000
