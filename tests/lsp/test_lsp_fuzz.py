"""Arbitrary messages against the protocol, in this process."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from roundzero.lsp import handlers
from roundzero.lsp.client import Client
from roundzero.lsp.pygls_fixes import Server
from roundzero.lsp.session import Session
from roundzero.lsp.workspaces import Workspaces

if TYPE_CHECKING:
    from collections.abc import Callable

    from roundzero.lsp.connection import Connection

METHODS = (
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave",
    "textDocument/hover", "textDocument/codeAction", "codeAction/resolve", "workspace/executeCommand",
    "workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders", "workspace/didChangeWatchedFiles",
    "workspace/willRenameFiles", "workspace/didRenameFiles", "window/workDoneProgress/cancel", "initialize",
    "initialized", "roundzero/findings", "roundzero/baseText", "$/setTrace", "$/cancelRequest", "no/such",
)  # fmt: skip
KEYS = ("textDocument", "uri", "version", "text", "languageId", "contentChanges", "range", "start", "end", "line",
        "character", "position", "context", "diagnostics", "only", "command", "arguments", "event", "added", "removed",
        "changes", "files", "settings", "data", "title", "id", "token", "jsonrpc", "method")  # fmt: skip
leaves = (
    st.none() | st.booleans() | st.integers(-2, 2**33) | st.sampled_from(["file:///a.py", "roundzero.status", "\ud800"])
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)
identities = st.none() | st.integers(-5, 5) | st.text(max_size=2) | st.lists(st.none(), max_size=1)
parts = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={
        "id": identities,
        "method": st.sampled_from(METHODS) | values,
        "params": values,
        "result": values,
        "error": values,
    },
)


class Ear:
    """A connection that keeps what is sent."""

    closed = False

    def __init__(self) -> None:
        """Start with nothing."""
        self.heard: list[dict[str, object]] = []

    def send(self, message: object, default: Callable[[object], object] | None = None) -> None:
        """Keep the message as the client would read it."""
        self.heard.append(json.loads(json.dumps(message, default=default)))


@settings(max_examples=300, deadline=None)
@given(st.lists(parts | values, max_size=8))
def test_every_request_gets_one_answer_and_nothing_else_gets_one(messages: list[object]) -> None:
    """Whatever is sent, nothing is raised, each request is answered once, and no notification ever."""

    async def converse() -> list[dict[str, object]]:
        ear = Ear()
        server = Server(cast("Connection", ear))
        client = Client(code_action_literals=True)
        server.session = Session(server, client, Workspaces(client, {}))
        handlers.register_all(server)
        for message in messages:
            server.protocol.receive(json.dumps(message).encode())
            await asyncio.gather(*server.protocol._running.values(), return_exceptions=True)
            await asyncio.sleep(0)
        return ear.heard

    heard = asyncio.run(converse())
    answers = [message for message in heard if "method" not in message]
    asked = [message for message in messages if _is_request(message)]
    assert len([answer for answer in answers if "result" in answer]) <= len(asked)
    expected = sum(1 for message in messages if _is_request(message) or _is_nonsense(message))
    assert len(answers) == expected


def _is_request(message: object) -> bool:
    return isinstance(message, dict) and "id" in message and isinstance(message.get("method"), str)


def _is_nonsense(message: object) -> bool:
    """What is answered because it might have been a request."""
    if not isinstance(message, dict):
        return True
    response = "result" in message or "error" in message
    return "id" in message and not isinstance(message.get("method"), str) and not response
