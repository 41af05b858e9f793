"""The way to a model's host: what the person's environment says of proxies and certificates, right or wrong."""

from __future__ import annotations

import asyncio

import pytest

from roundzero.core.model_values import Ask, Outcome, Question, Reply, Turn
from roundzero.errors import UserError
from roundzero.providers import Endpoint
from roundzero.providers._http import check_way, send
from roundzero.providers.openai import PROVIDER

KEY = "sk-secret-key"
ASK = Ask(question=Question(system="sys", turns=(Turn("user", "what?"),), schema={}, key="k", tokens=10), model="m")


@pytest.fixture
def way(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment that says nothing of proxies."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("ALL_PROXY", "socks5://user:pass-word@127.0.0.1:1", "speaks SOCKS"),
        ("HTTPS_PROXY", "proxy:port", "no proper address"),
        ("HTTPS_PROXY", "ftp://user:pass-word@proxy", "no proper address"),
        ("HTTPS_PROXY", "http://[::1", "no proper address"),
        ("SSL_CERT_FILE", "/nowhere/at/all.pem", "SSL_CERT_FILE"),
        ("SSL_CERT_FILE", "/dev/null", "SSL_CERT_FILE"),
        ("SSLKEYLOGFILE", "/nowhere/at/all.log", "SSLKEYLOGFILE"),
    ],
)
def test_a_way_that_the_environment_spoils_is_told_with_what_to_do(
    way: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    """Before anything is charged, and where it comes to be so between two requests; no password of a proxy is shown."""
    way.setenv(name, value)
    with pytest.raises(UserError, match=told) as refused:
        check_way("https://api.example.test/v1")
    reply = asyncio.run(send(PROVIDER, ASK, Endpoint("https://api.example.test/v1", KEY)))
    assert (reply.outcome, reply.message) == (Outcome.OFFLINE, str(refused.value))
    assert "pass-word" not in reply.message
    if not name.startswith("SSL"):
        check_way("http://127.0.0.1:1/v1")


def test_a_proxy_for_others_is_no_hindrance(way: pytest.MonkeyPatch) -> None:
    """The one for this kind of address counts, and none where the host is to be asked directly."""
    way.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    way.setenv("HTTPS_PROXY", "127.0.0.1:9")
    check_way("https://api.example.test/v1")
    way.setenv("HTTPS_PROXY", "proxy:port")
    way.setenv("NO_PROXY", "example.test")
    check_way("https://api.example.test/v1")


def test_a_proxy_that_lets_nobody_through_is_named_as_the_cause(way: pytest.MonkeyPatch) -> None:
    """A host may well be up; and the key does not go to the proxy."""
    heard: list[bytes] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async def ask() -> Reply:
        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as proxy:
            way.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}")
            endpoint = Endpoint("https://api.example.test/v1", KEY)
            return await send(PROVIDER, ASK, endpoint)

    reply = asyncio.run(ask())
    assert reply.outcome is Outcome.OFFLINE
    assert "through the proxy" in reply.message
    assert heard[0].startswith(b"CONNECT api.example.test:443")
    assert KEY.encode() not in heard[0]


def test_a_host_without_tls_is_not_said_to_have_a_bad_certificate() -> None:
    """An address with https where plain http is spoken: other advice helps."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async def ask() -> Reply:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            address = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            return await send(PROVIDER, ASK, Endpoint(address, KEY))

    reply = asyncio.run(ask())
    assert reply.outcome is Outcome.OFFLINE
    assert "does not speak TLS" in reply.message
