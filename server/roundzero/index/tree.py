"""The paths of one side as a tree: which folders there are, and what is named how.

Knows no Python and reads no file. Invariant: built once per side, then every question costs a look-up.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Collection


class Tree:
    """A set of paths. "" is the root folder."""

    def __init__(self, paths: Collection[RelPath]) -> None:
        """Hold the paths; what questions need is indexed with the first of them."""
        self.paths = frozenset(paths)

    def is_file(self, path: str) -> bool:
        """Whether a path is a file."""
        return path in self.paths

    def is_folder(self, path: str) -> bool:
        """Whether some file lies in or below a folder."""
        return path in self._folders

    def named(self, name: str) -> tuple[RelPath, ...]:
        """The files with a base name, sorted."""
        return tuple(sorted(self._named.get(name, ())))

    def folders_named(self, name: str) -> tuple[str, ...]:
        """The folders with a base name, sorted."""
        return tuple(sorted(self._folders_named.get(name, ())))

    def names_in(self, folder: str) -> tuple[str, ...]:
        """The base names of the files directly in a folder."""
        return tuple(self._in_folder.get(folder, ()))

    @cached_property
    def _in_folder(self) -> dict[str, list[str]]:
        rows: dict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            folder, _, name = path.rpartition("/")
            rows[folder].append(name)
        return rows

    @cached_property
    def _folders(self) -> frozenset[str]:
        folders: set[str] = {""}
        for folder in self._in_folder:
            while folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]  # noqa: PLW2901  climbs
        return frozenset(folders)

    @cached_property
    def _named(self) -> dict[str, list[RelPath]]:
        rows: dict[str, list[RelPath]] = defaultdict(list)
        for path in self.paths:
            rows[path.rpartition("/")[2]].append(path)
        return rows

    @cached_property
    def _folders_named(self) -> dict[str, list[str]]:
        rows: dict[str, list[str]] = defaultdict(list)
        for folder in self._folders:
            rows[folder.rpartition("/")[2]].append(folder)
        return rows


def join(folder: str, name: str) -> RelPath:
    """A path below a folder; "" is the root."""
    return RelPath(f"{folder}/{name}" if folder else name)


def parent(path: str) -> str:
    """The folder of a path; "" for the root's own files."""
    return path.rpartition("/")[0]
