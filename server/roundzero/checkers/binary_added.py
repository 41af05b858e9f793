"""binary-added: the change adds what a program made: a build's product, a package, an archive, a database, weights.

Pictures, fonts, sounds and documents belong in a repository, and so does data for tests. Where the base has files of
the same kind already, the repository keeps such things. Invariant: a file that is text, or in Git LFS, is not named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._file_sizes import spelt
from roundzero.checkers._paths import is_test_data, is_test_path
from roundzero.core.change import Side, Status
from roundzero.core.finding import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.change import Change
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

_MADE: Final = frozenset(
    {"pyc", "pyo", "pyd", "so", "dylib", "dll", "exe", "o", "obj", "a", "lib", "class", "jar", "war", "ear", "whl",
     "egg", "zip", "tar", "gz", "tgz", "bz2", "xz", "7z", "rar", "zst", "deb", "rpm", "apk", "dmg", "iso", "msi", "pdb",
     "wasm", "node", "pkl", "pickle", "npy", "npz", "h5", "hdf5", "pt", "pth", "ckpt", "onnx", "safetensors", "gguf",
     "db", "sqlite", "sqlite3", "ds_store", "bin", "dat", "swp", "core", "prof", "rdb", "parquet"}
)  # fmt: skip
_EXECUTABLE: Final = "100755"


class BinaryAdded(ChangeChecker):
    """Finds added files that a program made."""

    name = "binary-added"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at the files that are no text."""
        added = [
            skip
            for skip in change.skipped
            if skip.binary
            and skip.status is Status.ADDED
            and (_ending(skip.path) in _MADE or (not _ending(skip.path) and skip.mode == _EXECUTABLE))
            and not is_test_path(skip.path)
            and not is_test_data(skip.path)
        ]
        if not added:
            return
        kept = {_ending(path) for path in repository.paths(Side.BASE)} - {""}
        for skip in added:
            if _ending(skip.path) not in kept:
                size = f" ({spelt(skip.size)})" if skip.size is not None else ""
                yield Hit(path=skip.path, span=None, subject=f"{code(skip.path.rpartition('/')[2])}{size}")


def _ending(path: RelPath) -> str:
    """What follows the last dot of a name, in small letters; "" where there is none."""
    return path.rpartition("/")[2].rpartition(".")[2].lower() if "." in path.rpartition("/")[2] else ""


CHECKER: Final = BinaryAdded
