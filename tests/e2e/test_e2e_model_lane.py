"""The model lane as an editor meets it: a process, two pipes, and a script of answers or a host on this machine.

No model is needed. What a model says here was written by the test; when it is asked, and what happens when nobody
answers, is the server's own.
"""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from model_host import SlowHost
from roundzero.core.plan import MODEL_IDLE as IDLE
from support.lsp import Client
from support.replies import draft, found, script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.lsp import Message
    from support.repo import Repo

pytestmark = pytest.mark.e2e

BASE: Final = "price, tax = 2, 1\n"
LINE: Final = "total = price - tax"
TEXT: Final = f"{BASE}{LINE}\n"
DEFECT: Final = "def take(shelf, taken=[]):\n    return taken\n"
OTHER: Final = "general/other-defect"
DEFAULT: Final = "python/mutable-default"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A branch on which nothing has changed yet."""
    repo.commit("base", {"a.py": BASE})
    repo.branch("work")
    return repo


@pytest.fixture
def client(roundzero: Path) -> Iterator[Client]:
    """The command's server."""
    with Client(argv=(str(roundzero), "lsp")) as client:
        yield client
        assert client.stop() == 0


def start(client: Client, repo: Repo, **model: object) -> str:
    """Greet with the user's settings, trusting the repository, and open the file as it is; its URI."""
    settings = {"debounceMs": 20, **{f"model.{name}": value for name, value in model.items()}}
    client.answers["workspace/configuration"] = lambda params: [settings] * len(params["items"])
    client.initialize(repo.root, initializationOptions={"trusted": True, "settings": settings})
    uri = (repo.root / "a.py").as_uri()
    client.open(uri, BASE)
    return uri


def shown(client: Client, uri: str, version: int, *codes: str, after: int = 0) -> None:
    """Wait until exactly these are shown of a version."""

    def fits(message: Message) -> bool:
        params: Any = message.get("params") or {}
        return (
            message.get("method") == "textDocument/publishDiagnostics"
            and (params["uri"], params.get("version")) == (uri, version)
            and sorted(each["code"] for each in params["diagnostics"]) == sorted(codes)
        )

    client.wait(fits, after=after)


def lane(client: Client, fits: Callable[[Message], bool], *, after: int = 0) -> Message:
    """The first state of the lane that fits."""
    status = client.wait(
        lambda message: message.get("method") == "roundzero/status" and fits(message["params"]["model"]), after=after
    )
    model: Message = status["params"]["model"]
    return model


def popups(client: Client) -> list[str]:
    """What popped up so far."""
    return [each["params"]["message"] for each in client.inbox if each.get("method") == "window/showMessage"]


def save(client: Client, repo: Repo, uri: str, text: str) -> None:
    """Write a text and say so, as an editor does."""
    repo.write("a.py", text)
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})


def unasked(client: Client) -> bool:
    """Whether no model was asked, once the server has been silent for longer than an idle model waits."""
    while not client.is_silent(IDLE + 0.5):
        pass
    states = [each["params"]["model"] for each in client.inbox if each.get("method") == "roundzero/status"]
    return bool(states) and all((each["state"], each["requests"]) == ("idle", 0) for each in states)


def says(tmp_path: Path) -> dict[str, object]:
    """A model that objects to the line."""
    path = script(tmp_path / "script.jsonl", **{LINE: draft(found("a.py", 2, LINE))})
    return {"provider": "scripted", "script": str(path)}


def test_on_save_a_model_is_asked_when_one_is_saved_and_not_before(client: Client, shop: Repo, tmp_path: Path) -> None:
    """With ``model.mode`` onSave an edit is checked at once and asked about with the save."""
    uri = start(client, shop, **says(tmp_path), mode="onSave")
    client.change(uri, 2, {"text": TEXT + DEFECT})
    shown(client, uri, 2, DEFAULT)
    assert unasked(client)
    save(client, shop, uri, TEXT + DEFECT)
    shown(client, uri, 2, DEFAULT, OTHER)
    model = lane(client, lambda model: model["state"] == "idle" and model["covered"] > 0)
    assert (model["covered"], model["hunks"], model["reasons"]) == (model["hunks"], model["hunks"], [])


def test_on_idle_a_model_is_asked_once_nobody_types(client: Client, shop: Repo, tmp_path: Path) -> None:
    """With ``model.mode`` onIdle no save is needed, and what was answered is not asked again."""
    uri = start(client, shop, **says(tmp_path), mode="onIdle")
    client.change(uri, 2, {"text": TEXT})
    shown(client, uri, 2, OTHER)
    asked = lane(client, lambda model: model["state"] == "idle" and model["covered"] == 1)["requests"]
    assert asked == 1
    heard = len(client.inbox)
    save(client, shop, uri, TEXT)
    client.change(uri, 3, {"text": f"# above\n{TEXT}"})
    shown(client, uri, 3, OTHER, after=heard)
    client.round_trip()
    lane(client, lambda model: model["state"] == "idle" and model["covered"] == model["hunks"] > 0, after=heard)


def test_on_demand_a_model_is_asked_by_command_only(client: Client, shop: Repo, tmp_path: Path) -> None:
    """With ``model.mode`` manual neither idling nor saving asks; the command does."""
    uri = start(client, shop, **says(tmp_path), mode="manual")
    client.change(uri, 2, {"text": TEXT})
    shown(client, uri, 2)
    save(client, shop, uri, TEXT)
    assert unasked(client)
    client.result(
        "workspace/executeCommand", {"command": "roundzero.review", "arguments": [{"uri": uri, "model": "quick"}]}
    )
    shown(client, uri, 2, OTHER)


def test_offline_is_said_once_costs_no_check_and_passes(client: Client, shop: Repo) -> None:
    """A host that refuses connections: checks go on, the state and one message say why; later it is asked again."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens, and nobody else can
        port: int = taken.getsockname()[1]
        uri = start(
            client, shop, provider="openai", baseUrl=f"http://127.0.0.1:{port}/v1", name="m", mode="onSave", cache=False
        )
        client.change(uri, 2, {"text": TEXT + DEFECT})
        save(client, shop, uri, TEXT + DEFECT)
        lane(client, lambda model: model["state"] == "offline")
        client.change(uri, 3, {"text": TEXT + DEFECT + DEFECT.replace("take", "give")})
        shown(client, uri, 3, DEFAULT, DEFAULT)
        model = lane(client, lambda model: model["state"] == "offline" and bool(model["reasons"]))
        assert f"the model's host cannot be reached: 127.0.0.1:{port} cannot be reached" in model["reasons"]
        assert (model["covered"], model["until"]) == (0, None)
        client.wait(lambda message: message.get("method") == "window/showMessage")
        heard = len(client.inbox)
        save(client, shop, uri, TEXT + DEFECT)
        lane(client, lambda model: model["state"] == "running", after=heard)
        lane(client, lambda model: model["state"] == "offline" and bool(model["reasons"]), after=heard)
        (said,) = popups(client)
        assert f"127.0.0.1:{port}" in said
    with SlowHost(0.0, port=port):
        heard = len(client.inbox)
        client.change(uri, 4, {"text": TEXT})
        save(client, shop, uri, TEXT)
        shown(client, uri, 4, OTHER, after=heard)
        model = lane(client, lambda model: model["state"] == "idle" and model["covered"] == 1, after=heard)
        assert model["reasons"] == []
    assert len(popups(client)) == 1
