"""The whole server: a real repository, real checks, and clients as VS Code and Neovim are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.lsp import MINIMAL, NEOVIM, VS_CODE, Client
from support.shown import ITEM, NEW, OLD, actions, applied, uri_of, wait_for

if TYPE_CHECKING:
    from support.repo import Repo


@pytest.mark.parametrize("capabilities", [VS_CODE, NEOVIM, MINIMAL], ids=["vscode", "neovim", "minimal"])
def test_a_finding_on_a_new_line_and_none_on_an_old_one(
    branch: Repo, client: Client, capabilities: Mapping[str, Any]
) -> None:
    """Shown, hovered, fixed, and gone after the fix, in every client."""
    client.initialize(branch.root, capabilities)
    uri = uri_of(branch)
    client.open(uri, NEW)
    shown = wait_for(client, uri, (4, ITEM), version=1)["diagnostics"][0]
    assert shown["source"] == "roundzero"
    assert shown["data"]["id"].startswith("rz-")
    place = {"textDocument": {"uri": uri}, "position": {"line": 4, "character": 15}}
    hover = client.result("textDocument/hover", place)
    assert ITEM in hover["contents"]["value"]
    assert hover["contents"]["kind"] == ("plaintext" if capabilities is MINIMAL else "markdown")
    assert client.result("textDocument/hover", place | {"position": {"line": 0, "character": 10}}) is None
    assert actions(client, uri, 0) == []
    (fix,) = [each for each in actions(client, uri, 4, only=["quickfix"]) if each["kind"] == "quickfix"]
    assert fix.get("isPreferred", False) is (capabilities is not MINIMAL)
    if capabilities is MINIMAL:
        assert "data" not in fix
    else:
        assert "edit" not in fix
        fix = client.result("codeAction/resolve", fix)
    if capabilities is VS_CODE:
        (change,) = fix["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": uri, "version": 1}
        edits = change["edits"]
    else:
        edits = fix["edit"]["changes"][uri]
    client.change(uri, 2, {"text": applied(NEW, edits)})
    wait_for(client, uri, version=2)
    assert client.stop() == 0


def test_edits_move_the_finding_and_versions_are_true(branch: Repo, client: Client) -> None:
    """Each publication is of a version that was, and undo shows the finding again with its id."""
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, NEW)
    first = wait_for(client, uri, (4, ITEM), version=1)["diagnostics"][0]
    top = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    client.change(uri, 2, {"range": top, "text": "\n"})
    moved = wait_for(client, uri, (5, ITEM), version=2)["diagnostics"][0]
    client.change(uri, 3, {"text": OLD})
    wait_for(client, uri, version=3)
    client.change(uri, 4, {"text": NEW})
    again = wait_for(client, uri, (4, ITEM), version=4)["diagnostics"][0]
    assert first["data"] == moved["data"] == again["data"]


def test_a_switch_before_git_is_watched_is_noticed(branch: Repo, client: Client) -> None:
    """Between the first collection and the watch, HEAD moves under a client that watches nothing itself."""
    branch.commit("feature", {"a.py": NEW})
    client.initialize(branch.root, NEOVIM)
    uri = uri_of(branch)
    shown = wait_for(client, uri, (4, ITEM))
    branch.checkout("main")
    assert shown["diagnostics"]
    wait_for(client, uri)


def test_a_document_opened_again_shows_its_findings_again(branch: Repo, client: Client) -> None:
    """An editor forgets what it showed when it lets a buffer go, and numbers versions from the start again."""
    client.initialize(branch.root, NEOVIM)
    branch.write("a.py", NEW)
    uri = uri_of(branch)
    for _ in range(3):
        before = len(client.inbox)
        client.open(uri, NEW)
        wait_for(client, uri, (4, ITEM), version=1, after=before)
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_a_consequence_outside_the_change_is_shown_at_its_line_and_moves_with_edits(
    branch: Repo, client: Client
) -> None:
    """A file the branch does not touch is opened, and typed in above the finding."""
    branch.checkout("main")
    branch.commit("build", {"tools/run.sh": "set -e\n\nsh tools/gone.sh\n", "tools/gone.sh": "true\n"})
    branch.branch("removal")
    branch.remove("tools/gone.sh")
    client.initialize(branch.root)
    uri, item = uri_of(branch, "tools/run.sh"), "general/deleted-file-still-named"
    closed = wait_for(client, uri, (2, item))["diagnostics"][0]
    assert closed["range"]["start"]["character"] > 0
    text = (branch.root / "tools/run.sh").read_text("utf-8")
    client.open(uri, text, language="shellscript")
    wait_for(client, uri, (2, item), version=1)
    top = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    client.change(uri, 2, {"range": top, "text": "# more\n"})
    moved = wait_for(client, uri, (3, item), version=2)["diagnostics"][0]
    assert moved["range"]["start"]["character"] == closed["range"]["start"]["character"]


def test_positions_count_as_the_client_does(branch: Repo, client: Client) -> None:
    """After a form feed, an emoji and a lone carriage return, in UTF-16 and UTF-8."""
    text = OLD + "\n\n# \f \u2028\ndef new(a='\U0001f600', cache={}): return cache\n"
    line = text.split("\n")[5]
    expected = {"utf-16": line.index("{}") + 1, "utf-8": len(line[: line.index("{}")].encode())}
    for capabilities in (VS_CODE, NEOVIM):
        with Client() as each:
            encoding = each.initialize(branch.root, capabilities)["capabilities"]["positionEncoding"]
            each.open(uri_of(branch), text)
            shown = wait_for(each, uri_of(branch), (5, ITEM))["diagnostics"][0]
            assert shown["range"]["start"] == {"line": 5, "character": expected[encoding]}


def test_crlf_and_a_byte_order_mark_shift_nothing(branch: Repo, client: Client) -> None:
    """The ranges are those of the text the client sent."""
    client.initialize(branch.root)
    text = "\ufeff" + NEW.replace("\n", "\r\n")
    (branch.root / "a.py").write_bytes(text.encode())
    client.open(uri_of(branch), text)
    shown = wait_for(client, uri_of(branch), (4, ITEM))["diagnostics"][0]
    assert shown["range"]["start"]["character"] == "def new(cache={".index("{")


def test_files_that_are_not_open_are_shown_and_cleared(branch: Repo, client: Client) -> None:
    """What is on disk counts; a file that leaves the change gets an empty list."""
    branch.write("b.py", "def f(cache={}):\n    return cache\n")
    client.initialize(branch.root)
    uri = uri_of(branch, "b.py")
    published = wait_for(client, uri, (0, ITEM))
    assert "version" not in published
    branch.write("b.py", "x = 1\n")
    seen = len(client.inbox)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
    wait_for(client, uri, after=seen)


def test_closing_goes_back_to_the_disk(branch: Repo, client: Client) -> None:
    """An unsaved finding is gone when its document is closed."""
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, NEW)
    wait_for(client, uri, (4, ITEM), version=1)
    seen = len(client.inbox)
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert "version" not in wait_for(client, uri, after=seen)


def test_odd_uris_come_back_as_they_came(branch: Repo, client: Client) -> None:
    """Names with #, %, [ and bytes that are not UTF-8, spelled in the client's own way."""
    client.initialize(branch.root)
    for name, spelled in (("c#d%e[f].py", "c%23d%25e%5Bf%5d.py"), ("g\udcff.py", "%67%ff.py")):
        (branch.root / os.fsdecode(os.fsencode(name))).touch()
        uri = f"{branch.root.as_uri()}/{spelled}"
        client.open(uri, "def f(cache={}):\n    return cache\n")
        wait_for(client, uri, (0, ITEM), version=1)
        assert client.result("roundzero/findings", {"uri": uri})["findings"][0]["item"] == ITEM


