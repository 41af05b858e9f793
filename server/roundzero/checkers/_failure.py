"""What became of a check that could not look, as a value that crosses processes.

Does not decide what it means for a review. Invariant: no text of the file that was looked at is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from roundzero.core.item import ItemId


@dataclass(frozen=True, slots=True)
class CheckFailure:
    """A check that could not look, in words. ``checker`` is its name, for a text rule the item's.

    ``items`` are *not checked* because of it.
    """

    checker: str
    message: str
    items: frozenset[ItemId]

    def __str__(self) -> str:
        """Who, and why."""
        return f"{self.checker}: {self.message}"


def broke(error: Exception) -> str:
    """How and where a checker broke, without any text of the file it looked at."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {trace.tb_frame.f_code.co_name}:{trace.tb_lineno}" if trace is not None else ""
    detail = f": {error}" if isinstance(error, ValueError) else ""
    return f"broke with {type(error).__name__}{detail}{place}"
