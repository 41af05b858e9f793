"""Puts questions to a model: within the user's budget, each once, again after a failure that may pass.

The one place that sends and spends. Whoever asks waits; the state says what for. Knows neither units nor findings.
Invariants: without consent nothing is sent, looked up or charged; a request is charged before it is sent and settled
when it is over, retries and cancelled ones included; a question that was answered is not asked again, and what cannot
be read is no answer; nothing is sent after a host refused the key, or could not be reached in all attempts at a
question, until somebody looks again; in a review that somebody waits for, nothing after one question upon the other
failed.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.budget import ATTEMPTS, LONGEST_PAUSE, Shortage, Wait, pause
from roundzero.core.frozen import dataclass
from roundzero.core.harmless import whole
from roundzero.core.model_values import Outcome, Reply
from roundzero.core.refusal import is_about_form, is_about_temperature, nobody_read
from roundzero.core.toolbox import spelt
from roundzero.core.trouble import FAILURES, Trouble
from roundzero.engine.post import digest, host_key
from roundzero.engine.telling import LaneState
from roundzero.errors import OutsideError
from roundzero.providers import DirectProvider, HttpProvider

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from roundzero.core.model_values import Ask
    from roundzero.engine.post import Budget, Post, Replies
    from roundzero.store.budget_db import Lease

_QUOTA_REST: Final = 3600.0
"""Seconds a spent quota is left alone where the host does not say until when."""

_LOOK_AGAIN: Final = 2.0
"""Seconds between looks whether another process has the answer."""

_SLEPT: Final = 20.0
"""Seconds after which a lease is not used any more: the machine slept, and another window may have taken it over."""

_MAY_PASS: Final = {Outcome.RATE_LIMITED, Outcome.OFFLINE, Outcome.FAILED, Outcome.TIMED_OUT}

STEP: Final = "step"
"""The form of a reply that calls tools."""

NO_CONSENT: Final = "nothing is sent from here: trust this repository, or ask for a model in this run with --model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What was asked so far, by this process. Tokens as counted or estimated; ``cost`` 0 without prices."""

    requests: int = 0
    cached: int = 0
    sent: int = 0
    received: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """Both ways."""
        return self.sent + self.received


class _Joint:
    """A question that is being asked, and how many wait for it. ``ending``: nobody does any more."""

    __slots__ = ("ending", "task", "waiting")

    def __init__(self, task: asyncio.Task[Reply]) -> None:
        self.task = task
        self.waiting = 0
        self.ending = False

    async def reply(self) -> Reply:
        """Wait for the reply; the last one to stop waiting cancels the request and sees it settled."""
        self.waiting += 1
        try:
            return await asyncio.shield(self.task)
        except asyncio.CancelledError:
            if self.waiting == 1 and not self.task.done():
                self.ending = True
                self.task.cancel()
                await asyncio.wait({self.task})
            raise
        finally:
            self.waiting -= 1


