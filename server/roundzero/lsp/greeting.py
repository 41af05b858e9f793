"""Answers ``initialize``, before anything heavy has been imported.

A client waits for this reply before it does anything else, and nothing in it needs more than the parameters. What
follows is answered by the server proper. The capabilities stand here as data; a test compares them with the handlers.
Invariant: until ``initialize`` has come, every other request is refused and every notification dropped.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from roundzero import __version__
from roundzero.core.frozen import dataclass
from roundzero.lsp.client import Client, read_client

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.lsp.connection import Connection

COMMANDS: Final = tuple(
    f"roundzero.{name}"
    for name in (
        "review", "stop", "selectBase", "status", "pause", "resume",
        "dismiss", "reopen", "recheck", "explain", "copy", "answer", "report",
    )
)  # fmt: skip
"""The commands that exist."""

FIX_ALL: Final = "source.fixAll.roundzero"

NOT_INITIALIZED: Final = -32002
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
PARSE_ERROR: Final = -32700


@dataclass(frozen=True, slots=True)
class Greeted:
    """A client that has been answered."""

    client: Client


@dataclass(frozen=True, slots=True)
class Left:
    """A client that went before it asked for anything."""

    exit_code: int


def greet(connection: Connection) -> Greeted | Left:
    """Read messages until ``initialize`` has been answered or the client has gone."""
    while (body := connection.receive()) is not None:
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            refuse(connection, None, PARSE_ERROR, "the message is not JSON")
            continue
        if not isinstance(message, dict):
            refuse(connection, None, INVALID_REQUEST, "a message is one JSON object")
            continue
        if message.get("method") == "exit":
            return Left(1)
        if "id" not in message:
            continue
        if message.get("method") != "initialize":
            refuse(connection, message["id"], NOT_INITIALIZED, "initialize comes first")
        elif not isinstance(params := message.get("params"), dict):
            refuse(connection, message["id"], INVALID_PARAMS, "initialize needs its parameters")
        else:
            client = read_client(params)
            connection.send({"jsonrpc": "2.0", "id": message["id"], "result": initialize_result(client)})
            return Greeted(client)
    return Left(1)


def refuse(connection: Connection, request: object, code: int, message: str) -> None:
    """Answer a request with an error. ``request`` is its id; None where it could not be read."""
    connection.send({"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}})


def initialize_result(client: Client) -> Mapping[str, object]:
    """The reply to ``initialize``."""
    files = {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]}
    return {
        "serverInfo": {"name": "roundzero", "version": __version__},
        "capabilities": {
            "positionEncoding": client.encoding,
            "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
            "hoverProvider": True,
            "codeActionProvider": {"codeActionKinds": ["quickfix", FIX_ALL], "resolveProvider": True},
            "executeCommandProvider": {"commands": list(COMMANDS), "workDoneProgress": True},
            "workspace": {
                "workspaceFolders": {"supported": True, "changeNotifications": True},
                "fileOperations": {"willRename": files, "didRename": files},
            },
        },
    }
