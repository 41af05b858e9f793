"""A language client that is as thin as can be, so that what it measures is the server.

Blocking, one thread, standard library only: no event loop of its own delays a reading. It answers every request of the
server with null. Invariant: a time is taken just before the bytes are written and just after the awaited ones came.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from typing import TYPE_CHECKING, Any, Final

from installed import clean_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

Message = dict[str, Any]
PATIENCE: Final = 60.0
"""Seconds after which a server that says nothing has failed."""


class Client:
    """One server process on pipes."""

    def __init__(
        self, command: Sequence[str | Path], root: Path, *, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start ``command`` in ``root``. ``environment``: what differs from ours."""
        self.started = time.perf_counter()
        self.root = root
        self.process = subprocess.Popen(
            [str(part) for part in command],
            cwd=root,
            env=clean_environment() | dict(environment or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._buffer = bytearray()
        self._last_id = 0
        self._versions: dict[str, int] = {}

    def initialize(self, options: Message, *, watches_files: bool = True) -> float:
        """Shake hands. Returns milliseconds from the start of the process to the reply."""
        watching = {"didChangeWatchedFiles": {"dynamicRegistration": watches_files, "relativePatternSupport": True}}
        self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": self.root.as_uri(),
                "workspaceFolders": [{"uri": self.root.as_uri(), "name": self.root.name}],
                "capabilities": {
                    "general": {"positionEncodings": ["utf-8", "utf-16"]},
                    "textDocument": {
                        "publishDiagnostics": {"versionSupport": True},
                        "synchronization": {"didSave": True, "dynamicRegistration": False},
                    },
                    "workspace": {"workspaceFolders": True, **watching},
                    "window": {"workDoneProgress": False},
                },
                "initializationOptions": options,
            },
        )
        reply = (time.perf_counter() - self.started) * 1000
        self.notify("initialized", {})
        return reply

    def open(self, path: Path, text: str) -> str:
        """Open a Python file and return its URI."""
        uri = path.as_uri()
        self._versions[uri] = 1
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return uri

    def edit(self, uri: str, start: tuple[int, int], end: tuple[int, int], text: str) -> int:
        """Replace a range (line and character from 0) and return the new version."""
        self._versions[uri] += 1
        version = self._versions[uri]
        where = {
            "start": {"line": start[0], "character": start[1]},
            "end": {"line": end[0], "character": end[1]},
        }
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"range": where, "text": text}]},
        )
        return version

    def save(self, uri: str) -> None:
        """Say that a document was saved."""
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def diagnostics(self, uri: str, wanted: Callable[[Message], bool]) -> Message:
        """Wait for a publication for ``uri`` whose parameters satisfy ``wanted``, and return them."""
        answer = self.wait(
            lambda m: (
                m.get("method") == "textDocument/publishDiagnostics"
                and m["params"]["uri"] == uri
                and wanted(m["params"])
            )
        )
        params: Message = answer["params"]
        return params

    def request(self, method: str, params: object) -> Message:
        """Send a request and wait for its answer, an error included."""
        sent = self.ask(method, params)
        return self.wait(lambda m: m.get("id") == sent and "method" not in m)

    def ask(self, method: str, params: object) -> int:
        """Send a request without waiting; returns its id."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        return self._last_id

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def wait(self, wanted: Callable[[Message], bool], *, seconds: float = PATIENCE) -> Message:
        """Read until a message satisfies ``wanted``; SystemExit when none does in time or the server ends."""
        limit = time.monotonic() + seconds
        while (message := self._receive(limit - time.monotonic())) is not None:
            if wanted(message):
                return message
        said = (
            f"it ended with status {self.process.poll()}" if self.process.poll() is not None else "it said nothing more"
        )
        raise SystemExit(f"the server did not answer within {seconds:.0f} s: {said}")

    def drain(self, seconds: float) -> None:
        """Read and answer whatever comes for ``seconds``."""
        limit = time.monotonic() + seconds
        while (left := limit - time.monotonic()) > 0:
            if self._receive(left) is None and self.process.poll() is not None:
                return

    def close(self) -> None:
        """Shut the server down in the polite order, and end it if that does not help."""
        try:
            if self.process.poll() is None:
                self.request("shutdown", None)
                self.notify("exit", None)
            self.process.wait(10)
        except (OSError, SystemExit, subprocess.TimeoutExpired):
            self.process.kill()
        finally:
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()
            self.process.wait()

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _receive(self, seconds: float) -> Message | None:
        limit = time.monotonic() + seconds
        while (message := self._parse()) is None:
            assert self.process.stdout is not None
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, limit - time.monotonic()))
            if not ready:
                return None
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                return None
            self._buffer += data
        if "method" in message and "id" in message:
            self._send({"id": message["id"], "result": None})
        return message

    def _parse(self) -> Message | None:
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return None
        fields = bytes(self._buffer[:head]).lower().split(b"\r\n")
        length = next(int(field.split(b":")[1]) for field in fields if field.startswith(b"content-length"))
        end = head + 4 + length
        if len(self._buffer) < end:
            return None
        message: Message = json.loads(self._buffer[head + 4 : end])
        del self._buffer[:end]
        return message
