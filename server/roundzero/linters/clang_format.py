"""clang-format, where the repository pins it: a style file and the version that lays its code out.

Another version lays code out in another way, so only the pinned one (by its first two numbers) runs. The style is the
work tree's; the text is the reviewed one. What a style file in a folder of its own takes over from the one above is
followed, since the style files stand around the text as they do in the repository. Invariant: without both, a style and
a pinned version that is the installed one, nothing runs.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.item import glob_matches
from roundzero.core.regex import regex
from roundzero.errors import OutsideError
from roundzero.linters import LinterResult
from roundzero.linters._installed import ByProgram, Installed, codes_of, installed
from roundzero.linters._layout import laid_out_anew
from roundzero.linters._work_tree import around, read, read_back, tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from roundzero.core.change import Source
    from roundzero.core.item import Item
    from roundzero.linters import Linter

_NAME: Final = "clang-format"
_STYLES: Final = (".clang-format", "_clang-format")
_IGNORED: Final = ".clang-format-ignore"
_AT_ONCE: Final = 200
"""Files on one command line."""
_ENDINGS: Final = frozenset({"c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "cu", "cuh", "m", "mm", "proto"})
_PINS: Final[Mapping[str, re.Pattern[str]]] = {
    ".pre-commit-config.yaml": regex(
        r"mirrors-clang-format['\"]?[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*"
        r"[ \t]*rev:[ \t]*['\"]?v?(\d+\.\d+[\d.]*)"
    ),
    "pyproject.toml": regex(r"[\"']clang-format[ \t]*==[ \t]*(\d+\.\d+[\d.]*)"),
    **{
        name: regex(r"^clang-format[ \t]*==[ \t]*(\d+\.\d+[\d.]*)", re.MULTILINE)
        for name in (
            "requirements.txt", "requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt",
            "requirements-lint.txt", "requirements/dev.txt", "requirements/lint.txt",
        )
    },
}  # fmt: skip
"""Where a repository says which version it lays its code out with."""


@dataclass(frozen=True, slots=True)
class ClangFormat(ByProgram):
    """The linter of one work tree."""

    root: Path

    async def run(self, sources: Sequence[Source], items: Sequence[Item]) -> LinterResult:
        """Lay out the C and C++ files among ``sources``, and say where that makes a difference."""
        wanted = [item for group in codes_of(items, _NAME).values() for item in group]
        ignored = _globs(await asyncio.to_thread(read, self.root, _IGNORED))
        chosen = [
            at
            for at, source in enumerate(sources)
            if source.path.rpartition(".")[2] in _ENDINGS
            and not any(glob_matches(source.path, glob) for glob in ignored)
            and any(item.applies.matches(source.path) for item in wanted)
        ]
        if not chosen:
            return LinterResult()
        try:
            texts = await _formatted(self.program, self.root, [sources[at] for at in chosen])
        except (OutsideError, OSError, UnicodeDecodeError) as error:
            return LinterResult(failures=((None, str(error)),))
        return await laid_out_anew(
            sources, wanted, dict(zip(chosen, texts, strict=True)), "Lay it out as clang-format does"
        )


@dataclass(frozen=True, slots=True)
class _Optional:
    name: str = _NAME
    slow: bool = False

    async def ready(self, own: str | None, root: Path | None) -> Linter | str:
        if root is None:
            return "runs in a work tree only"
        pinned = await asyncio.to_thread(_pinned, root)
        if pinned is None:
            return "the repository does not pin it (a .clang-format and a version)"
        program = installed(_NAME, own)
        if isinstance(program, str):
            return f"{program}; the repository pins {pinned}"
        try:
            version = await program.version()
        except OutsideError as error:
            return str(error)
        if version.split(".")[:2] != pinned.split(".")[:2]:
            return f"{version} is installed, and the repository pins {pinned}"
        return ClangFormat(program, root)


OPTIONAL: Final = _Optional()


def _pinned(root: Path) -> str | None:
    """The version the repository lays its code out with; None without one, or without a style."""
    if all(read(root, name) is None for name in _STYLES):
        return None
    for name, pattern in _PINS.items():
        if (found := pattern.search(read(root, name) or "")) is not None:
            return found[1]
    return None


def _globs(text: str | None) -> tuple[str, ...]:
    """What the repository keeps from clang-format, a glob a line."""
    lines = (line.strip() for line in (text or "").splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


async def _formatted(program: Installed, root: Path, sources: Sequence[Source]) -> list[str]:
    """The texts as clang-format lays them out. Raises OutsideError, OSError, UnicodeDecodeError."""
    styles = await asyncio.to_thread(around, root, [source.path for source in sources], _STYLES)
    async with tree([(source.path, source.text) for source in sources], styles) as folder:
        files = [f"./{source.path}" for source in sources]
        for at in range(0, len(files), _AT_ONCE):
            options = ["-i", "--style=file", "--fallback-style=none", *files[at : at + _AT_ONCE]]
            done = await program.start(options, cwd=folder)
            if done.returncode != 0:
                raise OutsideError(done.complaint)
        return await asyncio.to_thread(read_back, folder, [source.path for source in sources])