class Asking:
    """Puts questions at one post. ``told`` is called when the state changes."""

    def __init__(self, post: Post, told: Callable[[], None] = lambda: None) -> None:
        """Ask nothing yet."""
        self.post = post
        self.state = LaneState.IDLE
        self.until: float | None = None
        self.message = ""
        self.spent = Spent()
        self._told = told
        self._stopped: Reply | None = None
        self._trouble = Trouble()
        self._plain = {False: False, True: False}
        self._tempers = True
        self._host = host_key(post)
        self._asked: dict[str, _Joint] = {}
        self._turn = asyncio.Semaphore(max(1, post.limits.parallel))

    async def put(self, ask: Ask) -> Reply:
        """The reply to a question. Who asks what is being asked already gets the same reply.

        How it ended is in it. Raised are cancellation, and UserError when a recording a person named cannot be used.
        """
        key = digest(self.post, ask)
        while (joint := self._asked.get(key)) is not None and joint.ending:
            await asyncio.wait({joint.task})
        if joint is None:
            joint = self._asked[key] = _Joint(asyncio.create_task(self._answer(ask, key)))
            joint.task.add_done_callback(lambda _: self._asked.pop(key, None))
        return await joint.reply()

    @property
    def over(self) -> Reply | None:
        """Why nothing more is sent, once that is so."""
        return self._stopped

    def look_again(self) -> None:
        """Try a host anew that could not be reached. A refused key stays refused."""
        if self._stopped is not None and self._stopped.outcome is Outcome.OFFLINE:
            self._stopped = None

    async def _answer(self, ask: Ask, key: str) -> Reply:
        if not self.post.consent:
            self._tell(LaneState.OFF, message=NO_CONSENT)
            return Reply(outcome=Outcome.NOT_ALLOWED, message=NO_CONSENT)
        try:
            async with self._turn:
                return self._stopped or await self._attempts(ask, key)
        except OutsideError as error:
            return Reply(outcome=Outcome.FAILED, message=str(error))
        finally:
            if self.state in {LaneState.RUNNING, LaneState.WAITING}:
                self._tell(LaneState.IDLE)

    async def _attempts(self, ask: Ask, key: str) -> Reply:
        attempt = 0
        trouble = self._trouble
        since = self.post.clock()
        ask = replace(ask, plain=ask.plain or self._plain[bool(ask.tools)])
        ask = ask if self._tempers else replace(ask, temperature=None)
        while True:
            known = await self._cached(ask, key)
            if known is not None:
                return known
            if isinstance(self.post.provider, HttpProvider):
                from roundzero.providers._http import load  # noqa: PLC0415  off the start-up path

                await load()
            lease = await self._right(ask, key, since)
            if isinstance(lease, Reply):
                return lease
            if lease is None:
                continue
            attempt += 1
            reply = await self._sent(ask, key, lease)
            if reply.outcome not in FAILURES:
                self._trouble = Trouble()
            if reply.outcome is Outcome.OK:
                return reply
            if (other := self._otherwise(ask, reply)) is not None:
                ask = other
                continue
            last = self.post.once and trouble.is_last(attempt, reply.outcome)
            wait = pause(ATTEMPTS if last else attempt, self.post.jitter(), retry_after=reply.retry_after)
            if not await self._again(reply, wait):
                return reply
            since = self.post.clock()

    def _otherwise(self, ask: Ask, reply: Reply) -> Ask | None:
        """The question as a host may take it that refused how it was put, and so from now on; None: that is not it."""
        if is_about_temperature(reply, ask):
            self._tempers = False
            return replace(ask, temperature=None)
        if is_about_form(reply, ask):
            self._plain[bool(ask.tools)] = True
            return replace(ask, plain=True)
        return None

    async def _cached(self, ask: Ask, key: str) -> Reply | None:
        if self.post.cache is None:
            return None
        text = await asyncio.to_thread(self.post.cache.get, key, now=self.post.clock())
        if text is None or not self._fits(ask, text):
            return None
        self.spent = replace(self.spent, cached=self.spent.cached + 1)
        return Reply(outcome=Outcome.OK, text=text, message="from the cache")

    def _fits(self, ask: Ask, text: str) -> bool:
        return self.post.fits(ask.form, text) or (bool(ask.tools) and self.post.fits(STEP, text))

    async def _right(self, ask: Ask, key: str, since: float) -> Lease | Reply | None:
        """As ``_lease``, unless the question was answered meanwhile, or the machine slept over the lease."""
        wanted = self.post.clock()
        lease = await self._lease(ask, key, since)
        if lease is None or isinstance(lease, Reply):
            return lease
        # Who answered between the look and the lease kept the reply before giving the lease back.
        known = await self._cached(ask, key)
        if known is None and self.post.clock() - wanted <= _SLEPT:
            return lease
        await _to_its_end(asyncio.to_thread(self.post.budget.withdraw, lease))
        return known

    async def _lease(self, ask: Ask, key: str, since: float) -> Lease | Reply | None:
        """The right to send, wanted ``since``; a reply when there will be none; None after a wait, to look again."""
        post = self.post
        form = (json.dumps(ask.question.schema), spelt(ask.tools))
        said = (ask.question.system, *(turn.text for turn in ask.question.turns), *form)
        sent = sum(len(text.encode("utf-8", "replace")) for text in said)
        reserving = asyncio.ensure_future(
            asyncio.to_thread(
                lambda: post.budget.reserve(
                    key,
                    provider=self._host,
                    tokens=sent + ask.max_output,
                    cost=post.limits.cost(sent, ask.max_output),
                    limits=post.limits,
                    clock=post.clock,
                )
            )
        )
        try:
            given = await asyncio.shield(reserving)
        except asyncio.CancelledError:
            given = await reserving
            if not isinstance(given, Wait):
                await asyncio.to_thread(post.budget.withdraw, given)
            raise
        if not isinstance(given, Wait):
            return given
        now = post.clock()
        spent = given.shortage in {Shortage.TOKENS, Shortage.MONEY} and not given.soon
        if given.until is None:
            self._tell(LaneState.BUDGET_SPENT)
            message = f"one question needs more than the limit of {given.shortage.value} allows"
            return Reply(outcome=Outcome.QUOTA, message=message)
        seconds = given.until - now
        # What another request holds is free as soon as it has its answer; ``until`` is when it would be taken from it.
        held = given.soon or given.shortage is Shortage.PARALLEL
        ahead = now - since if held else seconds
        if ahead > post.longest_wait and given.shortage is not Shortage.ASKED:
            self._tell(LaneState.BUDGET_SPENT if spent else LaneState.WAITING, given.until)
            message = f"waiting for {given.shortage.value} would take {seconds / 60:.0f} minutes"
            message += f": {given.why}" if given.why else ""
            return Reply(outcome=Outcome.QUOTA, message=message, retry_after=seconds)
        self._tell(LaneState.BUDGET_SPENT if spent else LaneState.WAITING, given.until)
        short = held or given.shortage is Shortage.ASKED
        await post.rest(max(0.01, min(seconds, _LOOK_AGAIN) if short else seconds))
        return None

    async def _sent(self, ask: Ask, key: str, lease: Lease) -> Reply:
        """One request, kept if it was answered, then settled however it ended."""
        post = self.post
        self._tell(LaneState.RUNNING)
        come = 0

        def heard(size: int) -> None:
            nonlocal come
            come = size

        counted, said = None, 0
        try:
            reply = await self._exchange(ask, key, heard)
            heard_of = reply.usage.output
            said = len(reply.text.encode("utf-8", "replace")) // 3 if heard_of is None else heard_of
            counted = reply.usage.input
            if counted is None:
                counted = 0 if nobody_read(reply, ask) else ask.question.tokens
            if reply.outcome is Outcome.OK and post.cache is not None and self._fits(ask, reply.text):
                await _to_its_end(asyncio.to_thread(_keep, post, post.cache, ask, key, reply.text))
        finally:
            if counted is None:  # cancelled: what was sent, and what had come
                counted, said = ask.question.tokens, come // 3
            cost, spent = post.limits.cost(counted, said), self.spent
            self.spent = Spent(
                requests=spent.requests + 1,
                cached=spent.cached,
                sent=spent.sent + counted,
                received=spent.received + said,
                cost=spent.cost + cost,
            )
            await _to_its_end(asyncio.to_thread(_settle, post.budget, lease, counted + said, cost))
        return reply

    async def _exchange(self, ask: Ask, key: str, heard: Callable[[int], None]) -> Reply:
        """Send. The only place of the program that does."""
        post = self.post
        if isinstance(post.provider, DirectProvider):
            reply = await post.provider.complete(ask)
            sent: dict[str, object] = {
                "system": ask.question.system,
                "turns": [[turn.role, turn.text] for turn in ask.question.turns],
            }
        else:
            assert isinstance(post.provider, HttpProvider)  # noqa: S101  the other kind
            assert post.endpoint is not None  # noqa: S101  HTTP has an address
            from roundzero.providers._http import send  # noqa: PLC0415  off the start-up path

            reply = await send(post.provider, ask, post.endpoint, patience=post.patience, heard=heard)
            request = post.provider.encode(ask, post.endpoint)
            sent = {"url": request.url, "body": request.body.decode("utf-8", "replace")}
        reply = replace(reply, text=whole(reply.text))
        if post.recorder is not None:
            await asyncio.to_thread(post.recorder.keep, ask, sent, reply, _answered(post, ask, key))
        return reply

    async def _again(self, reply: Reply, wait: float | None) -> bool:
        """Wait before another attempt; False when there should be none."""
        post = self.post
        now = post.clock()
        if reply.outcome is Outcome.UNAUTHORISED:
            self._stopped = reply
            self._tell(LaneState.PAUSED, message=reply.message)
            return False
        if reply.outcome is Outcome.QUOTA:
            spent = now + (reply.retry_after or _QUOTA_REST)
            await asyncio.to_thread(post.budget.hold, self._host, until=spent, why=reply.message, clock=post.clock)
            self._tell(LaneState.BUDGET_SPENT, spent, reply.message)
            return False
        if reply.outcome not in _MAY_PASS:
            return False
        until = None if wait is None else now + wait
        if reply.outcome is Outcome.RATE_LIMITED:
            until = until or now + (reply.retry_after or LONGEST_PAUSE)
            await asyncio.to_thread(post.budget.hold, self._host, until=until, why=reply.message, clock=post.clock)
        offline = reply.outcome is Outcome.OFFLINE
        if reply.outcome in FAILURES:
            self._give_up(reply, wait)
        elif (offline and wait is None) or (post.once and (offline or wait is None)):
            self._stopped = reply
        self._tell(LaneState.OFFLINE if offline else LaneState.WAITING, until, reply.message)
        if wait is None or wait > post.longest_wait or self._stopped is not None:
            return False
        await post.rest(wait)
        return True

    def _give_up(self, reply: Reply, wait: float | None) -> None:
        """Note that a host failed at a question, if there is no other attempt to ``wait`` for."""
        if wait is not None and wait <= self.post.longest_wait:
            return
        self._trouble = self._trouble.more
        if self.post.once and self._trouble.is_over(self.post.limits.parallel) and self._stopped is None:
            message = f"{self._trouble.given_up} questions in a row: {reply.message}"
            self._stopped = replace(reply, message=message)

    def _tell(self, state: LaneState, until: float | None = None, message: str = "") -> None:
        if (state, until, message) != (self.state, self.until, self.message):
            self.state, self.until, self.message = state, until, message
            self._told()


async def _to_its_end(work: Coroutine[object, object, None]) -> None:
    """Do it however often this is cancelled: who gets the lease next must find a reply that came."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})
        raise


def _keep(post: Post, cache: Replies, ask: Ask, key: str, text: str) -> None:
    for each in _answered(post, ask, key):
        cache.put(each, text, now=post.clock())


def _answered(post: Post, ask: Ask, key: str) -> tuple[str, ...]:
    """What a reply is kept for: its question, and the one it stands for."""
    if not ask.stands_for:
        return (key,)
    asked = replace(ask.question, key=ask.stands_for)
    return (key, digest(post, replace(ask, question=asked, stands_for="")))


def _settle(budget: Budget, lease: Lease, tokens: int, cost: float) -> None:
    with suppress(OutsideError):
        budget.settle(lease, tokens=tokens, cost=cost)
