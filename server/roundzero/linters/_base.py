"""Where a linter's input is put, and how its places become ours.

Deliberately never the work tree: a linter reads texts under names of our making. Invariant: nothing of a run stays on
the disk.
"""

from __future__ import annotations

import shutil
from bisect import bisect_right
from collections import Counter
from contextlib import asynccontextmanager
from itertools import accumulate
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.text import LineIndex
from roundzero.errors import OutsideError
from roundzero.linters._filled import filled
from roundzero.proc import run, tool_path

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.proc import Completed

SECONDS: Final = 60.0
"""Time limit of one linter process."""
MAX_OUTPUT: Final = 64 * 1024 * 1024
"""Bytes a linter may write: ast-grep repeats the line with every match, and a minified file has one line."""

_BLOCKS: Final = 8 * 1024
"""Bytes that a file and its folder take besides its text."""

_PACKAGE: Final = "__init__."
_SAFE_NAME: Final = regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True, slots=True)
class Program:
    """The program of a linter: our pinned copy, or the one at ``own``, which the person put in its place."""

    name: str
    own: str | None = None

    async def start(self, options: Sequence[str], *, cwd: Path | str = "/", stdin: bytes | None = None) -> Completed:
        """Run it within the limits of a linter, away from any project. Raises OutsideError."""
        argv = [tool_path(self.name) if self.own is None else self._found(self.own), *options]
        return await run(argv, cwd=cwd, stdin=stdin, seconds=SECONDS, max_stdout=MAX_OUTPUT)

    async def version(self) -> str:
        """The version it gives itself. Raises OutsideError."""
        done = await self.start(["--version"])
        words = done.stdout.decode("utf-8", "replace").split()
        if done.returncode != 0 or not words:
            raise OutsideError(f"{self.name}: {done.complaint}")
        return words[-1]

    def _found(self, own: str) -> str:
        """The full path of ``own``. Never relative to a folder: that could be the repository's."""
        path = Path(own).expanduser()
        found = shutil.which(path) if path.is_absolute() or path.name == own else None
        if found is None or not Path(found).is_absolute():
            raise OutsideError(
                f"linters.{self.name}.path is {own}, where no program is; give its full path, or leave the setting"
                " out to use the copy that comes with Round Zero"
            )
        return found


def encoded(text: str) -> bytes:
    """The text in UTF-8; a lone surrogate becomes one character, so that columns stay right."""
    return text.encode("utf-8", "replace")


def safe_name(source: Source, fallback: str) -> str:
    """The base name of a source where any program can take it, else ``fallback``."""
    name = source.path.rsplit("/", 1)[-1]
    return name if _SAFE_NAME.fullmatch(name) else fallback


@dataclass(frozen=True, slots=True)
class Laid:
    """Texts as files in the folder ``path``: where each is, and which it is by number, in order."""

    path: Path
    places: Mapping[str, int]

    def number(self, file: str) -> int:
        """Which text a program means by a path. Raises KeyError when it is none."""
        return self.places["/".join(PurePath(file).parts[-2:])]


@asynccontextmanager
async def laid_out(texts: Sequence[str], names: Sequence[str]) -> AsyncIterator[Laid]:
    """The texts as files of these names in a folder of our own; gone afterwards.

    Raises OutsideError when it cannot be written.
    """
    places = {place: at for at, place in enumerate(_places(names))}
    room = sum(4 * len(text) + _BLOCKS for text in texts)
    async with filled(room, lambda folder: _written(folder, places, texts)) as folder:
        yield Laid(folder, places)


def _places(names: Sequence[str]) -> Iterator[str]:
    """``<folder>/<name>`` for each, in as few folders as can be: making and removing one costs more than a file does.

    Those of one folder differ on every disk. What makes a folder a package has it alone, or it would make its
    neighbours modules of that package.
    """
    seen: Counter[str] = Counter()
    for at, name in enumerate(names):
        alike = name.casefold()
        yield f"package{at}/{name}" if alike.startswith(_PACKAGE) else f"{seen[alike]}/{name}"
        seen[alike] += 1


def _written(folder: Path, places: Iterable[str], texts: Sequence[str]) -> Iterator[None]:
    made = set()
    for text, place in zip(texts, places, strict=True):
        file = folder / place
        if file.parent not in made:
            made.add(file.parent)
            file.parent.mkdir()
        file.write_bytes(encoded(text))
        yield


class ByteOffsets:
    """Offsets of the UTF-8 form of a text to offsets of the text."""

    def __init__(self, text: str) -> None:
        """Prepare; an ASCII text costs nothing."""
        self._lines: list[bytes] = []
        if text.isascii():
            return
        self._lines = encoded(text).split(b"\n")
        self._bytes = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._characters = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))

    def characters(self, offset: int) -> int:
        """Code points before the byte ``offset``."""
        if not self._lines:
            return offset
        line = min(bisect_right(self._bytes, offset) - 1, len(self._lines) - 1)
        part = self._lines[line][: offset - self._bytes[line]]
        return self._characters[line] + len(part.decode("utf-8", "replace"))


def line_index(source: Source) -> LineIndex:
    r"""Lines as ruff and Python's own parser count them: a lone ``\r`` ends one too."""
    return LineIndex(source.text, carriage_return_ends_line=True) if "\r" in source.text else source.index
