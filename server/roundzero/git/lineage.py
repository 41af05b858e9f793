"""Which branches there are, and which former heads belong to one: how the ledger of a branch is found again.

Reads refs, reflogs and ancestry; writes nothing. Invariant: a reflog goes with its branch, so a name that was deleted
and made anew has no past here but its ancestors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from roundzero.git.commands import Commands

_HEADS: Final = "refs/heads/"
_RENAMED: Final = "Branch: renamed "
_MOST: Final = "--max-count=5000"
_REFLOG: Final = ("--walk-reflogs", "--no-show-signature", "--no-notes", "--no-decorate", "--no-color", "--no-patch")
"""Nothing but what is asked for, whatever the configuration adds."""


@dataclass(frozen=True, slots=True)
class Past:
    """What a branch's reflog tells: commits it stood at, and full ref names it had."""

    heads: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


async def branches(commands: Commands) -> Mapping[str, str]:
    """The commit of each branch, by full ref name. Raises OutsideError."""
    done = await commands.plumbing("for-each-ref", "--format=%(objectname) %(refname)", _HEADS)
    rows = done.stdout.decode("utf-8", "surrogateescape").split("\n")
    return {ref: commit for commit, _, ref in (row.partition(" ") for row in rows if row)}


async def past(commands: Commands, ref: str) -> Past:
    """The reflog of a branch; nothing where none is kept.

    ``rev-list`` walks it too, and has no word on what each entry was.
    """
    done = await commands.plumbing("log", *_REFLOG, _MOST, "--format=%H %gs", ref, "--", good=())
    if done.returncode != 0:
        return Past()
    rows = [row.partition(" ") for row in done.stdout.decode("utf-8", "surrogateescape").split("\n") if row]
    names: set[str] = set()
    called = ref
    for _, _, said in rows:
        old, _, new = said.removeprefix(_RENAMED).partition(" to ")
        if said.startswith(_RENAMED) and new == called:
            names.add(old)
            called = old
    return Past(frozenset(commit for commit, _, _ in rows), frozenset(names))


async def is_ancestor(commands: Commands, old: str, new: str) -> bool:
    """Whether a commit belongs to the history of another; one that is not there does not."""
    done = await commands.plumbing("merge-base", "--is-ancestor", old, new, good=())
    return done.returncode == 0


async def own_commits(commands: Commands, head: str, base: str | None) -> frozenset[str]:
    """The commits of a head that its base does not have."""
    without = [f"^{base}"] if base is not None else []
    done = await commands.plumbing("rev-list", _MOST, head, *without, "--", good=())
    return frozenset(done.stdout.decode("ascii").split()) if done.returncode == 0 else frozenset()


def rebasing(git_dir: Path) -> str | None:
    """The full ref name of the branch that is being rebased."""
    for folder in ("rebase-merge", "rebase-apply"):
        try:
            name = (git_dir / folder / "head-name").read_text("utf-8", "surrogateescape").strip()
        except OSError:
            continue
        return name if name.startswith(_HEADS) else None
    return None
