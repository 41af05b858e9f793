"""How long the index may take for one change. Over it a question raises: a cut answer would be a wrong one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Callable


def _never() -> bool:
    return False


class TimeLimit:
    """A limit in seconds from now on, that also ends when ``should_stop`` says so."""

    def __init__(self, seconds: float, should_stop: Callable[[], bool] = _never) -> None:
        """Start the clock."""
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._should_stop = should_stop

    def check(self) -> None:
        """Raise OutsideError once it is over."""
        if time.monotonic() > self._end:
            raise OutsideError(f"looking across files took over {self._seconds:g} s")
        if self._should_stop():
            raise OutsideError("the result is no longer wanted")
