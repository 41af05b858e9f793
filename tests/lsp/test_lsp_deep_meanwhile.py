"""What happens to a deep review and to a second look while it is under way: another branch, a closed text, a stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero.store.ledger_db import LedgerDb
from support.deep_editor import look_again, lose_a_guard, said, start, until
from support.deep_host import AFTER, ALL_AGREE, BEFORE, checks, deep_host
from support.drafts import reply
from support.shown import begin, command

if TYPE_CHECKING:
    from support.lsp import Client
    from support.repo import Repo


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A branch that loses a guard, and one that changes another file."""
    return lose_a_guard(repo)


def switch(client: Client, repo: Repo, uri: str, branch: str, text: str, version: int) -> None:
    """Check out a branch as an editor sees it: the open text is another, and git says where its head is."""
    repo.checkout(branch)
    client.change(uri, version, {"text": text})
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
    until(client, lambda: command(client, "status")[0]["head"]["branch"] == branch)


def quiet(client: Client) -> None:
    """Wait until nothing runs."""
    until(client, lambda: not command(client, "status")[0]["running"])


def ledger(repo: Repo) -> list[tuple[str, str]]:
    """The findings that are remembered of the branch of now, with their states."""
    db = LedgerDb(repo.root / ".git")
    branch = db.find(repo.git("symbolic-ref", "HEAD").strip())
    entries = db.load(branch).entries if branch is not None else {}
    return [(entry.id, entry.state.value) for entry in entries.values()]


def lane(client: Client) -> tuple[str, str | None]:
    """What the model does, and for which stage."""
    (status,) = command(client, "status")
    return status["model"]["state"], status["model"]["stage"]


@pytest.mark.parametrize(
    ("asked_at", "stage"),
    [("DRAFT", "draft"), ("WHOLE", "draft"), ("LOOK", "confirm"), ("CHECK", "fact-check"), ("OVERVIEW", "overview")],
)
def test_the_status_says_what_a_deep_review_is_at(shop: Repo, client: Client, asked_at: str, stage: str) -> None:
    """The model runs, for that stage, and rests when the review is over."""
    few = {"DRAFT": reply(), "BLANKED": reply()} if asked_at == "LOOK" else {}
    with deep_host({**ALL_AGREE, **few}) as host:
        start(client, shop, host)
        assert lane(client) == ("idle", None)
        host.stops = {asked_at: "wait"}
        asked = begin(client, "review", depth="deep")
        assert host.reached(asked_at)
        assert lane(client) == ("running", stage)
        host.release()
        assert "result" in client.response(asked)
        assert lane(client) == ("idle", None)


def test_the_status_says_what_a_second_look_is_at(shop: Repo, client: Client) -> None:
    """Also when it is stopped it does not say so for ever."""
    with deep_host(ALL_AGREE) as host:
        uri = start(client, shop, host)
        look_again(client, host, uri)
        assert lane(client) == ("running", "fact-check")
        command(client, "stop")
        until(client, lambda: lane(client) == ("idle", None))


@pytest.mark.parametrize("stage", ["DRAFT", "CHECK", "OVERVIEW"])
def test_a_switch_during_a_deep_review_shows_nothing_on_the_other_branch(
    shop: Repo, client: Client, stage: str
) -> None:
    """What it finds is of the branch it was asked for, and is there when one comes back."""
    with deep_host(ALL_AGREE) as host:
        uri = start(client, shop, host)
        host.stops = {stage: "wait"}
        asked = begin(client, "review", depth="deep")
        assert host.reached(stage)
        switch(client, shop, uri, "elsewhere", BEFORE, 2)
        host.release()
        client.response(asked)
        quiet(client)
        assert said(client, uri) == []
        (status,) = command(client, "status")
        assert (status["counts"]["P1"], status["verdict"]["depth"] == "deep") == (0, False)
        switch(client, shop, uri, "topic", AFTER, 3)
        quiet(client)
        (finding,) = said(client, uri)
        assert (finding["state"], finding["range"]["start"]["line"]) == ("open", 2)


@pytest.mark.parametrize("verdict", ["verified", "refuted"])
def test_a_switch_during_a_second_look_writes_nothing_down_for_the_other_branch(
    shop: Repo, client: Client, verdict: str
) -> None:
    """What it found is kept for the branch it was asked on."""
    with deep_host({**ALL_AGREE, "CHECK": checks(verdict)}) as host:
        uri = start(client, shop, host)
        finding, asked = look_again(client, host, uri)
        switch(client, shop, uri, "elsewhere", BEFORE, 2)
        host.release()
        assert client.response(asked)["result"]["state"] == "gone"
        quiet(client)
        assert said(client, uri) == []
        assert ledger(shop) == []
        switch(client, shop, uri, "topic", AFTER, 3)
        quiet(client)
        state = "open" if verdict == "verified" else "refuted"
        assert ledger(shop) == [(finding["id"], state)]
        shown = [each["id"] for each in said(client, uri) if each["state"] == "open"]
        assert shown == ([finding["id"]] if verdict == "verified" else [])


@pytest.mark.parametrize("what", ["review", "recheck"])
def test_a_text_closed_meanwhile_is_the_one_on_disk(shop: Repo, client: Client, what: str) -> None:
    """What was found in the same text stands there."""
    with deep_host(ALL_AGREE) as host:
        uri = start(client, shop, host)
        command(client, "review", depth="quick")
        (finding,) = said(client, uri)
        host.stops = {"CHECK": "wait"}
        more = {"id": finding["id"]} if what == "recheck" else {}
        asked = begin(client, what, depth="deep", **more)
        assert host.reached("CHECK")
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        host.release()
        assert "result" in client.response(asked)
        quiet(client)
        (again,) = said(client, uri)
        assert (again["id"], again["state"], again["blocking"]) == (finding["id"], "open", True)


@pytest.mark.parametrize("name", ["pause", "stop"])
def test_a_stop_ends_a_second_look_and_leaves_the_finding(shop: Repo, client: Client, name: str) -> None:
    """Nothing of it is kept, and it can be asked for again."""
    with deep_host(ALL_AGREE) as host:
        uri = start(client, shop, host)
        before, asked = look_again(client, host, uri)
        command(client, name)
        assert "error" in client.response(asked)
        assert said(client, uri) == [before]
        host.stops = {}
        command(client, "resume")
        assert command(client, "recheck", id=before["id"], depth="deep")["state"] == "open"
        (after,) = said(client, uri)
        assert (after["id"], after["blocking"]) == (before["id"], True)
