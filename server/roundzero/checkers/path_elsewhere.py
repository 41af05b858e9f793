"""path-elsewhere: a script reads a file by a path that is not there, and its end is a path of the repository.

A hint, where missing-path is silent because the first folder is named elsewhere: another checkout, or a folder of
before, may have it. Invariant: the file is in the repository under all of the path but its first folders.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._scripts import scripts
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.regex import regex
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from roundzero.checkers._shell import Command
    from roundzero.checkers._shell_words import Word
    from roundzero.core.change import Change
    from roundzero.core.ports import GrepHit, Repository

_PATH: Final = regex(r"(?:\./)?(?:[\w.-]+/){2,}[\w-][\w.-]*\.[A-Za-z]\w{0,5}")
_READS: Final = frozenset({"-r", "--requirement", "-c", "--constraint", "-f", "--file", "--config"})
_RUNS: Final = frozenset({"source", ".", "bash", "sh", "cat", "python", "python3"})


class PathElsewhere(ChangeChecker):
    """Finds paths that begin in a folder of another checkout."""

    name = "path-elsewhere"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at what the scripts that the change writes read."""
        here: Collection[RelPath] | None = None
        for file in change.files:
            if file.head is None or not file.added:
                continue
            for script in scripts(file.head):
                for command in script.shell.commands:
                    for word in _read(command):
                        span = script.span(word.start, word.end)
                        if span.start.line not in file.added:
                            continue
                        here = here if here is not None else repository.paths(Side.HEAD)
                        place = _elsewhere(word.plain, posixpath.dirname(file.path), here)
                        if place is not None:
                            yield Hit(path=file.path, span=span, subject=f"{code(word.plain)} ({place})")


def _read(command: Command) -> Iterable[Word]:
    """The words of a command that name files it reads."""
    words = command.arguments
    for at, word in enumerate(words):
        is_read = (at > 0 and words[at - 1].plain in _READS) or (at == 0 and command.name in _RUNS)
        if is_read and _PATH.fullmatch(word.plain) is not None:
            yield word


def _elsewhere(written: str, folder: str, here: Collection[RelPath]) -> RelPath | None:
    """The path of the repository that ends a written one, where that is neither at the root nor beside the script."""
    plain = posixpath.normpath(written)
    if RelPath(plain) in here or RelPath(posixpath.normpath(posixpath.join(folder, plain))) in here:
        return None
    parts = plain.split("/")
    if any(path.endswith(f"/{plain}") for path in here):
        return None
    for first in range(1, len(parts) - 1):
        place = RelPath("/".join(parts[first:]))
        if place in here:
            return place
    return None


CHECKER: Final = PathElsewhere
