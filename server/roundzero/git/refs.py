"""What refs say: where HEAD is, which commit words name, which branches there are, what commits have in common.

Chooses nothing; ``ladder`` does. Invariant: words of a person never become an option of git's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roundzero.git.commands import Commands

NAMES: Final = ("main", "master", "develop", "trunk", "dev")
"""Branches that others are usually made from, likeliest first."""

HEADS: Final = "refs/heads/"
REMOTES: Final = "refs/remotes/"


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD is. ``branch`` is a full ref name, None when detached; ``commit`` None before the first commit."""

    branch: str | None
    commit: str | None

    @property
    def name(self) -> str | None:
        """The branch without ``refs/heads/``."""
        return self.branch.removeprefix(HEADS) if self.branch is not None else None


@dataclass(frozen=True, slots=True)
class Refs:
    """Usual branches with their commits, targets of symbolic refs, and the current branch's upstream ("" for none)."""

    commits: Mapping[str, str]
    symbolic: Mapping[str, str]
    upstream: str


async def head_of(commands: Commands) -> Head:
    """Read HEAD. Raises OutsideError when git fails."""
    done = await commands.plumbing("rev-parse", "HEAD", "--symbolic-full-name", "HEAD", good=(0, 128))
    commit, _, ref = _line(done.stdout).partition("\n") if done.returncode == 0 else ("", "", "")
    if ref:
        return Head(ref if ref != "HEAD" else None, commit)
    # No commit yet, or a branch or tag that is called HEAD as well, whose full name git does not tell then.
    branch = await commands.plumbing("symbolic-ref", "--quiet", "HEAD", good=(0, 1))
    return Head(_line(branch.stdout) or None, commit or None)


async def commit_of(commands: Commands, ref: str) -> str | None:
    """The commit a person's words name, or None. Words that git could take for an option name nothing."""
    if not ref or ref.startswith("-") or "\0" in ref:
        return None
    done = await commands.plumbing(
        "rev-parse", "--quiet", "--verify", "--end-of-options", f"{ref}^{{commit}}", good=(0, 1, 128)
    )
    return _line(done.stdout) or None if done.returncode == 0 else None


async def branch_called(commands: Commands, name: str) -> str | None:
    """The full ref name of the branch that is called so, in full or in short; None where a tag goes by that name."""
    done = await commands.plumbing(
        "rev-parse", "--quiet", "--verify", "--symbolic-full-name", "--end-of-options", name, good=(0, 1, 128)
    )
    ref = _line(done.stdout)
    return ref if done.returncode == 0 and ref.startswith(HEADS) and name in (ref, ref.removeprefix(HEADS)) else None


async def merge_bases(commands: Commands, head: str, other: str) -> tuple[str, ...]:
    """All best common ancestors, the latest commit date first; () when there is none."""
    done = await commands.plumbing("merge-base", "--all", head, other, good=(0, 1))
    return await latest_first(commands, done.stdout.decode("ascii").split())


async def refs_around(commands: Commands, branch: str | None) -> Refs:
    """The branches that may be the base of one, which is None for a detached HEAD."""
    patterns = [f"{REMOTES}origin/HEAD"]
    if branch is not None:
        patterns += [branch, f"{REMOTES}*/{branch.removeprefix(HEADS)}"]
    for name in NAMES:
        patterns += [f"{HEADS}{name}", f"{REMOTES}*/{name}"]
    form = "--format=%(refname)%09%(objectname)%09%(symref)%09%(upstream)"
    done = await commands.plumbing("for-each-ref", form, *patterns)
    commits: dict[str, str] = {}
    symbolic: dict[str, str] = {}
    own_upstream = ""
    for line in done.stdout.decode("utf-8", "surrogateescape").split("\n"):
        if not line:
            continue
        name, commit, target, upstream = line.split("\t")
        if name == branch:
            own_upstream = upstream
        if target:
            symbolic[name] = target
        commits.setdefault(target or name, commit)
    return Refs(commits, symbolic, own_upstream)


async def latest_first(commands: Commands, commits: Sequence[str]) -> tuple[str, ...]:
    """Distinct commits, one that descends from others before them, then by committer date, latest first."""
    distinct = list(dict.fromkeys(commits))
    if len(distinct) < 2:
        return tuple(distinct)
    async with side_by_side() as group:
        independent = group.create_task(commands.plumbing("merge-base", "--independent", *distinct))
        dates = group.create_task(commands.plumbing("rev-list", "--no-walk=unsorted", "--timestamp", *distinct))
    tips = set(independent.result().stdout.decode("ascii").split())
    date = {commit: int(stamp) for stamp, commit in re.findall(r"(\d+) (\w+)", dates.result().stdout.decode("ascii"))}
    return tuple(sorted(distinct, key=lambda commit: (commit not in tips, -date[commit], distinct.index(commit))))


def _line(output: bytes) -> str:
    return output.decode("utf-8", "surrogateescape").strip("\n")


def short(ref: str) -> str:
    """A full ref as people call it."""
    return ref.removeprefix(HEADS).removeprefix(REMOTES).removeprefix("refs/tags/")


def branch_name(ref: str) -> str:
    """The branch a full ref is about: both ``refs/remotes/origin/main`` and ``refs/heads/main`` are about ``main``."""
    if ref.startswith(HEADS):
        return ref.removeprefix(HEADS)
    return ref.removeprefix(REMOTES).partition("/")[2]
