"""Sends one request and reads its streamed answer, within limits of time and size.

Knows HTTP, and no provider's words beyond what the decoder says. Never retries. Invariants: TLS is always verified;
plain http goes to this machine only and never through a proxy; redirects are not followed; the connection is closed
when the answer is over, given up or cancelled, so that the server stops at once; no reply holds the key, whatever the
host sends back, also not a part of it; and no wait is longer than a day.
"""

from __future__ import annotations

import asyncio
import importlib
import ipaddress
import re
from contextlib import aclosing, suppress
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from roundzero.core.budget import DAY
from roundzero.core.frozen import dataclass
from roundzero.core.harmless import line as harmless
from roundzero.core.model_values import Outcome, Reply, Usage
from roundzero.core.regex import regex
from roundzero.errors import UserError
from roundzero.providers._events import advised, outcome_of

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncGenerator, Callable

    import httpx

    from roundzero.core.model_values import Ask
    from roundzero.providers import Decoder, Endpoint, HttpProvider, HttpRequest, Piece

MOST_TEXT: Final = 256 * 1024
MOST_LINE: Final = 1024 * 1024
MOST_BYTES: Final = 8 * 1024 * 1024
_MOST_WORDS: Final = 300
_MOST_BODY: Final = 64 * 1024
"""Bytes that are read of a refusal: it is told from its beginning, and a page of white space is no reason to wait."""
_SHORTEST_KEY: Final = 8
_SERVER_ERRORS: Final = 500
_REDIRECTS: Final = range(300, 400)
_NOTHING: Final = Usage(0, 0)
"""What a question takes that a host refuses before its model reads it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Limits in seconds: to connect, to the first text (a model on this machine may be slow), between parts, in all."""

    connect: float = 10.0
    first: float = 120.0
    silence: float = 45.0
    total: float = 240.0


class _Over(Exception):  # noqa: N818  a limit, not an error of ours
    """A limit was reached."""


def checked_url(url: str) -> str:
    """The address of a provider without trailing slash. Raises UserError with what to do.

    Keys do not belong into an address, and without TLS whoever is on the way reads the code.
    """
    address = url.strip()
    try:
        parts = urlsplit(address)
        whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        raise UserError("model.baseUrl is no http(s) address; give one like https://host/v1") from None
    if parts.username is not None or parts.password is not None:
        raise UserError("model.baseUrl holds a user name or password; put the key into ROUNDZERO_API_KEY instead")
    if parts.query or parts.fragment:
        raise UserError("model.baseUrl has a ? or # part; give the address alone, and the key in ROUNDZERO_API_KEY")
    if not whole or not address.isprintable() or " " in address:
        raise UserError(f"model.baseUrl {address!r} is no http(s) address; give one like https://host/v1")
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise UserError(
            f"model.baseUrl is plain http to {parts.hostname}, so anyone on the way could read the code; use https"
        )
    return address.rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its name or address."""
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


async def load() -> None:
    """Import what is slow to import, so that a request does not wait for that once it was charged."""
    await asyncio.to_thread(importlib.import_module, "httpx")


async def send(
    provider: HttpProvider,
    ask: Ask,
    endpoint: Endpoint,
    *,
    patience: Patience | None = None,
    heard: Callable[[int], None] = lambda _: None,
) -> Reply:
    """Put a question once. How it ended is in the reply; only cancellation is raised.

    ``heard`` is told how many characters have come so far, each time some do.
    """
    limits = patience or Patience()
    request = provider.encode(ask, endpoint)
    await load()
    import httpx  # noqa: PLC0415  off the start-up path

    answer = _Answer(heard, endpoint.key)
    try:
        async with asyncio.timeout(limits.total) as whole:
            end = await _exchange(request, provider.decoder(), answer, limits)
    except TimeoutError:
        end = Reply(outcome=Outcome.TIMED_OUT, message="the model took too long to answer")
        if whole.expired() and answer.size:  # it would be as long again
            end = Reply(outcome=Outcome.TRUNCATED, message="the answer reached its limit of time")
    except _Over as over:
        end = Reply(outcome=Outcome.WRONG, message=str(over))
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, httpx.UnsupportedProtocol) as error:
        end = Reply(outcome=Outcome.OFFLINE, message=_unreachable(request, error))
    except UserError as error:
        end = Reply(outcome=Outcome.OFFLINE, message=str(error))
    except httpx.HTTPError as error:
        end = Reply(outcome=Outcome.FAILED, message=f"the connection broke ({type(error).__name__})")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        message = f"the answer is not what the protocol says ({type(error).__name__})"
        end = Reply(outcome=Outcome.WRONG, message=message)
    return answer.reply(end)


async def _exchange(request: HttpRequest, decoder: Decoder, answer: _Answer, limits: Patience) -> Reply | None:
    """Send and read. What came goes to ``answer``; a reply instead of an answer is returned."""
    import httpx  # noqa: PLC0415  off the start-up path

    timeout = httpx.Timeout(None, connect=limits.connect, write=30.0, pool=10.0)
    own = {"Content-Type": "application/json", "Accept": request.media_type, "Accept-Encoding": "identity"}
    async with (
        await asyncio.to_thread(_client, request.url, timeout) as client,
        asyncio.timeout(limits.first) as patient,
        client.stream("POST", request.url, headers={**own, **request.headers}, content=request.body) as response,
    ):
        refused = await _refused(response, request, answer)
        if refused is None:
            await _read(response, decoder, answer, patient, limits)
        else:
            answer.usage = refused.usage
        return refused


def check_way(url: str) -> None:
    """Raises UserError when what the person's environment says of proxies or certificates leads nowhere."""
    _client(url, None)


