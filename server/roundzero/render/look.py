"""What a format may know about where its text goes."""

from __future__ import annotations

from roundzero.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Gate:
    """What becomes of a report: ``fails`` with the exit status 1, ``by`` the option or setting that decides."""

    fails: bool
    by: str


@dataclass(frozen=True, slots=True)
class Look:
    """``colour``: ANSI colours are welcome. ``width``: terminal cells in a line; longer source lines are cut.

    ``gate`` None: no exit status follows from the report.
    """

    colour: bool = False
    width: int = 100
    gate: Gate | None = None
