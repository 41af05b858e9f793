"""unguarded-kernel-grid: a kernel is launched on a grid whose size may be zero, while its siblings guard against it.

CUDA and HIP refuse a grid of zero blocks, and the error surfaces at a later call. A size counts as guarded where its
function compares it with zero or one, checks it by a macro, or takes a maximum. Silent unless at least half of the
other launching functions of the file guard theirs. C and C++ are read as text, for Python see ``_python_launches``.
Invariant: at most one hit a function, on the first such grid.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._cpp_text import functions
from roundzero.checkers._empty_grids import leave_early
from roundzero.checkers._python_grids import return_early
from roundzero.checkers._python_launches import Launch, launches
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.core.change import Source

SIBLINGS: Final = 2
"""Launching functions of the file besides the one that is judged."""

_LAUNCH: Final = regex(r"<<<\s*")
_NAME: Final = regex(r"[A-Za-z_]\w*")
_FIXED: Final = regex(
    r"[A-Z][A-Z0-9_]*|k[A-Z]\w*|dim3|int|size_t|ceil\w*|div\w*|std|static_cast|float|min|unsigned|x|y|z"
)
_MANY: Final = regex(r"\bmax\s*\(")


class UnguardedKernelGrid(TextChecker):
    """Finds launches that an empty input breaks."""

    name = "unguarded-kernel-grid"
    version = "3"

    def check(self, source: Source) -> Iterable[Hit]:
        """Compare the launching functions of one file. Raises NotPythonError."""
        language = language_of(source.path)
        if language == "python":
            judged = list(launches(source))
        elif language in {"cuda", "cpp", "c"} and "<<<" in source.text:
            judged = list(_launches(source))
        else:
            return
        bare = [grids for each in judged if (grids := [launch.grid for launch in each if not launch.is_guarded])]
        others = len(judged) - 1
        if others < SIBLINGS or (len(judged) - len(bare)) * 2 < others:
            return
        grids = [each[0] for each in bare]
        fixes = return_early(source, grids) if language == "python" else leave_early(source, grids)
        for grid, fix in zip(grids, fixes, strict=True):
            yield Hit(path=source.path, span=grid, subject=code(source.index.slice(grid)), fixes=fix)


def _launches(source: Source) -> Iterator[list[Launch]]:
    """The launches of each function of C++ that launches on a grid whose size is not fixed."""
    text = blanked(source)
    for begin, end in functions(text):
        body = text[begin:end]
        found = [
            Launch(source.index.span(begin + at, begin + at + len(grid)), _is_guarded(body[:start], sizes))
            for start, at in ((match.start(), match.end()) for match in _LAUNCH.finditer(body))
            for grid in [_first(body[at:])]
            if (sizes := _sizes(grid, body[:start]))
        ]
        if found:
            yield found


def _first(text: str) -> str:
    """The first argument in a text that stands behind an opening bracket."""
    depth = 0
    for at, letter in enumerate(text[:400]):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            return text[:at].rstrip()
    return ""


def _sizes(grid: str, before: str) -> set[str]:
    """The names that a grid's size comes from, through one or two definitions; none where its size is fixed."""
    names, seen = set(_NAME.findall(grid)), set[str]()
    text = grid
    for _ in range(2):
        for name in sorted(names - seen):
            seen.add(name)
            defined = re.findall(rf"\b{name}\s*(?:=|\(|\{{)\s*([^;]*);", before)
            if defined:
                text += " " + defined[-1]
                names |= set(_NAME.findall(defined[-1]))
            elif re.search(rf"\b{name}\.x\s*=\s*([^;]*);", before):
                text += " /"
    if _MANY.search(text) is not None or not grid:
        return set()
    return {name for name in names if _FIXED.fullmatch(name) is None}


def _is_guarded(before: str, sizes: Iterable[str]) -> bool:
    """Whether a function asks, before a launch, for one of the sizes being zero, or checks it."""
    for size in sizes:
        own = rf"\b{re.escape(size)}\b(?:\(\))?"
        if re.search(
            rf"{own}\s*(?:==|<=|>|!=)\s*0\b|{own}\s*(?:<|>=)\s*1\b|!\s*{own}(?!\s*[.(\->])|\bif\s*\(\s*{own}\s*\)",
            before,
        ):
            return True
        if re.search(rf"\b\w*CHECK\w*\s*\([^;]*{own}\s*(?:>|>=|!=)", before):
            return True
    return re.search(r"(?:numel|size)\(\)\s*(?:==|<=|>)\s*0|\bempty\(\)", before) is not None


CHECKER: Final = UnguardedKernelGrid