def _client(url: str, timeout: httpx.Timeout | None) -> httpx.AsyncClient:
    """What sends to an address. Raises UserError."""
    import httpx  # noqa: PLC0415  off the start-up path

    address = urlsplit(url)
    try:
        trusted = _trust(address.scheme)
    except OSError as error:  # of OpenSSL, too
        raise UserError(
            "the certificates that SSL_CERT_FILE or SSL_CERT_DIR names, or SSLKEYLOGFILE, cannot be used"
            f" ({error.strerror or error}); correct or unset them"
        ) from error
    try:
        return httpx.AsyncClient(
            trust_env=False,  # else a SOCKS proxy for other addresses would do for ours, too
            proxy=_proxy(address.scheme, address.hostname or ""),
            follow_redirects=False,
            limits=httpx.Limits(max_keepalive_connections=0),
            timeout=timeout,
            verify=trusted,
        )
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        what = "speaks SOCKS, which is not spoken here" if isinstance(error, ImportError) else "has no proper address"
        raise UserError(
            f"the proxy for {address.hostname} that HTTPS_PROXY or ALL_PROXY names {what}; set HTTPS_PROXY to one like"
            f" http://proxy:3128, or NO_PROXY={address.hostname}"
        ) from error


def _proxy(scheme: str, host: str) -> str | None:
    """The proxy for a host by the person's environment, or their system's settings; none for this machine."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415  off the start-up path

    if is_loopback(host) or proxy_bypass(host):
        return None
    known = getproxies()
    found = known.get(scheme) or known.get("all")
    return found if not found or "://" in found else f"http://{found}"


def _trust(scheme: str) -> ssl.SSLContext:
    """What certificates are believed: those the person's environment names, for this machine too; none without TLS."""
    import ssl  # noqa: PLC0415  off the start-up path

    import httpx  # noqa: PLC0415  as above

    return httpx.create_ssl_context() if scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class _Answer:
    """What has come of an answer. The host may send back what it was sent, the key too."""

    def __init__(self, heard: Callable[[int], None], key: str | None) -> None:
        self.heard = heard
        self.key = key if key is not None and len(key) >= _SHORTEST_KEY else None
        self.parts: list[str] = []
        self.size = 0
        self.usage = Usage()
        self.outcome: Outcome | None = None
        self.message = ""

    def take(self, piece: Piece) -> None:
        """Add what came. Raises _Over when it is too much."""
        if piece.usage is not None:
            old, new = self.usage, piece.usage
            self.usage = Usage(
                old.input if new.input is None else new.input, old.output if new.output is None else new.output
            )
        if piece.outcome is not None:
            self.outcome = self.outcome or piece.outcome
            self.message = self.message or piece.message
        if piece.whole is not None:
            self.parts, self.size = [], 0
        if text := piece.text if piece.whole is None else piece.whole:
            self.parts.append(text)
            self.size += len(text)
            self.heard(self.size)
            if self.size > MOST_TEXT:
                raise _Over("the answer does not end")

    def words(self, said: str) -> str:
        """What a host says, for people."""
        return harmless(self._without_key(said))[:_MOST_WORDS]

    def _without_key(self, said: str) -> str:
        return said if self.key is None else said.replace(self.key, "[key]")

    def reply(self, instead: Reply | None = None) -> Reply:
        """The answer as a reply, or how it failed with what had come; of one that just stops the connection broke."""
        text = self._without_key("".join(self.parts))
        if instead is not None:
            return replace(instead, text=text, usage=self.usage)
        end = self.outcome or Outcome.FAILED
        if end is Outcome.OK and not text.strip():
            end = Outcome.EMPTY
        said = self.message
        if self.outcome is None:
            said = "the answer was cut off"
        elif end is Outcome.TRUNCATED and not said:
            said = "the answer reached its limit of tokens"
        return Reply(outcome=end, text=text, usage=self.usage, message=self.words(said))


