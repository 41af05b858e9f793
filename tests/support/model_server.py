"""A model's host on this machine that behaves, or misbehaves, as the model's name in the request says.

Speaks just enough HTTP over raw sockets to do what no well-behaved server does, and three protocols, told apart by the
path: chat completions, Anthropic's messages, Ollama's chat. ``requests`` holds every request whole.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Self, TypeVar

from support.engine import LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

S = TypeVar("S", bound="ModelServer")

CHUNK: Final = "data: {}\n\n"


def delta(text: str) -> str:
    """One event of the chat protocol with a part of the answer."""
    return CHUNK.format(json.dumps({"choices": [{"delta": {"content": text}}]}, ensure_ascii=False))


def end(reason: str = "stop", sent: int = 100, received: int = 20) -> str:
    """The last events of the chat protocol."""
    stop = CHUNK.format(json.dumps({"choices": [{"delta": {}, "finish_reason": reason}]}))
    usage = {"choices": [], "usage": {"prompt_tokens": sent, "completion_tokens": received}}
    return stop + CHUNK.format(json.dumps(usage)) + "data: [DONE]\n\n"


def _half(spelt: str) -> str:
    """A part of an answer as JSON spells it."""
    return delta("@").replace("@", spelt)


STREAMS: Final = {
    "good": ": a comment\n\n" + delta("Hello ") + delta("world\u2028again\x85") + end(),
    "truncated": delta("Hel") + end("length"),
    "refused": delta("") + end("content_filter"),
    "empty": end(),
    "cut": delta("Hel"),
    "wrong-json": "data: {not json\n\n",
    "wrong-shape": 'data: {"choices": [7]}\n\n',
    "error-in-stream": delta("He") + 'data: {"error": {"message": "overloaded, rate limit"}}\n\n',
    "halves": _half("\\ud83d") + _half("\\ude00 a \\ud83d") + end(),
    "counts-wildly": delta("{}") + end(sent=10**30, received=10**30),
}


def message_event(kind: str, **more: object) -> str:
    """One event of Anthropic's protocol."""
    return f"event: {kind}\n" + CHUNK.format(json.dumps({"type": kind, **more}))


def ollama_line(text: str, **more: object) -> str:
    """One line of Ollama's protocol."""
    return json.dumps({"model": "m", "message": {"role": "assistant", "content": text}, "done": False} | more) + "\n"


_START: Final = message_event("message_start", message={"usage": {"input_tokens": 90, "cache_read_input_tokens": 10}})
_BLOCK: Final = message_event("content_block_start", index=0, content_block={"type": "tool_use", "name": "report"})


def _part(text: str) -> str:
    return message_event("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": text})


