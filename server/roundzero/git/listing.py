"""First round of a collection: what git lists, all at once, before any text is read.

Paths and hunks, untracked and unmerged files, what is not committed, the ignore file. Invariant: one blob that is not
in this clone costs its own file only, although git gives up on the whole patch for it.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.rule_files import IGNORE_FILE
from roundzero.core.text import RelPath
from roundzero.errors import OutsideError
from roundzero.git.commands import DIFF_OPTIONS
from roundzero.git.diff import Entry, Listing, parse, relpath
from roundzero.git.files import FileKind
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from roundzero.core.change import BaseChoice
    from roundzero.git.blobs import Blobs
    from roundzero.git.buffer_diff import BufferDiff
    from roundzero.git.commands import Commands
    from roundzero.git.files import WorkTree


_IGNORE_BYTES: Final = 1_000_000
"""An ignore file is read up to this size even where the files that are reviewed have to be smaller."""

_CLOSED: Final = regex(rb"^warning: could not open directory '(.+?)/?': (.+)$", re.MULTILINE)


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
    """What the first round found. ``uncommitted``: entries of the work tree against HEAD, None if HEAD is the base.

    ``closed`` are folders that git could not look into for untracked files, each with the system's reason.
    ``ignore_file`` None: there is one that cannot be read.
    """

    listing: Listing
    untracked: tuple[RelPath, ...]
    closed: tuple[tuple[RelPath, str], ...]
    unmerged: frozenset[RelPath]
    uncommitted: tuple[Entry, ...] | None
    ignore_file: str | None


async def look(access: Access, target: Target, limits: CollectRules) -> Seen:
    """Ask git everything at once. The caller has just read the configuration. Raises OutsideError."""
    commands = access.commands
    async with side_by_side() as group:
        listing = group.create_task(_list(commands, target, limits.max_file_bytes))
        loose = group.create_task(_loose(commands, target, untracked=limits.untracked))
        uncommitted = group.create_task(_uncommitted(commands, target))
        ignore_file = group.create_task(ignore_text(access, target.head_tree, limits.max_file_bytes))
        group.create_task(access.blobs.start())
    untracked, closed, unmerged = loose.result()
    unmerged |= {entry.path for entry in listing.result().entries if entry.letter == "U"}
    return Seen(
        listing=listing.result(),
        untracked=untracked,
        closed=closed,
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


async def _loose(
    commands: Commands, target: Target, *, untracked: bool
) -> tuple[tuple[RelPath, ...], tuple[tuple[RelPath, str], ...], set[RelPath]]:
    """Untracked files, folders that could not be searched for them, unmerged files."""
    if not target.on_disk:
        return (), (), set()
    others = ("--others", "--exclude-standard") if untracked else ()
    done = await commands.git("ls-files", "-z", "-t", "--unmerged", *others)
    paths: list[RelPath] = []
    unmerged: set[RelPath] = set()
    for line in done.stdout.split(b"\0"):
        if line.startswith(b"? "):
            paths.append(relpath(line[2:]))
        elif line:
            unmerged.add(relpath(line.partition(b"\t")[2]))
    # git passes over a folder that it may not open, with a warning and exit status 0.
    closed = [(relpath(row[1]), row[2].decode("utf-8", "replace")) for row in _CLOSED.finditer(done.stderr)]
    return tuple(paths), tuple(closed), unmerged


async def _uncommitted(commands: Commands, target: Target) -> tuple[Entry, ...] | None:
    if not target.on_disk or target.commit in (None, target.tree):
        return None
    raw = ("diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=dirty")
    done = await commands.git(*raw, str(target.commit), "--")
    return parse(done.stdout).entries


async def ignore_text(access: Access, head_tree: str | None, max_bytes: int) -> str | None:
    """The ignore file at the head, ``head_tree`` as in Change; "" where there is none. Raises OutsideError.

    None where something lies there that is no file, or cannot be read: then nobody knows what it would leave out.
    """
    path, limit = RelPath(IGNORE_FILE), max(max_bytes, _IGNORE_BYTES)
    if head_tree is None:
        disk = access.work_tree.read(path, max_bytes=limit)
        if disk.kind is FileKind.MISSING:
            return ""
        data = disk.data
    else:
        blob = await access.blobs.at(head_tree, path, max_bytes=limit)
        if blob is None and (head_tree or not await _modes(access, head_tree, path)):
            return ""
        regular = blob is not None and (await _modes(access, head_tree, path)).startswith(b"100")
        data = blob.data if blob is not None and regular else None
    return data.decode("utf-8", "replace") if data is not None else None


async def _modes(access: Access, tree: str, path: RelPath) -> bytes:
    """What lies at a path of a tree or, files in a folder one by one, of the index (""), each after its mode."""
    ask = ("ls-tree", "-z", tree, "--", path) if tree else ("ls-files", "-z", "--stage", "--", path)
    return (await access.commands.plumbing(*ask)).stdout
