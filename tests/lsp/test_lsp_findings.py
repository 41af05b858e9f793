"""Commands about one finding, for any client: dismiss, reopen, recheck, explain, copy; and the report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from roundzero.store.ledger_db import LedgerDb
from support.lsp import MINIMAL
from support.shown import ITEM, NEW, OLD, actions, applied, command, uri_of, wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from support.lsp import Client
    from support.repo import Repo


def refused(client: Client, name: str, argument: object) -> tuple[int, str]:
    """Run a command that must be refused; code and message."""
    params = {"command": f"roundzero.{name}", "arguments": [argument]}
    error = client.error("workspace/executeCommand", params)
    return error["code"], error["message"]


def begun(client: Client, branch: Repo, capabilities: Mapping[str, Any] | None = None) -> str:
    """Open a file with a finding; the finding's id."""
    client.initialize(branch.root, capabilities)
    client.open(uri_of(branch), NEW)
    name = wait_for(client, uri_of(branch), (4, ITEM), version=1)["diagnostics"][0]["data"]["id"]
    assert isinstance(name, str)
    return name


def test_a_finding_is_dismissed_and_reopened_by_command(branch: Repo, client: Client) -> None:
    """Its diagnostic goes and comes, it is listed meanwhile, and what was said is on disk."""
    name, uri = begun(client, branch), uri_of(branch)
    seen = len(client.inbox)
    assert command(client, "dismiss", id=name) == {"id": name, "state": "dismissed"}
    wait_for(client, uri, after=seen)
    (finding,) = client.result("roundzero/findings", {"uri": uri})["findings"]
    assert (finding["state"], finding["state_reason"]["text"]) == ("dismissed", "false-positive")
    db = LedgerDb(branch.root / ".git")
    (entry,) = db.load(db.find("refs/heads/work")).entries.values()
    assert (entry.id, entry.state.value) == (name, "dismissed")
    seen = len(client.inbox)
    assert command(client, "reopen", id=name) == {"id": name, "state": "open"}
    wait_for(client, uri, (4, ITEM), after=seen)
    assert command(client, "dismiss", id=name, scope="item", reason="we like it so")["state"] == "dismissed"
    (finding,) = client.result("roundzero/findings", {"uri": uri})["findings"]
    assert finding["state_reason"]["text"] == "we like it so"


def test_every_action_that_dismisses_is_a_command_anyone_can_run(branch: Repo, client: Client) -> None:
    """The light bulb has few of them; asked for by kind, every reason comes with every scope."""
    name, uri = begun(client, branch), uri_of(branch)
    bulb = [each for each in actions(client, uri, 4) if each["kind"] == "quickfix.roundzero.dismiss"]
    assert [each["title"] for each in bulb] == [
        f"Dismiss {ITEM}: false positive", f"Dismiss {ITEM}: false positive (in this file)", f"Dismiss {ITEM}…",
    ]  # fmt: skip
    assert all(each["command"]["arguments"][0]["id"] == name for each in bulb)
    everything = actions(client, uri, 4, only=["quickfix.roundzero.dismiss"])
    assert len({each["title"] for each in everything}) == 12
    seen = len(client.inbox)
    client.result("workspace/executeCommand", everything[-1]["command"])
    wait_for(client, uri, after=seen)


def test_actions_follow_a_finding_through_edits_nobody_looked_at_yet(branch: Repo, client: Client) -> None:
    """The comment goes where the line is now; on a line that was edited there is none to write."""
    uri, ignore = uri_of(branch), "quickfix.roundzero.ignore"
    settings = {"debounceMs": 5000}
    client.answers["workspace/configuration"] = lambda params: [settings] * len(params["items"])
    client.initialize(branch.root, initializationOptions={"settings": settings})
    client.open(uri, NEW)
    (shown,) = wait_for(client, uri, (4, ITEM), version=1)["diagnostics"]
    top = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    client.change(uri, 2, {"range": top, "text": "x = 1\ny = 2\n"})
    assert not [each for each in actions(client, uri, 4) if each["kind"] == ignore]
    for more in ({}, {"diagnostics": [shown]}):
        (action,) = [each for each in actions(client, uri, 6, **more) if each["kind"] == ignore]
        (change,) = action["edit"]["documentChanges"]
        text = applied(f"x = 1\ny = 2\n{NEW}", change["edits"])
        assert text.split("\n")[6] == f"def new(cache={{}}):  # roundzero: ignore[{ITEM}] "
    end = {"start": {"line": 6, "character": 0}, "end": {"line": 6, "character": 0}}
    client.change(uri, 3, {"range": end, "text": "async "})
    kinds = {each["kind"] for each in actions(client, uri, 6, diagnostics=[shown])}
    assert "quickfix.roundzero.dismiss" in kinds
    assert ignore not in kinds


