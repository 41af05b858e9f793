"""This process's end of the conversation with a worker process.

Does not know what is checked. Invariants: a request whose worker died is asked of a new one once, so that only what
kills two workers stays unchecked; a cancelled request is told to stop, and the conversation goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import math
import pickle
import sys
import tempfile
from typing import TYPE_CHECKING, Final, TypeAlias

from roundzero.engine.frames import (
    LENGTH,
    WIDE,
    Answer,
    Broken,
    CheckChange,
    Commits,
    Done,
    Grep,
    Paths,
    Question,
    Read,
    Rules,
    Stop,
    Texts,
    frame,
    pack,
)
from roundzero.errors import OutsideError
from roundzero.proc import Child

if TYPE_CHECKING:
    from collections.abc import Callable

    from roundzero.checkers.run import FileResult
    from roundzero.checkers.run_change import ChangeResult
    from roundzero.core.change import FileChange
    from roundzero.core.item import Item
    from roundzero.engine.frames import Reply, Request
    from roundzero.engine.repository import Snapshot

_log: Final = logging.getLogger(__name__)

Result: TypeAlias = "FileResult | ChangeResult | None"

CRASHED: Final = "the worker process ended while it checked this"

TURNS: Final = 3
"""How often a check that nobody waits for gives way before it is done to the end: each time, its work is lost."""

PAUSE: Final = 0.3
"""Seconds after the last file somebody waited for in which another is likely: who types, types on."""

LONGEST_PAUSE: Final = 2.0
"""Seconds after which a check that nobody waits for is begun between two keystrokes all the same."""


class _DiedError(OutsideError):
    """The worker process ended before it answered."""


class Worker:
    """One worker process, started when first needed and again after it died."""

    parallel: Final = 1

    def __init__(self, *, wide: bool = False) -> None:
        """Start nothing. ``wide``: it is to look at the change as a whole."""
        self._ready_for = (WIDE,) if wide else ()
        self._child: Child | None = None
        self._reader: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Result]] = {}
        self._snapshots: dict[int, Snapshot] = {}
        self._numbers = itertools.count(1)
        self._items: tuple[Item, ...] | None = None
        self._texts = Texts()
        self._lock = asyncio.Lock()
        self._awaited = 0
        """Files somebody waits for."""
        self._left = -math.inf
        """When somebody last had a file to wait for, on the loop's clock."""
        self._free = asyncio.Event()
        """Set while nobody waits for a file."""
        self._free.set()
        self._turn = asyncio.Lock()
        """Held by the one check that nobody waits for."""
        self._giving_way: asyncio.Task[FileResult] | None = None
        """That check while it may be stopped."""

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        return self._child.pid if self._child is not None and self._child.alive else None

    async def warm(self) -> None:
        """Start the process now, so that the first check does not wait for it."""
        async with self._lock:
            await self._ready()

    async def check_file(self, file: FileChange, items: tuple[Item, ...]) -> FileResult:
        """See Runner. What nobody waits for gives way."""
        self._awaited += 1
        self._free.clear()
        if self._giving_way is not None:
            self._giving_way.cancel()
        try:
            return await self._check(file, items)
        finally:
            self._awaited -= 1
            self._left = asyncio.get_running_loop().time()
            if not self._awaited:
                self._free.set()

    async def check_between(self, file: FileChange, items: tuple[Item, ...]) -> FileResult:
        """As ``check_file``, when nobody waits for another file, and begun anew when somebody comes to."""
        async with self._turn:
            for _ in range(TURNS):
                await self._unawaited()
                self._giving_way = asking = asyncio.ensure_future(self._check(file, items))
                try:
                    await asyncio.wait([asking])
                finally:
                    self._giving_way = None
                    if asking.cancel():
                        await asyncio.wait([asking])
                if not asking.cancelled():
                    return asking.result()
            await self._unawaited()
            return await self._check(file, items)

    async def _unawaited(self) -> None:
        """Wait until nobody waits for a file, nor did a moment ago: who types would stop it at once."""
        loop = asyncio.get_running_loop()
        latest = loop.time() + LONGEST_PAUSE
        while True:
            await self._free.wait()
            pause = min(self._left + PAUSE, latest) - loop.time()
            if pause <= 0:
                return
            await asyncio.sleep(pause)

    async def check_change(self, snapshot: Snapshot, items: tuple[Item, ...]) -> ChangeResult:
        """See Runner."""
        from roundzero.checkers.run_change import ChangeResult  # noqa: PLC0415  heavy

        result = await self._request(
            items, lambda number: CheckChange(number, snapshot.change, snapshot.keep_in), snapshot
        )
        return result if isinstance(result, ChangeResult) else ChangeResult()

    async def close(self) -> None:
        """End the process. What waits for it fails."""
        child, self._child = self._child, None
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reader
        if child is not None:
            child.kill()
            await child.close()
        self._fail(OutsideError("the engine was closed"))

    async def _check(self, file: FileChange, items: tuple[Item, ...]) -> FileResult:
        from roundzero.checkers.run import FileResult  # noqa: PLC0415  heavy

        result = await self._request(items, lambda number: pack(number, file, self._texts))
        return result if isinstance(result, FileResult) else FileResult()

    async def _request(
        self, items: tuple[Item, ...], make: Callable[[int], Request], snapshot: Snapshot | None = None
    ) -> Result:
        try:
            return await self._asked(items, make, snapshot)
        except _DiedError:
            return await self._asked(items, make, snapshot)

    async def _asked(
        self, items: tuple[Item, ...], make: Callable[[int], Request], snapshot: Snapshot | None
    ) -> Result:
        number = next(self._numbers)
        answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        async with self._lock:
            child = await self._ready()
            self._waiting[number] = answer
            if snapshot is not None:
                self._snapshots[number] = snapshot
            try:
                if items is not self._items and items != self._items:
                    await child.write(frame(Rules(items)))
                self._items = items
                await child.write(frame(make(number)))
            except asyncio.CancelledError:  # the frame is in the pipe's buffer whole
                await self._stop(child, number)
                raise
            except OutsideError as error:
                self._forget(number)
                raise _DiedError(CRASHED) from error
        try:
            return await answer
        except asyncio.CancelledError:
            await self._stop(child, number)
            raise
        finally:
            self._forget(number)

    async def _stop(self, child: Child, number: int) -> None:
        self._forget(number)
        if child is self._child and child.alive:
            with contextlib.suppress(OutsideError):
                await child.write(frame(Stop(number)))

    def _forget(self, number: int) -> None:
        self._waiting.pop(number, None)
        self._snapshots.pop(number, None)

    async def _ready(self) -> Child:
        if self._child is None or self._reader is None or not self._child.alive or self._reader.done():
            if self._reader is not None:
                await self._reader
            if self._child is not None:
                await self._child.close()
            self._texts, self._items = Texts(), None
            argv = [sys.executable, "-P", "-m", "roundzero.engine.worker", *self._ready_for]
            self._child = await Child.start(argv, tempfile.gettempdir())
            self._reader = asyncio.ensure_future(self._listen(self._child))
        return self._child

    async def _listen(self, child: Child) -> None:
        try:
            while True:
                size = int.from_bytes(await child.readexactly(LENGTH), "big")
                reply: Reply = pickle.loads(await child.readexactly(size))  # noqa: S301  our own child wrote it
                match reply:
                    case Done(number, result):
                        self._settle(number, result)
                    case Broken(number, message, trace):
                        _log.error("a check broke: %s", trace)
                        self._settle(number, OutsideError(f"a check broke: {message}"))
                    case Read() | Paths() | Grep() | Commits() as question:
                        await child.write(frame(await self._answer(question)))
        except OutsideError as error:
            if self._child is child:
                _log.warning("%s", error)
            self._fail(_DiedError(CRASHED))

    def _settle(self, number: int, result: Result | OutsideError) -> None:
        answer = self._waiting.get(number)
        if answer is None or answer.done():
            return
        if isinstance(result, OutsideError):
            answer.set_exception(result)
        else:
            answer.set_result(result)

    def _fail(self, error: OutsideError) -> None:
        for number in list(self._waiting):
            self._settle(number, error)

    async def _answer(self, question: Question) -> Answer:
        snapshot = self._snapshots.get(question.number)
        if snapshot is None:
            return Answer(None, "the result is no longer wanted")
        try:
            match question:
                case Read(_, path, side):
                    return Answer(await snapshot.read(path, side))
                case Paths(_, side):
                    return Answer(await snapshot.paths(side))
                case Grep(_, words):
                    return Answer(await snapshot.grep(words))
                case Commits():
                    return Answer(await snapshot.commits())
        except OutsideError as error:
            return Answer(None, str(error))
