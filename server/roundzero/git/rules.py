"""Which changed paths are not reviewed, and why.

One table of reasons for people. Decides from path, attributes, kind and bytes; reads nothing itself. Invariant: every
changed path is either reviewed or has exactly one reason, and only what could have been reviewed is a gap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import SUBMODULE, SYMLINK, Obstacle, SkipKind
from roundzero.core.frozen import dataclass
from roundzero.core.ignore_patterns import ignore_patterns
from roundzero.core.rule_files import IGNORE_FILE
from roundzero.git.diff import raw_path, relpath

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roundzero.core.change import Skip
    from roundzero.core.text import RelPath

ATTRIBUTES: Final = ("diff", "filter", "linguist-generated", "working-tree-encoding")

_BINARY_PREFIX: Final = 8000
"""git looks for a NUL in as many bytes to call a file binary (xdiff-interface.c, FIRST_FEW_BYTES)."""

_LFS: Final = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a path is not reviewed."""

    kind: SkipKind
    words: str
    obstacle: Obstacle = Obstacle.FILE


_NEVER_TEXT: Final = frozenset(
    {"png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "ico", "mp3", "wav", "flac", "ogg", "mp4", "mov", "avi",
     "webm", "mkv", "pdf", "ttf", "otf", "woff", "woff2", "zip", "tar", "gz", "tgz", "bz2", "xz", "7z", "zst", "jar",
     "whl", "so", "dll", "dylib", "exe", "wasm", "pt", "pth", "onnx", "safetensors", "gguf", "npy", "npz", "parquet",
     "sqlite", "pyc", "class"}
)  # fmt: skip

_NOT_HERE: Final = "is not in this clone; fetch it with: git fetch --refetch"

DELETED: Final = Reason(SkipKind.BY_RULE, "deleted", Obstacle.HEAD)
BINARY: Final = Reason(SkipKind.BY_RULE, "binary", Obstacle.HEAD)
NOT_DIFFED: Final = Reason(SkipKind.BY_RULE, "attribute -diff")
GENERATED: Final = Reason(SkipKind.BY_RULE, "generated (attribute linguist-generated)")
LFS: Final = Reason(SkipKind.BY_RULE, "stored by Git LFS")
SYMBOLIC_LINK: Final = Reason(SkipKind.BY_RULE, "symbolic link")
SUBMODULE_LINK: Final = Reason(SkipKind.BY_RULE, "submodule")
NESTED: Final = Reason(SkipKind.BY_RULE, "nested repository")
NOT_A_FILE: Final = Reason(SkipKind.BY_RULE, "not a regular file")
MODE_ONLY: Final = Reason(SkipKind.BY_RULE, "only its mode changed", Obstacle.HEAD)
NOTEBOOK: Final = Reason(SkipKind.BY_RULE, "notebook")
EXCLUDED: Final = Reason(SkipKind.BY_RULE, "excluded by the settings")
IGNORED: Final = Reason(SkipKind.BY_RULE, f"excluded by {IGNORE_FILE}")
UNDECODABLE: Final = Reason(SkipKind.NOT_CHECKED, "its bytes are not valid in its encoding", Obstacle.HEAD)
CONFLICTED: Final = Reason(SkipKind.NOT_CHECKED, "it has unresolved merge conflicts")
NO_BASE: Final = Reason(SkipKind.NOT_CHECKED, f"its base version {_NOT_HERE}")
NO_HEAD: Final = Reason(SkipKind.NOT_CHECKED, f"its new version {_NOT_HERE}", Obstacle.HEAD)


IGNORE_UNREAD: Final = Reason(
    SkipKind.NOT_CHECKED,
    "it is no file that can be read; what it would leave out was reviewed, and nothing may be sent",
)


def over_size(size: int, limit: int) -> Reason:
    """Larger than the setting allows."""
    return Reason(SkipKind.NOT_CHECKED, f"{size} bytes are more than maxFileBytes ({limit})", Obstacle.HEAD)


