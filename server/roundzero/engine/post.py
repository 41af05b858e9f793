"""Where questions to a model go, and under which limits: what ``asking`` needs to put them.

``hosting`` makes one from settings. Nothing is sent here. Invariant: whoever makes a post has said whether there is
consent, and what names a host or a question tells neither address nor text.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
from typing import TYPE_CHECKING, Protocol

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from roundzero.core.budget import Limits, Tally, Wait
    from roundzero.core.model_values import Ask
    from roundzero.providers import Endpoint, Provider
    from roundzero.providers._http import Patience
    from roundzero.providers._recording import Recorder
    from roundzero.store.budget_db import Lease


class Budget(Protocol):
    """Who keeps the tally: store/budget_db.BudgetDb, or nobody. Methods may raise OutsideError."""

    def reserve(
        self, question: str, *, provider: str, tokens: int, cost: float, limits: Limits, clock: Callable[[], float]
    ) -> Lease | Wait:
        """Charge a request before it is sent, or say until when to wait."""

    def settle(self, lease: Lease, *, tokens: int, cost: float) -> None:
        """A request is over and took so much."""

    def withdraw(self, lease: Lease) -> None:
        """A request was never sent."""

    def hold(self, provider: str, *, until: float, why: str, clock: Callable[[], float]) -> None:
        """Leave a host alone until a time."""

    def tally(self, now: float) -> Tally:
        """What the windows hold now."""


class Replies(Protocol):
    """Who keeps replies by what decides them: store/reply_cache.ReplyCache, or a recording. May raise OutsideError."""

    def get(self, key: str, *, now: float) -> str | None:
        """The reply that was kept."""

    def put(self, key: str, text: str, *, now: float) -> None:
        """Keep a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Where questions go, and under which limits. ``longest_wait``: seconds after which waiting is given up.

    ``consent``: the repository is trusted, or a person asked for a model in this very run. There is no default, so that
    whoever makes a post has to say. ``fits``: whether a reply is of a form, by its name; only such a one is kept, or
    one that calls tools where there are any. ``once``: for one review that somebody waits for, so that a host that
    cannot be reached, has no time, or fails at one question upon the other (core/trouble), is asked no other.
    """

    consent: bool
    provider: Provider
    endpoint: Endpoint | None
    limits: Limits
    budget: Budget
    cache: Replies | None = None
    fits: Callable[[str, str], bool] = lambda _, text: bool(text)
    recorder: Recorder | None = None
    patience: Patience | None = None
    longest_wait: float = 90.0
    once: bool = False
    clock: Callable[[], float] = time.time
    rest: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random


def digest(post: Post, ask: Ask) -> str:
    """What decides a reply: the question, who is asked, and how."""
    where = post.endpoint.url if post.endpoint is not None else getattr(post.provider, "version", "")
    parts = (ask.question.key, post.provider.name, where, ask.model, str(ask.max_output), str(ask.temperature))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def host_key(post: Post) -> str:
    """Whom a hold is about: one host by one protocol, without naming it."""
    where = post.endpoint.url if post.endpoint is not None else ""
    return f"{post.provider.name}-{hashlib.sha256(where.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"
