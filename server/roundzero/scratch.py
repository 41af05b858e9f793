"""Temporary folders: private to the user, and gone when the process that made them is, whatever ended it.

Each folder has a lock file beside it that its process holds; the system lets go of the lock even after ``kill -9``, and
whoever makes the next folder removes those that nobody holds. Invariant: a folder in use is never removed by another
process, and nothing is ever put into a folder that somebody else owns or may enter.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import Final

from roundzero.errors import OutsideError

ROOM: Final = 16 * 1024 * 1024
"""Bytes that a folder should have room for when nobody knows."""

_LOCK: Final = ".lock"
_MEMORY: Final = Path("/dev/shm")  # noqa: S108  only as a place for folders that are checked to be ours
_CHOICES: Final = {"TMPDIR", "TEMP", "TMP"}


class Scratch:
    """One temporary folder at ``path``, for programs whose input has to be files. ``remove`` it.

    ``in_memory``: reading and writing there never wait for a disk.
    """

    def __init__(self, room: int = ROOM) -> None:
        """Make the folder where ``room`` bytes fit. Raises OutsideError when none can be made."""
        try:
            shared = _where(room)
            home, swept = _home(shared)
            if swept:
                _sweep(home)
            self._handle, self._lock = _locked(home)
            self.path = Path(self._lock.removesuffix(_LOCK))
            self.path.mkdir(mode=0o700)
            self.in_memory = shared == _MEMORY
        except OSError as error:
            raise OutsideError(
                f"no temporary folder could be made: {error.strerror or error}; make room, or set TMPDIR to a folder"
                " that can be written"
            ) from error

    def remove(self) -> None:
        """Remove the folder and all in it. A second time, and from another thread, it does no harm."""
        _discard(self.path, self._lock)
        handle, self._handle = self._handle, -1  # closed once: its number may be another file's afterwards
        with contextlib.suppress(OSError):
            os.close(handle)


def _where(room: int) -> Path:
    """The person's choice, else memory if there is plenty, else the system's folder for temporary files.

    Removing 5,000 small files took 16 seconds on a disk that discards, and a tenth of a second in memory.
    """
    if not _CHOICES & os.environ.keys():
        with contextlib.suppress(OSError, AttributeError):  # not every system has such a thing
            status = os.statvfs(_MEMORY)
            if status.f_bavail * status.f_frsize >= 2 * room and os.access(_MEMORY, os.W_OK | os.X_OK):
                return _MEMORY
    return Path(tempfile.gettempdir()).resolve()


def _home(shared: Path) -> tuple[Path, bool]:
    """Where to make a folder: one that holds all of this user's and nothing else, if there can be such (True)."""
    if sys.platform == "win32":
        return shared, False
    home = shared / f"roundzero-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        home.mkdir(mode=0o700)
    status = home.lstat()
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    return (home, True) if ours else (shared, False)


def _locked(home: Path) -> tuple[int, str]:
    """A new lock file that this process holds."""
    while True:
        handle, name = tempfile.mkstemp(suffix=_LOCK, prefix="roundzero-", dir=home)
        # Between these two lines another process may have taken it for one left behind.
        if _take(handle) and os.fstat(handle).st_nlink:
            return handle, name
        os.close(handle)


def _sweep(home: Path) -> None:
    """Remove the folders whose processes are gone."""
    for lock in home.glob(f"*{_LOCK}"):
        with contextlib.suppress(OSError):
            handle = os.open(lock, os.O_RDWR)
            try:
                if _take(handle):
                    _discard(lock.with_name(lock.name.removesuffix(_LOCK)), str(lock))
            finally:
                os.close(handle)


def _take(handle: int) -> bool:
    """Hold a lock file; False when another process does."""
    if sys.platform == "win32":
        return True
    import fcntl  # noqa: PLC0415  not on every system

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _discard(folder: Path, lock: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.unlink(lock)  # noqa: PTH108  a str from mkstemp
