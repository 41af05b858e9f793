"""large-file-added: the change adds a file of a size that every clone will carry for ever.

The limit is that of the repository's own hook, or a megabyte. Locks, files in Git LFS and what the settings leave out
do not count. Invariant: only added files are named, renamed ones never.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._file_sizes import limit, spelt
from roundzero.core.change import SkipKind, Status
from roundzero.core.finding import Hit
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.core.change import Change
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

_LOCK: Final = regex(
    r"(?:^|/)(?:[\w.-]*[.-]lock(?:file)?|package-lock\.json|pnpm-lock\.yaml|go\.sum|[\w-]*\.lock\.json)$"
)
_SMALLEST_LIMIT: Final = 1024
"""No hook allows less than a kilobyte, so smaller changes ask nothing."""


class LargeFileAdded(ChangeChecker):
    """Finds large added files."""

    name = "large-file-added"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Compare the sizes of added files with the limit."""
        sizes = [(path, size) for path, size in _added(change) if size > _SMALLEST_LIMIT and not _LOCK.search(path)]
        if not sizes:
            return
        most = limit(repository)
        for path, size in sizes:
            if size > most:
                name = code(path.rpartition("/")[2])
                yield Hit(path=path, span=None, subject=f"{name} ({spelt(size)})")


def _added(change: Change) -> Iterator[tuple[RelPath, int]]:
    for file in change.files:
        if file.status is Status.ADDED and file.head is not None:
            yield file.path, len(file.head.text.encode("utf-8", "surrogatepass"))
    for skip in change.skipped:
        is_seen = skip.binary or skip.kind is SkipKind.NOT_CHECKED
        if skip.status is Status.ADDED and is_seen and skip.size is not None:
            yield skip.path, skip.size


CHECKER: Final = LargeFileAdded
