"""Pairs deleted files with untracked ones, as git pairs deleted with added ones.

git looks for renames only among what it tracks, so a file renamed in the editor and not staged would count as deleted
and new, and every old finding in it as this branch's. Pure. Invariant: a path is in at most one pair, and staging a
rename does not change what is paired with the same text.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.text import RelPath

MOST: Final = 40
"""Deleted or untracked files beyond which only identical ones are paired: comparing all with all is quadratic."""

_SIMILAR: Final = 0.5
"""git's own threshold for ``-M``."""


def pair(deleted: Mapping[RelPath, bytes], added: Mapping[RelPath, bytes]) -> dict[RelPath, RelPath]:
    """New path to old path, for files that are at least half the same, surest first. Empty files are never paired."""
    pairs = _identical(deleted, added)
    old = {path: data for path, data in deleted.items() if data and path not in pairs.values()}
    new = {path: data for path, data in added.items() if data and path not in pairs}
    if not old or not new or len(old) > MOST or len(new) > MOST:
        return pairs
    lines_of = {path: _weights(data) for path, data in (old | new).items()} if not old.keys() & new.keys() else {}
    scored: list[tuple[float, bool, RelPath, RelPath]] = []
    for new_path, new_data in new.items():
        for old_path, old_data in old.items():
            smaller, larger = sorted((len(old_data), len(new_data)))
            if smaller < larger * _SIMILAR or not lines_of:
                continue
            score = _common(lines_of[old_path], lines_of[new_path]) / larger
            if score >= _SIMILAR:
                scored.append((-score, _name(old_path) != _name(new_path), new_path, old_path))
    for _, _, new_path, old_path in sorted(scored):
        if new_path not in pairs and old_path not in pairs.values():
            pairs[new_path] = old_path
    return pairs


def _identical(deleted: Mapping[RelPath, bytes], added: Mapping[RelPath, bytes]) -> dict[RelPath, RelPath]:
    by_content: dict[bytes, list[RelPath]] = {}
    for path, data in sorted(deleted.items()):
        if data:
            by_content.setdefault(data, []).append(path)
    pairs: dict[RelPath, RelPath] = {}
    for path, data in sorted(added.items()):
        if candidates := by_content.get(data):
            best = min(candidates, key=lambda old: (_name(old) != _name(path), old))
            candidates.remove(best)
            pairs[path] = best
    return pairs


def _weights(data: bytes) -> Counter[bytes]:
    return Counter(data.replace(b"\r\n", b"\n").split(b"\n"))


def _common(first: Counter[bytes], second: Counter[bytes]) -> int:
    """Bytes in lines that both have, terminators included."""
    return sum((len(line) + 1) * min(count, second[line]) for line, count in first.items() if line in second)


def _name(path: RelPath) -> str:
    return path.rpartition("/")[2]
