"""What lies around a repository: its remotes, the branch's upstream, its linked worktrees. For people, asked rarely.

Read by GitPython from refs and configuration files, never by asking git: reading starts no program, whatever the files
say. Deliberately not used for a review. Invariant: no credentials of a URL are returned.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.errors import OutsideError
from roundzero.git.commands import git_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from git import Repo

_CREDENTIALS: Final = regex(r"(?<=://)[^/\s]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """``remotes`` by name with their URLs; ``worktrees`` are folders with the branch there, "" when detached."""

    remotes: tuple[tuple[str, str], ...]
    upstream: str | None
    worktrees: tuple[tuple[Path, str], ...]


def surroundings(root: Path) -> Surroundings:
    """Read them. Blocking. Raises OutsideError when something there cannot be read."""
    try:
        with _own_environment():
            import git  # noqa: PLC0415  150 ms, and its import looks for git, which the environment names

            with git.Repo(root, expand_vars=False) as repo:
                return Surroundings(
                    remotes=tuple(_remotes(repo)), upstream=_upstream(repo), worktrees=tuple(_worktrees(repo))
                )
    except Exception as error:  # a library reads files that anybody may have written
        raise OutsideError(f"remotes and worktrees could not be read: {error or type(error).__name__}") from error


def _remotes(repo: Repo) -> Iterator[tuple[str, str]]:
    for remote in sorted(repo.remotes, key=lambda each: each.name):
        with remote.config_reader as reader:
            url = str(reader.get("url", fallback=""))
        yield remote.name, _CREDENTIALS.sub("", url)


def _upstream(repo: Repo) -> str | None:
    if repo.head.is_detached:
        return None
    tracked = repo.head.ref.tracking_branch()
    return tracked.name if tracked is not None else None


def _worktrees(repo: Repo) -> Iterator[tuple[Path, str]]:
    """The linked ones. Each has a folder with the place of its ``.git`` file and a HEAD of its own."""
    folder = Path(repo.common_dir, "worktrees")
    for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
        with contextlib.suppress(OSError, ValueError):
            place = os.fsdecode((entry / "gitdir").read_bytes().rstrip(b"\n"))
            head = (entry / "HEAD").read_text("utf-8", "surrogateescape").strip()
            branch = head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else ""
            yield (entry / place).parent.resolve(), branch


@contextlib.contextmanager
def _own_environment() -> Iterator[None]:
    """Nothing ambient leads GitPython astray: hooks export GIT_DIR, and PATH may name the repository's own folder."""
    kept = dict(os.environ)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = git_program()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)
