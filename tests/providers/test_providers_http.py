"""One request to a model's host: how each way of answering, and of not answering, ends."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import pytest

from roundzero.core.model_values import Ask, Outcome, Question, Reply, Turn, Usage
from roundzero.engine.asking import Asking
from roundzero.errors import UserError
from roundzero.providers import Endpoint, HttpProvider
from roundzero.providers._http import Patience, checked_url, send
from roundzero.providers._recording import Recorder
from roundzero.providers.anthropic import PROVIDER as ANTHROPIC
from roundzero.providers.ollama import PROVIDER as OLLAMA
from roundzero.providers.openai import PROVIDER
from support.certificate import server_context
from support.inquiry import post_of
from support.loop import run
from support.model_server import ModelServer

QUESTION = Question(system="sys", turns=(Turn("user", "what?"),), schema={"type": "object"}, key="k", tokens=10)
QUICK = Patience(connect=1.0, first=0.3, silence=0.3, total=2.0)


KEY = "sk-secret-key"


async def _asked(model: str, patience: Patience = QUICK) -> tuple[Reply, ModelServer]:
    async with ModelServer() as server:
        endpoint = Endpoint(server.url, KEY)
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
        ("cut", Outcome.FAILED),
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
    """Retry-After is in the reply, in seconds, and people can read it."""
    reply = asked("429")
    assert reply.retry_after == 7.0
    assert "answered 429 and asks to wait 7 seconds" in reply.message


@pytest.mark.parametrize("provider", [ANTHROPIC, OLLAMA])
@pytest.mark.parametrize(
    ("model", "outcome"),
    [
        ("good", Outcome.OK),
        ("truncated", Outcome.TRUNCATED),
        ("cut", Outcome.FAILED),
        ("error-in-stream", Outcome.RATE_LIMITED),
        ("wrong-json", Outcome.WRONG),
        ("429", Outcome.RATE_LIMITED),
        ("401", Outcome.UNAUTHORISED),
        ("quota", Outcome.QUOTA),
        ("500", Outcome.FAILED),
        ("hang-before", Outcome.TIMED_OUT),
    ],
)
@pytest.mark.parametrize("path", ["", "/v1"])
def test_the_other_protocols_are_spoken_over_the_wire(
    provider: HttpProvider, model: str, outcome: Outcome, path: str
) -> None:
    """Happy, cut, refused and in trouble, at an address with or without the usual last part."""

    async def ask() -> tuple[Reply, bytes]:
        async with ModelServer() as server:
            ask = Ask(question=QUESTION, model=model)
            reply = await send(provider, ask, Endpoint(server.root + path, KEY), patience=QUICK)
            return reply, server.requests[0]

    reply, request = asyncio.run(ask())
    assert reply.outcome is outcome
    assert KEY.encode() in request.split(b"\r\n\r\n")[0]
    if outcome is Outcome.OK:
        assert (reply.text, reply.usage) == ('{"a": 1}', Usage(100, 20))
    if model == "429":
        assert reply.retry_after == 7.0


def test_no_message_holds_the_key() -> None:
    """Whatever goes wrong, what people read does not show the key, even where the host sends back what it got."""
    for model in ("401", "500", "html", "redirect", "wrong-json", "echo"):
        reply = asked(model)
        assert KEY not in repr(reply)
        assert reply.message
    assert KEY not in repr(Endpoint("https://host", KEY))


@pytest.mark.parametrize("model", ["echo-late", "error-late"])
def test_no_message_holds_a_part_of_the_key(model: str) -> None:
    """What a host says is cut after the key was taken out; nothing of it disturbs a display."""
    reply = asked(model)
    assert KEY[:6] not in reply.message
    assert reply.message.endswith("[key]")
    assert reply.message.isprintable()


def test_halves_of_characters_are_joined_or_replaced_before_anyone_uses_them(tmp_path: Path) -> None:
    """A stream may part a character that JSON spells in two halves; what is kept can be written."""

    async def ask() -> Reply:
        async with ModelServer() as server:
            post = post_of(tmp_path, PROVIDER, endpoint=Endpoint(server.url, KEY), recorder=Recorder(tmp_path / "kept"))
            return await Asking(post).put(Ask(question=QUESTION, model="halves"))

    reply = asyncio.run(ask())
    assert reply.text == "\U0001f600 a \ufffd"
    (kept,) = (tmp_path / "kept").iterdir()
    assert json.loads(kept.read_text(encoding="utf-8"))["reply"]["text"] == reply.text


def test_a_count_that_cannot_be_is_none() -> None:
    """It is estimated as where a host does not count; the answer is good."""
    reply = asked("counts-wildly")
    assert reply.outcome is Outcome.OK
    assert reply.usage == Usage(None, None)


def test_what_comes_compressed_is_not_unpacked() -> None:
    """Nobody asked for it, a few bytes could become gigabytes, and asking again would give the same."""
    reply = asked("compressed")
    assert reply.outcome is Outcome.WRONG
    assert "compressed (gzip)" in reply.message


def test_no_text_holds_the_key() -> None:
    """A host that reflects the request as its answer does not bring the key into the cache or a recording."""
    reply = asked("echo-in-stream")
    assert reply.outcome is Outcome.OK
    assert "Bearer [key]" in reply.text
    assert KEY not in repr(reply)


def test_no_log_holds_the_key_or_the_question(caplog: pytest.LogCaptureFixture) -> None:
    """Not even at the finest level, of no library on the way."""
    with caplog.at_level(logging.DEBUG):
        asked("good")
    assert caplog.text
    assert KEY not in caplog.text
    assert "what?" not in caplog.text


@pytest.mark.parametrize(
    ("model", "outcome"),
    [
        ("page-404-billing and quota", Outcome.WRONG),
        ("page-502-authentication_error", Outcome.FAILED),
        ("page-403-insufficient_quota", Outcome.QUOTA),
        ("page-400-Your credit balance is too low", Outcome.QUOTA),
        ("page-429-Rate limit reached; add a payment method to your billing account", Outcome.RATE_LIMITED),
        ("page-429-You exceeded your current quota", Outcome.QUOTA),
        ("page-503-overloaded", Outcome.RATE_LIMITED),
        ("page-400-invalid_api_key", Outcome.UNAUTHORISED),
    ],
)
def test_words_count_only_with_a_status_that_fits(model: str, outcome: Outcome) -> None:
    """A page of something on the way, or advice to pay for more, does not stop the lane for an hour."""
    assert asked(model).outcome is outcome


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("3", 3.0),
        ("99999999999", 86400.0),
        ("inf", 86400.0),
        ("nan", None),
        ("-5", 0.0),
        ("soon", None),
        ("Fri, 31 Dec 2999 23:59:59 GMT", 86400.0),
        ("Fri, 31 Dec 1999 23:59:59", 0.0),
    ],
)
def test_no_wait_is_longer_than_a_day_or_no_number(said: str, seconds: float | None) -> None:
    """What a host asks for is believed within reason."""
    assert asked(f"wait-{said}").retry_after == seconds


def test_a_model_may_think_before_it_speaks() -> None:
    """The limit between parts begins with the first text; what comes before, without text, has the first limit."""
    patience = Patience(connect=1.0, first=2.0, silence=0.2, total=5.0)
    assert asyncio.run(_asked("thinks-first", patience))[0].outcome is Outcome.OK


def test_an_answer_that_goes_on_to_the_last_moment_was_cut() -> None:
    """It would take as long again, so it is none of the failures after which a question is put once more."""
    reply = asyncio.run(_asked("drips", Patience(connect=1.0, first=5.0, silence=5.0, total=0.3)))[0]
    assert (reply.outcome, reply.message) == (Outcome.TRUNCATED, "the answer reached its limit of time")
    assert reply.text


@pytest.mark.parametrize(
    ("model", "counts"),
    [
        ("400", Usage(0, 0)),
        ("401", Usage(0, 0)),
        ("429", Usage(0, 0)),
        ("redirect", Usage(0, 0)),
        ("500", Usage()),
        ("html", Usage()),
        ("cut", Usage()),
    ],
)
def test_what_a_host_refuses_takes_no_tokens(model: str, counts: Usage) -> None:
    """A refusal says so before any model reads the question; after a failure nobody knows."""
    assert asked(model).usage == counts


@pytest.mark.parametrize(
    "said",
    [
        "400-request (1417 tokens) exceeds the available context size (1024 tokens), try increasing it",
        '400-{"error": {"code": "context_length_exceeded"}}',
        "400-prompt is too long: 210000 tokens > 200000 maximum",
        "500-the request exceeds the available context size",
        "413-Please reduce the length of the messages",
    ],
)
def test_a_question_too_long_for_the_model_is_said_with_what_to_do(said: str) -> None:
    """It is refused, whatever the status, and asked again by nobody; the host's own words are there as well."""
    reply = asked(f"page-{said}")
    assert reply.outcome is Outcome.REFUSED
    assert "give it more context" in reply.message
    assert "model.maxUnitLines" in reply.message
    assert f"127.0.0.1 answered {said[:3]}: {said[4:]}" in reply.message


