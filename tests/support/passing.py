"""Stands between a client and a real model's host: passes on what is asked and answered, and keeps account.

A reply is cut short at a number of tokens that no sound one needs, so that a model that does not come to an end costs
seconds. Invariant: nothing else of what passes is changed.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from support.model_server import ModelServer, aside

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_MOST: Final = 96


class Passing(ModelServer):
    """``answered``: the bodies of the questions that were answered whole."""

    def __init__(self, host: str) -> None:
        """Pass on to ``host``."""
        super().__init__()
        self.answered: list[str] = []
        self.held_from: int | None = None
        """After so many answers the others only begin, until this is None again."""
        self.begun = threading.Event()
        """Whether one such has begun."""
        self._host = urlsplit(host)

    async def _answer(self, name: str, path: str, writer: asyncio.StreamWriter) -> None:
        del name
        number = len(self.requests)
        body = self.requests[-1].split(b"\r\n\r\n", 1)[1].decode()
        asked = json.loads(body)
        short = json.dumps(asked | {"max_tokens": min(asked["max_tokens"], _MOST)}).encode()
        lines = (f"POST {path} HTTP/1.1", f"Host: {self._host.netloc}", "Content-Type: application/json")
        head = "\r\n".join((*lines, f"Content-Length: {len(short)}", "Connection: close", "", ""))
        reader, host = await asyncio.open_connection(self._host.hostname, self._host.port)
        whole = b""
        try:
            host.write(head.encode() + short)
            while part := await reader.read(65536):
                whole += part
                writer.write(part)
                await writer.drain()
                if self.held_from is not None and number > self.held_from:
                    self.begun.set()
                    await asyncio.Event().wait()
        finally:
            host.close()
        if b"data: [DONE]" in whole:
            self.answered.append(body)

    @property
    def twice(self) -> list[str]:
        """The questions that were answered more than once."""
        return [body for body, times in Counter(self.answered).items() if times > 1]

    def looked(self) -> dict[str, int]:
        """The results of tools that each conversation came to, by how it began."""
        found: Counter[str] = Counter()
        for body in map(json.loads, self.answered):
            turns = body["messages"]
            begin = json.dumps([body["temperature"], turns[1:4]])
            found[begin] = max(found[begin], sum(turn["role"] == "tool" for turn in turns))
        return dict(found)


def passing(host: str) -> AbstractContextManager[Passing]:
    """Stand before ``host``, on a loop of another thread."""
    return aside(lambda _: Passing(host))
