"""What each commit of a push wrote: for texts that the last commit no longer holds and the push still carries.

Lists blobs only; what is in them is for others to see. Merges are left out: what they bring has a commit of its own.
Invariant: at most ``MOST_COMMITS`` commits, the newest ones, and ``MOST_TEXTS`` blobs are named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import SUBMODULE, SYMLINK
from roundzero.core.frozen import dataclass
from roundzero.git.diff import relpath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.text import RelPath
    from roundzero.git.commands import Commands

MOST_COMMITS: Final = 500
MOST_TEXTS: Final = 2000


@dataclass(frozen=True, slots=True)
class Written:
    """A text that a commit put at a path. ``before`` is the blob that was there, "" for none."""

    commit: str
    path: RelPath
    before: str
    blob: str


async def written(commands: Commands, commit: str, known: Sequence[str]) -> tuple[Written, ...]:
    """What the commits up to ``commit`` wrote that neither ``known`` ones nor a remote have. Raises OutsideError."""
    without = [f"^{each}" for each in known]
    most = f"--max-count={MOST_COMMITS}"
    commits = await commands.plumbing("rev-list", "--no-merges", most, commit, *without, "--not", "--remotes", "--")
    options = ("--stdin", "-r", "-z", "--root", "--raw", "--no-renames", "--no-abbrev", "--diff-filter=AM")
    done = await commands.plumbing("diff-tree", *options, stdin=commits.stdout)
    found: list[Written] = []
    at, fields = "", iter(done.stdout.split(b"\0"))
    for field in fields:
        if not field.startswith(b":"):
            at = field.decode("ascii").strip()
            continue
        _, mode, old, new, _ = field.decode("ascii").split(" ")
        path = relpath(next(fields, b""))
        if mode not in (SYMLINK, SUBMODULE):
            found.append(Written(at, path, old if old.strip("0") else "", new))
    return tuple(found[:MOST_TEXTS])
