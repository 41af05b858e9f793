"""Opens a repository for one test and closes it again. Knows only the package under test and the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from roundzero.core.text import RelPath
from roundzero.git.repository import Git, Scope
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from roundzero.core.change import Change
    from roundzero.git.repository import CollectRules

T = TypeVar("T")


def with_git(root: Path, question: Callable[[Git], Awaitable[T]]) -> T:
    """The answer to ``question`` over the repository at ``root``."""

    async def ask() -> T:
        git = await Git.open(root)
        try:
            return await question(git)
        finally:
            await git.close()

    return run(ask())


def change_of(
    root: Path,
    *,
    base: str | None = None,
    scope: Scope = Scope.WORKTREE,
    head: str | None = None,
    rules: CollectRules | None = None,
    overlays: dict[str, str] | None = None,
) -> Change:
    """Choose a base and collect."""

    async def ask(git: Git) -> Change:
        choice = await git.choose_base(explicit=base, environ={}, head=head)
        texts = {RelPath(path): text for path, text in (overlays or {}).items()}
        return await git.collect(choice, scope=scope, head=head, rules=rules, overlays=texts)

    return with_git(root, ask)


def hunks_of(change: Change, path: str) -> list[tuple[int, int, int, int]]:
    """The hunks of one file as git prints them."""
    file = change.file(RelPath(path))
    assert file is not None, f"{path} is not in {[file.path for file in change.files]} but {change.skipped}"
    return [(hunk.base_start, hunk.base_count, hunk.head_start, hunk.head_count) for hunk in file.hunks]


def skips_of(change: Change) -> dict[str, tuple[str, str]]:
    """Kind and reason by skipped path."""
    return {skip.path: (skip.kind.value, skip.reason) for skip in change.skipped}
