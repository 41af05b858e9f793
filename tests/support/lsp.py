"""A language client of a few lines, for tests: raw JSON over the server's standard streams.

Unlike a real one it can send what no client should. Waiting has a limit and no fixed pauses.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Self

LIMIT: Final = 60.0
"""Seconds a test waits for something that should come at once."""

Message = dict[str, Any]

LATER: Final = object()
"""What stands for the answer to a request that the test answers by itself, or never."""

VS_CODE: Final[Mapping[str, Any]] = {
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": ["create", "rename", "delete"],
            "failureHandling": "textOnlyTransactional",
            "normalizesLineEndings": True,
            "changeAnnotationSupport": {"groupsOnLabel": True},
        },
        "configuration": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "symbol": {"symbolKind": {"valueSet": list(range(1, 27))}, "tagSupport": {"valueSet": [1]}},
        "executeCommand": {"dynamicRegistration": True},
        "didChangeConfiguration": {"dynamicRegistration": True},
        "workspaceFolders": True,
        "fileOperations": {"dynamicRegistration": True, "didRename": True, "willRename": True},
        "diagnostics": {"refreshSupport": True},
    },
    "textDocument": {
        "publishDiagnostics": {
            "relatedInformation": True,
            "versionSupport": False,
            "tagSupport": {"valueSet": [1, 2]},
            "codeDescriptionSupport": True,
            "dataSupport": True,
        },
        "synchronization": {"dynamicRegistration": True, "willSave": True, "willSaveWaitUntil": True, "didSave": True},
        "hover": {"dynamicRegistration": True, "contentFormat": ["markdown", "plaintext"]},
        "codeAction": {
            "dynamicRegistration": True,
            "isPreferredSupport": True,
            "disabledSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
            "codeActionLiteralSupport": {
                "codeActionKind": {"valueSet": ["", "quickfix", "refactor", "source", "source.organizeImports"]}
            },
            "honorsChangeAnnotations": True,
        },
        "completion": {"completionItemKind": {"valueSet": list(range(1, 26))}},
    },
    "window": {
        "showMessage": {"messageActionItem": {"additionalPropertiesSupport": True}},
        "showDocument": {"support": True},
        "workDoneProgress": True,
    },
    "general": {
        "staleRequestSupport": {"cancel": True, "retryOnContentModified": ["textDocument/semanticTokens/full"]},
        "regularExpressions": {"engine": "ECMAScript", "version": "ES2020"},
        "markdown": {"parser": "marked", "version": "1.1.0"},
        "positionEncodings": ["utf-16"],
    },
    "notebookDocument": {"synchronization": {"dynamicRegistration": True, "executionSummarySupport": True}},
    "experimental": {"commands": {"commands": ["roundzero.showBase"]}},
}
"""What VS Code's client announces, as far as a server like ours can care."""

NEOVIM: Final[Mapping[str, Any]] = {
    "general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
    "textDocument": {
        "synchronization": {
            "dynamicRegistration": False, "willSave": True, "willSaveWaitUntil": True, "didSave": True,
        },
        "codeAction": {
            "dynamicRegistration": True,
            "codeActionLiteralSupport": {
                "codeActionKind": {"valueSet": ["", "quickfix", "refactor", "source", "source.organizeImports"]}
            },
            "isPreferredSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit", "command"]},
        },
        "hover": {"dynamicRegistration": True, "contentFormat": ["markdown", "plaintext"]},
        "publishDiagnostics": {
            "relatedInformation": True, "tagSupport": {"valueSet": [1, 2]}, "dataSupport": True,
        },
        "diagnostic": {"dynamicRegistration": False},
    },
    "workspace": {
        "symbol": {"dynamicRegistration": False, "symbolKind": {"valueSet": list(range(1, 27))}},
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": False},
        "workspaceFolders": True,
        "applyEdit": True,
        "workspaceEdit": {"resourceOperations": ["rename", "create", "delete"]},
        "semanticTokens": {"refreshSupport": True},
        "didChangeWatchedFiles": {"dynamicRegistration": False, "relativePatternSupport": True},
        "inlayHint": {"refreshSupport": True},
    },
    "window": {
        "workDoneProgress": True,
        "showMessage": {"messageActionItem": {"additionalPropertiesSupport": False}},
        "showDocument": {"support": True},
    },
}  # fmt: skip
"""What Neovim 0.11 announces on Linux."""

MINIMAL: Final[Mapping[str, Any]] = {
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
}
"""A client that can show diagnostics and apply an edit, and no more."""


