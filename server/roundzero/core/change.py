"""What the branch did: the files that differ between the merge base and the reviewed text, and by which hunks.

A ``Change`` is complete in itself: both texts of every file that is reviewed, and a named reason for each that is not.
It does not know where the texts came from. Invariant: hunks are ascending, do not touch, and a line that differs only
in its terminator is in none of them.
"""

from __future__ import annotations

import hashlib
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.linemap import Hunk, LineMap
from roundzero.core.secrets import find_secrets, find_sensitive
from roundzero.core.text import LineIndex, RelPath

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.secrets import SecretSpan

ABSENT: Final = "000000"
"""Git's mode of a side that does not exist."""

SYMLINK: Final = "120000"
"""Git's mode of a link, whose text is a path and has no layout."""

SUBMODULE: Final = "160000"
"""Git's mode of what another repository provides."""


class Side(Enum):
    """Which version of a file is meant."""

    HEAD = "head"
    BASE = "base"


class Status(Enum):
    """What happened to a path."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    MODE = "mode"


class SkipKind(Enum):
    """Whether a skipped file leaves a gap in the review: only NOT_CHECKED does."""

    BY_RULE = "by-rule"
    NOT_CHECKED = "not-checked"


class Obstacle(Enum):
    """What would have to change for a skipped file to be reviewed.

    HEAD: its bytes at the head, which an editor's buffer may replace. FILE: its name, kind, attributes, base, or the
    state of a merge.
    """

    HEAD = "head"
    FILE = "file"


class BaseHow(Enum):
    """How the base was chosen (the ladder)."""

    EXPLICIT = "explicit"
    PULL_REQUEST = "pull-request"
    UPSTREAM = "upstream"
    LATEST_MERGE_BASE = "latest-merge-base"
    HEAD = "head"
    EMPTY_TREE = "empty-tree"


class Source:
    """One side of one file: path, text without byte-order mark, and the git object id of the bytes it was read from."""

    __slots__ = ("_index", "_secrets", "_sensitive", "blob", "bom", "encoding", "path", "text")

    def __init__(self, path: RelPath, text: str, blob: str, *, encoding: str = "utf-8", bom: bool = False) -> None:
        """Hold ``text``; lines are indexed on first use."""
        self.path = path
        self.text = text
        self.blob = blob
        self.encoding = encoding
        self.bom = bom
        self._index: LineIndex | None = None
        self._secrets: tuple[SecretSpan, ...] | None = None
        self._sensitive: tuple[SecretSpan, ...] | None = None

    @property
    def index(self) -> LineIndex:
        """Line starts of the text."""
        if self._index is None:
            self._index = LineIndex(self.text)
        return self._index

    @property
    def secrets(self) -> tuple[SecretSpan, ...]:
        """The secrets in the text; it is searched on first use."""
        if self._secrets is None:
            self._secrets = find_secrets(self.text)
        return self._secrets

    @property
    def sensitive(self) -> tuple[SecretSpan, ...]:
        """All that is or might be a secret: what of the text does not leave the machine."""
        if self._sensitive is None:
            from roundzero.core.sensitive import is_settings  # noqa: PLC0415  its patterns are not needed for a start

            self._sensitive = find_sensitive(self.text, settings=is_settings(self.path))
        return self._sensitive

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """Pickle without what was derived from the text."""
        return _source, (self.path, self.text, self.blob, self.encoding, self.bom)

    def __repr__(self) -> str:
        """Name the path and blob, never the text."""
        return f"Source({self.path!r}, {self.blob[:12]})"


def _source(path: RelPath, text: str, blob: str, encoding: str, bom: bool) -> Source:  # noqa: FBT001  pickle calls it
    return Source(path, text, blob, encoding=encoding, bom=bom)


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """One changed file that can be reviewed. ``base`` is None for an added file, ``head`` for a deleted one."""

    path: RelPath
    status: Status
    base: Source | None
    head: Source | None
    hunks: tuple[Hunk, ...]
    mode: str = "100644"

    @property
    def old_path(self) -> RelPath | None:
        """The path at the base where it differs."""
        return self.base.path if self.base is not None and self.base.path != self.path else None

    @cached_property
    def line_map(self) -> LineMap:
        """Base lines to head lines."""
        return LineMap(self.hunks)

    @cached_property
    def added(self) -> frozenset[int]:
        """Head lines this change added or replaced."""
        return frozenset(line for hunk in self.hunks for line in hunk.head_lines)

    @cached_property
    def added_lines(self) -> tuple[str, ...]:
        """The texts of ``added``, from the first to the last."""
        return tuple(self.head.index.line(line) for line in sorted(self.added)) if self.head is not None else ()

    @cached_property
    def removed(self) -> frozenset[int]:
        """Base lines this change removed or replaced."""
        return frozenset(line for hunk in self.hunks for line in hunk.base_lines)

    @property
    def first_changed_line(self) -> int:
        """The first head line of the first hunk, or the line a deletion left behind; 1 where there is none."""
        if not self.hunks:
            return 1
        hunk = self.hunks[0]
        return max(1, hunk.head_start)


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A changed path that is not reviewed, with the reason in words for people.

    ``mode`` and ``blob`` are its part of the snapshot id: of the bytes at the head, zeros when there are none.
    ``binary``: it is no text. ``size`` in bytes, of what is binary or could not be reviewed.
    """

    path: RelPath
    kind: SkipKind
    reason: str
    status: Status = Status.MODIFIED
    old_path: RelPath | None = None
    mode: str = ABSENT
    blob: str = ""
    obstacle: Obstacle = Obstacle.FILE
    size: int | None = None
    binary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseChoice:
    """The base a review compares with. ``merge_base`` is a commit id, or the empty tree's id, or None (unborn).

    ``passed_over``: the other candidates, each with the reason why it was not taken.
    """

    ref: str | None
    merge_base: str | None
    how: BaseHow
    doubts: tuple[str, ...] = ()
    passed_over: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadState:
    """What stands at the other end of the change.

    ``dirty``: the reviewed text holds something that ``commit`` does not. In the scope *worktree* that is anything
    uncommitted, untracked (where untracked files count) or unsaved; in *staged* anything in the index; a commit that is
    reviewed itself is never dirty, whatever lies beside it.
    """

    commit: str | None
    branch: str | None
    dirty: bool


