"""Reads git objects through one persistent ``cat-file --batch``, raw: never through a filter.

Does not decode. Invariant: after an error or a cancellation in the middle of an answer the process is thrown away, so
that no answer is ever taken for another's.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.text import RelPath
    from roundzero.git.commands import Commands
    from roundzero.proc import Child

_CACHE_BYTES: Final = 16 * 1024 * 1024
_CHUNK: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Blob:
    """An object's id, kind and size in bytes; ``data`` None when it is larger than was asked for."""

    id: str
    kind: str
    size: int
    data: bytes | None


class Blobs:
    """The objects of one repository."""

    def __init__(self, commands: Commands) -> None:
        """Start nothing yet."""
        self._commands = commands
        self._child: Child | None = None
        self._lock = asyncio.Lock()
        self._cache: OrderedDict[str, Blob] = OrderedDict()
        self._cached_bytes = 0

    async def start(self) -> None:
        """Start the process ahead of the first question."""
        async with self._lock:
            await self._alive()

    async def get(self, ids: Iterable[str], *, max_bytes: int) -> dict[str, Blob]:
        """The objects with these ids; one that is not in this clone is left out. Raises OutsideError."""
        wanted = list(dict.fromkeys(ids))
        found = {
            name: blob for name in wanted if (blob := self._cache.get(name)) is not None and _serves(blob, max_bytes)
        }
        missing = [name for name in wanted if name not in found]
        if missing:
            async with self._lock:
                for blob in await self._ask_for_those_here(missing, max_bytes):
                    found[blob.id] = blob
                    self._keep(blob)
        return found

    async def at(self, tree: str, path: RelPath, *, max_bytes: int) -> Blob | None:
        """The object at a path of a commit or tree, or of the index (""); None when there is none.

        Raises OutsideError, also when there is one that is not in this clone.
        """
        name = f"{tree}:{path}"
        if "\n" in name:
            identity = await self._listed(tree, path)
            return (await self.get([identity], max_bytes=max_bytes)).get(identity)
        async with self._lock:
            (blob,) = await self._ask([name], max_bytes)
        return blob

    async def _listed(self, tree: str, path: RelPath) -> str:
        """The object id at a path that cannot be asked for by name, because questions are lines; "" for none."""
        if tree:
            done = await self._commands.plumbing("ls-tree", "-z", tree, "--", path, good=(0, 128))
            return done.stdout.partition(b"\t")[0].rpartition(b" ")[2].decode("ascii")
        done = await self._commands.plumbing("ls-files", "-z", "--stage", "--", path, good=(0, 128))
        return done.stdout.partition(b"\t")[0].split(b" ")[1].decode("ascii") if done.stdout else ""

    async def close(self) -> None:
        """End the process."""
        async with self._lock:
            child, self._child = self._child, None
            self._cache.clear()
            self._cached_bytes = 0
        if child is not None:
            child.kill()  # it has nothing to put away, and one that hangs would outlive a server in a hurry
            await child.close()

    async def _alive(self) -> Child:
        if self._child is None or not self._child.alive:
            if self._child is not None:
                await self._child.close()
            self._child = await self._commands.child("cat-file", "--batch")
        return self._child

    async def _ask_for_those_here(self, ids: list[str], max_bytes: int) -> list[Blob]:
        try:
            answers = await self._ask(ids, max_bytes)
        except OutsideError:
            # In a partial clone git before 2.45 gives up on the first blob that it lacks: ask only for what is here.
            done = await self._commands.plumbing("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
            here = set(done.stdout.decode("ascii").split())
            answers = await self._ask([name for name in ids if name in here], max_bytes)
        return [blob for blob in answers if blob is not None]

    async def _ask(self, names: list[str], max_bytes: int) -> list[Blob | None]:
        child = await self._alive()
        question = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
        # Both at once: git stops reading questions while nobody reads its answers.
        writing = asyncio.ensure_future(child.write(question))
        try:
            answers = [await _answer(child, max_bytes) for _ in names]
            await writing
        except BaseException:
            self._child = None
            child.kill()
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            await child.close()
            raise
        return answers

    def _keep(self, blob: Blob) -> None:
        if blob.data is None or blob.id in self._cache:
            return
        self._cache[blob.id] = blob
        self._cached_bytes += blob.size
        while self._cached_bytes > _CACHE_BYTES and self._cache:
            self._cached_bytes -= self._cache.popitem(last=False)[1].size


def _serves(blob: Blob, max_bytes: int) -> bool:
    return blob.size <= max_bytes


async def _answer(child: Child, max_bytes: int) -> Blob | None:
    words = (await child.readline()).rstrip(b"\n").rsplit(b" ", 2)
    if words[-1] in (b"missing", b"ambiguous") or len(words) != 3:
        return None
    name, kind, size = words[0].decode("ascii", "replace"), words[1].decode("ascii"), int(words[2])
    if size <= max_bytes:
        data: bytes | None = await child.readexactly(size)
    else:
        data = None
        left = size
        while left:
            left -= len(await child.readexactly(min(left, _CHUNK)))
    await child.readexactly(1)
    return Blob(name, kind, size, data)
