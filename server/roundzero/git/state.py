"""Which files of a git directory tell that HEAD, refs, the index or a merge moved, and one value over all of them.

Looks at names, sizes and times only and starts no process. Invariant: two equal keys mean that nothing moved, as far as
the file system's clock can tell.
"""

from __future__ import annotations

import hashlib
import stat
from typing import TYPE_CHECKING, Final

from roundzero.regular import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OWN: Final = ("HEAD", "index", "MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge/head-name", "config.worktree")
"""In the git directory of one work tree."""

_SHARED: Final = (
    "packed-refs", "refs/heads", "refs/remotes", "reftable/tables.list", "config", "info/exclude", "info/attributes",
    "shallow",
)  # fmt: skip
"""In the directory that all work trees share."""


def watched(git_dir: Path, common_dir: Path) -> tuple[Path, ...]:
    """Files and folders to watch, existing or not."""
    return tuple(git_dir / name for name in _OWN) + tuple(common_dir / name for name in _SHARED)


def key(git_dir: Path, common_dir: Path) -> str:
    """A value that changes when any of the watched files does, or any ref below the watched folders."""
    digest = hashlib.sha256()
    for path in watched(git_dir, common_dir):
        for sign in _signs(path):
            digest.update(sign.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:16]


def merge_heads(git_dir: Path) -> tuple[str, ...]:
    """The commits of a merge in progress."""
    try:
        text = _text(git_dir / "MERGE_HEAD")
    except (OSError, ValueError):
        return ()
    return tuple(line for line in text.split() if line.isalnum())


def shallow_boundary(common_dir: Path) -> frozenset[str]:
    """The commits whose parents were left out when this was cloned; none where history is complete."""
    try:
        text = _text(common_dir / "shallow")
    except (OSError, ValueError):
        return frozenset()
    return frozenset(line for line in text.split() if line.isalnum())


def _text(path: Path) -> str:
    with open_regular(path) as file:
        return file.read().decode("ascii")


def _signs(path: Path) -> Iterator[str]:
    try:
        status = path.stat()
        names = sorted(path.iterdir()) if stat.S_ISDIR(status.st_mode) else None
    except OSError:
        yield f"{path}\0-\n"
        return
    if names is None:
        yield f"{path}\0{status.st_mtime_ns}\0{status.st_size}\0{status.st_ino}\n"
        return
    yield f"{path}\0{len(names)}\n"
    for name in names:
        yield from _signs(name)
