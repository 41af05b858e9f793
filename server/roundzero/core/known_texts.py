"""What is known of the texts of now, and where what was seen in earlier ones stands in them.

Finds nothing out by itself: whoever reads texts fills it. Invariant: a guess at where a line went says
that it is one.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.core.neighbours import Around
from roundzero.core.sighting import Sighting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.change import Source
    from roundzero.core.finding import Observation
    from roundzero.core.linemap import Hunk, LineMap
    from roundzero.core.text import RelPath

Then: TypeAlias = "tuple[RelPath, str]"
"""A path and the blob that was there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """What is known of the texts now.

    ``heads`` are head texts by path, ``bases`` blobs of base texts by base path. ``maps`` lead from a path and the blob
    it had to its path and lines now; a text that is still the same needs none. ``olds`` are the texts they lead from,
    as far as they are at hand. ``gone`` are paths that no longer exist, ``renamed`` their new ones where they live on.
    """

    heads: Mapping[RelPath, Source] = field(default_factory=dict)
    bases: Mapping[RelPath, str] = field(default_factory=dict)
    maps: Mapping[Then, tuple[RelPath, LineMap]] = field(default_factory=dict)
    olds: Mapping[Then, Source] = field(default_factory=dict)
    gone: frozenset[RelPath] = frozenset()
    renamed: Mapping[RelPath, RelPath] = field(default_factory=dict)

    def blob(self, path: RelPath | None, side: Side) -> str:
        """The blob a path has now; "" when unknown."""
        if path is None:
            return ""
        if side is Side.BASE:
            return self.bases.get(path, "")
        head = self.heads.get(path)
        return head.blob if head is not None else ""

    def by_blob(self) -> dict[str, Source]:
        """The texts at hand, of now and before, by blob: git has none of what was not committed."""
        return {each.blob: each for each in (*self.heads.values(), *self.olds.values()) if each.blob}

    def around(self, seen: Observation | Sighting) -> Around | None:
        """The lines around what was seen at the head, where its text is at hand."""
        if seen.path is None or not seen.line or seen.side is Side.BASE:
            return None
        text = self.heads.get(seen.path)
        if isinstance(seen, Sighting) and (text is None or text.blob != seen.blob):
            text = self.olds.get((seen.path, seen.blob))
        return Around(text.index, seen.line) if text is not None else None

    def where(self, seen: Sighting) -> Place:
        """Where a sighting would be now."""
        path, line = seen.path, seen.line
        if path is None:
            return Place(None, line, line, None, known=True)
        if seen.blob and seen.blob == self.blob(path, seen.side):
            return Place(path, line, line, None, known=True)
        moved = self.maps.get((path, seen.blob)) if seen.side is Side.HEAD else None
        if moved is None:
            there = self.renamed.get(path, path) if seen.side is Side.HEAD else path
            return Place(there, None if line else 0, line, None, known=False)
        there, lines = moved
        if not line:
            return Place(there, 0, 0, None, known=True)
        new = lines.new(line)
        if new is not None:
            return Place(there, new, new, None, known=True)
        return Place(there, None, lines.nearest(line), lines.hunk_of(line), known=True)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is now: ``line`` None when its line is gone or unknown, ``near`` the best guess (from 1)."""

    path: RelPath | None
    line: int | None
    near: int
    hunk: Hunk | None
    known: bool