def test_an_error_in_the_stream_may_be_about_length_too() -> None:
    """Some hosts begin to answer before they count."""
    error = {"error": {"message": "the prompt is longer than the context window"}}
    piece = PROVIDER.decoder().feed(f"data: {json.dumps(error)}")
    assert piece is not None
    assert piece.outcome is Outcome.REFUSED
    assert piece.message.startswith("the question is too long for the model; give it more context")


def test_parts_are_heard_as_they_come() -> None:
    """Whoever asks is told how much there is so far."""
    sizes: list[int] = []

    async def ask() -> None:
        async with ModelServer() as server:
            await send(PROVIDER, Ask(question=QUESTION, model="good"), Endpoint(server.url), heard=sizes.append)

    asyncio.run(ask())
    assert sizes == [6, 18]


async def _asked_by_tls(folder: Path) -> Reply:
    context, _ = server_context(folder)
    async with ModelServer(tls=context) as server:
        return await send(
            PROVIDER, Ask(question=QUESTION, model="good"), Endpoint(server.url, KEY), patience=Patience()
        )


def test_a_certificate_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    """On this machine as well: nothing is sent, and the message says what to do."""
    reply = asyncio.run(_asked_by_tls(tmp_path))
    assert reply.outcome is Outcome.OFFLINE
    assert "SSL_CERT_FILE" in reply.message
    assert "self-signed" in reply.message


