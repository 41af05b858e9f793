"""What a format may know about where its text goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """``colour``: ANSI colours are welcome. ``width``: terminal cells in a line; longer source lines are cut."""

    colour: bool = False
    width: int = 100
