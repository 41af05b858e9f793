"""What was counted in each file of the base for conventions, so that a later run counts what differs only.

A cache in one file under the git common directory, so it never fails: what cannot be read is as if there were none.
Invariant: counts of other rules than those asked about are never given.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import zlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MOST_BYTES: Final = 64 * 1024 * 1024
"""Of the file unpacked; for 20,000 files it has about 3 MB."""

Counts = dict[str, tuple[str, tuple[int, ...]]]
"""By path: the blob, and for each item in turn how many cases it has and how many are broken."""


class ConventionCounts:
    """The counts of one repository."""

    def __init__(self, common_dir: Path) -> None:
        """Use ``roundzero/conventions.z`` under the git common directory."""
        self.path = common_dir / "roundzero" / "conventions.z"

    def load(self, rules: str) -> Counts:
        """The counts made by some rules."""
        try:
            unpacked = zlib.decompressobj().decompress(self.path.read_bytes(), _MOST_BYTES)
            data = json.loads(unpacked)
            if data["rules"] != rules:
                return {}
            return {path: (blob, tuple(counts)) for path, (blob, *counts) in data["files"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, zlib.error):
            return {}

    def save(self, rules: str, counts: Mapping[str, tuple[str, tuple[int, ...]]]) -> None:
        """Keep counts in place of all before."""
        files = {path: [blob, *numbers] for path, (blob, numbers) in counts.items()}
        text = json.dumps({"rules": rules, "files": files}, separators=(",", ":"))
        packed = zlib.compress(text.encode(), 1)
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.parent.is_symlink():  # see refuse_links
                return
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".conventions-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(packed)
                os.replace(name, self.path)  # noqa: PTH105  the name is a str from mkstemp
            except OSError:
                os.unlink(name)  # noqa: PTH108  as above
                raise
