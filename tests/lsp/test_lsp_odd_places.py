"""Editors and places that are not the usual ones: something cannot be had, and the review is made all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.repo import Repo
from support.shown import ITEM, NEW, OLD, actions, at_rest, uri_of, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from support.lsp import Client, Message

BAD = "def load(cache={}):\n    return cache\n"


def status(client: Client) -> Message:
    """Where the one repository stands, once nothing runs."""
    at_rest(client)
    (known,) = client.result("workspace/executeCommand", {"command": "roundzero.status"})
    assert isinstance(known, dict)
    return known


def test_a_client_that_only_pulls_is_pushed_to(branch: Repo, client: Client) -> None:
    """There is one way. What it asks for is refused as unknown, and was not announced."""
    known = client.initialize(branch.root, {"textDocument": {"diagnostic": {"dynamicRegistration": True}}})
    assert "diagnosticProvider" not in known["capabilities"]
    client.open(uri_of(branch), NEW)
    assert client.error("textDocument/diagnostic", {"textDocument": {"uri": uri_of(branch)}})["code"] == -32601
    assert client.error("workspace/diagnostic", {"previousResultIds": []})["code"] == -32601
    wait_for(client, uri_of(branch), (4, ITEM), version=1)
    assert client.stop() == 0


def test_a_file_that_is_not_utf_8_is_reviewed_as_the_editor_shows_it(branch: Repo, client: Client) -> None:
    """On disk its bytes mean nothing sure, so it is not checked, and said so; open, it is a text like any other."""
    text, uri = f"# caf\u00e9\n{BAD}", uri_of(branch, "coffee.py")
    branch.write("coffee.py", text.encode("latin-1"))
    client.initialize(branch.root)
    (skip,) = status(client)["coverage"]["skipped"]
    assert (skip["path"], skip["kind"]) == ("coffee.py", "not-checked")
    client.open(uri, text)
    (opened,) = wait_for(client, uri, (1, ITEM), version=1)["diagnostics"]
    client.change(uri, 2, {"text": f"# \u00e9t\u00e9\n{text}"})
    (edited,) = wait_for(client, uri, (2, ITEM), version=2)["diagnostics"]
    assert edited["data"]["id"] == opened["data"]["id"]
    assert status(client)["coverage"]["skipped"] == []
    seen = len(client.inbox)
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    wait_for(client, uri, after=seen)
    client.wait(
        lambda message: (
            message.get("method") == "roundzero/status" and message["params"]["coverage"]["skipped"] == [skip]
        ),
        after=seen,
    )


@pytest.mark.parametrize("commits", [0, 1])
def test_without_a_base_what_is_not_committed_is_reviewed(tmp_path: Path, client: Client, commits: int) -> None:
    """Nothing pops up about it: the status says what it was compared with, and why."""
    repo = Repo(tmp_path / "solo", branch="solo")
    for _ in range(commits):
        repo.commit("one", {"a.py": OLD})
    line = 4 * commits
    client.initialize(repo.root)
    client.open(uri_of(repo), NEW if commits else OLD)
    wait_for(client, uri_of(repo), (line, ITEM), version=1)
    known = status(client)
    assert (known["base"]["how"], known["verdict"]["status"]) == (("empty-tree", "head")[commits], "LGTM")
    assert bool(known["base"]["doubts"]) == bool(commits)
    assert not [each for each in client.inbox if each.get("method") == "window/showMessage"]
    assert actions(client, uri_of(repo), line)
    assert client.stop() == 0
