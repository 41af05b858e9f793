"""Changes put together by hand, for tests of what is made of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.change import BaseChoice, BaseHow, Change, HeadState

if TYPE_CHECKING:
    from roundzero.core.change import FileChange


def change_of(
    *files: FileChange, merge_base: str | None = "m", commit: str | None = "c", snapshot: str = "s"
) -> Change:
    """A change of these files, on a branch with a work tree that is not committed."""
    return Change(
        base=BaseChoice(ref="main", merge_base=merge_base, how=BaseHow.EXPLICIT),
        head=HeadState(commit=commit, branch="topic", dirty=True),
        files=files,
        skipped=(),
        snapshot=snapshot,
    )
