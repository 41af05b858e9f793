"""A live review over the protocol, for tests: the branch it starts from, and waiting for what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from support.lsp import Client, Message
    from support.repo import Repo

OLD: Final = "def old(cache={}):\n    return cache\n"
NEW: Final = OLD + "\n\ndef new(cache={}):\n    return cache\n"
FIXED: Final = OLD + "\n\ndef new(cache=None):\n    if cache is None:\n        cache = {}\n    return cache\n"
ITEM: Final = "python/mutable-default"


def uri_of(repo: Repo, name: str = "a.py") -> str:
    """The usual spelling of a file's URI."""
    return (repo.root / name).as_uri()


def found(message: Message, uri: str) -> list[tuple[int, str]]:
    """Line from 0 and item of each diagnostic, if the message is a publication for ``uri``."""
    if message.get("method") != "textDocument/publishDiagnostics" or message["params"]["uri"] != uri:
        return []
    return [(each["range"]["start"]["line"], each["code"]) for each in message["params"]["diagnostics"]]


def wait_for(
    client: Client, uri: str, *expected: tuple[int, str], version: int | None = None, after: int = 0
) -> Message:
    """The publication that shows exactly this."""

    def fits(message: Message) -> bool:
        return (
            message.get("method") == "textDocument/publishDiagnostics"
            and message["params"]["uri"] == uri
            and found(message, uri) == list(expected)
            and (version is None or message["params"].get("version") == version)
        )

    params: Message = client.wait(fits, after=after)["params"]
    return params


def command(client: Client, name: str, **argument: object) -> Any:  # noqa: ANN401  plain JSON
    """Run one of our commands; its result."""
    return client.result("workspace/executeCommand", {"command": f"roundzero.{name}", "arguments": [argument]})


def begin(client: Client, name: str, **argument: object) -> int:
    """Ask for one of our commands, and go on; the number of the request."""
    return client.request("workspace/executeCommand", {"command": f"roundzero.{name}", "arguments": [argument]})


def at_rest(client: Client) -> None:
    """Wait until the change is known and nothing runs: then only what stays is there.

    Asks again when the server has said something, or after a moment: what begins and ends in between is not told.
    """
    for _ in range(600):
        (status,) = client.result("workspace/executeCommand", {"command": "roundzero.status"})
        if status["base"] and not status["running"]:
            return
        client.is_silent(0.1)
    raise AssertionError(status)


def actions(client: Client, uri: str, line: int, **context: Any) -> list[Message]:  # noqa: ANN401  plain JSON
    """The code actions somewhere on a line."""
    span = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 99}}
    params = {"textDocument": {"uri": uri}, "range": span, "context": {"diagnostics": [], **context}}
    result: list[Message] = client.result("textDocument/codeAction", params) or []
    return result


def applied(text: str, edits: list[Message]) -> str:
    """An ASCII text after LSP edits."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]

    def at(place: Message) -> int:
        line = int(place["line"])
        return starts[min(line, len(lines))] + int(place["character"])

    for edit in sorted(edits, key=lambda each: at(each["range"]["start"]), reverse=True):
        text = text[: at(edit["range"]["start"])] + edit["newText"] + text[at(edit["range"]["end"]) :]
    return text
