"""How the cost of some work grows with its input, by the processor time it took and not by the clock on the wall."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES: Final = 4
"""How much larger the large input is: linear work takes four times as long, quadratic sixteen times."""

_LIMIT: Final = 9.0
_SLACK: Final = 0.02
"""Seconds of processor time by which small inputs may differ for no reason of theirs."""

_TRIES: Final = 3


def is_linear(work: Callable[[str], object], piece: str, size: int) -> bool:
    """Whether work over ``size`` characters of a repeated piece costs about a quarter of that over four times as many.

    The least of a few runs counts each time, as what else the machine does can only add; a run that speaks against it
    is repeated.
    """
    small, large = piece * (size // len(piece)), piece * (TIMES * size // len(piece))
    return any(_cost(work, large) <= _LIMIT * _cost(work, small) + _SLACK for _ in range(_TRIES))


def _cost(work: Callable[[str], object], text: str) -> float:
    least = float("inf")
    for _ in range(2):
        gc.collect()
        begun = time.thread_time()
        work(text)
        least = min(least, time.thread_time() - begun)
    return least
