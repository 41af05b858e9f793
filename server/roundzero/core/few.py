"""The first of many names, and that there are more: how a line stays short.

Does not choose which come first. Invariant: a line that leaves names out says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def few(names: Sequence[str], most: int, more: str = "…") -> str:
    """At most so many names, with commas; ``more`` stands for the others, and ``{count}`` in it for how many."""
    others = len(names) - most
    return ", ".join([*names[:most], more.format(count=others)] if others > 0 else names)