@dataclass(frozen=True, kw_only=True)
class Change:
    """The whole change. ``files`` and ``skipped`` are sorted by path; ``snapshot`` binds a verdict to its bytes.

    ``head_tree`` says where the head's other files are: None is the work tree, "" the index, else a commit id.
    """

    base: BaseChoice
    head: HeadState
    files: tuple[FileChange, ...]
    skipped: tuple[Skip, ...]
    snapshot: str
    head_tree: str | None = None

    def file(self, path: RelPath) -> FileChange | None:
        """The change of one path (its head path), if it is reviewed."""
        return self._by_path.get(path)

    def file_from(self, base_path: RelPath) -> FileChange | None:
        """The change of the file that has, or would have, this path at the base, if it is reviewed."""
        return self._by_base_path.get(base_path)

    @cached_property
    def whereabouts(self) -> Mapping[RelPath, tuple[RelPath, LineMap]]:
        """By path at the base, where a file is at the head and the way of its lines; for matching.Moves.

        A deleted file has its old path, and no line of it is kept: what moved out of it may stand anywhere.
        """
        return {file.base.path: (file.path, file.line_map) for file in self.files if file.base is not None}

    @cached_property
    def base_texts(self) -> Mapping[RelPath, Source]:
        """The base texts of reviewed files, by path at the base."""
        return {file.base.path: file.base for file in self.files if file.base is not None}

    @cached_property
    def head_texts(self) -> Mapping[RelPath, Source]:
        """The head texts of reviewed files, by path."""
        return {file.path: file.head for file in self.files if file.head is not None}

    @cached_property
    def sides(self) -> Mapping[tuple[RelPath, Side], Source]:
        """The texts of reviewed files by path and side: a base by its file's path at the head too, if that is free."""
        found = {(path, Side.HEAD): source for path, source in self.head_texts.items()}
        found.update({(path, Side.BASE): source for path, source in self.base_texts.items()})
        for file in self.files:
            if file.base is not None:
                found.setdefault((file.path, Side.BASE), file.base)
        return found

    def is_gone(self, path: RelPath) -> bool:
        """Whether a path that is not reviewed has nothing at the head."""
        return path in self._gone

    @cached_property
    def _by_path(self) -> Mapping[RelPath, FileChange]:
        return {file.path: file for file in self.files}

    @cached_property
    def _by_base_path(self) -> Mapping[RelPath, FileChange]:
        return {file.base.path if file.base is not None else file.path: file for file in reversed(self.files)}

    @cached_property
    def _gone(self) -> frozenset[RelPath]:
        return frozenset(skip.path for skip in self.skipped if skip.mode == ABSENT)


def snapshot_id(entries: Iterable[tuple[RelPath, str, str]]) -> str:
    """SHA-256 over the sorted (path, mode, blob id of the reviewed bytes) of all changed paths, skipped ones too.

    A deleted path has mode "000000" and an id of zeros.
    """
    digest = hashlib.sha256()
    for path, mode, blob in sorted(entries):
        digest.update(path.encode("utf-8", "surrogateescape") + b"\0" + f"{mode}\0{blob}\n".encode())
    return digest.hexdigest()


def blob_id(data: bytes, *, algorithm: str = "sha1") -> str:
    """Git's object id of a blob with these bytes; ``algorithm`` is the repository's object format."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()
