"""One pack as a value: what a file came to, compiled just now or read from the cache.

Invariant: items carry the severity and the default of the file; settings are applied later, by the loader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.frozen import dataclass
from roundzero.core.item import Prose

if TYPE_CHECKING:
    from roundzero.core.item import Item
    from roundzero.core.ruleset import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """``name`` is "" when the file as a whole cannot be used (``unusable``); ``file`` is its name in problems."""

    file: str
    name: str
    title: Prose
    items: tuple[Item, ...]
    problems: tuple[Problem, ...]

    @classmethod
    def unusable(cls, file: str, *problems: Problem) -> Pack:
        """What comes of a file that cannot be used, and why."""
        return cls(file=file, name="", title=Prose(""), items=(), problems=problems)
