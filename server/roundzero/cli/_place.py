"""Where a subcommand works: the repository of ``--repo``, its settings, its trust.

Invariant: nothing here writes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roundzero.config import Settings, load
from roundzero.core.text import RelPath
from roundzero.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.ruleset import Problem
    from roundzero.git.repository import Git


@dataclass(frozen=True, slots=True)
class Place:
    """An open repository with the settings in force there. Close ``git`` when done."""

    git: Git
    settings: Settings
    problems: tuple[Problem, ...]


async def open_place(directory: str, command_line: Mapping[str, object] | None = None, *, bare: bool = False) -> Place:
    """Open the repository around ``directory``. Raises UserError when there is none.

    ``bare``: one without a work tree will do. It has no settings of its own: nobody checked any out.
    """
    from roundzero.git.repository import Git  # noqa: PLC0415  off the start-up path

    git = await Git.open(folder(directory), bare=bare)
    root = None if git.bare else git.root
    settings, problems = load(root=root, command_line=command_line, environ=os.environ)
    return Place(git, settings, problems)


async def root_of(directory: str) -> Path:
    """The root of the repository around ``directory``. Raises UserError when there is none."""
    from roundzero.git.repository import Git  # noqa: PLC0415  off the start-up path

    git = await Git.open(folder(directory))
    await git.close()
    return git.root


def folder(directory: str) -> Path:
    """``directory`` as an absolute path. Raises UserError when it is no folder."""
    try:
        path = Path(directory).absolute()
    except FileNotFoundError as error:
        raise UserError("the folder you are in does not exist any more; go to another") from error
    if not path.is_dir():
        raise UserError(f"{directory} is not a folder; name one inside the repository")
    return path


def inside(path: str, root: Path, *, start: Path) -> RelPath:
    """``path``, relative to ``start``, as a path of the repository. Raises UserError when it lies outside."""
    full = Path(os.path.normpath(start / path))
    real_root = Path(os.path.realpath(root))
    for candidate in (full, Path(os.path.realpath(full.parent)) / full.name):
        if candidate.is_relative_to(real_root):
            relative = candidate.relative_to(real_root).as_posix()
            return RelPath("" if relative == "." else relative)
    raise UserError(f"{path} is outside the repository {root}")