def test_base_text_and_findings(branch: Repo, client: Client) -> None:
    """Our own requests."""
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, NEW)
    wait_for(client, uri, (4, ITEM), version=1)
    assert client.result("roundzero/baseText", {"uri": uri}) == {"text": OLD}
    assert client.result("roundzero/baseText", {"uri": uri_of(branch, "none.py")}) == {"text": None}
    (finding,) = client.result("roundzero/findings", {})["findings"]
    assert (finding["path"], finding["range"]["start"]["line"], finding["origin"]) == ("a.py", 5, "introduced")


def test_a_killed_client_leaves_no_process(branch: Repo) -> None:
    """Server, git and workers go with the end of standard input."""
    with Client() as client:
        client.initialize(branch.root)
        client.open(uri_of(branch), NEW)
        wait_for(client, uri_of(branch), (4, ITEM), version=1)
        children = _descendants(client.process.pid)
        assert children
        assert client.process.stdin
        client.process.stdin.close()
        assert client.process.wait(20) == 1
        assert [pid for pid in children if _alive(pid)] == []


def _descendants(pid: int) -> list[int]:
    found, todo = [], [pid]
    while todo:
        parent = todo.pop()
        for each in Path("/proc").iterdir():
            if each.name.isdigit() and _parent(each) == parent:
                found.append(int(each.name))
                todo.append(int(each.name))
    return found


def _parent(process: Path) -> int | None:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return None


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
