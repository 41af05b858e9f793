"""A real llama.cpp server with a real small model: protocol, schema, streaming, cancellation, budget. No opinions.

The model copies the example it is shown; what it says proves nothing, how it is asked and heard does.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from roundzero.config import Settings
from roundzero.core.model_values import Ask, Draft, Outcome, Question, Reply, Turn
from roundzero.engine.asking import Asking
from roundzero.engine.hosting import post_for
from roundzero.engine.telling import LaneState
from roundzero.providers import Endpoint
from roundzero.providers._http import Patience, send
from roundzero.providers._recording import Recorder
from roundzero.providers.openai import PROVIDER
from roundzero.providers.reply import read, schema
from roundzero.store.budget_db import BudgetDb
from support.inquiry import LIMITS, inquire, post_of
from support.loop import run
from support.small_server import LIMIT, SLOTS, busy, small_server

if TYPE_CHECKING:
    from roundzero.engine.post import Post
    from support.repo import Repo

pytestmark = [pytest.mark.e2e, pytest.mark.small_model, pytest.mark.timeout(280)]

PATIENT: Final = Patience(first=120.0, silence=120.0, total=270.0)


@pytest.fixture(scope="module")
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the server, without the path of its protocol."""
    folder = Path(request.config.getoption("--small-model"))
    with small_server(folder, tmp_path_factory.mktemp("small-model") / "log") as address:
        yield address


def question(words: str, key: str) -> Question:
    """A question with an example so short that the model copies it at once."""
    example = '{"findings": [], "clean": []}'
    turns = (Turn("user", "x = 1"), Turn("assistant", example), Turn("user", words))
    return Question(system="You review code.", turns=turns, schema=schema(), key=key, tokens=200)


def ask(words: str = "y = 2", *, key: str = "k", most: int = 200, plain: bool = False) -> Ask:
    """It, to be put."""
    return Ask(question=question(words, key), model="small", max_output=most, plain=plain)


def post(url: str, folder: Path) -> Post:
    """A post at the server, with a budget of its own."""
    return post_of(folder, PROVIDER, endpoint=Endpoint(f"{url}/v1"), patience=PATIENT)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until the server is in a state."""
    async with asyncio.timeout(LIMIT):
        while not await asyncio.to_thread(condition):  # noqa: ASYNC110  the server tells nobody
            await asyncio.sleep(0.02)


def test_an_answer_comes_in_parts_while_the_model_still_works(url: str) -> None:
    """The first text is here before the last was made; counts are the server's own."""
    sizes: list[int] = []
    working: list[bool] = []

    def heard(size: int) -> None:
        sizes.append(size)
        if len(sizes) == 1:
            working.append(busy(url) > 0)

    endpoint = Endpoint(f"{url}/v1")
    reply = run(send(PROVIDER, ask(most=40, plain=True), endpoint, patience=PATIENT, heard=heard), seconds=270)
    assert working == [True]
    assert len(sizes) >= 5
    assert sizes == sorted(set(sizes))
    assert reply.outcome in {Outcome.OK, Outcome.TRUNCATED}
    assert reply.usage.output is not None
    assert 5 <= reply.usage.output <= 40
    assert reply.usage.input is not None
    assert reply.usage.input > 20


def test_our_real_schema_is_a_grammar_the_server_takes_and_keeps_to(url: str) -> None:
    """An answer within the limit is a draft; the schema is not refused, and the answer is no fault."""
    reply = run(send(PROVIDER, ask(), Endpoint(f"{url}/v1"), patience=PATIENT), seconds=270)
    assert reply.outcome is Outcome.OK, reply.message
    assert isinstance(read(reply.text), Draft), reply.text


def test_a_change_is_asked_about_and_the_budget_holds_the_true_counts(url: str, repo: Repo, tmp_path: Path) -> None:
    """The whole quick depth with its real question: a draft comes, gates judge it, and the tally is what it took."""
    repo.commit("first", {"app/load.py": "def load(path):\n    return open(path).read()\n"})
    repo.branch("feature")
    repo.write("app/load.py", "def load(path, cache={}):\n    return cache.setdefault(path, open(path).read())\n")
    made = replace(post(url, tmp_path), recorder=Recorder(tmp_path / "recorded"))
    sight = inquire(repo.root, made, seconds=270)
    assert sight.drafts == {Outcome.OK: 1}, sight.gaps
    assert (sight.hunks, sight.covered) == (1, 1)
    (record,) = [json.loads(file.read_text()) for file in (tmp_path / "recorded").iterdir()]
    counted = record["reply"]["input_tokens"] + record["reply"]["output_tokens"]
    tally = made.budget.tally(made.clock())
    assert (tally.tokens, tally.running) == (counted, 0)
    assert (sight.spent.tokens, sight.spent.requests) == (counted, 1)
    draft = read(record["reply"]["text"])
    assert isinstance(draft, Draft)
    assert sum(sight.gates.values()) == len(draft.findings) + len(draft.faults)


def test_cancelling_frees_the_slot_and_settles_what_was_used(url: str, tmp_path: Path) -> None:
    """The server stops computing at once; the budget shows nothing that runs, and not nothing that was spent."""

    async def play() -> None:
        made = post(url, tmp_path)
        asking = Asking(made)
        long = ask("Count: 1 2 3 4 5 6 7 8", most=4000, plain=True)
        task = asyncio.create_task(asking.put(long))
        await until(lambda: busy(url) == 1)
        assert asking.state is LaneState.RUNNING
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: busy(url) == 0)
        tally = made.budget.tally(made.clock())
        assert tally.running == 0
        assert 0 < tally.tokens < 4000

    run(play(), seconds=270)


def test_two_questions_are_answered_side_by_side_and_a_third_waits(url: str, tmp_path: Path) -> None:
    """As many at once as the user allows, and no more."""

    async def play() -> tuple[Reply, ...]:
        limits = replace(LIMITS, parallel=SLOTS)
        asking = Asking(replace(post(url, tmp_path), limits=limits))
        most = 0

        async def watch() -> None:
            nonlocal most
            while True:
                most = max(most, await asyncio.to_thread(busy, url), made.tally(asking.post.clock()).running)
                await asyncio.sleep(0.02)

        made = asking.post.budget
        watching = asyncio.create_task(watch())
        asks = [ask(f"z = {number}", key=f"k{number}", most=24, plain=True) for number in range(3)]
        replies = await asyncio.gather(*(asking.put(each) for each in asks))
        watching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await watching
        assert most == SLOTS
        return tuple(replies)

    replies = run(play(), seconds=270)
    assert all(reply.outcome in {Outcome.OK, Outcome.TRUNCATED} for reply in replies)


def test_the_settings_alone_lead_to_it(url: str) -> None:
    """Provider and address of the user's settings are enough for a server on this machine; it needs no key."""

    async def play() -> Reply:
        settings = Settings(model_provider="openai", model_base_url=f"{url}/v1", model_name="small", model_cache=False)
        made = await post_for(settings, consent=True, environ={})
        assert isinstance(made.budget, BudgetDb)
        return await Asking(replace(made, patience=PATIENT)).put(ask(key="settings", most=16, plain=True))

    assert run(play(), seconds=270).usage.output
