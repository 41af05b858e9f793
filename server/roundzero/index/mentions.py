"""Where words stand, at head and base.

The head is one git grep. The base is the head in files that did not change, plus the base text of those that did.
Invariant: a file the change touches is never answered for the base from its head.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from roundzero.core.change import Side
from roundzero.core.ports import GrepHit

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from roundzero.core.change import Change
    from roundzero.core.ports import Limit, Repository


class Mentions:
    """Greps of one snapshot, each word asked for once."""

    def __init__(self, repository: Repository, change: Change, limit: Limit) -> None:
        """Ask ``repository``."""
        self._repository = repository
        self._change = change
        self._limit = limit
        self._head: dict[str, tuple[GrepHit, ...]] = {}
        files = {path for file in change.files for path in (file.path, file.old_path)}
        self._touched = files.union(path for skip in change.skipped for path in (skip.path, skip.old_path))

    def know(self, found: Mapping[str, tuple[GrepHit, ...]]) -> None:
        """Take over what was grepped for already."""
        self._head.update(found)

    def of(self, words: Collection[str], side: Side) -> dict[str, tuple[GrepHit, ...]]:
        """The lines that contain each word as a whole word."""
        self._limit.check()
        asked = [word for word in dict.fromkeys(words) if word and word not in self._head]
        if asked:
            found = self._repository.grep(asked)
            self._head.update({word: tuple(found.get(word, ())) for word in asked})
            self._limit.check()
        head = {word: self._head[word] for word in words if word}
        return head if side is Side.HEAD else self._at_base(head)

    def _at_base(self, head: Mapping[str, tuple[GrepHit, ...]]) -> dict[str, tuple[GrepHit, ...]]:
        rows = {word: [hit for hit in hits if hit.path not in self._touched] for word, hits in head.items()}
        patterns = {word: re.compile(rf"(?<!\w){re.escape(word)}(?!\w)") for word in head}
        for file in self._change.files:
            if file.base is None:
                continue
            self._limit.check()
            index = file.base.index
            for word, pattern in patterns.items():
                if word not in index.text:
                    continue
                lines = dict.fromkeys(index.position(match.start()).line for match in pattern.finditer(index.text))
                rows[word] += [GrepHit(file.base.path, line, index.line(line)) for line in lines]
        return {word: tuple(hits) for word, hits in rows.items()}