def test_a_certificate_the_person_trusts_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the message advises works."""
    monkeypatch.setenv("SSL_CERT_FILE", str(server_context(tmp_path)[1]))
    assert asyncio.run(_asked_by_tls(tmp_path)).outcome is Outcome.OK


def test_a_redirect_is_not_followed_and_takes_no_key_along() -> None:
    """The other host hears nothing."""

    async def ask() -> tuple[Reply, int]:
        async with ModelServer() as server:
            reply = await send(
                PROVIDER, Ask(question=QUESTION, model="redirect"), Endpoint(server.url, KEY), patience=QUICK
            )
            return reply, len(server.requests)

    reply, requests = run(ask())
    assert (reply.outcome, requests) == (Outcome.WRONG, 1)
    assert "model.baseUrl" in reply.message


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
    [
        "http://example.org/v1",
        "ftp://host",
        "host/v1",
        "https://user:sekret@host/v1",
        "ftp://user:sekret@host/v1",
        "https://host/v1?key=sekret",
        "https://host/v1#sekret",
        "https://host:port/v1",
        "https://host:99999/v1",
        "https://[::1/v1",
        "https://ho st/v1",
        "https://host/v1\nX: y",
        "http://127.0.0.1.example.org",
        "http://localhost.example.org",
        "http://0.0.0.0:1/v1",
    ],
)
def test_an_unsafe_address_is_refused_with_what_to_do(url: str) -> None:
    """Plain http beyond this machine, keys in addresses and things that are no address are not used, nor repeated."""
    with pytest.raises(UserError, match=r"model\.baseUrl") as refusal:
        checked_url(url)
    assert "sekret" not in str(refusal.value)


@pytest.mark.parametrize("url", ["http://localhost:1/v1/", "http://127.0.0.1/v1", "http://[::1]:8/v1", "https://host"])
def test_safe_addresses_are_used_without_trailing_slash(url: str) -> None:
    """This machine by any of its names, and TLS elsewhere."""
    assert checked_url(url) == url.rstrip("/")
