"""Which files that are gone live on under another name, told from their texts.

For rounds of a branch: git compares with the merge base, and there a file that grew, or that came with the branch, was
never renamed. Half of the lines must be the same, as git asks for by default; lines of one sign say nothing. Invariant:
no file is used twice, and the result does not depend on input order.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from roundzero.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.change import Source
    from roundzero.core.text import RelPath

SIMILAR: Final = 0.5
"""Least share of equal lines, of the longer file (git's default for ``-M``)."""


def renames(gone: Sequence[Source], arrived: Sequence[Source]) -> dict[RelPath, RelPath]:
    """New paths by old path. Likest first; among equals one that kept its file name."""
    news = [(source.path, _lines(source)) for source in arrived] if gone else []
    found: list[tuple[float, bool, RelPath, RelPath]] = []
    for source in gone:
        lines = _lines(source)
        for path, others in news:
            longer = max(lines.total(), others.total())
            if longer and min(lines.total(), others.total()) >= SIMILAR * longer:
                share = (lines & others).total() / longer
                if share >= SIMILAR:
                    found.append((-share, _name(source.path) != _name(path), source.path, path))
    result: dict[RelPath, RelPath] = {}
    taken: set[RelPath] = set()
    for _, _, old, new in sorted(found):
        if old not in result and new not in taken:
            result[old] = new
            taken.add(new)
    return result


def _lines(source: Source) -> Counter[str]:
    return Counter(line for each in source.text.split("\n") if len(line := collapse(each)) > 1)


def _name(path: RelPath) -> str:
    return path.rsplit("/", 1)[-1]
