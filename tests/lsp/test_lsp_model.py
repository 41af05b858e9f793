"""The model lane at an editor: what is asked and shown, what edits do to it, and what never leaves."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from support.lsp import LATER, LIMIT
from support.model_server import ModelServer, aside
from support.replies import draft, found, script
from support.shown import command, uri_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from support.lsp import Client, Message
    from support.repo import Repo

BASE = "price, tax = 2, 1\n"
LINE = "total = price - tax"
TEXT = f"{BASE}{LINE}\n"
QUESTION = "may tax be negative?"
SAID = f"something is wrong with {LINE}"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A branch whose one new line a model has something to say about."""
    repo.commit("base", {"a.py": BASE, "b.py": "x = 1\n"})
    repo.branch("work")
    repo.checkout("work")
    return repo


def scripted(tmp_path: Path, *findings: dict[str, Any], **more: str) -> dict[str, object]:
    """Settings for a model that says this of the line."""
    said = findings or (found("a.py", 2, LINE, open_questions=[{"text": QUESTION, "decides": "existence"}]),)
    path = script(tmp_path / "script.jsonl", **{"total = price - tax": draft(*said), **more})
    return {"model.provider": "scripted", "model.script": str(path), "debounceMs": 20}


def hosting(**answers: str) -> AbstractContextManager[ModelServer]:
    """A model's host on this machine, on a loop of its own."""
    return aside(lambda _: ModelServer(answers))


def hosted(server: ModelServer, name: str, **more: object) -> dict[str, object]:
    """Settings for a model at that host."""
    model = {"model.provider": "openai", "model.baseUrl": server.url, "model.name": name, "debounceMs": 20}
    return model | {"model.cache": False} | more


def start(client: Client, repo: Repo, settings: dict[str, object], **options: object) -> str:
    """Greet, trusting the repository, and open the text; its URI."""
    options = {"trusted": True, "settings": settings, **options}
    client.answers["workspace/configuration"] = lambda params: [settings] * len(params["items"])
    client.initialize(repo.root, initializationOptions=options)
    uri = uri_of(repo)
    client.open(uri, TEXT)
    return uri


def model_diagnostics(message: Message, uri: str) -> list[Message]:
    """The diagnostics of a model in a publication for a document."""
    params = message.get("params") or {}
    if message.get("method") != "textDocument/publishDiagnostics" or params.get("uri") != uri:
        return []
    return [each for each in params["diagnostics"] if each["code"] == "general/other-defect"]


def until_said(client: Client, uri: str, start: str = SAID, *, version: int | None = None, after: int = 0) -> Message:
    """The model's diagnostic that begins so."""

    def fits(message: Message) -> bool:
        said = model_diagnostics(message, uri)
        current = version is None or (message.get("params") or {}).get("version") == version
        return current and any(each["message"].startswith(start) for each in said)

    (said,) = model_diagnostics(client.wait(fits, after=after), uri)
    return said


def lane(client: Client, fits: Callable[[Message], bool], *, after: int = 0) -> Message:
    """The first state of the lane that fits."""
    message = client.wait(
        lambda message: message.get("method") == "roundzero/status" and fits(message["params"]["model"]), after=after
    )
    model: Message = message["params"]["model"]
    return model


def edit(client: Client, uri: str, version: int, text: str) -> None:
    """Replace a whole text."""
    client.change(uri, version, {"text": text})


def actions(client: Client, uri: str, line: int) -> dict[str, Message]:
    """What can be done at a line, by title."""
    where = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}}
    context = {"diagnostics": [], "triggerKind": 1}
    offered = client.result(
        "textDocument/codeAction", {"textDocument": {"uri": uri}, "range": where, "context": context}
    )
    return {each["title"]: each for each in offered}


