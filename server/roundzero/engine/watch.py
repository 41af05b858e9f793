"""Watches git's own files (HEAD, index, refs) for editors that do not, without waking up when nothing happens.

On Linux through inotify on the event loop. watchfiles, which serves everywhere else, wakes its thread at every step
(measured: 20 times a second by default), so there it gets a step of five seconds. Does not look at what changed, but
for when a database was written last where events do not say so.
Invariant: no timer runs on Linux, and a watch that cannot be made is a logged line, never an error.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import logging
import os
import struct
import sys
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

_log: Final = logging.getLogger(__name__)

FOLDERS: Final = 200
"""Most folders watched: refs may be nested, and the system's watches are shared with everyone."""

STEP_SECONDS: Final = 5
"""How often watchfiles may wake where there is no inotify."""

Written: TypeAlias = "tuple[tuple[int, int] | None, ...]"
"""Time of change in nanoseconds and size in bytes of a database and of its log, where they hold something."""

_HEADER: Final = struct.Struct("iIII")
_CREATED: Final = 0x100
_MODIFIED: Final = 0x2
_CLOSED: Final = 0x8
_EVENTS: Final = _MODIFIED | _CLOSED | 0x40 | 0x80 | _CREATED | 0x200 | 0x400
_IGNORED: Final = 0x8000
_IS_FOLDER: Final = 0x40000000
_ONLY_FOLDER: Final = 0x01000000
_CLOSE_ON_EXEC: Final = 0o2000000
_NON_BLOCKING: Final = 0o4000


class Watch:
    """A watch over files and folders. Calls ``changed`` on the loop for each burst; ``close`` ends it."""

    def __init__(
        self,
        paths: Sequence[Path],
        changed: Callable[[], None],
        *,
        database: Path | None = None,
        inotify: bool = sys.platform == "linux",
    ) -> None:
        """Watch at once. A file is watched through its folder, since git replaces files by renaming.

        ``database`` is an SQLite file, whose folder may not exist yet. Only what is written into it counts: whoever
        reads it makes and removes files beside it. ``inotify`` False: through watchfiles, as everywhere but on Linux.
        """
        self._changed = changed
        self._database = database
        self._log = database.with_name(f"{database.name}-wal") if database is not None else None
        self._files = {path for path in paths if not path.is_dir()}
        self._roots = [path for path in paths if path.is_dir()]
        self._loop = asyncio.get_running_loop()
        self._descriptor: int | None = None
        self._folders: dict[int, Path] = {}
        self._task: asyncio.Task[None] | None = None
        if inotify:
            self._open()
        else:
            self._task = asyncio.ensure_future(self._follow())

    async def close(self) -> None:
        """Watch nothing any more."""
        if self._descriptor is not None:
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def _open(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        descriptor = self._libc.inotify_init1(_CLOSE_ON_EXEC | _NON_BLOCKING)
        if descriptor < 0:
            _log.warning("git's files are not watched: %s", os.strerror(ctypes.get_errno()))
            return
        self._descriptor = descriptor
        self._add(_folders(self._files, self._roots))
        self._add_database()
        self._loop.add_reader(descriptor, self._read)

    def _add_database(self) -> None:
        """Watch the database's folder, and until there is one the folder it will be made in."""
        if self._database is not None:
            folder = self._database.parent
            self._add([folder] if folder.is_dir() else [folder.parent])

    def _add(self, folders: Iterable[Path]) -> None:
        known = set(self._folders.values())
        for folder in folders:
            if folder in known or len(self._folders) >= FOLDERS:
                continue
            number = self._libc.inotify_add_watch(self._descriptor, os.fsencode(folder), _EVENTS | _ONLY_FOLDER)
            if number >= 0:
                self._folders[number] = folder
            else:
                _log.debug("%s is not watched: %s", folder, os.strerror(ctypes.get_errno()))

    def _read(self) -> None:
        if self._descriptor is None:
            return
        try:
            data = os.read(self._descriptor, 65536)
        except BlockingIOError:
            return
        at = 0
        relevant = False
        while at + _HEADER.size <= len(data):
            number, mask, _, length = _HEADER.unpack_from(data, at)
            name = data[at + _HEADER.size : at + _HEADER.size + length].rstrip(b"\0")
            at += _HEADER.size + length
            folder = self._folders.get(number)
            if folder is None:
                continue
            if mask & _IGNORED:  # git removes folders of refs it has packed; they may come back
                del self._folders[number]
                continue
            path = folder / os.fsdecode(name)
            if mask & _IS_FOLDER and mask & _CREATED:
                self._add(_folders((), [root for root in self._roots if path.is_relative_to(root)]))
                if self._database is not None and path == self._database.parent:
                    self._add_database()
                    relevant = relevant or self._database.exists()
            relevant = relevant or self._matters(path) or self._is_written(path, mask)
        if relevant:
            self._changed()

    def _is_written(self, path: Path, mask: int) -> bool:
        """Whether the database was written, or another file lies there now."""
        if self._database is None:
            return False
        return (path == self._log and bool(mask & _MODIFIED)) or (
            path == self._database and bool(mask & ~_CLOSED & _EVENTS)
        )

    def _matters(self, path: Path) -> bool:
        if path.name.endswith(".lock"):
            return False
        return path in self._files or any(path.is_relative_to(root) for root in self._roots)

    async def _follow(self) -> None:
        """Watch through watchfiles, and anew whenever a folder came or went."""
        try:
            written = await asyncio.to_thread(self._written)
            folders = await asyncio.to_thread(self._existing)
            while True:
                written = await self._follow_folders(folders, written)
                folders = await asyncio.to_thread(self._existing)
                # Runs when the new folders are watched: what happened in them before that may be news.
                self._loop.call_soon(self._changed)
        except OSError as error:
            _log.warning("git's files are not watched: %s", error)

    async def _follow_folders(self, folders: list[Path], written: Written) -> Written:
        """Watch these folders for as long as they are all; how the database was written last."""
        from pathlib import Path as Changed  # noqa: PLC0415  only where it is needed, and then late

        from watchfiles import awatch  # noqa: PLC0415  as above

        milliseconds = int(STEP_SECONDS * 1000)
        # Its own filter leaves out whatever lies below a folder named .git.
        async for changes in awatch(
            *folders, watch_filter=None, step=milliseconds, debounce=milliseconds, rust_timeout=0, recursive=False
        ):
            before, written = written, await asyncio.to_thread(self._written)
            if written != before or any(self._matters(Changed(name)) for _, name in changes):
                self._changed()
            if await asyncio.to_thread(self._existing) != folders:
                break
        return written

    def _existing(self) -> list[Path]:
        """The folders to watch, as far as they are there: a database's may come later."""
        found = set(_folders(self._files, self._roots))
        if self._database is not None:
            found |= {self._database.parent, self._database.parent.parent}
        return sorted(folder for folder in found if folder.is_dir())

    def _written(self) -> Written:
        """What tells one state of the database from another. An empty log is one that a reader made."""
        found = []
        for path in (self._database, self._log):
            try:
                state = path.stat() if path is not None else None
            except FileNotFoundError:
                state = None
            found.append((state.st_mtime_ns, state.st_size) if state is not None and state.st_size else None)
        return tuple(found)


def _folders(files: Iterable[Path], roots: Iterable[Path]) -> list[Path]:
    """The folders to watch: those of the files, and everything below the roots."""
    found = {file.parent for file in files}
    for root in roots:
        for folder, _, _ in os.walk(root):
            found.add(root.__class__(folder))
            if len(found) >= FOLDERS:
                break
    return sorted(found)
