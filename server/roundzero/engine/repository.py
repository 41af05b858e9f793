"""The repository at a snapshot, for checkers that look around: core/ports.Repository over git.

``Snapshot`` asks git on the loop; ``BridgedRepository`` is the same for a thread that may wait. Invariant: all answers
belong to one change, the live buffers included.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Collection, Coroutine, Mapping, Sequence
    from pathlib import Path

    from roundzero.core.change import Change, Source
    from roundzero.core.ports import Commit, GrepHit
    from roundzero.core.text import RelPath
    from roundzero.git.repository import CollectRules, Git

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One change and the repository around it. Every method may raise OutsideError.

    ``rules`` say what is kept back. ``keep_in``: the git common directory, where facts about files are kept between
    runs; None: nowhere.
    """

    git: Git
    change: Change
    rules: CollectRules
    keep_in: Path | None = None

    async def read(self, path: RelPath, side: Side) -> Source | None:
        """One side of a file."""
        return await self.git.read(path, side, self.change)

    async def paths(self, side: Side) -> frozenset[RelPath]:
        """Every path of a side."""
        return await self.git.paths(side, self.change)

    async def grep(self, words: Collection[str]) -> Mapping[str, tuple[GrepHit, ...]]:
        """Where words stand at the head."""
        return await self.git.grep(words, self.change)

    async def commits(self) -> Sequence[Commit]:
        """The commits of the change."""
        return await self.git.commits(self.change)

    async def may_share(self) -> bool:
        """Whether anything may leave the machine."""
        return await self.git.may_share(self.change, self.rules)

    async def shareable(self, paths: Collection[RelPath], side: Side) -> frozenset[RelPath]:
        """Those paths whose text may leave the machine."""
        return await self.git.shareable(paths, side, self.change, self.rules)


def changed(change: Change, path: RelPath, side: Side) -> tuple[Source | None] | None:
    """One side of a file that the change has, as git would give it; None of any other file, for which git is asked."""
    if side is Side.BASE:
        file = change.file_from(path)
        return (file.base,) if file is not None else None
    file = change.file(path)
    return (file.head,) if file is not None else None


class BridgedRepository:
    """The snapshot for a thread beside the loop. ``close`` ends what it waits for."""

    def __init__(self, snapshot: Snapshot, loop: asyncio.AbstractEventLoop) -> None:
        """Ask ``snapshot`` on ``loop``."""
        self._snapshot = snapshot
        self._loop = loop
        self._closed = False
        self._read: dict[tuple[RelPath, Side], Source | None] = {}
        self._paths: dict[Side, frozenset[RelPath]] = {}
        self._commits: Sequence[Commit] | None = None

    def read(self, path: RelPath, side: Side) -> Source | None:
        """See core.ports."""
        if (known := changed(self._snapshot.change, path, side)) is not None:
            return known[0]
        if (path, side) not in self._read:
            self._read[path, side] = self._wait(self._snapshot.read(path, side))
        return self._read[path, side]

    def paths(self, side: Side) -> frozenset[RelPath]:
        """See core.ports."""
        if side not in self._paths:
            self._paths[side] = self._wait(self._snapshot.paths(side))
        return self._paths[side]

    def grep(self, words: Collection[str]) -> Mapping[str, tuple[GrepHit, ...]]:
        """See core.ports."""
        return self._wait(self._snapshot.grep(words))

    def commits(self) -> Sequence[Commit]:
        """See core.ports."""
        if self._commits is None:
            self._commits = self._wait(self._snapshot.commits())
        return self._commits

    def shareable(self, paths: Collection[RelPath], side: Side) -> frozenset[RelPath]:
        """Those paths whose text may leave the machine. Raises OutsideError."""
        return self._wait(self._snapshot.shareable(paths, side))

    async def fetch(self, paths: Collection[RelPath], side: Side) -> None:
        """Read files side by side on the loop, before the thread asks for them. Raises OutsideError."""
        sources = await asyncio.gather(*(self._snapshot.read(path, side) for path in paths))
        self._read.update({(path, side): source for path, source in zip(paths, sources, strict=True)})

    def close(self) -> None:
        """Answer nothing any more."""
        self._closed = True

    def is_closed(self) -> bool:
        """Whether nobody wants the answers."""
        return self._closed

    def _wait(self, question: Coroutine[None, None, T]) -> T:
        if self._closed:
            question.close()
            raise OutsideError("the result is no longer wanted")
        return asyncio.run_coroutine_threadsafe(question, self._loop).result()