def _stop(reason: str) -> str:
    return message_event("message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 20})


MESSAGES: Final = {
    "good": _START
    + _BLOCK
    + message_event("ping")
    + _part('{"a"')
    + _part(": 1}")
    + _stop("tool_use")
    + message_event("message_stop"),
    "truncated": _START + _BLOCK + _part("{") + _stop("max_tokens"),
    "refused": _START + _stop("refusal"),
    "cut": _START + _BLOCK + _part("{"),
    "error-in-stream": _START
    + _part("{")
    + message_event("error", error={"type": "overloaded_error", "message": "Overloaded"}),
    "wrong-json": "data: {not json\n\n",
}
_LAST: Final = {"done": True, "done_reason": "stop", "prompt_eval_count": 100, "eval_count": 20}
CHAT: Final = {
    "good": ollama_line('{"a"') + ollama_line(": 1}") + ollama_line("", **_LAST),
    "truncated": ollama_line("{") + ollama_line("", **_LAST | {"done_reason": "length"}),
    "refused": json.dumps({"error": "authentication_error: no"}) + "\n",
    "cut": ollama_line("{"),
    "error-in-stream": ollama_line("{") + json.dumps({"error": "server overloaded, please retry shortly"}) + "\n",
    "wrong-json": "{not json\n",
}


def _chat_turn(said: object) -> str:
    """Calls of the chat protocol come in parts: the name first, the arguments bit by bit."""
    if not isinstance(said, dict):
        return delta(str(said)) + end()
    events = [delta("Let me look. ")]
    for number, call in enumerate(said["calls"]):
        text = json.dumps(call["arguments"])
        begin = {"index": number, "id": f"own{number}", "type": "function", "function": {"name": call["name"]}}
        parts = [{"index": number, "function": {"arguments": part}} for part in (text[:3], text[3:])]
        events += [
            CHUNK.format(json.dumps({"choices": [{"delta": {"tool_calls": [each]}}]})) for each in (begin, *parts)
        ]
    return "".join(events) + end("tool_calls")


def _message_turn(said: object) -> str:
    """Calls of Anthropic's protocol are blocks of their own, after what is said."""
    if not isinstance(said, dict):
        return _START + _BLOCK + _part(str(said)) + _stop("tool_use")
    said_first = message_event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    said_first += message_event("content_block_delta", index=0, delta={"type": "text_delta", "text": "Let me look. "})
    events = [_START, said_first]
    for number, call in enumerate(said["calls"], 1):
        block = {"type": "tool_use", "id": f"own{number}", "name": call["name"], "input": {}}
        events.append(message_event("content_block_start", index=number, content_block=block))
        text = json.dumps(call["arguments"])
        for part in (text[:3], text[3:]):
            bit = {"type": "input_json_delta", "partial_json": part}
            events.append(message_event("content_block_delta", index=number, delta=bit))
    return "".join(events) + _stop("tool_use")


def _ollama_turn(said: object) -> str:
    """Calls of Ollama's protocol come whole."""
    if not isinstance(said, dict):
        return ollama_line(str(said)) + ollama_line("", **_LAST)
    calls = [{"function": call} for call in said["calls"]]
    message = {"role": "assistant", "content": "", "tool_calls": calls}
    return ollama_line("", message=message) + ollama_line("", **_LAST)


_TURNS: Final = {"/v1/messages": _message_turn, "/api/chat": _ollama_turn, "/v1/chat/completions": _chat_turn}

PROTOCOLS: Final = {
    "/v1/messages": (MESSAGES, "text/event-stream"),
    "/api/chat": (CHAT, "application/x-ndjson"),
    "/v1/chat/completions": (STREAMS, "text/event-stream"),
}


class ModelServer:
    """Use as ``async with``; ``url`` is the address to give as model.baseUrl."""

    def __init__(
        self,
        answers: dict[str, str] | None = None,
        *,
        turns: Mapping[str, Sequence[object]] | None = None,
        refuses: str = "",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """``answers``: whole texts by model name, beside the misbehaviours above. ``tls``: speak it, with this.

        ``turns``: one answer after the other by model name, a text or ``{"calls": [...]}``, which is said as the
        protocol has it where tools were offered, and as JSON where they were not. ``refuses``: what is answered with
        status 400 to whoever offers tools.
        """
        self.turns = {name: list(steps) for name, steps in (turns or {}).items()}
        self.refuses = refuses
        self._tls = tls
        self.requests: list[bytes] = []
        self.closed = asyncio.Event()
        self.started = asyncio.Event()
        self.running = 0
        self.most_running = 0
        self.answers = answers or {}
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Where it listens, as a base of chat completions."""
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        """The same without the path."""
        assert self._server is not None
        scheme = "http" if self._tls is None else "https"
        return f"{scheme}://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def bodies(self) -> list[dict[str, object]]:
        """What was asked."""
        return [json.loads(request.split(b"\r\n\r\n", 1)[1]) for request in self.requests]

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self._tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close everything."""
        assert self._server is not None
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await self._exchange(reader, writer)
        finally:
            self.running -= 1
            self.closed.set()
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            size = next(
                int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
            )
            body = await reader.readexactly(size)
            self.requests.append(head + body)
            path = head.split(b" ", 2)[1].decode()
            await self._answer(str(json.loads(body)["model"]), path, writer)
            await writer.drain()

    async def _answer(self, name: str, path: str, writer: asyncio.StreamWriter) -> None:
        streams, kind = PROTOCOLS.get(path, ({}, ""))
        whole = self._turn(name, kind) if name in self.turns else self._whole(name, streams, kind)
        if whole is not None:
            writer.write(whole)
        elif name == "thinks-first":
            writer.write(_head(200, kind) + delta("").encode())
            await writer.drain()
            await asyncio.sleep(0.5)
            writer.write((delta("{}") + end()).encode())
        elif name == "drips":
            writer.write(_head(200, kind))
            while not writer.is_closing():
                writer.write(delta("x").encode())
                await writer.drain()
                await asyncio.sleep(0.02)
        elif name in {"endless", "endless-line"}:
            writer.write(_head(200, kind) + (b"" if name == "endless" else b"data: "))
            while not writer.is_closing():
                writer.write(delta("x" * 10_000).encode() if name == "endless" else b"y" * 100_000)
                await writer.drain()
        else:
            await self._hang(name, writer)

    def _whole(self, name: str, streams: Mapping[str, str], kind: str) -> bytes | None:
        """The answers that come at once and whole."""
        if name in self.answers:
            return _head(200, kind) + (delta(self.answers[name]) + end()).encode()
        if name in streams:
            return _head(200, kind) + streams[name].encode()
        if name.isdecimal():
            return _head(int(name), "application/json", "Retry-After: 7") + b'{"error": "no, sk-12345"}'
        if name.startswith("wait-"):
            return _head(429, "text/plain", f"Retry-After: {name.removeprefix('wait-')}")
        if name.startswith("page-"):
            _, status, words = name.split("-", 2)
            return _head(int(status), "text/html") + words.encode()
        others = {
            "html": _head(200, "text/html") + b"<h1>Welcome</h1>",
            "redirect": _head(302, "text/plain", "Location: http://elsewhere.example/"),
            "quota": _head(429, "application/json") + b'{"error": {"code": "insufficient_quota"}}',
            "echo": _head(400, "text/plain") + self.requests[-1],
            "echo-late": _head(400, "text/plain") + b"\x1b\xe2\x80\xae" + b"y " * 146 + self._said().encode(),
            "error-late": _head(200, kind)
            + CHUNK.format(json.dumps({"error": f"{'y ' * 146}{self._said()}"})).encode(),
            "compressed": _head(200, kind, "Content-Encoding: gzip") + gzip.compress((delta("{}") + end()).encode()),
            "echo-in-stream": _head(200, kind) + (delta(self.requests[-1].decode()) + end()).encode(),
        }
        return others.get(name)

    def _said(self) -> str:
        """The right to ask of the last request, as it was given."""
        return self.requests[-1].decode().partition("uthorization: Bearer ")[2].partition("\r\n")[0]

    def _turn(self, name: str, kind: str) -> bytes:
        """The next answer of a conversation."""
        offered = "tools" in self.bodies()[-1]
        if offered and self.refuses:
            return _head(400, "application/json") + json.dumps({"error": self.refuses}).encode()
        path = self.requests[-1].split(b" ", 2)[1].decode()
        said = self.turns[name].pop(0)
        return _head(200, kind) + _TURNS[path](said if offered else _text(said)).encode()

    async def _hang(self, name: str, writer: asyncio.StreamWriter) -> None:
        if name == "hang-in-stream":
            writer.write(_head(200, "text/event-stream") + delta("Hello").encode())
            await writer.drain()
        self.started.set()
        while not writer.is_closing():
            await asyncio.sleep(0.01)
            writer.write(b": \n" if name == "hang-in-stream" else b"")
            await writer.drain()


def _text(said: object) -> str:
    return said if isinstance(said, str) else json.dumps(said)


def _head(status: int, kind: str, *more: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}; charset=utf-8", "Connection: close", *more]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@contextmanager
def aside(made_on: Callable[[asyncio.AbstractEventLoop], S]) -> Iterator[S]:
    """A host on a loop of its own, in another thread, for tests that have none. ``made_on`` makes it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = made_on(loop)
    try:
        asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(LIMIT)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(LIMIT)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(LIMIT)
        loop.close()
