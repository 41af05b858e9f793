"""The folders that imports start from, as far as files tell: package structure and the project's configuration.

An interpreter's real search path is not known here, so this gives every folder that plausibly is on it. Invariant: a
root more makes a name easier to find, never easier to miss.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.index.tree import Tree, join, parent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from roundzero.core.text import RelPath

MOST_PROJECTS: Final = 200
"""Project files looked for in a repository; more is a repository of test data."""

_SOURCE_FOLDERS: Final = ("src", "lib", "python")
_PROJECT_FILES: Final = ("pyproject.toml", "setup.py", "setup.cfg")
_CONFIGURED: Final = (*_PROJECT_FILES, "pytest.ini", "tox.ini", "mypy.ini", ".coveragerc")
_KEYS: Final = frozenset(
    {"package-dir", "package_dir", "where", "from", "pythonpath", "mypy_path", "python-source", "extraPaths", "src",
     "sources", "packages", "testpaths", "python_paths", "root"}
)  # fmt: skip
_LINE: Final = regex(r"package_dir|find_packages|find_namespace_packages|\bwhere\b|pythonpath|mypy_path|sys\.path")
_WORD: Final = regex(r"[\w./-]+")


class Roots:
    """The import roots of one side of a repository."""

    def __init__(self, tree: Tree, read: Callable[[RelPath], str | None]) -> None:
        """Use the paths of ``tree``; ``read`` gives a file's text."""
        self._tree = tree
        self._read = read
        self._of_folder: dict[str, tuple[str, ...]] = {}
        self._configured: dict[str, tuple[str, ...]] = {}
        self._projects: tuple[str, ...] | None = None

    def of(self, importer: RelPath) -> tuple[str, ...]:
        """The roots of imports in a file, nearest first."""
        folder = parent(importer)
        if folder not in self._of_folder:
            self._of_folder[folder] = tuple(dict.fromkeys(self._find(folder)))
        return self._of_folder[folder]

    def _find(self, folder: str) -> Iterator[str]:
        above = [folder]
        while folder:
            folder = parent(folder)
            above.append(folder)
        packages = [place for place, root in enumerate(above) if self._tree.is_file(join(root, "__init__.py"))]
        if packages:  # a folder without __init__.py inside a package is no root, the repository's own always is one
            above = above[packages[-1] + 1 :] or [""]
        for root in above:
            yield root
            yield from self._beside(root)
            yield from self._configured_in(root)
        for root in self._project_folders():
            yield root
            yield from self._beside(root)
            yield from self._configured_in(root)

    def _beside(self, root: str) -> Iterator[str]:
        for name in _SOURCE_FOLDERS:
            if self._tree.is_folder(join(root, name)):
                yield join(root, name)

    def _project_folders(self) -> tuple[str, ...]:
        if self._projects is None:
            found = {parent(path) for name in _PROJECT_FILES for path in self._tree.named(name)}
            self._projects = tuple(sorted(found, key=lambda folder: (folder.count("/"), folder))[:MOST_PROJECTS])
        return self._projects

    def _configured_in(self, folder: str) -> tuple[str, ...]:
        if folder not in self._configured:
            words: list[str] = []
            for name in _CONFIGURED:
                path = join(folder, name)
                if self._tree.is_file(path) and (text := self._read(path)) is not None:
                    words += _toml_words(text) if name == "pyproject.toml" else _line_words(text)
            self._configured[folder] = tuple(dict.fromkeys(self._existing(folder, words)))
        return self._configured[folder]

    def _existing(self, folder: str, words: list[str]) -> Iterator[str]:
        """The folders that words name; of a package the folder it lies in."""
        for word in words:
            name = word.removeprefix("./").strip("/")
            if not name or ".." in name.split("/") or name == ".":
                continue
            place = join(folder, name)
            if not self._tree.is_folder(place):
                continue
            yield parent(place) if self._tree.is_file(join(place, "__init__.py")) else place


def _toml_words(text: str) -> list[str]:
    try:
        document: object = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    words: list[str] = []
    stack: list[tuple[object, bool]] = [(document, False)]
    while stack:
        value, counts = stack.pop()
        if isinstance(value, dict):
            stack += [(inner, counts or key in _KEYS) for key, inner in value.items()]
        elif isinstance(value, list):
            stack += [(inner, counts) for inner in value]
        elif isinstance(value, str) and counts:
            words += re.split(r"[:,;\s]+", value)
    return words


def _line_words(text: str) -> list[str]:
    """Words on lines that speak of import roots, and on the line after."""
    words: list[str] = []
    again = False
    for line in text.split("\n"):
        speaks = _LINE.search(line) is not None
        if speaks or again:
            words += _WORD.findall(line)
        again = speaks
    return words
