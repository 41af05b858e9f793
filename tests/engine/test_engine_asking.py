"""Putting questions to a model within a budget: real SQLite, a host on this machine, and a clock we turn ourselves."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from roundzero.core.budget import ATTEMPTS, HOUR, MINUTE, Limits, Wait
from roundzero.core.model_values import Ask, Outcome, Question, Reply, ToolSpec, Turn, Usage
from roundzero.engine.asking import Asking
from roundzero.engine.post import Post, digest
from roundzero.engine.telling import LaneState
from roundzero.providers import Endpoint, Piece
from roundzero.providers._http import Patience
from roundzero.providers.openai import PROVIDER, OpenAI
from roundzero.store.budget_db import LEASE, BudgetDb, Lease
from roundzero.store.reply_cache import ReplyCache
from support.loop import run
from support.model_server import ModelServer

LONG = 10.0

SAID = {Outcome.QUOTA: "nothing is left of this month's credit"}
LIMITS = Limits(requests_per_minute=4, parallel=2, tokens_per_hour=6_000)


def ask(number: int, size: int = 100) -> Ask:
    """A question of its own."""
    turn = Turn("user", f"{number} " + "x" * size)
    return Ask(
        question=Question(system="", turns=(turn,), schema={}, key=f"key{number}", tokens=size // 4),
        model="m",
        max_output=200,
    )


@dataclass
class World:
    """Time, and a model that answers as told and writes down when it was asked what."""

    now: float = 1_000.0
    script: dict[str, list[Outcome]] = field(default_factory=dict)
    asked: list[tuple[float, str, int]] = field(default_factory=list)
    running: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    most: int = 0
    twice: bool = False
    name: str = "fake"
    budget: BudgetDb | None = None

    def clock(self) -> float:
        """Seconds."""
        return self.now

    async def rest(self, seconds: float) -> None:
        """Let time pass: no more than a few seconds of it while a request is on its way."""
        while seconds > LONG and self.budget is not None and self.budget.tally(self.now).running:  # noqa: ASYNC110  no event between windows
            await asyncio.sleep(0)
        self.now += seconds
        await asyncio.sleep(0)

    async def complete(self, ask: Ask) -> Reply:
        """Answer as the script says, OK when it says nothing more."""
        key = ask.question.key
        self.twice = self.twice or key in self.running
        self.running.append(key)
        self.most = max(self.most, len(self.running))
        size = sum(len(turn.text) for turn in ask.question.turns) + ask.max_output
        self.asked.append((self.now, key, size))
        try:
            for _ in range(3):
                await asyncio.sleep(0)
            steps = self.script.get(key, [])
            outcome = steps.pop(0) if steps else Outcome.OK
            self.now += 1.0
            if outcome is Outcome.OK:
                self.answered.append(key)
            return Reply(outcome=outcome, text="{}", message=SAID.get(outcome, ""), usage=Usage(20, 5))
        finally:
            self.running.remove(key)


def post(world: World, folder: Path, **more: object) -> Post:
    """A post in that world, with its budget and cache on disk."""
    made = Post(
        consent=True,
        provider=world,
        endpoint=None,
        limits=LIMITS,
        budget=BudgetDb(folder / "budget.sqlite3"),
        cache=ReplyCache(folder / "replies.sqlite3"),
        clock=world.clock,
        rest=world.rest,
        jitter=lambda: 0.5,
        longest_wait=10_000.0,
    )
    return replace(made, **more)  # type: ignore[arg-type]


failures = st.sampled_from(
    [Outcome.RATE_LIMITED, Outcome.FAILED, Outcome.OFFLINE, Outcome.TIMED_OUT, Outcome.EMPTY, Outcome.TRUNCATED]
)
steps = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 1), st.integers(0, 6), st.floats(0, 400)), min_size=1, max_size=14
)


@settings(max_examples=40, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(steps, st.dictionaries(st.integers(0, 5).map("key{}".format), st.lists(failures, max_size=4)))
def test_whatever_happens_the_budget_holds_and_nothing_is_asked_twice(
    schedule: list[tuple[int, int, int, float]], script: dict[str, list[Outcome]]
) -> None:
    """Two windows that ask, fail, retry and cancel at any time stay within one budget; no answer is bought twice."""
    world = World(script={key: list(outcomes) for key, outcomes in script.items()})

    async def play(folder: Path) -> None:
        windows = [Asking(post(world, folder)), Asking(post(world, folder))]
        tasks = []
        for number, window, patience, rest in schedule:
            task = asyncio.create_task(windows[window].put(ask(number)))
            tasks.append(task)
            for _ in range(patience):
                await asyncio.sleep(0)
            if patience % 3 == 2:
                task.cancel()
            await world.rest(rest)
        await asyncio.gather(*tasks, return_exceptions=True)

    with tempfile.TemporaryDirectory() as folder:
        world.budget = budget = BudgetDb(Path(folder) / "budget.sqlite3")
        budget.hold("another", until=0.0, why="", clock=lambda: 0.0)
        asyncio.run(play(Path(folder)))
        assert budget.tally(world.now).running == 0
        with closing(sqlite3.connect(Path(folder) / "budget.sqlite3")) as connection:
            charges = connection.execute("SELECT at, tokens FROM charges").fetchall()
    for at, _ in charges:
        assert sum(1 for other, _ in charges if other <= at < other + MINUTE) <= LIMITS.requests_per_minute
        assert sum(tokens for other, tokens in charges if other <= at < other + HOUR) <= LIMITS.tokens_per_hour
    assert len(world.asked) <= len(charges)
    assert world.most <= LIMITS.parallel
    assert not world.twice
    for key in world.answered:
        assert world.answered.count(key) == 1


def test_who_asks_while_the_same_question_is_taken_back_gets_a_reply(tmp_path: Path) -> None:
    """An edit took the question back and an undo brings it: the second is not cancelled with the first."""
    world = World()

    async def play() -> Reply:
        asking = Asking(post(world, tmp_path))
        first = asyncio.create_task(asking.put(ask(0)))
        while not world.running:  # noqa: ASYNC110  the world has no event for it
            await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        return await asking.put(ask(0))

    assert asyncio.run(play()).outcome is Outcome.OK


def test_a_right_to_ask_that_the_machine_slept_over_is_not_used(tmp_path: Path) -> None:
    """Another window has taken the question over meanwhile: its answer is waited for."""
    world, taken = World(), list[Lease | Wait]()

    class Slow(BudgetDb):
        def reserve(self, question: str, **told: Any) -> Lease | Wait:  # noqa: ANN401  passed on
            lease = super().reserve(question, **told)
            if not taken:
                world.now += LEASE
                taken.append(super().reserve(question, **told))
            return lease

    budget = Slow(tmp_path / "budget.sqlite3")
    here = post(world, tmp_path, budget=budget)

    async def rest(seconds: float) -> None:
        (lease,) = taken
        assert isinstance(lease, Lease)
        ReplyCache(tmp_path / "replies.sqlite3").put(digest(here, ask(0)), "{}", now=world.now)
        budget.settle(lease, tokens=1, cost=0.0)
        await world.rest(seconds)

    reply = asyncio.run(Asking(replace(here, rest=rest)).put(ask(0)))
    assert (reply.outcome, reply.text, world.asked) == (Outcome.OK, "{}", [])
    assert budget.tally(world.now).running == 0


def test_an_answer_is_kept_for_later_and_for_other_windows(tmp_path: Path) -> None:
    """Asked again, in this process or another, after any time: nothing is sent."""
    world = World()

    async def play() -> None:
        first = await Asking(post(world, tmp_path)).put(ask(1))
        again = Asking(post(world, tmp_path))
        second = await again.put(ask(1))
        assert (first.text, second.text) == ("{}", "{}")
        assert again.spent.cached == 1

    asyncio.run(play())
    assert len(world.asked) == 1


def test_only_what_can_be_read_is_kept(tmp_path: Path) -> None:
    """Also of what an earlier version kept; a reply to a question that asks another again answers that one."""
    world = World()

    async def play() -> None:
        await Asking(post(world, tmp_path)).put(ask(1))
        strict = replace(post(world, tmp_path), fits=lambda _, text: text != "{}")
        await Asking(strict).put(ask(1))
        await Asking(strict).put(ask(1))
        assert len(world.asked) == 3
        await Asking(post(world, tmp_path)).put(replace(ask(2), stands_for="key3"))
        await Asking(post(world, tmp_path)).put(ask(3))
        assert len(world.asked) == 4

    asyncio.run(play())


def test_two_who_ask_the_same_at_once_get_one_answer(tmp_path: Path) -> None:
    """The question is sent once; cancelling one of the two does not take the answer from the other."""
    world = World()

    async def play() -> Reply:
        asking = Asking(post(world, tmp_path))
        first, second = asyncio.create_task(asking.put(ask(1))), asyncio.create_task(asking.put(ask(1)))
        for _ in range(4):
            await asyncio.sleep(0)
        first.cancel()
        return await second

    assert asyncio.run(play()).outcome is Outcome.OK
    assert len(world.asked) == 1


def test_a_failure_that_may_pass_is_tried_again_and_others_are_not(tmp_path: Path) -> None:
    """A 500 is retried with a pause, a cut answer is not: it would be cut again."""
    world = World(script={"key1": [Outcome.FAILED, Outcome.FAILED], "key2": [Outcome.TRUNCATED]})

    async def play() -> tuple[Reply, Reply]:
        asking = Asking(post(world, tmp_path))
        return await asking.put(ask(1)), await asking.put(ask(2))

    first, second = asyncio.run(play())
    assert (first.outcome, second.outcome) == (Outcome.OK, Outcome.TRUNCATED)
    assert [key for _, key, _ in world.asked] == ["key1"] * 3 + ["key2"]


def test_a_refused_key_stops_everything_with_one_message(tmp_path: Path) -> None:
    """After a host refused the key nothing more is sent by this process."""
    world = World(script={"key1": [Outcome.UNAUTHORISED]})

    async def play() -> tuple[Reply, Reply, LaneState]:
        asking = Asking(post(world, tmp_path))
        return await asking.put(ask(1)), await asking.put(ask(2)), asking.state

    first, second, state = asyncio.run(play())
    assert first.outcome is second.outcome is Outcome.UNAUTHORISED
    assert state is LaneState.PAUSED
    assert len(world.asked) == 1


def test_a_spent_quota_stops_every_window_until_it_is_over(tmp_path: Path) -> None:
    """The other window does not ask either, and says until when and why."""
    world = World(script={"key1": [Outcome.QUOTA]})

    async def play() -> Reply:
        await Asking(post(world, tmp_path, longest_wait=5.0)).put(ask(1))
        return await Asking(post(world, tmp_path, longest_wait=5.0)).put(ask(2))

    reply = asyncio.run(play())
    assert (reply.outcome, reply.retry_after) == (Outcome.QUOTA, 3600.0)
    expected = f"waiting for the provider, which asked for that, would take 60 minutes: {SAID[Outcome.QUOTA]}"
    assert reply.message == expected
    assert len(world.asked) == 1


def test_a_place_that_another_window_has_is_waited_for(tmp_path: Path) -> None:
    """It is free when the other one has its answer, long before the place would be taken from a window that died."""
    world = World()
    one_at_once = replace(LIMITS, parallel=1)

    async def play() -> list[Reply]:
        windows = [Asking(post(world, tmp_path, longest_wait=90.0, limits=one_at_once)) for _ in range(2)]
        return await asyncio.gather(*(window.put(ask(number)) for number, window in enumerate(windows)))

    replies = asyncio.run(play())
    assert [reply.outcome for reply in replies] == [Outcome.OK, Outcome.OK]
    assert world.most == 1


def test_what_another_request_reserved_is_waited_for(tmp_path: Path) -> None:
    """It took less than was reserved, so the next one fits: a budget is used before it is called spent."""
    states: list[LaneState] = []

    async def play() -> list[Reply]:
        waits = asyncio.Event()

        class Slow(World):
            async def complete(self, ask: Ask) -> Reply:
                await waits.wait()
                return await super().complete(ask)

        def told() -> None:
            states.append(asking.state)
            if asking.state is LaneState.WAITING:
                waits.set()

        limits = replace(LIMITS, tokens_per_hour=1_100, requests_per_minute=100)
        asking = Asking(post(Slow(), tmp_path, longest_wait=90.0, limits=limits), told)
        return await asyncio.gather(*(asking.put(ask(number, size=600)) for number in range(5)))

    assert {reply.outcome for reply in asyncio.run(play())} == {Outcome.OK}
    assert LaneState.BUDGET_SPENT not in states


def test_a_place_that_never_gets_free_is_given_up_after_the_longest_wait(tmp_path: Path) -> None:
    """A review that somebody waits for ends, and says what it did not get to."""
    world = World()
    one_at_once = replace(LIMITS, parallel=1)
    made = post(world, tmp_path, longest_wait=20.0, limits=one_at_once)
    made.budget.reserve("other", provider="host", tokens=1, cost=0.0, limits=one_at_once, clock=world.clock)
    began = world.now
    reply = asyncio.run(Asking(made).put(ask(1)))
    assert reply.outcome is Outcome.QUOTA
    assert 20.0 < world.now - began < 30.0
    assert world.asked == []


def test_a_host_that_cannot_be_reached_is_left_alone_until_somebody_looks_again(tmp_path: Path) -> None:
    """All attempts are for one question; the others end as it did, and later they are asked, but for a wrong key."""

    async def play() -> None:
        world = World(script={"key0": [Outcome.OFFLINE] * ATTEMPTS})
        asking = Asking(post(world, tmp_path, limits=replace(LIMITS, parallel=1)))
        replies = await asyncio.gather(*(asking.put(ask(number)) for number in range(4)))
        assert {reply.outcome for reply in replies} == {Outcome.OFFLINE}
        assert [key for _, key, _ in world.asked] == ["key0"] * ATTEMPTS
        assert asking.state is LaneState.OFFLINE
        asking.look_again()
        assert (await asking.put(ask(0))).outcome is Outcome.OK
        world.script["key1"] = [Outcome.UNAUTHORISED]
        assert (await asking.put(ask(1))).outcome is Outcome.UNAUTHORISED
        asking.look_again()
        assert (await asking.put(ask(2))).outcome is Outcome.UNAUTHORISED

    asyncio.run(play())


def test_a_question_that_never_fits_is_said_at_once(tmp_path: Path) -> None:
    """It is not waited for what cannot be."""
    world = World()
    reply = asyncio.run(Asking(post(world, tmp_path)).put(ask(1, size=9_000)))
    assert reply.outcome is Outcome.QUOTA
    assert "tokens an hour" in reply.message
    assert world.asked == []


def test_a_cancelled_request_is_settled_and_its_place_is_free(tmp_path: Path) -> None:
    """Against a real host: the connection closes, and the budget shows nothing that still runs."""

    async def play() -> None:
        async with ModelServer() as server:
            made = replace(
                post(World(), tmp_path), provider=PROVIDER, endpoint=Endpoint(server.url), patience=Patience()
            )
            asking = Asking(made)
            task = asyncio.create_task(asking.put(replace(ask(1), model="hang-in-stream")))
            await asyncio.wait_for(server.started.wait(), 5)
            states = [asking.state]
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(server.closed.wait(), 5)
            assert made.budget.tally(made.clock()).running == 0
            assert [*states, asking.state] == [LaneState.RUNNING, LaneState.IDLE]

    asyncio.run(play())


def test_a_host_that_knows_no_schemas_is_asked_without(tmp_path: Path) -> None:
    """A refusal that is about the schema, not the question, is answered by asking plainly."""
    world = World()
    plain: list[bool] = []

    async def complete(ask: Ask) -> Reply:
        plain.append(ask.plain)
        if not ask.plain:
            return Reply(outcome=Outcome.WRONG, message="400: unknown field response_format")
        return Reply(outcome=Outcome.OK, text="{}")

    world.complete = complete  # type: ignore[method-assign]

    async def play() -> tuple[Reply, Reply]:
        asking = Asking(post(world, tmp_path))
        return await asking.put(ask(1)), await asking.put(ask(2))

    assert [reply.outcome for reply in asyncio.run(play())] == [Outcome.OK, Outcome.OK]
    assert plain == [False, True, True]


def test_a_host_that_takes_no_temperature_is_asked_without(tmp_path: Path) -> None:
    """Newer models refuse any; the schema stays, and the next question is put right at once."""
    world = World()
    asked: list[tuple[float | None, bool]] = []

    async def complete(ask: Ask) -> Reply:
        asked.append((ask.temperature, ask.plain))
        if ask.temperature is not None:
            return Reply(outcome=Outcome.WRONG, message="400: `temperature` is deprecated for this model.")
        return Reply(outcome=Outcome.OK, text="{}")

    world.complete = complete  # type: ignore[method-assign]

    async def play() -> list[Outcome]:
        asking = Asking(post(world, tmp_path))
        return [(await asking.put(ask(number))).outcome for number in (1, 2)]

    assert asyncio.run(play()) == [Outcome.OK, Outcome.OK]
    assert asked == [(0.0, False), (None, False), (None, False)]
    body = json.loads(PROVIDER.encode(replace(ask(1), temperature=None), Endpoint("https://host/v1")).body)
    assert "temperature" not in body


@pytest.mark.parametrize(
    ("outcome", "message", "again"),
    [
        (Outcome.WRONG, "this model does not support tools", True),
        (Outcome.FAILED, "tools param requires --jinja flag", True),
        (Outcome.WRONG, "the context is too long", False),
    ],
)
def test_a_host_that_refuses_tools_still_gets_the_schema(
    tmp_path: Path, outcome: Outcome, message: str, *, again: bool
) -> None:
    """What is refused with tools is asked in words, from then on at once; questions without tools stay as they are."""
    world = World()
    plain: list[tuple[bool, bool]] = []

    async def complete(ask: Ask) -> Reply:
        plain.append((bool(ask.tools), ask.plain))
        if ask.tools and not ask.plain:
            return Reply(outcome=outcome, message=message)
        return Reply(outcome=Outcome.OK, text="{}")

    world.complete = complete  # type: ignore[method-assign]
    tool = ToolSpec(name="grep", description="Finds.", parameters={})

    async def put() -> int:
        asking = Asking(post(world, tmp_path))
        for number in range(2):
            await asking.put(replace(ask(number), tools=(tool,)))
        await asking.put(ask(2))
        return asking.spent.sent

    # No model read what was refused for its form; of other refusals nobody knows.
    assert run(put()) == 3 * ask(0).question.tokens
    first = [(True, False), (True, True), (True, True)] if again else [(True, False), (True, False)]
    assert plain == [*first, (False, False)]


def test_a_reply_that_calls_tools_is_kept_only_for_questions_with_tools(tmp_path: Path) -> None:
    """It is an answer where there are tools, and none where there are not."""
    world = World()
    forms: list[str] = []

    def fits(form: str, text: str) -> bool:
        forms.append(form)
        return form == "step" and text == "{}"

    tool = ToolSpec(name="grep", description="Finds.", parameters={})

    async def put() -> None:
        for tools in ((tool,), (tool,), (), ()):
            await Asking(post(world, tmp_path, fits=fits)).put(replace(ask(len(tools)), tools=tools, form="recheck"))

    run(put())
    assert [key for _, key, _ in world.asked] == ["key1", "key0", "key0"]
    assert set(forms) == {"recheck", "step"}


def test_one_hosts_trouble_does_not_stop_another_of_the_same_protocol(tmp_path: Path) -> None:
    """A spent quota elsewhere says nothing about the model on this machine; the file names neither."""

    async def play() -> list[Outcome]:
        async with ModelServer({"m": "{}"}) as server, ModelServer() as other:
            ends: list[Outcome] = []
            for url, name in ((other.url, "quota"), (other.url, "good"), (server.url, "m")):
                made = post(World(), tmp_path, provider=PROVIDER, endpoint=Endpoint(url), longest_wait=5.0)
                ends.append((await Asking(made).put(replace(ask(len(ends)), model=name))).outcome)
            assert server.url.encode() not in (tmp_path / "budget.sqlite3").read_bytes()
            return ends

    assert asyncio.run(play()) == [Outcome.QUOTA, Outcome.QUOTA, Outcome.OK]


class Noticing(OpenAI):
    """The chat protocol; ``came`` is set once a text has come."""

    def __init__(self) -> None:
        """Nothing has."""
        self.came = asyncio.Event()

    def decoder(self) -> Noticing:
        """Itself: one answer is all there is."""
        self.inner = super().decoder()
        return self

    def feed(self, line: str) -> Piece | None:
        """What the protocol says, noticed."""
        piece = self.inner.feed(line)
        if piece is not None and piece.text:
            self.came.set()
        return piece


def test_what_a_cancelled_answer_had_brought_is_charged(tmp_path: Path) -> None:
    """The question, and the text that had come when nobody wanted more."""

    async def play() -> int:
        async with ModelServer() as server:
            provider = Noticing()
            made = post(World(), tmp_path, provider=provider, endpoint=Endpoint(server.url), patience=Patience())
            task = asyncio.create_task(Asking(made).put(replace(ask(1), model="hang-in-stream")))
            await asyncio.wait_for(provider.came.wait(), 5)
            task.cancel()
            await asyncio.wait({task})
            return made.budget.tally(made.clock()).tokens

    assert asyncio.run(play()) == ask(1).question.tokens + len("Hello") // 3


def test_a_host_that_fails_at_one_question_is_asked_the_next(tmp_path: Path) -> None:
    """Whoever waits for a review loses one question to it, and the next ones have all their attempts again."""
    broken = [Outcome.FAILED] * ATTEMPTS
    world = World(script={"key1": [*broken], "key3": [Outcome.TIMED_OUT] * 2, "key5": [Outcome.FAILED]})

    async def play() -> list[Outcome]:
        asking = Asking(post(world, tmp_path, once=True))
        ends = [(await asking.put(ask(number))).outcome for number in range(1, 6)]
        assert asking.over is None
        return ends

    ok = Outcome.OK
    assert asyncio.run(play()) == [Outcome.FAILED, ok, Outcome.TIMED_OUT, ok, ok]
    assert Counter(key for _, key, _ in world.asked) == {"key1": 4, "key2": 1, "key3": 2, "key4": 1, "key5": 2}


def test_a_host_that_answers_nothing_is_left_alone_soon(tmp_path: Path) -> None:
    """After the first question each is put once; when several failed in a row none is, and it says why."""
    world = World(script={f"key{number}": [Outcome.FAILED] * ATTEMPTS for number in range(9)})

    async def play() -> list[Reply]:
        asking = Asking(post(world, tmp_path, once=True))
        replies = [await asking.put(ask(number)) for number in range(9)]
        assert asking.over is replies[-1]
        return replies

    replies = asyncio.run(play())
    assert {reply.outcome for reply in replies} == {Outcome.FAILED}
    assert replies[-1].message.startswith("4 questions in a row: ")
    assert [key for _, key, _ in world.asked] == ["key0"] * ATTEMPTS + ["key1", "key2", "key3"]