class Client:
    """One server process and everything it said. Answers the server's requests as the test tells it to."""

    def __init__(
        self, *, env: Mapping[str, str] | None = None, argv: tuple[str, ...] = (), cwd: Path | None = None
    ) -> None:
        """Start the server. ``argv`` replaces the usual command."""
        self.process = subprocess.Popen(
            argv or (sys.executable, "-c", "import sys; from roundzero.lsp.server import serve; sys.exit(serve())"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
            cwd=cwd,
        )
        self.inbox: list[Message] = []
        self.answers: dict[str, Callable[[Any], Any]] = {
            "workspace/configuration": lambda params: [None] * len(params["items"])
        }
        self.stderr = b""
        self._next = 0
        self._queue: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._drain)]
        for thread in self._threads:
            thread.daemon = True
            thread.start()

    def __enter__(self) -> Self:
        """Use it for the length of a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave no process behind."""
        self.close()

    def close(self) -> None:
        """Let go of the server, however it is doing."""
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LIMIT)
        for thread in self._threads:
            thread.join(LIMIT)
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()

    def initialize(
        self, root: Path | None = None, capabilities: Mapping[str, Any] | None = None, **more: object
    ) -> Message:
        """Greet the server; the result of ``initialize``."""
        folders = [{"uri": root.as_uri(), "name": root.name}] if root is not None else None
        params = {"processId": os.getpid(), "rootUri": None, "workspaceFolders": folders,
                  "capabilities": capabilities if capabilities is not None else VS_CODE, **more}  # fmt: skip
        result: Message = self.result("initialize", params)
        self.notify("initialized", {})
        return result

    def stop(self) -> int:
        """Say goodbye as one should; the exit status."""
        self.result("shutdown")
        self.notify("exit")
        return self.process.wait(LIMIT)

    def send(self, message: object) -> None:
        """Send any JSON value."""
        self.send_raw(json.dumps(message).encode())

    def send_raw(self, body: bytes) -> None:
        """Send any bytes as a message."""
        self.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def write(self, data: bytes) -> None:
        """Write any bytes."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification; no ``params`` member when None."""
        self.send({"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params}))

    def request(self, method: str, params: object = None) -> int:
        """Send a request; its id."""
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method}
        self.send(message | ({} if params is None else {"params": params}))
        return self._next

    def response(self, identity: object) -> Message:
        """The whole answer to a request."""
        return self.wait(lambda message: "method" not in message and message.get("id") == identity)

    def result(self, method: str, params: object = None) -> Any:  # noqa: ANN401  plain JSON
        """Ask, and the result; an error fails the test."""
        answer = self.response(self.request(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def error(self, method: str, params: object = None) -> Message:
        """Ask for something that must be refused; the error."""
        answer = self.response(self.request(method, params))
        assert "error" in answer, answer
        error: Message = answer["error"]
        return error

    def wait(self, wanted: Callable[[Message], bool], *, after: int = 0) -> Message:
        """The first message that fits, from the ``after``-th on; what came already counts too."""
        seen = after
        while True:
            for message in self.inbox[seen:]:
                if wanted(message):
                    return message
            seen = max(seen, len(self.inbox))
            self._pump()

    def is_silent(self, seconds: float) -> bool:
        """Whether the server says nothing for so long; what it does say is kept."""
        try:
            self._pump(seconds)
        except queue.Empty:
            return True
        return False

    def said(self, method: str, *, after: int = 0) -> Message:
        """The parameters of a notification or request of this method."""
        params: Message = self.wait(lambda message: message.get("method") == method, after=after).get("params", {})
        return params

    def diagnostics(self, uri: str, *, version: int | None = None, after: int = 0) -> list[Message]:
        """The diagnostics of a document, as published for a version."""

        def fits(message: Message) -> bool:
            params = message.get("params", {})
            return (
                message.get("method") == "textDocument/publishDiagnostics"
                and params["uri"] == uri
                and (version is None or params.get("version") == version)
            )

        found: list[Message] = self.wait(fits, after=after)["params"]["diagnostics"]
        return found

    def open(self, uri: str, text: str, *, version: int = 1, language: str = "python") -> None:
        """Open a document."""
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: Message) -> None:
        """Edit a document."""
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}
        self.notify("textDocument/didChange", params)

    def round_trip(self) -> None:
        """Wait until the server has taken everything sent so far."""
        self.error("test/unknown", {})

    def _pump(self, seconds: float | None = None) -> None:
        """Take in a message. In vain: queue.Empty after ``seconds``, or a failure after the usual limit."""
        try:
            message = self._queue.get(timeout=LIMIT if seconds is None else seconds)
        except queue.Empty:
            if seconds is not None:
                raise
            heard = [each.get("method") or f"answer {each.get('id')}" for each in self.inbox]
            raise AssertionError(f"waited {LIMIT} s in vain; heard {heard}; {self.stderr.decode()[-2000:]}") from None
        if message is None:
            self._queue.put(None)
            raise AssertionError(f"the server has gone: {self.stderr.decode()[-4000:]}")
        self.inbox.append(message)
        if "method" in message and "id" in message:
            answer = self.answers.get(message["method"], _null)(message.get("params"))
            if answer is LATER:
                return
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": answer})

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream
        while (header := stream.readline()).startswith(b"Content-Length: "):
            while stream.readline() not in {b"\r\n", b""}:
                pass
            self._queue.put(json.loads(stream.read(int(header.split(b":")[1]))))
        self._queue.put(None)

    def _drain(self) -> None:
        stream = self.process.stderr
        assert stream
        for line in stream:
            self.stderr += line


def _null(_params: object) -> None:
    """The answer to a request the test says nothing about."""
