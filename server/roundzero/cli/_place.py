"""Where a subcommand works: the repository of ``--repo``, its settings, its trust.

Invariant: nothing here writes but for a moment, where settings are read from a commit.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from roundzero.config import Settings, load
from roundzero.core.frozen import dataclass
from roundzero.core.text import RelPath
from roundzero.errors import OutsideError, UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.core.ruleset import Problem, Ruleset
    from roundzero.engine.workspace import Workspace
    from roundzero.git.repository import Git


@dataclass(frozen=True, slots=True)
class Place:
    """An open repository with the settings in force there. Close ``git`` when done.

    ``ruleset``: the rules, where they are not those of the work tree.
    """

    git: Git
    settings: Settings
    problems: tuple[Problem, ...]
    ruleset: Ruleset | None = None

    def refuse_broken(self) -> None:
        """Raise UserError where a file of settings is broken as a whole: a review without it is not what is wanted."""
        if (broken := next((problem for problem in self.problems if problem.whole), None)) is not None:
            raise UserError(f"{broken}; correct it, because none of its settings count as it is")

    def without_rules(self) -> Workspace:
        """What it takes to ask for the base or the last report, which no checklist has a say in."""
        from roundzero.core.ruleset import Ruleset  # noqa: PLC0415  off the start-up path
        from roundzero.engine.workspace import Workspace  # noqa: PLC0415  off the start-up path

        nothing = Ruleset((), "")
        return Workspace(git=self.git, settings=self.settings, ruleset=nothing, linters=(), environ=os.environ)

    async def trusted(self) -> bool:
        """Whether the repository is on the user's list; not, when the list cannot be read."""
        import asyncio  # noqa: PLC0415  off the start-up path

        from roundzero.engine.workspace import is_trusted  # noqa: PLC0415  off the start-up path

        return await asyncio.to_thread(is_trusted, self.git.common_dir)


async def open_place(
    directory: str, command_line: Mapping[str, object] | None = None, *, bare: bool = False, at: str | None = None
) -> Place:
    """Open the repository around ``directory``. Raises UserError when there is none.

    ``bare``: one without a work tree will do. Its settings are those of the commit ``at``, where that is named.
    """
    from roundzero.git.repository import Git  # noqa: PLC0415  off the start-up path

    git = await Git.open(folder(directory), bare=bare)
    if git.bare and at is not None and (commit := await git.commit(at)) is not None:
        return await place_of_commit(git, commit, command_line)
    root = None if git.bare else git.root
    settings, problems = load(root=root, command_line=command_line, environ=os.environ)
    return Place(git, settings, problems)


async def place_of_commit(git: Git, commit: str, command_line: Mapping[str, object] | None = None) -> Place:
    """A repository with the settings and packs that a commit has. Raises OutsideError."""
    import asyncio  # noqa: PLC0415  off the start-up path

    from roundzero.engine.workspace import load_rules  # noqa: PLC0415  off the start-up path
    from roundzero.scratch import Scratch  # noqa: PLC0415  off the start-up path

    scratch = Scratch()
    try:
        links = await git.lay_out_rules(commit, scratch.path)
        settings, found = load(root=scratch.path, command_line=command_line, environ=os.environ)
        problems = (*(problem for problem in found if problem.file not in links), *_unread(links))
        return Place(git, settings, problems, await asyncio.to_thread(load_rules, scratch.path, settings))
    except OSError as error:
        raise OutsideError(f"the settings of {commit} could not be read: {error.strerror or error}") from error
    finally:
        await asyncio.to_thread(scratch.remove)


def _unread(links: Iterable[RelPath]) -> Iterator[Problem]:
    from roundzero.core.rule_files import SETTINGS_FILES  # noqa: PLC0415  off the start-up path
    from roundzero.core.ruleset import Problem  # noqa: PLC0415  off the start-up path

    for path in links:
        if path in SETTINGS_FILES:
            yield Problem(path, 0, "is a link, which is not followed where there is no work tree", whole=True)


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
