"""What goes when files go: the folders that held nothing else, the patterns that matched nothing else, Bazel packages.

Finds references to those in build files, workflows and scripts, for deleted_file_still_named. Which files count as such
is its business. Invariant: what is found stood for something at the base and stands for nothing at the head.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.core.ports import GrepHit

BUILD_FILES: Final = ("BUILD", "BUILD.bazel")
_TOKEN: Final = regex(
    r"(?<![\w./:@$~%{}*?<>=+,-])(?:\$\{\w+\}/|\$\(\w+\)/|\$\w+/)?(?:\.{1,2}/)*[\w*?.-]+(?:/[\w*?.-]+)*/?"
)
_VARIABLE: Final = regex(r"^(?:\$\{\w+\}|\$\(\w+\)|\$\w+)/")
_SUBDIRECTORY: Final = regex(r"\s*add_subdirectory\(\s*(?P<folder>[\w./-]+)", re.IGNORECASE)
_WILD: Final = regex(r"[*?]")


@dataclass(frozen=True, slots=True)
class Named:
    """A reference: the text that refers, and its place."""

    token: str
    span: Span


class GoneFolders:
    """The folders that lost their last file, from the paths of both sides."""

    def __init__(self, gone: Iterable[RelPath], here: Collection[RelPath]) -> None:
        """Compare the files that went with those that are there."""
        self._gone = tuple(gone)
        self._here = here
        kept: set[str] = set()
        for path in here:
            folder = posixpath.dirname(path)
            while folder and folder not in kept:
                kept.add(folder)
                folder = posixpath.dirname(folder)
        self.folders: dict[str, RelPath] = {}
        for path in self._gone:
            folder = posixpath.dirname(path)
            while folder and folder not in kept:
                self.folders.setdefault(folder, path)
                folder = posixpath.dirname(folder)

    @property
    def words(self) -> frozenset[str]:
        """The words that references to what went contain."""
        packages = {posixpath.dirname(path) for path in self._gone if posixpath.basename(path) in BUILD_FILES}
        return frozenset(posixpath.basename(folder) for folder in {*self.folders, *packages}) - {""}

    def in_line(self, place: GrepHit) -> Iterator[tuple[Named, RelPath]]:
        """References on a line to a folder that went, or to what a pattern matched; each with a file that was lost."""
        if language_of(place.path) == "starlark":
            return
        if language_of(place.path) == "cmake" and (below := _SUBDIRECTORY.match(place.text)) is not None:
            folder = posixpath.normpath(posixpath.join(posixpath.dirname(place.path), below["folder"]))
            if folder in self.folders:
                span = Span(
                    Position(place.line, below.start("folder") + 1), Position(place.line, below.end("folder") + 1)
                )
                yield Named(below["folder"], span), self.folders[folder]
            return
        for match in _TOKEN.finditer(place.text):
            token = match.group()
            lost = self._lost(token, place.path) if "/" in token.rstrip("/") else None
            if lost is not None:
                yield Named(token, _span(place, match)), lost

    def packages_in_line(self, place: GrepHit) -> Iterator[tuple[Named, RelPath]]:
        """Labels on a line of a build file that point into a Bazel package whose build file went."""
        if language_of(place.path) != "starlark":
            return
        for match in re.finditer(r"(?<![\w@])//(?P<package>[\w./-]*)(?::[\w./+-]+)?(?=[\"'])", place.text):
            package = match.group("package")
            lost = [path for path in self._gone if path in {posixpath.join(package, name) for name in BUILD_FILES}]
            if lost and not any(posixpath.join(package, name) in self._here for name in BUILD_FILES):
                yield Named(match.group(), _span(place, match)), lost[0]

    def _lost(self, token: str, naming: RelPath) -> RelPath | None:
        variable = _VARIABLE.match(token)
        rest = token[variable.end() :] if variable is not None else token
        candidates = [posixpath.normpath(rest)]
        if variable is None:
            candidates.insert(0, posixpath.normpath(posixpath.join(posixpath.dirname(naming), rest)))
        for path in candidates:
            if path.startswith("..") or any(self._stands(other) for other in candidates):
                continue
            if _WILD.search(path):
                lost = [old for old in self._gone if _matches(old, path)]
                if lost and "/" in path:
                    return lost[0]
            elif path in self.folders and "/" in path:
                return self.folders[path]
        return None

    def _stands(self, path: str) -> bool:
        """Whether a path or pattern stands for anything at the head."""
        if _WILD.search(path):
            return any(_matches(other, path) for other in self._here)
        return path in self._here or any(other.startswith(f"{path}/") for other in self._here)


def _matches(path: str, pattern: str) -> bool:
    """As a shell matches: a star stands for no slash."""
    ours, theirs = path.split("/"), pattern.rstrip("/").split("/")
    return len(ours) == len(theirs) and all(fnmatch.fnmatchcase(a, b) for a, b in zip(ours, theirs, strict=True))


def _span(place: GrepHit, match: re.Match[str]) -> Span:
    return Span(Position(place.line, match.start() + 1), Position(place.line, match.end() + 1))
