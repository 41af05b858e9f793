"""Messages on the two streams a client gave us: framing and nothing else.

It neither parses nor understands a message and imports next to nothing, because it runs before everything else.
Invariant: nothing but whole messages is ever written, and nothing at all after the stream has closed.
"""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK: Final = 1 << 16
_LONGEST: Final = 1 << 29
_END_OF_HEADER: Final = b"\r\n\r\n"
_STDIN, _STDOUT, _STDERR = 0, 1, 2


class Connection:
    """A client's two streams, by file descriptor. Reading blocks; one thread reads, any may write."""

    def __init__(self, reading: int, writing: int) -> None:
        """Take over both descriptors."""
        self.closed = False
        self._reading = reading
        self._writing = writing
        self._pending = bytearray()
        self._lock = threading.Lock()

    def receive(self) -> bytes | None:
        """The next message's body; None when the client has gone or what it sends is no message."""
        while (end := self._pending.find(_END_OF_HEADER)) < 0:
            if len(self._pending) > _CHUNK or not self._more():
                return None
        header = bytes(self._pending[:end])
        length = _content_length(header)
        if length is None or length > _LONGEST:
            return None
        start = end + len(_END_OF_HEADER)
        while len(self._pending) < start + length:
            if not self._more():
                return None
        body = bytes(self._pending[start : start + length])
        del self._pending[: start + length]
        return body

    def send(self, message: object, default: Callable[[object], object] | None = None) -> None:
        """Write one message. A client that no longer listens is no error: the end of its stream says the same."""
        body = _encoded(json.dumps(message, default=default, ensure_ascii=False, separators=(",", ":")))
        data = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        with self._lock:
            view = memoryview(data)
            while view and not self.closed:
                try:
                    view = view[os.write(self._writing, view) :]
                except (BrokenPipeError, ConnectionResetError):
                    self.closed = True

    def close(self) -> None:
        """Write nothing more."""
        self.closed = True

    def _more(self) -> bool:
        try:
            chunk = os.read(self._reading, _CHUNK)
        except ConnectionResetError:
            return False
        self._pending += chunk
        return bool(chunk)


def standard_streams() -> Connection:
    """The connection on standard input and output, which nobody else in this process can reach afterwards.

    A stray ``print`` goes to standard error, and a child that reads standard input gets nothing of the client's.
    """
    connection = Connection(os.dup(_STDIN), os.dup(_STDOUT))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _STDIN)
    os.close(nothing)
    os.dup2(_STDERR, _STDOUT)
    return connection


def _content_length(header: bytes) -> int | None:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return int(value)
    return None


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Lone surrogates, as in a path that is not UTF-8: no client could read them, so they show as U+FFFD.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