def test_more_ways_to_dismiss_are_one_question_away(branch: Repo, client: Client) -> None:
    """The question has every reason for every scope; whoever chooses none of them has dismissed nothing."""
    name, uri = begun(client, branch), uri_of(branch)
    (more,) = [each for each in actions(client, uri, 4) if each["title"].endswith("…")]
    client.answers["window/showMessageRequest"] = lambda _: None
    assert client.result("workspace/executeCommand", more["command"]) == {"id": name, "state": "open"}
    asked = client.said("window/showMessageRequest")
    assert len({each["title"] for each in asked["actions"]}) == 12
    client.answers["window/showMessageRequest"] = lambda params: params["actions"][4]
    assert client.result("workspace/executeCommand", more["command"]) == {"id": name, "state": "dismissed"}
    (entry,) = [each for each in client.result("roundzero/findings", {})["findings"] if each["id"] == name]
    assert entry["state_reason"]["text"] == asked["actions"][4]["title"].split(" (")[0] == "intended"


def test_a_client_that_cannot_ask_has_the_commonest_ways(branch: Repo, client: Client) -> None:
    """Three as well, none of which needs a question."""
    begun(client, branch, MINIMAL)
    bulb = [each for each in actions(client, uri_of(branch), 4) if each["kind"] == "quickfix.roundzero.dismiss"]
    ways = ("false positive", "false positive (in this file)", "intended")
    assert [each["title"] for each in bulb] == [f"Dismiss {ITEM}: {way}" for way in ways]


def test_the_comment_that_silences_is_one_action_away(branch: Repo, client: Client) -> None:
    """It stands on the line, does nothing while it has no reason and says so, and silences with one."""
    begun(client, branch)
    uri = uri_of(branch)
    (action,) = [each for each in actions(client, uri, 4) if each["kind"] == "quickfix.roundzero.ignore"]
    text = applied(NEW, action["edit"]["documentChanges"][0]["edits"])
    assert text.split("\n")[4] == f"def new(cache={{}}):  # roundzero: ignore[{ITEM}] "
    client.change(uri, 2, {"text": text})
    wait_for(client, uri, (4, ITEM), (4, "general/unused-ignore"), version=2)
    client.change(uri, 3, {"text": text.replace("] ", "] frozen by its callers")})
    wait_for(client, uri, version=3)


def test_a_finding_is_explained_copied_and_checked_again(branch: Repo, client: Client) -> None:
    """As texts for who asked, and as its state."""
    name = begun(client, branch)
    explained = command(client, "explain", id=name)
    assert "Brought by this branch" in explained
    assert name in explained
    copied = command(client, "copy", id=name)
    assert copied.startswith("**P2** · ")
    assert "`a.py:5`" in copied
    assert command(client, "recheck", id=name) == {"id": name, "state": "open"}
    (status,) = command(client, "recheck")
    assert status["counts"]["P2"] == 1


