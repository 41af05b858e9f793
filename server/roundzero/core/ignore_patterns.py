"""Patterns as ``.gitignore`` has them, in linear time.

They come from the repository, and ``*a*a*a*a*b`` keeps Python's own engine busy. Does not know in which file they
stand. Invariant: a pattern that cannot be read costs itself alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pathspec import GitIgnoreSpec


def ignore_patterns(lines: Iterable[str]) -> GitIgnoreSpec | None:
    """What a file of such lines leaves out; None where it says nothing. Lines may end in a carriage return."""
    rows = [line.removesuffix("\r") for line in lines]
    if not any(row.strip() and not row.startswith("#") for row in rows):
        return None
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  29 ms, and most repositories have no patterns

    good: list[str] = []
    for row in rows:
        try:
            GitIgnoreSpec.from_lines([row], backend="re2")
        except ValueError:
            continue
        good.append(row)
    return GitIgnoreSpec.from_lines(good, backend="re2")
