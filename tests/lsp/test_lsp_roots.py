"""Folders, settings and files that come, go and change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from support.lsp import MINIMAL, NEOVIM, VS_CODE, Client
from support.repo import Repo
from support.shown import ITEM, NEW, at_rest, found, uri_of, wait_for

if TYPE_CHECKING:
    from support.lsp import Message


def test_two_roots_and_folders_that_come_and_go(branch: Repo, client: Client, tmp_path: Path) -> None:
    """Each has its own change; a folder that goes takes its diagnostics along."""
    other = Repo(tmp_path / "other")
    other.commit("base", {"c.py": "x = 1\n"})
    other.write("c.py", "def f(cache={}):\n    return cache\n")
    client.initialize(branch.root)
    client.open(uri_of(branch), NEW)
    wait_for(client, uri_of(branch), (4, ITEM), version=1)
    client.open(uri_of(other, "c.py"), "def f(cache={}): return cache\n")
    at_rest(client)
    assert not any(found(message, uri_of(other, "c.py")) for message in client.inbox)
    folder = {"uri": other.root.as_uri(), "name": "other"}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    wait_for(client, uri_of(other, "c.py"), (0, ITEM), version=1)
    statuses = client.result("workspace/executeCommand", {"command": "roundzero.status"})
    assert [each["uri"] for each in statuses] == [branch.root.as_uri(), other.root.as_uri()]
    for repo, path in ((branch, "a.py"), (other, "c.py")):
        findings = client.result("roundzero/findings", {"uri": repo.root.as_uri()})["findings"]
        assert [finding["path"] for finding in findings] == [path]
    seen = len(client.inbox)
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
    wait_for(client, uri_of(other, "c.py"), after=seen)
    assert len(client.result("workspace/executeCommand", {"command": "roundzero.status"})) == 1


def test_a_folder_inside_a_repository_and_a_client_without_folders(branch: Repo) -> None:
    """Paths are the repository's; a single file is reviewed in the repository it lies in."""
    branch.commit("more", {"sub dir/d.py": "x = 1\n"})
    text = "def f(cache={}):\n    return cache\n"
    for folder in (branch.root / "sub dir", None):
        with Client() as client:
            client.initialize(folder)
            client.open(uri_of(branch, "sub dir/d.py"), text)
            wait_for(client, uri_of(branch, "sub dir/d.py"), (0, ITEM), version=1)
            (status,) = client.result("workspace/executeCommand", {"command": "roundzero.status"})
            assert status["uri"] == branch.root.as_uri()


def test_a_repository_made_later_is_taken_in(client: Client, tmp_path: Path) -> None:
    """After git init in a folder that had none, the next file that is opened is reviewed."""
    folder = tmp_path / "later"
    folder.mkdir()
    client.initialize(folder)
    client.round_trip()
    repo = Repo(folder)
    repo.commit("base", {"a.py": "x = 1\n"})
    client.open(uri_of(repo), "def f(cache={}):\n    return cache\n")
    wait_for(client, uri_of(repo), (0, ITEM), version=1)


def test_settings_pulled_pushed_and_given_at_start(branch: Repo) -> None:
    """Whichever way they come they are in force, and an unknown one is reported once."""
    off = {"items": {ITEM: "off"}, "noSuchThing": 1}

    def start(client: Client) -> str:
        client.open(uri_of(branch), NEW)
        return uri_of(branch)

    with Client() as given:
        given.initialize(branch.root, MINIMAL, initializationOptions={"settings": off})
        wait_for(given, start(given), version=1)
    with Client() as pulled:
        pulled.initialize(branch.root, VS_CODE)
        uri = start(pulled)
        wait_for(pulled, uri, (4, ITEM), version=1)
        pulled.answers["workspace/configuration"] = lambda params: [off for _ in params["items"]]
        seen = len(pulled.inbox)
        for _ in range(3):
            pulled.notify("workspace/didChangeConfiguration", {"settings": None})
        wait_for(pulled, uri, after=seen)
        pulled.round_trip()
        said = [each for each in pulled.inbox if "noSuchThing" in str(each.get("params", {}).get("message", ""))]
        assert len(said) == 1
    with Client() as pushed:
        pushed.initialize(branch.root, MINIMAL)
        uri = start(pushed)
        wait_for(pushed, uri, (4, ITEM), version=1)
        seen = len(pushed.inbox)
        pushed.notify("workspace/didChangeConfiguration", {"settings": {"roundzero": off}})
        wait_for(pushed, uri, after=seen)


