"""Opens regular files and nothing else: no link is followed, and no pipe or device is waited for.

Looks at the last part of a path only; whether a link is among the folders is the caller's to know. Invariant: what is
opened is what is looked at, because both are asked of one handle.
"""

from __future__ import annotations

import errno
import os
import stat
from io import FileIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class NotRegularError(OSError):
    """A path leads to a folder, a pipe, a device or the like."""


def open_regular(path: Path) -> FileIO:
    """Open a file to read its bytes. Raises NotRegularError, and OSError where it is a link or cannot be read."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotRegularError(errno.EINVAL, "not a regular file", os.fspath(path))
    return FileIO(handle, "rb")


def size(file: FileIO) -> int:
    """Bytes of an open file."""
    return os.fstat(file.fileno()).st_size
