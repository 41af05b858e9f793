"""How much may be asked of a model: requests a minute, requests at once, tokens an hour, money a day.

Pure: a tally of charges goes in, a permission or a time to wait comes out. Who keeps the tally, and for which
processes, is not known here. Times are seconds since the epoch. Invariant: when every request is charged before it is
sent, no window of any kind ever holds more than its limit, and a clock that is set back grants nothing twice.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MINUTE: Final = 61.0
"""A minute, and a second for the way: a request is charged before it is sent, and its host counts when it comes."""

HOUR: Final = 3600.0
DAY: Final = 86400.0

ATTEMPTS: Final = 4
"""Most requests for one question, the first included."""

_FIRST_PAUSE: Final = 2.0
LONGEST_PAUSE: Final = 120.0
"""Seconds a host is left alone that is busy and does not say for how long, after several attempts."""

_MILLION: Final = 1_000_000


class Shortage(Enum):
    """What there is not enough of."""

    PARALLEL = "requests at once"
    REQUESTS = "requests a minute"
    TOKENS = "tokens an hour"
    MONEY = "money a day"
    HELD = "the provider, which asked for that,"
    ASKED = "the same question is being asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The user's limits. ``cost_per_day`` counts only where both prices (per million tokens) are known."""

    requests_per_minute: int
    parallel: int
    tokens_per_hour: int
    cost_per_day: float | None = None
    price_input: float | None = None
    price_output: float | None = None

    def cost(self, sent: int, received: int) -> float:
        """What so many tokens cost; 0 where no price is known."""
        return (sent * (self.price_input or 0.0) + received * (self.price_output or 0.0)) / _MILLION


@dataclass(frozen=True, slots=True)
class Charge:
    """One request: what was reserved for it at ``at``, or what it took. ``until`` ends its lease; 0 when it is over."""

    at: float
    tokens: int
    cost: float = 0.0
    until: float = 0.0


@dataclass(frozen=True, slots=True)
class Wait:
    """Not now. ``until`` None: never under these limits.

    ``soon``: what runs may give back at any moment what is missing, since more is reserved than most requests take.
    ``why``: what the provider said that asked for it.
    """

    shortage: Shortage
    until: float | None
    soon: bool = False
    why: str = ""


def decide(charges: Iterable[Charge], tokens: int, cost: float, limits: Limits, now: float) -> Wait | None:
    """Whether a request of ``tokens`` and ``cost`` may be sent now: None, or the longest wait any limit asks for."""
    known = sorted(charges, key=lambda charge: charge.at)
    waits = [
        _window(known, MINUTE, limits.requests_per_minute, 1, lambda _: 1, Shortage.REQUESTS, now),
        _window(known, HOUR, limits.tokens_per_hour, tokens, lambda charge: charge.tokens, Shortage.TOKENS, now),
        _parallel(known, limits.parallel, now),
    ]
    if limits.cost_per_day is not None:
        waits.append(_window(known, DAY, limits.cost_per_day, cost, lambda charge: charge.cost, Shortage.MONEY, now))
    short = [wait for wait in waits if wait is not None]
    never = [wait for wait in short if wait.until is None]
    return never[0] if never else max(short, key=lambda wait: wait.until or 0.0, default=None)


def _window(  # noqa: PLR0913, PLR0917  a limit has this many sides
    charges: Sequence[Charge],
    seconds: float,
    limit: float,
    asked: float,
    size: Callable[[Charge], float],
    shortage: Shortage,
    now: float,
) -> Wait | None:
    """One sliding window. A charge that lies in the future (the clock was set back) counts as one of now."""
    if asked > limit:
        return Wait(shortage, None)
    inside = [charge for charge in charges if charge.at + seconds > now]
    held = sum(size(charge) for charge in inside)
    if held + asked <= limit:
        return None
    running = [charge for charge in inside if charge.until > now]
    settled = held - sum(size(charge) for charge in running)
    if shortage is not Shortage.REQUESTS and settled + asked <= limit:
        return Wait(shortage, min(charge.until for charge in running), soon=True)
    for charge in inside:
        held -= size(charge)
        if held + asked <= limit:
            return Wait(shortage, charge.at + seconds)
    return Wait(shortage, now + seconds)


def _parallel(charges: Sequence[Charge], limit: int, now: float) -> Wait | None:
    ends = sorted(charge.until for charge in charges if charge.until > now)
    if len(ends) < limit:
        return None
    return Wait(Shortage.PARALLEL, ends[len(ends) - limit]) if limit > 0 else Wait(Shortage.PARALLEL, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What the windows hold now."""

    requests: int
    tokens: int
    cost: float
    running: int


def tally(charges: Iterable[Charge], now: float) -> Tally:
    """The last minute's requests, the last hour's tokens, the last day's money, and what runs."""
    known = list(charges)
    return Tally(
        requests=sum(1 for charge in known if charge.at + MINUTE > now),
        tokens=sum(charge.tokens for charge in known if charge.at + HOUR > now),
        cost=sum(charge.cost for charge in known if charge.at + DAY > now),
        running=sum(1 for charge in known if charge.until > now),
    )


def pause(attempt: int, jitter: float, *, retry_after: float | None = None) -> float | None:
    """Seconds to wait after a failed attempt (from 1); None: give up. ``jitter`` from 0 to 1 spreads the retries.

    What the provider names (``Retry-After``) is the least that is waited.
    """
    if attempt >= ATTEMPTS:
        return None
    most = min(LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (attempt - 1))
    return max(most * (0.5 + jitter / 2), retry_after or 0.0)
