"""A repository of texts in memory, at base and head, for parts that only read through core.ports.Repository.

Counts what was asked, so that tests can say what a question costs. Invariant: both sides and the change agree.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from roundzero.core.change import (
    BaseChoice,
    BaseHow,
    Change,
    FileChange,
    HeadState,
    Side,
    Source,
    Status,
    blob_id,
)
from roundzero.core.linemap import Hunk
from roundzero.core.ports import GrepHit
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from roundzero.core.ports import Commit


class Texts:
    """Texts by path of both sides. ``base`` None: nothing changed."""

    def __init__(self, head: Mapping[str, str], base: Mapping[str, str] | None = None) -> None:
        """Hold the texts."""
        self.sides = {Side.HEAD: dict(head), Side.BASE: dict(head if base is None else base)}
        self.reads: Counter[str] = Counter()
        self.greps: list[tuple[str, ...]] = []

    def read(self, path: RelPath, side: Side) -> Source | None:
        """One side of a file."""
        self.reads[path] += 1
        return self._source(path, side)

    def paths(self, side: Side) -> frozenset[RelPath]:
        """All paths of a side."""
        return frozenset(map(RelPath, self.sides[side]))

    def grep(self, words: Collection[str]) -> dict[str, tuple[GrepHit, ...]]:
        """The head's lines with each word."""
        self.greps.append(tuple(words))
        return {
            word: tuple(
                GrepHit(RelPath(path), number, line)
                for path, text in self.sides[Side.HEAD].items()
                for number, line in enumerate(text.split("\n"), 1)
                if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", line)
            )
            for word in words
        }

    def commits(self) -> tuple[Commit, ...]:
        """None."""
        return ()

    def change(self) -> Change:
        """What differs between the sides; hunks are whole files, which is all that is needed here."""
        base, head = self.sides[Side.BASE], self.sides[Side.HEAD]
        files = tuple(self._changed(path) for path in sorted({*base, *head}) if base.get(path) != head.get(path))
        choice = BaseChoice(ref=None, merge_base=None, how=BaseHow.HEAD)
        state = HeadState(commit=None, branch=None, dirty=False)
        return Change(base=choice, head=state, files=files, skipped=(), snapshot="")

    def _changed(self, path: str) -> FileChange:
        base, head = self._source(path, Side.BASE), self._source(path, Side.HEAD)
        status = Status.ADDED if base is None else Status.DELETED if head is None else Status.MODIFIED
        counts = [source.index.line_count if source is not None else 0 for source in (base, head)]
        hunk = Hunk(1 if counts[0] else 0, counts[0], 1 if counts[1] else 0, counts[1])
        return FileChange(path=RelPath(path), status=status, base=base, head=head, hunks=(hunk,))

    def _source(self, path: str, side: Side) -> Source | None:
        text = self.sides[side].get(path)
        return Source(RelPath(path), text, blob_id(text.encode())) if text is not None else None
