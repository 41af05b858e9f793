"""The budget of a model, as a value: no window is ever overdrawn."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.budget import (
    ATTEMPTS,
    DAY,
    HOUR,
    MINUTE,
    Charge,
    Limits,
    Shortage,
    Wait,
    decide,
    pause,
    tally,
)

LIMITS = Limits(requests_per_minute=3, parallel=2, tokens_per_hour=1000)

steps = st.lists(
    st.tuples(
        st.floats(min_value=0.0, max_value=900.0),
        st.integers(min_value=1, max_value=700),
        st.floats(min_value=0.0, max_value=90.0),
        st.floats(min_value=0.0, max_value=1.2),
    ),
    max_size=40,
)


def overdrawn(charges: list[Charge], limits: Limits) -> bool:
    """Whether any window that ends at some charge holds more than its limit."""
    for last in charges:
        minute = [each for each in charges if each.at <= last.at < each.at + MINUTE]
        hour = [each for each in charges if each.at <= last.at < each.at + HOUR]
        day = [each for each in charges if each.at <= last.at < each.at + DAY]
        if len(minute) > limits.requests_per_minute or sum(each.tokens for each in hour) > limits.tokens_per_hour:
            return True
        if limits.cost_per_day is not None and sum(each.cost for each in day) > limits.cost_per_day + 1e-9:
            return True
    return False


@given(steps)
def test_no_window_is_overdrawn_whatever_is_asked_and_however_it_ends(
    schedule: list[tuple[float, int, float, float]],
) -> None:
    """Whatever is asked at whatever times, no window and no number of parallel requests is over its limit."""
    limits = replace(LIMITS, cost_per_day=1.0, price_input=100.0, price_output=100.0)
    now, charges, ends = 1000.0, list[Charge](), list[tuple[float, float]]()
    for rest, tokens, lasts, used in schedule:
        now += rest
        charges = [replace(each, until=0.0) if each.until <= now else each for each in charges]
        if decide(charges, tokens, limits.cost(tokens, 0), limits, now) is None:
            spent = int(tokens * min(used, 1.0))
            charges.append(Charge(now, tokens, limits.cost(tokens, 0), now + lasts))
            ends.append((now, now + lasts))
            if used < 1.0:
                charges[-1] = replace(charges[-1], tokens=spent, cost=limits.cost(spent, 0), until=now + lasts)
        assert not overdrawn(charges, limits)
        assert sum(1 for start, end in ends if start <= now < end) <= limits.parallel


@given(steps, st.integers(min_value=1, max_value=1000))
def test_whoever_waits_as_told_is_let_in_or_told_again_later(
    schedule: list[tuple[float, int, float, float]], tokens: int
) -> None:
    """Waiting as long as each answer says leads to a permission in a few steps, and time only goes forward."""
    now, charges = 1000.0, list[Charge]()
    for rest, size, lasts, _ in schedule:
        now += rest
        if decide(charges, size, 0.0, LIMITS, now) is None:
            charges.append(Charge(now, size, 0.0, now + lasts))
    for _ in range(len(charges) + 3):
        wait = decide(charges, tokens, 0.0, LIMITS, now)
        if wait is None:
            return
        assert wait.until is not None
        assert wait.until > now
        now = wait.until
    raise AssertionError("never let in")


def test_a_request_larger_than_the_whole_window_is_never_let_in() -> None:
    """What does not fit into an hour's tokens is told so at once, instead of waiting for ever."""
    assert decide([], 1001, 0.0, LIMITS, 0.0) == Wait(Shortage.TOKENS, None)
    assert decide([], 1, 0.0, replace(LIMITS, parallel=0), 0.0) == Wait(Shortage.PARALLEL, None)


def test_a_clock_that_is_set_back_grants_nothing_twice() -> None:
    """Charges that seem to lie in the future count as charges of now."""
    charges = [Charge(5000.0, 900)]
    assert decide(charges, 200, 0.0, LIMITS, 10.0) == Wait(Shortage.TOKENS, 5000.0 + HOUR)


def test_what_runs_may_give_back_what_is_missing() -> None:
    """More is reserved than most requests take: while one runs that holds enough, nobody is told to come in an hour."""
    done, runs = Charge(5.0, 300), Charge(10.0, 600, 0.0, 70.0)
    assert decide([done, runs], 200, 0.0, LIMITS, 20.0) == Wait(Shortage.TOKENS, 70.0, soon=True)
    assert decide([done, runs], 800, 0.0, LIMITS, 20.0) == Wait(Shortage.TOKENS, 10.0 + HOUR)
    assert decide([done, runs], 200, 0.0, LIMITS, 70.0) == Wait(Shortage.TOKENS, 5.0 + HOUR)


def test_a_host_sees_no_more_in_any_minute_than_allowed() -> None:
    """A request comes a little later than it was charged, so the next one is let in a second after its minute."""
    full = [Charge(100.0, 1)] * LIMITS.requests_per_minute
    assert decide(full, 1, 0.0, LIMITS, 160.9) == Wait(Shortage.REQUESTS, 161.0)
    assert decide(full, 1, 0.0, LIMITS, 161.0) is None


def test_money_counts_only_where_prices_are_known() -> None:
    """Without prices a request costs nothing, with them it costs what its tokens cost."""
    assert LIMITS.cost(1_000_000, 1_000_000) == 0.0
    assert replace(LIMITS, price_input=3.0, price_output=15.0).cost(1_000_000, 100_000) == 4.5


def test_the_tally_is_what_the_windows_hold() -> None:
    """Requests of the last minute, tokens of the last hour, money of the last day, and what still runs."""
    now = 100_000.0
    charges = [Charge(now - 10, 5, 1.0, now + 5), Charge(now - 100, 7, 1.0), Charge(now - 4000, 11, 1.0)]
    found = tally(charges, now)
    assert (found.requests, found.tokens, found.cost, found.running) == (1, 12, 3.0, 1)


@given(st.integers(min_value=1, max_value=ATTEMPTS - 1), st.floats(0, 1), st.floats(0, 600))
def test_a_retry_waits_at_least_as_long_as_the_provider_asks(attempt: int, jitter: float, asked: float) -> None:
    """Retry-After is the least that is waited; attempts end."""
    waited = pause(attempt, jitter, retry_after=asked)
    assert waited is not None
    assert waited >= max(asked, 1.0)
    assert pause(ATTEMPTS, jitter) is None
