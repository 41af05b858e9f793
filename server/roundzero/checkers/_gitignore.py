"""Which paths would be ignored by the ``.gitignore`` files of the head.

What went from the repository and is ignored now is still on people's disks: something makes it. Reads those files only
when asked. A person's own exclusions (``.git/info/exclude``, ``core.excludesFile``) do not count, because no other
clone has them: what only they name is missing elsewhere, and a review says the same in CI. Invariant: patterns run in
linear time, because they come from a repository nobody trusts; one that cannot be compiled matches nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.change import Side
from roundzero.core.ignore_patterns import ignore_patterns
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from roundzero.core.ports import Repository


class GitIgnore:
    """The ``.gitignore`` files of one repository."""

    def __init__(self, repository: Repository) -> None:
        """Read nothing yet."""
        self._repository = repository
        self._specs: dict[str, GitIgnoreSpec | None] = {}

    def ignores(self, path: RelPath) -> bool:
        """Whether a file of the root or of a folder above a path names it; the nearest one that does decides."""
        parts = path.split("/")
        for depth in reversed(range(len(parts))):
            spec = self._spec("/".join(parts[:depth]))
            verdict = spec.check_file("/".join(parts[depth:])).include if spec is not None else None
            if verdict is not None:
                return verdict
        return False

    def _spec(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            source = self._repository.read(RelPath(f"{folder}/.gitignore".lstrip("/")), Side.HEAD)
            self._specs[folder] = ignore_patterns(source.text.split("\n")) if source is not None else None
        return self._specs[folder]