def test_a_settings_file_that_changes_is_read_again(branch: Repo, client: Client) -> None:
    """The repository's own settings, as soon as the client says that the file changed or saves it."""
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, NEW)
    wait_for(client, uri, (4, ITEM), version=1)
    branch.write(".roundzero.toml", f'[items]\n"{ITEM}" = "off"\n')
    seen = len(client.inbox)
    changed = {"changes": [{"uri": uri_of(branch, ".roundzero.toml"), "type": 1}]}
    client.notify("workspace/didChangeWatchedFiles", changed)
    wait_for(client, uri, after=seen)
    branch.write(".roundzero.toml", "")
    seen = len(client.inbox)
    client.open(uri_of(branch, ".roundzero.toml"), "", language="toml")
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(branch, ".roundzero.toml")}})
    wait_for(client, uri, (4, ITEM), after=seen)


def test_files_are_watched_by_a_client_that_can(branch: Repo) -> None:
    """Relative to the repository where the client knows how; not asked of one that cannot."""
    with Client() as client:
        client.initialize(branch.root, VS_CODE)
        client.round_trip()
        wanted = [
            registration["registerOptions"]["watchers"]
            for message in client.inbox
            if message.get("method") == "client/registerCapability"
            for registration in message["params"]["registrations"]
            if registration["method"] == "workspace/didChangeWatchedFiles"
        ]
        assert wanted == [[{"globPattern": {"baseUri": branch.root.as_uri(), "pattern": "**/*"}, "kind": 7}]]
    with Client() as client:
        client.initialize(branch.root, NEOVIM)
        client.round_trip()
        assert not [each for each in client.inbox if each.get("method") == "client/registerCapability"]


def test_a_renamed_file_takes_its_findings_along(branch: Repo, client: Client) -> None:
    """The old name is cleared, the new one shown; no edit is asked for before."""
    branch.write("b.py", "def f(cache={}):\n    return cache\n")
    client.initialize(branch.root)
    old, new = uri_of(branch, "b.py"), uri_of(branch, "c.py")
    wait_for(client, old, (0, ITEM))
    files = {"files": [{"oldUri": old, "newUri": new}]}
    assert client.result("workspace/willRenameFiles", files) is None
    branch.rename("b.py", "c.py")
    seen = len(client.inbox)
    client.notify("workspace/didRenameFiles", files)
    wait_for(client, new, (0, ITEM), after=seen)
    wait_for(client, old, after=seen)


def test_a_checkout_outside_the_editor_is_noticed(branch: Repo, client: Client) -> None:
    """Git's own files are watched by the engine, whatever the client can."""
    branch.commit("mine", {"b.py": "def f(cache={}):\n    return cache\n"})
    client.initialize(branch.root, NEOVIM)
    uri = uri_of(branch, "b.py")
    wait_for(client, uri, (0, ITEM))
    client.wait(lambda message: message.get("method") == "roundzero/status" and not message["params"]["running"])
    seen = len(client.inbox)
    branch.checkout("main")
    wait_for(client, uri, after=seen)


def test_prose_follows_the_clients_language_unless_it_is_set(branch: Repo) -> None:
    """A client in Chinese gets Chinese titles; a setting goes before."""
    for settings, chinese in ({}, True), ({"language": "en"}, False):
        with Client() as client:
            client.initialize(branch.root, MINIMAL, locale="zh-cn", initializationOptions={"settings": settings})
            client.open(uri_of(branch), NEW)
            (shown,) = wait_for(client, uri_of(branch), (4, ITEM), version=1)["diagnostics"]
            assert shown["message"].isascii() is not chinese


def test_the_status_names_what_is_wrong_with_the_settings(branch: Repo, client: Client) -> None:
    """From the start, and no more once it is put right."""
    branch.write(".roundzero.toml", "rubbish = \n")
    client.initialize(branch.root)

    def told(words: str | None) -> None:
        def fits(message: Message) -> bool:
            if message.get("method") != "roundzero/status":
                return False
            problems: list[str] = message["params"]["problems"]
            return not problems if words is None else any(each.startswith(words) for each in problems)

        client.wait(fits, after=len(client.inbox) if words is None else 0)

    told(".roundzero.toml:1: is not valid TOML")
    branch.write(".roundzero.toml", "")
    changed = {"changes": [{"uri": uri_of(branch, ".roundzero.toml"), "type": 2}]}
    client.notify("workspace/didChangeWatchedFiles", changed)
    told(None)


def test_the_clients_locale_gives_way_to_the_repositorys_language(branch: Repo, client: Client) -> None:
    """A locale is what a client supposes; a file is what somebody wrote down."""
    branch.write(".roundzero.toml", 'language = "en"\n')
    client.initialize(branch.root, locale="zh-cn")
    client.open(uri_of(branch), NEW)
    (shown,) = wait_for(client, uri_of(branch), (4, ITEM), version=1)["diagnostics"]
    assert shown["message"].isascii()
