"""Finds out what git waits for when it does not end: a pipe or a device under the name of a file that git reads.

Blocking; call it in a thread. Opens nothing. Invariant: what it names is no file and no folder, wherever links lead.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOST: Final = 100_000
"""Folders after which it is not looked on."""

_ANYWHERE: Final = frozenset({".gitignore", ".gitattributes"})
_OWN: Final = ("HEAD", "index", "config", "packed-refs", "shallow", "info/exclude", "info/attributes")


def waited_for(root: Path) -> str | None:
    """The first of the files that git reads in a work tree which makes it wait; relative to ``root``."""
    return next((place for place in _places(root) if _waits(os.path.join(root, place))), None)  # noqa: PTH118  as below


def _places(root: Path) -> Iterator[str]:
    yield from (f".git/{name}" for name in _OWN)
    for count, (folder, folders, names) in enumerate(os.walk(root)):
        if count == _MOST:
            return
        if ".git" in folders:
            folders.remove(".git")
        for name in sorted(_ANYWHERE.intersection(names)):
            yield os.path.relpath(os.path.join(folder, name), root)  # noqa: PTH118  pathlib takes twice as long


def _waits(path: str) -> bool:
    try:
        status = os.stat(path)  # noqa: PTH116  as above
    except OSError:
        return False
    return stat.S_ISFIFO(status.st_mode) or (stat.S_ISCHR(status.st_mode) and not os.path.samefile(path, os.devnull))  # noqa: PTH121  as above
