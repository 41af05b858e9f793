"""One request to a model's host: how each way of answering, and of not answering, ends."""

from __future__ import annotations

import asyncio

import pytest

from roundzero.core.model_values import Ask, Outcome, Question, Reply, Turn, Usage
from roundzero.errors import UserError
from roundzero.providers import Endpoint
from roundzero.providers._http import Patience, checked_url, send
from roundzero.providers.openai import PROVIDER
from support.model_server import ModelServer

QUESTION = Question(system="sys", turns=(Turn("user", "what?"),), schema={"type": "object"}, key="k", tokens=10)
QUICK = Patience(connect=1.0, first=0.3, silence=0.3, total=2.0)


async def _asked(model: str, patience: Patience = QUICK) -> tuple[Reply, ModelServer]:
    async with ModelServer() as server:
        endpoint = Endpoint(server.url, "sk-secret-key")
        return await send(PROVIDER, Ask(question=QUESTION, model=model), endpoint, patience=patience), server


def asked(model: str) -> Reply:
    """The reply of a host that behaves as ``model`` says."""
    return asyncio.run(_asked(model))[0]


def test_a_good_answer_is_read_whole_with_its_counts() -> None:
    """Comments are passed over, and characters that some libraries take for line ends stay in the text."""
    reply = asked("good")
    assert reply.outcome is Outcome.OK
    assert reply.text == "Hello world\u2028again\x85"
    assert reply.usage == Usage(100, 20)


@pytest.mark.parametrize(
    ("model", "outcome"),
    [
        ("truncated", Outcome.TRUNCATED),
        ("refused", Outcome.REFUSED),
        ("empty", Outcome.EMPTY),
        ("cut", Outcome.TRUNCATED),
        ("wrong-json", Outcome.WRONG),
        ("wrong-shape", Outcome.WRONG),
        ("error-in-stream", Outcome.RATE_LIMITED),
        ("html", Outcome.WRONG),
        ("redirect", Outcome.WRONG),
        ("endless", Outcome.WRONG),
        ("endless-line", Outcome.WRONG),
        ("hang-before", Outcome.TIMED_OUT),
        ("hang-in-stream", Outcome.TIMED_OUT),
        ("quota", Outcome.QUOTA),
        ("401", Outcome.UNAUTHORISED),
        ("403", Outcome.UNAUTHORISED),
        ("404", Outcome.WRONG),
        ("402", Outcome.QUOTA),
        ("429", Outcome.RATE_LIMITED),
        ("500", Outcome.FAILED),
        ("503", Outcome.FAILED),
    ],
)
def test_every_way_of_going_wrong_is_an_outcome(model: str, outcome: Outcome) -> None:
    """None of them raises, and only a good answer is OK."""
    assert asked(model).outcome is outcome


def test_what_the_host_asks_to_wait_is_passed_on() -> None:
    """Retry-After is in the reply, in seconds."""
    assert asked("429").retry_after == 7.0


def test_no_message_holds_the_key() -> None:
    """Whatever goes wrong, what people read does not show the key."""
    for model in ("401", "500", "html", "redirect", "wrong-json"):
        reply = asked(model)
        assert "sk-secret-key" not in repr(reply)
        assert reply.message
    assert "sk-secret-key" not in repr(Endpoint("https://host", "sk-secret-key"))


def test_a_host_that_is_not_there_is_offline() -> None:
    """Nobody listens: said in words, with the host's name."""

    async def nobody() -> Reply:
        async with ModelServer() as server:
            url = server.url
        return await send(PROVIDER, Ask(question=QUESTION, model="good"), Endpoint(url), patience=QUICK)

    reply = asyncio.run(nobody())
    assert reply.outcome is Outcome.OFFLINE
    assert "127.0.0.1" in reply.message


def test_cancelling_closes_the_connection_at_once() -> None:
    """The host sees the connection close, so that it stops computing."""

    async def cancelled() -> None:
        async with ModelServer() as server:
            ask = Ask(question=QUESTION, model="hang-in-stream")
            task = asyncio.create_task(send(PROVIDER, ask, Endpoint(server.url), patience=Patience()))
            await asyncio.wait_for(server.started.wait(), 5)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(server.closed.wait(), 5)

    asyncio.run(cancelled())


def test_a_host_on_this_machine_is_never_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the environment is for others: code for a local model does not pass through it."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert asked("good").outcome is Outcome.OK


@pytest.mark.parametrize(
    "url",
    ["http://example.org/v1", "ftp://host", "host/v1", "https://user:pass@host/v1", "http://127.0.0.1.example.org"],
)
def test_an_unsafe_address_is_refused_with_what_to_do(url: str) -> None:
    """Plain http beyond this machine, keys in addresses and things that are no address are not used."""
    with pytest.raises(UserError, match=r"model\.baseUrl"):
        checked_url(url)


@pytest.mark.parametrize("url", ["http://localhost:1/v1/", "http://127.0.0.1/v1", "http://[::1]:8/v1", "https://host"])
def test_safe_addresses_are_used_without_trailing_slash(url: str) -> None:
    """This machine by any of its names, and TLS elsewhere."""
    assert checked_url(url) == url.rstrip("/")
