"""One pack as a value: what a file came to, compiled just now or read from the cache.

Invariant: items carry the severity and the default of the file; settings are applied later, by the loader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from roundzero.core.item import Item, Prose
    from roundzero.core.ruleset import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """``name`` is "" when the file as a whole cannot be used; ``file`` is its name in problems."""

    file: str
    name: str
    title: Prose
    items: tuple[Item, ...]
    problems: tuple[Problem, ...]
