"""Code actions on a live review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.shown import ITEM, NEW, OLD, actions, applied, found, uri_of, wait_for

if TYPE_CHECKING:
    from support.lsp import Client
    from support.repo import Repo


def test_fix_all_takes_every_finding_of_an_item_in_the_file(branch: Repo, client: Client) -> None:
    """One action for all of an item; what is not safe is not in source.fixAll."""
    text = OLD + "\n\ndef one(a={}):\n    return a\n\n\ndef two(b={}):\n    return b\n"
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, text)
    wait_for(client, uri, (4, ITEM), (8, ITEM), version=1)
    (action,) = [each for each in actions(client, uri, 4) if "Fix all" in each["title"]]
    edits = client.result("codeAction/resolve", action)["edit"]["documentChanges"][0]["edits"]
    client.change(uri, 2, {"text": applied(text, edits)})
    wait_for(client, uri, version=2)


def test_fixing_everything_on_save_takes_only_what_is_safe(branch: Repo, client: Client) -> None:
    """Unused imports go, a changed default stays; nothing safe to fix is no action at all."""
    text = OLD + "import json\nimport sys\n\n\ndef new(cache={}):\n    return cache\n"
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, text)
    client.wait(lambda message: len(found(message, uri)) == 3)
    (action,) = actions(client, uri, 0, only=["source.fixAll"])
    assert action["kind"] == "source.fixAll.roundzero"
    edits = client.result("codeAction/resolve", action)["edit"]["documentChanges"][0]["edits"]
    fixed = applied(text, edits)
    assert fixed == text.replace("import json\nimport sys\n", "")
    client.change(uri, 2, {"text": fixed})
    line = fixed.split("\n").index("def new(cache={}):")
    wait_for(client, uri, (line, ITEM), version=2)
    assert actions(client, uri, 0, only=["source.fixAll"]) == []


def test_an_action_for_a_text_that_is_gone_is_an_error(branch: Repo, client: Client) -> None:
    """Content modified, not a wrong edit."""
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, NEW)
    wait_for(client, uri, (4, ITEM), version=1)
    (action,) = [each for each in actions(client, uri, 4, only=["quickfix"]) if each["kind"] == "quickfix"]
    client.change(uri, 2, {"text": OLD})
    wait_for(client, uri, version=2)
    assert client.error("codeAction/resolve", action)["code"] == -32801


def test_a_fix_that_cannot_be_applied_says_why(branch: Repo, client: Client) -> None:
    """While nothing looks again, the action still stands there; choosing it is not met with silence."""
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, NEW)
    wait_for(client, uri, (4, ITEM), version=1)
    (action,) = [each for each in actions(client, uri, 4, only=["quickfix"]) if each["kind"] == "quickfix"]
    client.result("workspace/executeCommand", {"command": "roundzero.pause"})
    client.change(uri, 2, {"text": NEW.replace("cache", "store")})
    error = client.error("codeAction/resolve", action)
    assert (error["code"], error["message"]) == (-32803, "this cannot be applied: the lines were edited since")


def test_actions_are_of_the_kinds_asked_for(branch: Repo, client: Client) -> None:
    """Kinds are dotted: a shorter one includes the longer."""
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, NEW)
    wait_for(client, uri, (4, ITEM), version=1)
    kinds = {
        only: [each["kind"] for each in actions(client, uri, 4, only=[only])]
        for only in ("quickfix", "quickfix.none", "source.fixAll", "refactor")
    }
    assert kinds["quickfix"] == ["quickfix", "quickfix.roundzero.ignore", *["quickfix.roundzero.dismiss"] * 3]
    assert kinds["quickfix.none"] == kinds["refactor"] == []
    (base,) = [each for each in actions(client, uri, 4) if each["kind"] == ""]
    assert base["command"]["arguments"] == [{"uri": uri}]


def test_an_action_belongs_to_the_diagnostic_it_fixes(branch: Repo, client: Client) -> None:
    """A cursor elsewhere on the line with the line's diagnostics gets their fixes; others' diagnostics do no harm."""
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, NEW)
    (own,) = wait_for(client, uri, (4, ITEM), version=1)["diagnostics"]
    foreign = {**own, "source": "another", "severity": 99, "tags": [77], "data": {"id": 1}}
    cursor = {"line": 4, "character": 0}
    params = {"textDocument": {"uri": uri}, "range": {"start": cursor, "end": cursor}}
    asked = params | {"context": {"diagnostics": [foreign, own], "only": ["quickfix"]}}
    found = client.result("textDocument/codeAction", asked)
    assert [each["diagnostics"] for each in found] == [[own]] * 5
    assert client.result("textDocument/codeAction", params | {"context": {"diagnostics": [foreign]}}) is None
