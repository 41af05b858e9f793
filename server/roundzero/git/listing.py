"""First round of a collection: what git lists, all at once, before any text is read.

Paths and hunks, untracked and unmerged files, what is not committed, the ignore file. Invariant: one blob that is not
in this clone costs its own file only, although git gives up on the whole patch for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from roundzero.core.rule_files import IGNORE_FILE
from roundzero.core.text import RelPath
from roundzero.errors import OutsideError
from roundzero.git.commands import DIFF_OPTIONS
from roundzero.git.diff import Entry, Listing, parse, relpath
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from roundzero.core.change import BaseChoice
    from roundzero.git.blobs import Blobs
    from roundzero.git.buffer_diff import BufferDiff
    from roundzero.git.commands import Commands
    from roundzero.git.files import WorkTree


class Scope(Enum):
    """Which text is reviewed: everything on disk, the index (against HEAD), or HEAD."""

    WORKTREE = "worktree"
    STAGED = "staged"
    COMMITTED = "committed"


@dataclass(frozen=True, slots=True)
class CollectRules:
    """What a collection leaves out. ``exclude`` is in gitignore syntax; files over ``max_file_bytes`` are named."""

    untracked: bool = True
    exclude: tuple[str, ...] = ()
    max_file_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is compared: ``tree`` (an object id) with the head. ``head_tree`` as in Change."""

    base: BaseChoice
    tree: str
    head_tree: str | None
    commit: str | None
    branch: str | None
    merge_heads: tuple[str, ...] = ()

    @property
    def on_disk(self) -> bool:
        """Whether the head is the work tree."""
        return self.head_tree is None

    @property
    def arguments(self) -> tuple[str, ...]:
        """What ``git diff`` is asked to compare."""
        if self.head_tree is None:
            return (self.tree,)
        return ("--cached", self.tree) if not self.head_tree else (self.tree, self.head_tree)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The ways to one repository's contents."""

    commands: Commands
    blobs: Blobs
    differ: BufferDiff
    work_tree: WorkTree
    object_format: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the first round found. ``uncommitted``: entries of the work tree against HEAD, None if HEAD is the base."""

    listing: Listing
    untracked: tuple[RelPath, ...]
    unmerged: frozenset[RelPath]
    uncommitted: tuple[Entry, ...] | None
    ignore_file: str


async def look(access: Access, target: Target, limits: CollectRules) -> Seen:
    """Ask git everything at once. The caller has just read the configuration. Raises OutsideError."""
    commands = access.commands
    async with side_by_side() as group:
        listing = group.create_task(_list(commands, target, limits.max_file_bytes))
        loose = group.create_task(_loose(commands, target, untracked=limits.untracked))
        uncommitted = group.create_task(_uncommitted(commands, target))
        ignore_file = group.create_task(ignore_text(access, target.head_tree, limits.max_file_bytes))
        group.create_task(access.blobs.start())
    untracked, unmerged = loose.result()
    unmerged |= {entry.path for entry in listing.result().entries if entry.letter == "U"}
    return Seen(
        listing=listing.result(),
        untracked=untracked,
        unmerged=frozenset(unmerged),
        uncommitted=uncommitted.result(),
        ignore_file=ignore_file.result(),
    )


async def _list(commands: Commands, target: Target, max_file_bytes: int) -> Listing:
    # A file above the limit counts as binary for git, which then neither reads nor compares it.
    threshold = ("-c", f"core.bigFileThreshold={max_file_bytes + 1}")
    patch = ("-p", "-M", "-l1000", "--irreversible-delete", *DIFF_OPTIONS)
    raw = ("diff", "--raw", "-z", "--no-abbrev")
    try:
        done = await commands.git(*threshold, *raw, *patch, *target.arguments, "--")
    except OutsideError:
        # One blob that is not in this clone makes git give up on all of them: list without looking into any.
        done = await commands.git(*raw, "--no-renames", "--ignore-submodules=dirty", *target.arguments, "--")
    return parse(done.stdout)


async def _loose(commands: Commands, target: Target, *, untracked: bool) -> tuple[tuple[RelPath, ...], set[RelPath]]:
    if not target.on_disk:
        return (), set()
    others = ("--others", "--exclude-standard") if untracked else ()
    done = await commands.git("ls-files", "-z", "-t", "--unmerged", *others)
    paths: list[RelPath] = []
    unmerged: set[RelPath] = set()
    for line in done.stdout.split(b"\0"):
        if line.startswith(b"? "):
            paths.append(relpath(line[2:]))
        elif line:
            unmerged.add(relpath(line.partition(b"\t")[2]))
    return tuple(paths), unmerged


async def _uncommitted(commands: Commands, target: Target) -> tuple[Entry, ...] | None:
    if not target.on_disk or target.commit in (None, target.tree):
        return None
    raw = ("diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=dirty")
    done = await commands.git(*raw, str(target.commit), "--")
    return parse(done.stdout).entries


async def ignore_text(access: Access, head_tree: str | None, max_bytes: int) -> str:
    """The ignore file at the head, ``head_tree`` as in Change; "" where there is none. Raises OutsideError."""
    path = RelPath(IGNORE_FILE)
    if head_tree is None:
        data = access.work_tree.read(path, max_bytes=max_bytes).data
    else:
        blob = await access.blobs.at(head_tree, path, max_bytes=max_bytes)
        data = blob.data if blob is not None else None
    return data.decode("utf-8", "replace") if data is not None else ""
