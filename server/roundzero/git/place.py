"""Finds the repository that a folder lies in, and says what to do where git does not.

Reads no more of it than where it is. Invariant: commands are given only for a repository that git uses, and for a git
that honours what the protection rests on.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from roundzero.core.frozen import dataclass
from roundzero.errors import UserError
from roundzero.git.commands import OLDEST_GIT, Commands
from roundzero.proc import side_by_side


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a repository is. ``git_dir`` belongs to one work tree, ``common_dir`` to all of them.

    A bare repository has no work tree; its ``root`` is the git directory, where no file of the repository lies.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    object_format: str
    bare: bool = False


async def find(directory: Path, *, bare: bool) -> tuple[Place, Commands]:
    """Where the repository of a folder is, and commands that run there. Raises UserError that says what to do.

    ``bare``: one without a work tree will do.
    """
    commands = _commands_in(directory)
    async with side_by_side() as group:
        version = group.create_task(commands.plumbing("version"))
        facts = group.create_task(
            commands.plumbing(
                "rev-parse", "--is-bare-repository", "--show-object-format", "--absolute-git-dir",
                "--git-common-dir", "--show-toplevel", good=(),
            )
        )  # fmt: skip
    _check_version(version.result().stdout)
    done = facts.result()
    without_work_tree = bare and done.stdout.startswith(b"true\n")
    if done.returncode != 0 and not without_work_tree:
        raise _no_work_tree(directory, done.stdout, done.stderr)
    place = _place(directory, done.stdout)
    commands.directory = place.root
    commands.use_index_of_commit(place.git_dir)
    return place, commands


def _commands_in(directory: Path) -> Commands:
    if not directory.is_dir():
        raise UserError(f"{directory} is not a folder")
    return Commands(directory.absolute())


def _place(directory: Path, answer: bytes) -> Place:
    """Read what rev-parse said. Raises UserError for a folder that git's answer does not lead to."""
    lines = os.fsdecode(answer).removesuffix("\n").split("\n")
    bare = lines[0] == "true"
    if bare:
        lines[4:] = lines[2:3]
    if len(lines) != 5:
        raise UserError(f"the repository at {directory} lies in a folder whose name has a line feed; rename it")
    _, object_format, git_dir, common_dir, root = lines
    if not bare and not Path(root, ".git").exists():
        raise UserError(
            f"the files of the repository at {directory} are in {root} (core.worktree), where git does not find it;"
            f" write into {root}/.git: gitdir: {git_dir}"
        )
    return Place(
        root=Path(root),
        git_dir=Path(git_dir),
        common_dir=(directory / common_dir).resolve(),
        object_format=object_format,
        bare=bare,
    )


def _check_version(output: bytes) -> None:
    """Refuse a git that does not honour what the protection rests on. Raises UserError."""
    match = re.search(rb"(\d+)\.(\d+)", output)
    if match is None or (int(match[1]), int(match[2])) < OLDEST_GIT:
        found = output.decode("utf-8", "replace").strip()
        raise UserError(f"{found or 'git'} is too old; install git {OLDEST_GIT[0]}.{OLDEST_GIT[1]} or newer")


def _no_work_tree(directory: Path, stdout: bytes, stderr: bytes) -> UserError:
    complaint = stderr.decode("utf-8", "replace").strip()
    if "dubious ownership" in complaint:
        remedy = re.search(r"git config --global --add safe\.directory .+", complaint)
        return UserError(
            f"git does not use the repository at {directory} because somebody else owns it"
            + (f"; if you trust it, run: {remedy[0]}" if remedy is not None else f": {complaint}")
        )
    if stdout.startswith(b"true"):
        return UserError(
            f"the repository at {directory} is bare, so there are no files to review; name a commit with --head REV, or"
            " use a clone or a linked worktree of it"
        )
    if "not a git repository" in complaint:
        return UserError(f"{directory} is not in a git repository; go to one, name one with --repo, or run: git init")
    if "work tree" in complaint:
        return UserError(f"{directory} is inside a git directory; use the folder with the files instead")
    last = complaint.rsplit("\n", 1)[-1]
    return UserError(f"git cannot use the repository at {directory}: {last}")