def is_never_text(path: RelPath) -> bool:
    """Whether a file is of a kind that nobody writes, by its name: it is binary also where its bytes are not read."""
    return path.rpartition(".")[2].lower() in _NEVER_TEXT


def unreadable(problem: str) -> Reason:
    """The file system refused it."""
    return Reason(SkipKind.NOT_CHECKED, f"it could not be read: {problem}", Obstacle.HEAD)


def closed(problem: str) -> Reason:
    """The file system let nobody look for untracked files there."""
    return Reason(SkipKind.NOT_CHECKED, f"the folder could not be read: {problem}")


def buffer_may_lift(skip: Skip) -> bool:
    """Whether an editor's buffer in the file's place may make it reviewable."""
    return skip.obstacle is Obstacle.HEAD


class PathRules:
    """What is left out by path: the setting ``exclude`` and the ignore file, both in gitignore syntax."""

    def __init__(self, exclude: Sequence[str], ignore_file: str) -> None:
        """Compile the patterns. A pattern that cannot be compiled matches nothing."""
        self._exclude = ignore_patterns(exclude)
        self._ignore = ignore_patterns(ignore_file.split("\n"))

    def reason(self, path: RelPath) -> Reason | None:
        """Why a path is left out by name alone."""
        if self._exclude is not None and self._exclude.match_file(_printable(path)):
            return EXCLUDED
        if self._ignore is not None and self._ignore.match_file(_printable(path)):
            return IGNORED
        if path.endswith(".ipynb"):
            return NOTEBOOK
        return None


def _printable(path: RelPath) -> str:
    return raw_path(path).decode("utf-8", "replace")


def by_mode(old_mode: str, new_mode: str) -> Reason | None:
    """Links are not files."""
    if SUBMODULE in (old_mode, new_mode):
        return SUBMODULE_LINK
    if new_mode == SYMLINK:
        return SYMBOLIC_LINK
    return None


def by_attributes(attributes: Mapping[str, str], *, on_disk: bool = True) -> Reason | None:
    """What ``.gitattributes`` says about a path. A file with a filter is never read: its bytes are not its text.

    Nor is one that git writes to disk in another encoding, so that its bytes there are not those of its object.
    """
    filtered = attributes.get("filter", "unspecified")
    if filtered == "lfs":
        return LFS
    if filtered not in ("unspecified", "unset"):
        return Reason(SkipKind.BY_RULE, f"attribute filter={filtered}")
    encoding = attributes.get("working-tree-encoding", "unspecified")
    if on_disk and encoding not in ("unspecified", "unset") and encoding.lower() not in ("utf-8", "utf8"):
        return Reason(SkipKind.NOT_CHECKED, f"attribute working-tree-encoding={encoding}")
    if attributes.get("linguist-generated") in ("set", "true"):
        return GENERATED
    if attributes.get("diff") == "unset":
        return NOT_DIFFED
    return None


def by_content(data: bytes, attributes: Mapping[str, str]) -> Reason | None:
    """What the bytes show. The attribute ``diff`` says that NULs do not make a file binary."""
    if data.startswith(_LFS):
        return LFS
    if b"\0" in data[:_BINARY_PREFIX] and attributes.get("diff") != "set":
        return BINARY
    return None


def parse_attributes(output: bytes) -> dict[RelPath, dict[str, str]]:
    """Read the output of ``git check-attr -z``."""
    fields = output.split(b"\0")
    table: dict[RelPath, dict[str, str]] = {}
    for at in range(0, len(fields) - 2, 3):
        values = table.setdefault(relpath(fields[at]), {})
        values[fields[at + 1].decode("ascii", "replace")] = fields[at + 2].decode("utf-8", "replace")
    return table


def question(paths: Sequence[RelPath]) -> bytes:
    """Paths as ``--stdin -z`` wants them."""
    return b"".join(raw_path(path) + b"\0" for path in paths)
