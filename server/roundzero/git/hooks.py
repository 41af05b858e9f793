"""Where a repository's hooks are, and what a push brings: the git side of our own hooks.

Reads configuration, refs and ancestry; writes nothing. Invariant: a folder that other repositories may share, or that
is part of the work tree, is never called this repository's own.
"""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.git.commands import Commands


class HooksOwner(Enum):
    """Whose a folder of hooks is: this clone's alone, the work tree's (so everybody's who clones), somebody else's."""

    CLONE = "clone"
    WORK_TREE = "work tree"
    OTHERS = "others"


@dataclass(frozen=True, slots=True)
class HooksFolder:
    """Where git looks for hooks. ``setting`` is ``core.hooksPath`` as written, None where it is not set.

    ``own`` is the clone's own folder, which is another where somebody else's is in force.
    """

    path: Path
    own: Path
    owner: HooksOwner
    setting: str | None


async def hooks_folder(commands: Commands, root: Path, common_dir: Path) -> HooksFolder:
    """The folder git takes hooks from, shared by all work trees unless one sets another. Raises OutsideError.

    Links are followed: ``.git/hooks`` may be one into the work tree.
    """
    done = await commands.plumbing(
        "config", "-z", "--show-scope", "--type=path", "--get-all", "core.hooksPath", good=(0, 1)
    )
    fields = os.fsdecode(done.stdout).split("\0")
    # Our own override has the scope "command"; the person's cannot be told from it and would be for one command only.
    values = [value for scope, value in zip(fields[::2], fields[1::2], strict=False) if scope != "command"]
    setting = values[-1] if values else None
    path = common_dir / "hooks" if setting is None else root / setting
    owner = _owner(path, root, common_dir)
    return HooksFolder(path, path if owner is HooksOwner.CLONE else common_dir / "hooks", owner, setting)


async def is_known(commands: Commands, commit: str, others: Sequence[str]) -> bool:
    """Whether a commit belongs to what a remote is known to have, or to the history of ``others``."""
    done = await commands.plumbing("rev-list", "--max-count=1", commit, "--not", "--remotes", *others, "--", good=())
    return done.returncode == 0 and not done.stdout


def _owner(path: Path, root: Path, common_dir: Path) -> HooksOwner:
    real = Path(os.path.realpath(path))
    if real.is_relative_to(os.path.realpath(common_dir)):
        return HooksOwner.CLONE
    return HooksOwner.WORK_TREE if real.is_relative_to(os.path.realpath(root)) else HooksOwner.OTHERS
