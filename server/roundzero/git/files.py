"""Reads files of the work tree without ever leaving it.

Blocking; call it in a thread. Does not decode. Invariant: no byte is read through a symbolic link, neither the file's
own nor one among its folders, and nothing but regular files is opened.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.change import ABSENT, SYMLINK, blob_id
from roundzero.core.frozen import dataclass
from roundzero.regular import NotRegularError, open_regular

if TYPE_CHECKING:
    from io import FileIO
    from pathlib import Path

    from roundzero.core.text import RelPath

_CHUNK: Final = 1024 * 1024
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL})


class FileKind(Enum):
    """What lies at a path."""

    REGULAR = "regular"
    SYMLINK = "symlink"
    FOLDER = "folder"
    OTHER = "other"
    MISSING = "missing"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskFile:
    """A file as it is now. ``data`` None unless it is regular, readable and not larger than asked for."""

    kind: FileKind
    mode: str = ABSENT
    size: int = 0
    blob: str = ""
    data: bytes | None = None
    problem: str = ""


def inside(path: RelPath) -> bool:
    """Whether a path can be one, stays below the root and out of git directories."""
    return "\0" not in path and not any(part in ("", "..") or part.lower() == ".git" for part in path.split("/"))


class WorkTree:
    """The files under one root."""

    def __init__(self, root: Path, object_format: str) -> None:
        """Name the root; nothing is read."""
        self._root = root.resolve()
        self._object_format = object_format

    def read(self, path: RelPath, *, max_bytes: int, known_folders: dict[Path, bool] | None = None) -> DiskFile:
        """Read one file. ``known_folders`` saves checking the same folder again within one go."""
        full = self._root / path
        try:
            if not inside(path) or not _is_real(full.parent, {} if known_folders is None else known_folders):
                return DiskFile(kind=FileKind.MISSING)
            status = full.lstat()
        except OSError as error:
            return _failed(error)
        except (ValueError, RuntimeError):  # a name with a NUL, links in a circle
            return DiskFile(kind=FileKind.MISSING)
        if stat.S_ISLNK(status.st_mode):
            return self._link(full)
        if stat.S_ISREG(status.st_mode):
            return self._regular(full, max_bytes)
        return DiskFile(kind=FileKind.FOLDER if stat.S_ISDIR(status.st_mode) else FileKind.OTHER)

    def _link(self, full: Path) -> DiskFile:
        try:
            target = os.fsencode(full.readlink())
        except OSError as error:
            return _failed(error)
        return DiskFile(
            kind=FileKind.SYMLINK,
            mode=SYMLINK,
            size=len(target),
            blob=blob_id(target, algorithm=self._object_format),
        )

    def _regular(self, full: Path, max_bytes: int) -> DiskFile:
        try:
            file = open_regular(full)
        except NotRegularError:
            return DiskFile(kind=FileKind.OTHER)
        except OSError as error:
            return _failed(error)
        try:
            with file:
                status = os.fstat(file.fileno())
                mode = "100755" if status.st_mode & 0o100 else "100644"
                if status.st_size > max_bytes:
                    blob = self._hash(file, status.st_size)
                    return DiskFile(kind=FileKind.REGULAR, mode=mode, size=status.st_size, blob=blob)
                data = file.read()
        except OSError as error:
            return DiskFile(kind=FileKind.UNREADABLE, problem=error.strerror or str(error))
        blob = blob_id(data, algorithm=self._object_format)
        return DiskFile(kind=FileKind.REGULAR, mode=mode, size=len(data), blob=blob, data=data)

    def _hash(self, file: FileIO, size: int) -> str:
        digest = hashlib.new(self._object_format, usedforsecurity=False)
        digest.update(b"blob %d\0" % size)
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
        return digest.hexdigest()


def _is_real(folder: Path, known: dict[Path, bool]) -> bool:
    """Whether no link is among a folder and those above it."""
    if folder not in known:
        known[folder] = folder.resolve() == folder
    return known[folder]


def _failed(error: OSError) -> DiskFile:
    """What an error says of a file: only some mean that there is none; a folder nobody may enter hides it."""
    if error.errno in _ABSENT:
        return DiskFile(kind=FileKind.MISSING)
    return DiskFile(kind=FileKind.UNREADABLE, problem=error.strerror or str(error))