def test_what_a_model_says_follows_edits_goes_stale_and_comes_back(shop: Repo, client: Client, tmp_path: Path) -> None:
    """Lines above move it, an edit of its own line fades it visibly, and undo brings it back with its name."""
    uri = start(client, shop, scripted(tmp_path))
    first = until_said(client, uri)
    assert (first["range"]["start"]["line"], first["severity"]) == (1, 2)
    edit(client, uri, 2, f"# above\n{TEXT}")
    moved = until_said(client, uri, version=2)
    assert (moved["range"]["start"]["line"], moved["data"]) == (2, first["data"])
    edit(client, uri, 3, f"# above\n{BASE}total = price - tax - 1\n")
    stale = until_said(client, uri, f"(stale) {SAID}", version=3)
    assert (stale["severity"], stale["data"]) == (4, first["data"])
    edit(client, uri, 4, f"# above\n{TEXT}")
    back = until_said(client, uri, version=4)
    assert (back["severity"], back["data"]) == (2, first["data"])


def test_an_edited_line_is_asked_about_again(shop: Repo, client: Client, tmp_path: Path) -> None:
    """What the model says no more of it is unconfirmed; what undo brings back was not asked again."""
    uri = start(client, shop, scripted(tmp_path, **{"price + 2": draft()}))
    until_said(client, uri)
    edit(client, uri, 2, f"{BASE}total = price + 2\n")
    doubtful = until_said(client, uri, f"(unconfirmed) {SAID}", version=2)
    assert doubtful["severity"] == 4
    asked = lane(client, lambda model: model["requests"] == 2)
    at = len(client.inbox)
    edit(client, uri, 3, TEXT)
    until_said(client, uri, version=3, after=at)
    assert lane(client, lambda model: model["state"] == "idle" and model["covered"] == 1, after=at)
    (status,) = command(client, "status")
    assert status["model"]["requests"] == asked["requests"]


def test_a_completed_look_is_a_round(shop: Repo, client: Client, tmp_path: Path) -> None:
    """It is written down by itself, and the verdict is that of a quick review."""
    uri = start(client, shop, scripted(tmp_path))
    until_said(client, uri)
    status = client.wait(
        lambda message: message.get("method") == "roundzero/status" and message["params"]["round"]["index"] == 1
    )["params"]
    assert (status["verdict"]["depth"], status["verdict"]["stale"]) == ("quick", False)
    assert (status["model"]["hunks"], status["model"]["covered"], status["model"]["reasons"]) == (1, 1, [])
    assert status["model"]["tokens"] > 0


def test_a_hover_argues_the_case_and_actions_go_with_it(shop: Repo, client: Client, tmp_path: Path) -> None:
    """Trigger, steps with numbered evidence, marks, the open question; explain, ask again, answer, suggestion."""
    fixed = found(
        "a.py", 2, LINE, replacement="total = price + tax",
        open_questions=[{"text": QUESTION, "decides": "existence"}],
    )  # fmt: skip
    uri = start(client, shop, scripted(tmp_path, fixed))
    name = until_said(client, uri)["data"]["id"]
    place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 3}}
    hover = client.result("textDocument/hover", place)["contents"]["value"]
    for word in (
        "**trigger**: any call",
        "1. the line runs (E1)",
        "- E1",
        "✓",
        QUESTION,
        "said by `scripted`",
        "```diff",
    ):
        assert word in hover
    offered = actions(client, uri, 1)
    action = offered[f"Apply the suggestion: {SAID}"]
    resolved = client.result("codeAction/resolve", action)
    (changes,) = resolved["edit"]["documentChanges"]
    assert changes["edits"][0]["newText"] == "total = price + tax"
    assert command(client, "explain", id=name, show=True).startswith("**P2**")
    assert client.said("window/showMessage")["type"] == 3
    yes = offered[f"“{QUESTION}” Yes"]["command"]
    done = client.result("workspace/executeCommand", {"command": yes["command"], "arguments": yes["arguments"]})
    assert done["state"] == "open"
    assert f"{QUESTION} (decides existence) → yes" in client.result("textDocument/hover", place)["contents"]["value"]
    assert f"“{QUESTION}” Yes" not in actions(client, uri, 1)


