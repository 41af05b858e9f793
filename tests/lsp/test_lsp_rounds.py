"""Commands on a live review: rounds with progress, base, pause."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import pytest

from support.shown import ITEM, NEW, OLD, uri_of, wait_for

if TYPE_CHECKING:
    from support.lsp import Client
    from support.repo import Repo


def test_a_round_shows_progress_and_answers_with_the_status(branch: Repo, client: Client) -> None:
    """Begin, reports and end on one token; the verdict in the answer."""
    client.initialize(branch.root)
    client.open(uri_of(branch), NEW)
    (status,) = client.result("workspace/executeCommand", {"command": "roundzero.review", "arguments": [{}]})
    assert (status["verdict"]["status"], status["base"]["ref"]) == ("LGTM", "main")
    steps = [each["params"] for each in client.inbox if each.get("method") == "$/progress"]
    assert [step["value"]["kind"] for step in steps][:1] == ["begin"]
    assert [step["value"]["kind"] for step in steps][-1:] == ["end"]
    assert len({step["token"] for step in steps}) == 1
    token = client.said("window/workDoneProgress/create")["token"]
    assert steps[0]["token"] == token
    assert steps[0]["value"]["cancellable"] is True


def test_there_is_no_verdict_before_the_whole_change_was_looked_at(branch: Repo, client: Client) -> None:
    """While the first look runs, counts are of what is known by then, and nothing is called LGTM."""
    branch.write("z.py", "def f(cache={}):\n    return cache\n" * 40)
    client.initialize(branch.root)
    client.open(uri_of(branch), NEW)
    done = client.wait(lambda each: each.get("method") == "roundzero/status" and each["params"]["verdict"])["params"]
    assert done["counts"]["P2"] == 41
    told = [each["params"] for each in client.inbox if each.get("method") == "roundzero/status"]
    early = [each for each in told if each["counts"]["P2"] < 41]
    assert early
    assert all(each["verdict"] is None for each in early)


@pytest.mark.parametrize("how", ["request", "button", "stop"])
def test_a_round_can_be_cancelled(branch: Repo, client: Client, how: str) -> None:
    """By cancelling the request, the progress, or with the stop command: answered as cancelled, progress ended."""
    for number in range(120):
        branch.write(f"p{number}.py", "def f(cache={}):\n    return cache\n" * 20)
    client.initialize(branch.root)
    asked = client.request("workspace/executeCommand", {"command": "roundzero.review", "workDoneToken": "mine"})
    client.wait(lambda message: message.get("method") == "$/progress")
    if how == "request":
        client.notify("$/cancelRequest", {"id": asked})
    elif how == "button":
        client.notify("window/workDoneProgress/cancel", {"token": "mine"})
    else:
        client.result("workspace/executeCommand", {"command": "roundzero.stop"})
    assert client.response(asked)["error"]["code"] == -32800
    client.wait(lambda message: message.get("method") == "$/progress" and message["params"]["value"]["kind"] == "end")
    assert client.stop() == 0


def test_shutdown_with_a_round_running(branch: Repo, client: Client) -> None:
    """The round is cancelled, both are answered, exit status 0."""
    for number in range(60):
        branch.write(f"p{number}.py", "def f(cache={}):\n    return cache\n" * 20)
    client.initialize(branch.root)
    asked = client.request("workspace/executeCommand", {"command": "roundzero.review", "workDoneToken": "mine"})
    client.wait(lambda message: message.get("method") == "$/progress")
    assert client.stop() == 0
    assert client.response(asked)["error"]["code"] == -32800


def test_pause_stops_and_resume_goes_on(branch: Repo, client: Client) -> None:
    """The status says so, once each; what was typed meanwhile is looked at afterwards."""
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, OLD)
    wait_for(client, uri, version=1)
    client.result("workspace/executeCommand", {"command": "roundzero.pause"})
    client.wait(lambda message: message.get("method") == "roundzero/status" and message["params"]["paused"])
    client.change(uri, 2, {"text": NEW})
    client.round_trip()
    client.result("workspace/executeCommand", {"command": "roundzero.resume"})
    wait_for(client, uri, (4, ITEM), version=2)
    told = [each["params"] for each in client.inbox if each.get("method") == "roundzero/status"]
    assert [paused for paused, _ in groupby(each["paused"] for each in told)] == [False, True, False]
    assert all(one != other for one, other in pairwise(told))


def test_another_base_can_be_chosen(branch: Repo, client: Client) -> None:
    """And one that does not exist is refused with a word on what to do."""
    branch.commit("mine", {"a.py": NEW})
    client.initialize(branch.root)
    uri = uri_of(branch)
    wait_for(client, uri, (4, ITEM))
    seen = len(client.inbox)
    command = {"command": "roundzero.selectBase", "arguments": [{"ref": "HEAD"}]}
    (status,) = client.result("workspace/executeCommand", command)
    answered = len(client.inbox)
    assert (status["base"]["ref"], status["verdict"], status["counts"]["P2"]) == ("HEAD", None, 0)
    wait_for(client, uri, after=seen)
    client.wait(lambda each: each.get("method") == "roundzero/status" and each["params"]["verdict"], after=answered)
    told = [each["params"] for each in client.inbox[answered:] if each.get("method") == "roundzero/status"]
    assert {each["base"]["ref"] for each in told} == {"HEAD"}
    error = client.error(
        "workspace/executeCommand", {"command": "roundzero.selectBase", "arguments": [{"ref": "nope"}]}
    )
    assert (error["code"], "nope" in error["message"]) == (-32803, True)


def test_every_choice_of_a_base_is_answered_with_it(branch: Repo, client: Client) -> None:
    """Also one that takes back the choice before, and one that only says how the same base is chosen."""
    branch.commit("mine", {"a.py": NEW})
    client.initialize(branch.root)
    wait_for(client, uri_of(branch), (4, ITEM))
    answers = []
    for ref in ("HEAD", None, "main", None):
        command = {"command": "roundzero.selectBase", "arguments": [{"ref": ref}]}
        (status,) = client.result("workspace/executeCommand", command)
        answers.append((status["base"]["ref"], status["base"]["how"]))
    automatic = ("main", "latest-merge-base")
    assert answers == [("HEAD", "explicit"), automatic, ("main", "explicit"), automatic]


@pytest.mark.parametrize("depth", ["quick", "deep"])
def test_a_model_review_without_a_model_is_refused(branch: Repo, client: Client, depth: str) -> None:
    """As on the command line: checks alone would not be what was asked for."""
    client.initialize(branch.root)
    error = client.error("workspace/executeCommand", {"command": "roundzero.review", "arguments": [{"depth": depth}]})
    assert error["code"] == -32803
    assert error["message"].startswith("no model provider is configured")


def test_a_staged_round_answers_from_its_own_report(branch: Repo, client: Client) -> None:
    """What is only in the work tree does not count, although the live status has it."""
    branch.write("a.py", NEW)
    client.initialize(branch.root)
    wait_for(client, uri_of(branch), (4, ITEM))
    command = {"command": "roundzero.review", "arguments": [{"scope": "staged"}]}
    (status,) = client.result("workspace/executeCommand", command)
    assert (sum(status["counts"].values()), status["coverage"]["files"]) == (0, 0)
    branch.git("add", "a.py")
    (status,) = client.result("workspace/executeCommand", command)
    assert (sum(status["counts"].values()), status["coverage"]["files"]) == (1, 1)


def test_a_dismissed_finding_is_listed_but_not_shown(branch: Repo, client: Client) -> None:
    """``roundzero/findings`` lists what a report lists."""
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, NEW)
    wait_for(client, uri, (4, ITEM), version=1)
    dismissed = NEW.replace("def new", f"# roundzero: ignore[{ITEM}] frozen by its callers\ndef new")
    client.change(uri, 2, {"text": dismissed})
    wait_for(client, uri, version=2)
    (finding,) = client.result("roundzero/findings", {"uri": uri})["findings"]
    assert (finding["item"], finding["state"]) == (ITEM, "dismissed")
