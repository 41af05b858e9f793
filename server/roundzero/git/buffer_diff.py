"""Compares texts with git's own algorithm, outside any repository.

For editor buffers, and wherever a diff of the repository does not fit the texts in hand. It reads no attributes, no
configuration and no object: cost depends on the two texts alone. Invariant: temporary files lie in one private folder
(mode 0700) that git does not take for part of a repository, and go with ``close``.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections import OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from roundzero import proc
from roundzero.core.change import blob_id
from roundzero.errors import OutsideError
from roundzero.git.commands import DIFF_OPTIONS, environment, git_program
from roundzero.git.hunks import as_committed, parse_hunks, settle, split_lines, whole
from roundzero.scratch import Scratch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from roundzero.core.linemap import Hunk

_KEPT: Final = 64
"""Base texts kept on disk: more than anyone edits at once."""


class BufferDiff:
    """Hunks between texts. One temporary folder per instance."""

    def __init__(self) -> None:
        """Create nothing yet."""
        self._folder: Scratch | None = None
        self._bases: OrderedDict[str, Path] = OrderedDict()
        self._program = git_program()
        self._environment = environment(())
        self._batches = 0

    async def hunks(self, base: str, head: str) -> tuple[Hunk, ...]:
        """The hunks from ``base`` to ``head``. Raises OutsideError when git fails."""
        base, head = as_committed(base), as_committed(head)
        base_lines, head_lines = split_lines(base), split_lines(head)
        if base_lines == head_lines:
            return ()
        if not base_lines or not head_lines:
            return whole(len(base_lines), len(head_lines))
        file = self._base_file(_bytes(base))
        output = await self._diff(["--", str(file), "-"], stdin=_bytes(head))
        return _settled(output, base_lines, head_lines)

    async def hunks_of(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[Hunk, ...]]:
        """The hunks of many pairs of base and head, by one process."""
        if len(pairs) == 1:
            return [await self.hunks(*pairs[0])]
        if not pairs:
            return []
        pairs = [(as_committed(base), as_committed(head)) for base, head in pairs]
        self._batches += 1
        folder = self._private() / f"batch-{self._batches}"
        try:
            with _writing():
                await asyncio.to_thread(_write, folder, pairs)
            output = await self._diff(["--", str(folder / "a"), str(folder / "b")])
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        sections: dict[int, bytes] = {}
        for section in output.removeprefix(b"diff --git ").split(b"\ndiff --git "):
            header, _, rest = section.partition(b"\n")
            if (at := rest.find(b"\n@@ ")) >= 0:
                sections[int(header.rpartition(b"/")[2])] = rest[at + 1 :] + b"\n"
        results: list[tuple[Hunk, ...]] = []
        for number, (base, head) in enumerate(pairs):
            base_lines, head_lines = split_lines(base), split_lines(head)
            if not base_lines or not head_lines:
                results.append(whole(len(base_lines), len(head_lines)))
            else:
                results.append(_settled(sections.get(number, b""), base_lines, head_lines))
        return results

    def close(self) -> None:
        """Remove the temporary folder."""
        self._bases.clear()
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    async def _diff(self, arguments: list[str], *, stdin: bytes | None = None) -> bytes:
        folder = self._private()
        variables = self._environment | {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(folder.parent),
            "XDG_CONFIG_HOME": str(folder / "nothing"),
            "HOME": str(folder / "nothing"),
        }
        done = await proc.run(
            [self._program, "diff", "--no-index", "--text", *DIFF_OPTIONS, *arguments],
            cwd=folder,
            stdin=stdin,
            env=variables,
        )
        if done.returncode not in (0, 1):
            raise OutsideError(f"git diff --no-index failed: {done.complaint}")
        return done.stdout

    def _base_file(self, data: bytes) -> Path:
        key = blob_id(data)
        if (known := self._bases.get(key)) is not None and known.exists():
            self._bases.move_to_end(key)
            return known
        file = self._private() / key
        with _writing():
            file.write_bytes(data)
        self._bases[key] = file
        while len(self._bases) > _KEPT:
            self._bases.popitem(last=False)[1].unlink(missing_ok=True)
        return file

    def _private(self) -> Path:
        if self._folder is None or not self._folder.path.is_dir():
            self.close()
            self._folder = Scratch()
        return self._folder.path


@contextmanager
def _writing() -> Iterator[None]:
    """What the file system refuses is the world's failure. Raises OutsideError."""
    try:
        yield
    except OSError as error:
        raise OutsideError(f"a text to compare could not be written: {error.strerror or error}") from error


def _write(folder: Path, pairs: Sequence[tuple[str, str]]) -> None:
    for side, name in enumerate("ab"):
        (folder / name).mkdir(parents=True)
        for number, pair in enumerate(pairs):
            (folder / name / str(number)).write_bytes(_bytes(pair[side]))


def _settled(output: bytes, base: list[str], head: list[str]) -> tuple[Hunk, ...]:
    at = 0 if output.startswith(b"@@ ") else output.find(b"\n@@ ") + 1
    body = output[at:] if at or output.startswith(b"@@ ") else b""
    hunks = parse_hunks(body) if body else []
    settled = settle(hunks, base, head) if hunks is not None else None
    if settled is None:
        raise OutsideError("git diff --no-index gave an answer that does not fit the texts")
    return settled


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