def test_a_dismissed_finding_of_a_model_is_gone(shop: Repo, client: Client, tmp_path: Path) -> None:
    """At once, and looking again does not bring it back."""
    uri = start(client, shop, scripted(tmp_path))
    name = until_said(client, uri)["data"]["id"]
    at = len(client.inbox)
    assert command(client, "dismiss", id=name)["state"] == "dismissed"
    message = client.wait(lambda message: message.get("method") == "textDocument/publishDiagnostics", after=at)
    assert model_diagnostics(message, uri) == []
    assert command(client, "recheck", id=name)["state"] == "dismissed"


def test_a_recheck_asks_whatever_was_answered(shop: Repo, client: Client, tmp_path: Path) -> None:
    """The unit is asked again past every cache."""
    uri = start(client, shop, scripted(tmp_path))
    name = until_said(client, uri)["data"]["id"]
    lane(client, lambda model: model["state"] == "idle" and model["requests"] == 1)
    assert command(client, "recheck", id=name)["state"] == "open"
    (status,) = command(client, "status")
    assert status["model"]["requests"] == 2


def test_on_command_only(shop: Repo, client: Client, tmp_path: Path) -> None:
    """With mode manual nothing is asked until a review is, which asks by default and shows progress."""
    uri = start(client, shop, scripted(tmp_path) | {"model.mode": "manual"})
    client.diagnostics(uri, version=1)
    (status,) = command(client, "review")
    assert (status["verdict"]["depth"], status["model"]["requests"], status["round"]["index"]) == ("quick", 1, 1)
    until_said(client, uri)
    reports = [each["params"]["value"] for each in client.inbox if each.get("method") == "$/progress"]
    assert any(value.get("message", "").startswith("model") for value in reports)


def test_untrusted_sends_nothing(shop: Repo, client: Client) -> None:
    """Not by itself and not on command; the state says why."""
    with hosting(good=draft()) as server:
        start(client, shop, hosted(server, "good"), trusted=False)
        model = lane(client, lambda model: model["state"] == "off" and bool(model["reasons"]))
        assert "not trusted" in model["reasons"][0]
        error = client.error(
            "workspace/executeCommand", {"command": "roundzero.review", "arguments": [{"depth": "quick"}]}
        )
        assert "not trusted" in error["message"]
        assert server.requests == []


def test_a_model_that_hangs_keeps_nobody_waiting(shop: Repo, client: Client) -> None:
    """Checks go on as one types, edits do not end the request, and shutdown does, at once."""
    with hosting() as server:
        uri = start(client, shop, hosted(server, "hang-in-stream"))
        lane(client, lambda model: model["state"] == "running")
        for version in range(2, 6):
            edit(client, uri, version, f"{TEXT}\n\ndef new{version}(cache={{}}):\n    return cache\n")
            (found_now,) = client.diagnostics(uri, version=version)
            assert found_now["code"] == "python/mutable-default"
        assert len(server.requests) == 1
        assert server.running == 1
        assert client.stop() == 0
        assert _becomes(server, lambda: server.running == 0)


def test_a_killed_editor_leaves_no_request(shop: Repo, client: Client) -> None:
    """The connection goes with the process."""
    with hosting() as server:
        start(client, shop, hosted(server, "hang-in-stream"))
        lane(client, lambda model: model["state"] == "running")
        client.close()
        assert _becomes(server, lambda: server.running == 0)


def _becomes(server: ModelServer, fits: Callable[[], bool]) -> bool:
    """Whether something becomes true when connections close."""
    for _ in range(int(LIMIT * 100)):
        if fits():
            return True
        threading.Event().wait(0.01)
        server.closed.clear()
    return False


@pytest.mark.parametrize(
    ("name", "state", "word"),
    [
        ("401", "paused", "refuses the key"),
        ("quota", "budget-spent", "not asked for now"),
    ],
)
def test_what_stops_the_model_is_a_state_and_one_message(
    shop: Repo, client: Client, name: str, state: str, word: str
) -> None:
    """However often it is tried; checks stay, and the verdict says what was not looked at."""
    with hosting() as server:
        uri = start(client, shop, hosted(server, name))
        lane(client, lambda model: model["state"] == state and model["hunks"] == 1)
        edit(client, uri, 2, f"{TEXT}\n\ndef new(cache={{}}):\n    return cache\n")
        lane(client, lambda model: model["hunks"] == 2 or model["state"] == "running", after=len(client.inbox))
        (status,) = command(client, "status")
        assert status["verdict"]["status"] == "INCOMPLETE"
        assert any("looked at by the model" in reason for reason in status["verdict"]["reasons"])
        popped = [each["params"]["message"] for each in client.inbox if each.get("method") == "window/showMessage"]
        assert len(popped) == 1
        assert word in popped[0]


