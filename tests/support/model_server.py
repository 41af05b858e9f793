"""A model's host on this machine that behaves, or misbehaves, as the model's name in the request says.

Speaks just enough HTTP over raw sockets to do what no well-behaved server does. ``requests`` holds every request whole.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

CHUNK: Final = "data: {}\n\n"


def delta(text: str) -> str:
    """One event of the chat protocol with a part of the answer."""
    return CHUNK.format(json.dumps({"choices": [{"delta": {"content": text}}]}, ensure_ascii=False))


def end(reason: str = "stop", sent: int = 100, received: int = 20) -> str:
    """The last events of the chat protocol."""
    stop = CHUNK.format(json.dumps({"choices": [{"delta": {}, "finish_reason": reason}]}))
    usage = {"choices": [], "usage": {"prompt_tokens": sent, "completion_tokens": received}}
    return stop + CHUNK.format(json.dumps(usage)) + "data: [DONE]\n\n"


STREAMS: Final = {
    "good": ": a comment\n\n" + delta("Hello ") + delta("world\u2028again\x85") + end(),
    "truncated": delta("Hel") + end("length"),
    "refused": delta("") + end("content_filter"),
    "empty": end(),
    "cut": delta("Hel"),
    "wrong-json": "data: {not json\n\n",
    "wrong-shape": 'data: {"choices": [7]}\n\n',
    "error-in-stream": delta("He") + 'data: {"error": {"message": "overloaded, rate limit"}}\n\n',
}


class ModelServer:
    """Use as ``async with``; ``url`` is the address to give as model.baseUrl."""

    def __init__(self, answers: dict[str, str] | None = None) -> None:
        """``answers``: whole texts by model name, beside the misbehaviours above."""
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
        """Where it listens."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def bodies(self) -> list[dict[str, object]]:
        """What was asked."""
        return [json.loads(request.split(b"\r\n\r\n", 1)[1]) for request in self.requests]

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
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
            await self._answer(str(json.loads(body)["model"]), writer)
            await writer.drain()

    async def _answer(self, name: str, writer: asyncio.StreamWriter) -> None:
        if name in STREAMS or name in self.answers:
            text = STREAMS.get(name) or delta(self.answers[name]) + end()
            writer.write(_head(200, "text/event-stream") + text.encode())
        elif name == "html":
            writer.write(_head(200, "text/html") + b"<h1>Welcome</h1>")
        elif name == "redirect":
            writer.write(_head(302, "text/plain", "Location: http://elsewhere.example/") + b"")
        elif name.isdecimal():
            writer.write(_head(int(name), "application/json", "Retry-After: 7") + b'{"error": "no, sk-12345"}')
        elif name == "quota":
            writer.write(_head(429, "application/json") + b'{"error": {"code": "insufficient_quota"}}')
        elif name == "endless":
            writer.write(_head(200, "text/event-stream"))
            while not writer.is_closing():
                writer.write(delta("x" * 10_000).encode())
                await writer.drain()
        elif name == "endless-line":
            writer.write(_head(200, "text/event-stream") + b"data: ")
            while not writer.is_closing():
                writer.write(b"y" * 100_000)
                await writer.drain()
        else:
            await self._hang(name, writer)

    async def _hang(self, name: str, writer: asyncio.StreamWriter) -> None:
        if name == "hang-in-stream":
            writer.write(_head(200, "text/event-stream") + delta("Hello").encode())
            await writer.drain()
        self.started.set()
        while not writer.is_closing():
            await asyncio.sleep(0.01)
            writer.write(b": \n" if name == "hang-in-stream" else b"")
            await writer.drain()


def _head(status: int, kind: str, *more: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}; charset=utf-8", "Connection: close", *more]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
