"""Small files of a trusted repository's work tree that say how its code is laid out, and a copy of the tree for texts.

The texts laid out are the reviewed ones, at their own paths in a folder of ours; a configuration counts as it stands in
the work tree, like the repository's own packs. Invariants: only regular files inside the root are read, and none that
is large; nothing is written to the work tree.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from roundzero.errors import OutsideError
from roundzero.linters._base import encoded
from roundzero.linters._filled import filled
from roundzero.regular import open_regular, size

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

_MOST_BYTES: Final = 256 * 1024
_BLOCKS: Final = 64 * 1024
"""Bytes that a file, its folders and the configuration around it take besides its text."""


def read(root: Path, path: str) -> str | None:
    """The text of a file of the work tree; None where there is none, or it is a link, odd or large."""
    place = root / path
    try:
        if not place.parent.resolve().is_relative_to(root.resolve()):
            return None
        with open_regular(place) as file:
            return file.read().decode("utf-8") if size(file) <= _MOST_BYTES else None
    except (OSError, UnicodeDecodeError, RuntimeError):
        return None


def folders(path: str) -> Iterator[str]:
    """The folders a file lies in, the nearest first, each "" or ending in a slash."""
    while path:
        path = path.rpartition("/")[0]
        yield f"{path}/" if path else ""


def around(root: Path, paths: Iterable[str], names: Iterable[str]) -> dict[str, str]:
    """The files of some names that lie in a folder of one of the paths, by path."""
    wanted = tuple(names)
    places = {folder for path in paths for folder in folders(path)}
    found = {f"{folder}{name}": read(root, f"{folder}{name}") for folder in sorted(places) for name in wanted}
    return {path: text for path, text in found.items() if text is not None}


@asynccontextmanager
async def tree(texts: Sequence[tuple[str, str]], more: Mapping[str, str]) -> AsyncIterator[Path]:
    """A folder of our own with texts at their paths, and the files ``more`` where no text is; gone afterwards.

    Raises OutsideError when it cannot be written, or a path leads out of it.
    """
    room = sum(4 * len(text) + _BLOCKS for _, text in texts)
    async with filled(room, lambda folder: _written(folder, {**more, **dict(texts)})) as folder:
        yield folder


def read_back(folder: Path, paths: Iterable[str]) -> list[str]:
    """The texts at some paths of a folder. Raises OSError, UnicodeDecodeError."""
    return [(folder / path).read_bytes().decode("utf-8") for path in paths]


def _written(folder: Path, texts: Mapping[str, str]) -> Iterator[None]:
    for path, text in texts.items():
        place = folder / path
        if path.startswith("/") or {"", ".", "..", ".git", "git~1"} & {*path.casefold().split("/")}:
            raise OutsideError(f"{path} cannot be laid out elsewhere")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(encoded(text))
        yield