def test_without_a_key_it_says_so_once(shop: Repo, client: Client) -> None:
    """A host elsewhere needs one; nothing is tried."""
    settings: dict[str, object] = {"model.provider": "openai", "model.name": "m", "debounceMs": 20}
    start(client, shop, settings)
    model = lane(client, lambda model: model["state"] == "paused")
    assert "no key for openai" in model["reasons"][0]
    assert "no key for openai" in client.said("window/showMessage")["message"]


def test_pause_ends_the_request_and_resume_asks_again(shop: Repo, client: Client) -> None:
    """What was not answered is open still."""
    with hosting() as server:
        start(client, shop, hosted(server, "hang-in-stream"))
        lane(client, lambda model: model["state"] == "running")
        assert _becomes(server, lambda: len(server.requests) == 1)
        command(client, "pause")
        assert lane(client, lambda model: model["state"] == "paused")
        assert _becomes(server, lambda: server.running == 0)
        at = len(client.inbox)
        command(client, "resume")
        lane(client, lambda model: model["state"] == "running", after=at)
        assert _becomes(server, lambda: len(server.requests) > 1)


def test_the_editors_own_model_is_asked_through_the_editor(shop: Repo, client: Client) -> None:
    """It gets a prompt and a schema, and its text is read like any other."""
    asked: list[Message] = []

    def complete(params: Message) -> Message:
        asked.append(params)
        return {"text": draft(found("a.py", 2, LINE))}

    client.answers["roundzero/complete"] = complete
    uri = start(client, shop, {"model.provider": "client", "debounceMs": 20, "model.cache": False}, modelProvider=True)
    until_said(client, uri)
    assert LINE in asked[0]["prompt"]
    assert asked[0]["schema"]["additionalProperties"] is False


def test_a_late_reply_of_the_editors_model_is_for_the_text_of_now(shop: Repo, client: Client) -> None:
    """One that was cancelled is told so, and what it says after that is for nobody."""
    client.answers["roundzero/complete"] = lambda _params: LATER
    settings = {"model.provider": "client", "debounceMs": 20, "model.cache": False}
    uri = start(client, shop, settings, modelProvider=True)
    first = client.wait(lambda message: message.get("method") == "roundzero/complete")["id"]
    command(client, "pause")
    assert client.said("$/cancelRequest") == {"id": first}
    reply(client, first, found("a.py", 2, LINE, title="too late"))
    at = len(client.inbox)
    command(client, "resume")
    second = client.wait(lambda message: message.get("method") == "roundzero/complete", after=at)["id"]
    assert second != first
    edit(client, uri, 2, f"# above\n{TEXT}# below\n")
    command(client, "status")
    reply(client, second, found("a.py", 2, LINE))
    said = until_said(client, uri, version=2)
    assert said["range"]["start"]["line"] == 2
    assert not any(
        each["message"].startswith("too late") for message in client.inbox for each in model_diagnostics(message, uri)
    )


def reply(client: Client, request: object, *findings: dict[str, Any]) -> None:
    """Answer a request for a completion at last."""
    client.send({"jsonrpc": "2.0", "id": request, "result": {"text": draft(*findings)}})


def test_an_editors_model_that_says_nothing_is_an_outcome(shop: Repo, client: Client) -> None:
    """What is no text costs the model's part and nothing else."""
    client.answers["roundzero/complete"] = lambda _params: {"text": 7}
    start(client, shop, {"model.provider": "client", "debounceMs": 20}, modelProvider=True)
    model = lane(client, lambda model: model["hunks"] == 1 and model["covered"] == 0)
    assert model["reasons"]
    (status,) = command(client, "status")
    assert status["verdict"]["status"] == "INCOMPLETE"
    assert client.stop() == 0