async def _read(
    response: httpx.Response, decoder: Decoder, answer: _Answer, patient: asyncio.Timeout, limits: Patience
) -> None:
    loop = asyncio.get_running_loop()
    async with aclosing(_lines(response)) as lines:
        async for line in lines:
            piece = decoder.feed(line)
            if piece is not None:
                answer.take(piece)
                # Before the first text a model may think, and say nothing for us, for as long as to begin.
                patient.reschedule(loop.time() + (limits.silence if answer.size else limits.first))


async def _lines(response: httpx.Response) -> AsyncGenerator[str, None]:
    """Lines that end at a line feed only: httpx's own also end at characters that are legal within JSON."""
    held, total = b"", 0
    async for chunk in response.aiter_raw():
        total += len(chunk)
        if total > MOST_BYTES:
            raise _Over("the answer does not end")
        held += chunk
        *whole, held = held.split(b"\n")
        if len(held) > MOST_LINE:
            raise _Over("a line of the answer does not end")
        for line in whole:
            yield line.decode("utf-8", "replace").rstrip("\r")
    if held:
        yield held.decode("utf-8", "replace").rstrip("\r")


async def _refused(response: httpx.Response, request: HttpRequest, answer: _Answer) -> Reply | None:
    """The reply that a status or the kind of content already is; None when there is an answer to read."""
    status = response.status_code
    host = urlsplit(request.url).hostname or ""
    if status in _REDIRECTS:
        message = f"{host} redirects elsewhere, which is not followed; set model.baseUrl to the final address"
        return Reply(outcome=Outcome.WRONG, message=message, usage=_NOTHING)
    if response.is_success:
        kind = response.headers.get("content-type", "").split(";")[0].strip().lower()
        packed = response.headers.get("content-encoding", "").strip().lower()
        if kind == request.media_type and packed in {"", "identity"}:
            return None
        message = f"{host} answered with {answer.words(kind) or 'no content type'} instead of {request.media_type}"
        if kind == request.media_type:
            message = f"{host} answered compressed ({answer.words(packed)}), which it was asked not to do"
        return Reply(outcome=Outcome.WRONG, message=f"{message}; check model.baseUrl and model.provider")
    said = await _body(response)
    outcome = outcome_of(said, status)
    told = outcome in {Outcome.WRONG, Outcome.REFUSED} or status >= _SERVER_ERRORS
    named = answer.words(said) if told else ""
    later = _seconds(response.headers.get("retry-after"))
    asks = f" and asks to wait {later:.0f} seconds" if later else ""
    message = advised(f"{host} answered {status}{asks}" + (f": {named}" if named else ""), said, status)
    usage = _NOTHING if status < _SERVER_ERRORS else Usage()
    return Reply(outcome=outcome, message=message, usage=usage, retry_after=later)


async def _body(response: httpx.Response) -> str:
    data = b""
    async for chunk in response.aiter_raw():
        data += chunk
        if len(data) > _MOST_BODY:
            break
    return data[:_MOST_BODY].decode("utf-8", "replace")


def _seconds(value: str | None) -> float | None:
    """``Retry-After`` in seconds: a number, or a date; a day at most."""
    if value is None:
        return None
    with suppress(ValueError):
        seconds = float(value)
        return min(max(0.0, seconds), DAY) if seconds == seconds else None  # noqa: PLR0124  a number, not "nan"
    with suppress(ValueError, TypeError, OverflowError):
        from datetime import UTC, datetime  # noqa: PLC0415  rarely needed

        until = parsedate_to_datetime(value)
        until = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
        return min(max(0.0, (until - datetime.now(UTC)).total_seconds()), DAY)
    return None


def _unreachable(request: HttpRequest, error: Exception) -> str:
    address = urlsplit(request.url)
    host = f"{address.hostname}:{address.port}" if address.port else address.hostname or ""
    if (untrusted := _UNTRUSTED.search(str(error))) is not None:
        why = harmless(untrusted[1])[:_MOST_WORDS]
        return f"the certificate of {host} is not trusted ({why}); set SSL_CERT_FILE if your network uses its own"
    if "[SSL" in str(error):
        return f"{host} does not speak TLS as it should; check model.baseUrl, and the proxy if there is one"
    if type(error).__name__ == "ProxyError":
        return f"{host} cannot be reached through the proxy that your environment names"
    return f"{host} cannot be reached"


_UNTRUSTED: Final = regex(r"certificate verify failed:? ?(.*?)(?:\.? \(_ssl\.c:\d+\))?$", re.DOTALL)
"""How OpenSSL says that a certificate does not do, and why."""