def test_a_round_of_the_editor_is_written_and_reported(branch: Repo, client: Client) -> None:
    """With the texts that are not saved; a review of one file is none; the report comes in every format."""
    name, uri = begun(client, branch), uri_of(branch)
    (status,) = command(client, "review", uri=uri)
    assert (status["round"]["index"], status["counts"]["P2"]) == (None, 1)
    (status,) = command(client, "review")
    assert (status["round"]["index"], status["verdict"]["stale"]) == (1, False)
    document = json.loads(command(client, "report", format="json"))
    assert [(each["id"], each["first_seen"]) for each in document["findings"]] == [(name, 1)]
    for form in ("markdown", "terminal", "sarif", "ndjson"):
        assert ITEM in command(client, "report", format=form)
    seen = len(client.inbox)
    client.change(uri, 2, {"text": NEW + "x = 1\n"})
    stale = client.wait(
        lambda message: message.get("method") == "roundzero/status" and message["params"]["verdict"]["stale"],
        after=seen,
    )["params"]
    assert stale["round"]["index"] == 1
    seen = len(client.inbox)
    client.change(uri, 3, {"text": NEW})
    client.wait(
        lambda message: message.get("method") == "roundzero/status" and not message["params"]["verdict"]["stale"],
        after=seen,
    )
    assert json.loads(command(client, "report", format="json"))["verdict"]["stale"] is False


@pytest.mark.parametrize(
    ("name", "argument", "code", "word"),
    [
        ("dismiss", {}, -32602, "id names a finding"),
        ("dismiss", {"id": 7}, -32602, "id is a text"),
        ("dismiss", {"id": "rz-0"}, -32803, "there is no finding rz-0"),
        ("dismiss", {"id": "", "scope": "finding"}, -32602, "id is a text"),
        ("dismiss", {"id": "NAME", "scope": "galaxy"}, -32602, "scope is one of finding, file, item, similar"),
        ("dismiss", {"id": "NAME", "reason": " "}, -32602, "reason is a text"),
        ("dismiss", {"id": "NAME", "reason": ["x"]}, -32602, "reason is a text"),
        ("reopen", {"id": "NAME"}, -32803, "is not dismissed"),
        ("reopen", {"id": "rz-0"}, -32803, "there is no finding rz-0"),
        ("recheck", {"id": "rz-0"}, -32803, "there is no finding rz-0"),
        ("explain", {"id": None}, -32602, "id names a finding"),
        ("copy", {"id": "rz-0"}, -32803, "there is no finding rz-0"),
        ("report", {"format": "wire"}, -32602, "format is one of json, markdown, ndjson, sarif, terminal"),
        ("report", {"format": {}}, -32602, "format is one of"),
        ("answer", {"id": "NAME"}, -32602, "question is one of the finding's open questions"),
        ("answer", {"id": "NAME", "question": "why?", "text": "so"}, -32803, "has no such open question"),
    ],
)
def test_what_makes_no_sense_is_refused(
    branch: Repo, client: Client, name: str, argument: dict[str, object], code: int, word: str
) -> None:
    """With words that help, and the server goes on."""
    known = begun(client, branch)
    given = {key: known if value == "NAME" else value for key, value in argument.items()}
    got = refused(client, name, given)
    assert (got[0], word in got[1]) == (code, True), got
    assert client.stop() == 0


def test_on_a_detached_head_only_the_repository_can_be_told(branch: Repo, client: Client) -> None:
    """What belongs to a branch is refused with a word on what to do; an item is dismissed all the same."""
    branch.git("checkout", "--quiet", "--detach")
    name = begun(client, branch)
    code, message = refused(client, "dismiss", {"id": name})
    assert (code, "HEAD is detached" in message) == (-32803, True)
    assert command(client, "dismiss", id=name, scope="item")["state"] == "dismissed"
    assert command(client, "reopen", id=name)["state"] == "open"


def test_what_a_comment_dismisses_is_not_reopened(branch: Repo, client: Client) -> None:
    """The comment has to go."""
    begun(client, branch)
    uri = uri_of(branch)
    text = OLD + f"\n\n# roundzero: ignore[{ITEM}] frozen\ndef new(cache={{}}):\n    return cache\n"
    client.change(uri, 2, {"text": text})
    wait_for(client, uri, version=2)
    (finding,) = client.result("roundzero/findings", {"uri": uri})["findings"]
    code, message = refused(client, "reopen", {"id": finding["id"]})
    assert (code, "remove the comment" in message) == (-32803, True)
