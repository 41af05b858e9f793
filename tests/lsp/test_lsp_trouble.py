"""The server in trouble: clients that die, children that are killed, repositories that go, crowds."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.lsp import VS_CODE, Client
from support.processes import below, wait_for_child, wait_until_gone
from support.repo import Repo
from support.shown import ITEM, NEW, OLD, at_rest, found, uri_of, wait_for

if TYPE_CHECKING:
    from support.lsp import Message

TOP = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
BAD = "def f(cache={}):\n    return cache\n"


def status(client: Client, **wanted: object) -> Message:
    """Wait for a status with these values."""

    def fits(message: Message) -> bool:
        params = message.get("params", {})
        return message.get("method") == "roundzero/status" and all(
            params[name] == value for name, value in wanted.items()
        )

    params: Message = client.wait(fits)["params"]
    return params


def troubled(client: Client, *, after: int = 0) -> Message:
    """Wait for a status that names a problem."""

    def fits(message: Message) -> bool:
        return message.get("method") == "roundzero/status" and bool(message["params"]["problems"])

    params: Message = client.wait(fits, after=after)["params"]
    return params


@pytest.mark.parametrize(
    "params",
    [
        {"workspaceFolders": None, "rootUri": None, "rootPath": "%root%"},
        {"rootPath": "%root%", "capabilities": None},
        {"rootUri": "%uri%", "workspaceFolders": None, "capabilities": {"workspace": None, "textDocument": None}},
        {"workspaceFolders": [None, {"uri": "%uri%"}], "initializationOptions": None},
        {"rootUri": "%uri%", "initializationOptions": {"settings": None, "trusted": "perhaps"}},
    ],
    ids=["path only", "null capabilities", "null sections", "half a folder", "odd options"],
)
def test_a_client_may_leave_out_nearly_everything(branch: Repo, params: dict[str, Any]) -> None:
    """Whichever way the root comes, its change is reviewed."""
    spelled = json.dumps(params).replace("%root%", str(branch.root)).replace("%uri%", branch.root.as_uri())
    with Client() as client:
        client.result("initialize", json.loads(spelled))
        client.notify("initialized", {})
        client.open(uri_of(branch), NEW)
        wait_for(client, uri_of(branch), (4, ITEM), version=1)
        assert client.stop() == 0


@pytest.mark.parametrize("moment", ["greeted", "opened", "reviewing", "idle"])
@pytest.mark.parametrize("how", ["killed", "exit", "end of stream", "server killed"])
def test_no_process_stays_whenever_the_conversation_ends(branch: Repo, moment: str, how: str) -> None:
    """Neither the server nor anything it started, whatever it is doing."""
    for number in range(20):
        branch.write(f"n{number}.py", "def f(cache={}):\n    return cache\n" * 100)
    parent = f"""
import subprocess, sys
subprocess.run([{sys.executable!r}, "-c", "import sys; from roundzero.lsp.server import serve; sys.exit(serve())"])
"""
    with Client(argv=(sys.executable, "-c", parent)) as client:
        server = wait_for_child(client.process.pid, "serve()")
        client.request("initialize", {"processId": client.process.pid, "capabilities": VS_CODE,
                                      "rootUri": branch.root.as_uri()})  # fmt: skip
        client.response(1)
        client.notify("initialized", {})
        if moment != "greeted":
            client.open(uri_of(branch), NEW)
        if moment == "idle":
            wait_for(client, uri_of(branch), (4, ITEM), version=1)
            status(client, running=False)
        if moment == "reviewing":
            client.request("workspace/executeCommand", {"command": "roundzero.review"})
            client.said("$/progress")
        left = [server, *below(server)]
        if how == "killed":
            client.process.kill()
        elif how == "server killed":
            os.kill(server, signal.SIGKILL)
        elif how == "exit":
            client.notify("exit")
        else:
            assert client.process.stdin
            client.process.stdin.close()
        wait_until_gone(left)


def test_programs_that_hang_do_not_outlive_the_conversation(branch: Repo, client: Client) -> None:
    """Neither a worker nor git: what does not answer is killed, and the client is not kept waiting for it."""
    client.initialize(branch.root)
    client.open(uri_of(branch), NEW)
    wait_for(client, uri_of(branch), (4, ITEM), version=1)
    names = ("roundzero.engine.worker", "cat-file --batch")
    stopped = [wait_for_child(client.process.pid, name) for name in names]
    status(client, running=False)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    assert client.stop() == 0
    wait_until_gone(stopped)


def test_a_worker_that_is_killed_is_replaced(branch: Repo, client: Client) -> None:
    """Idle or busy: the next text that was not seen before is looked at by a new one."""
    client.initialize(branch.root)
    client.open(uri_of(branch), NEW)
    wait_for(client, uri_of(branch), (4, ITEM), version=1)
    for version in (2, 3, 4):
        os.kill(wait_for_child(client.process.pid, "roundzero.engine.worker"), signal.SIGKILL)
        client.change(uri_of(branch), version, {"range": TOP, "text": "\n"})
        wait_for(client, uri_of(branch), (3 + version, ITEM), version=version)
    assert client.stop() == 0


def test_git_that_is_killed_once_is_asked_again(branch: Repo, tmp_path: Path) -> None:
    """Its failure is told, and without another event the file is looked at a second later."""
    real, folder, fail = shutil.which("git"), tmp_path / "bin", tmp_path / "fail"
    folder.mkdir()
    script = f'#!/bin/sh\ncase "$*" in *--no-index*) rm "{fail}" 2>/dev/null && kill -9 $$;; esac\nexec {real} "$@"\n'
    (folder / "git").write_text(script)
    (folder / "git").chmod(0o755)
    with Client(env={"PATH": f"{folder}:{os.environ['PATH']}"}) as client:
        client.initialize(branch.root)
        client.open(uri_of(branch), OLD)
        wait_for(client, uri_of(branch), version=1)
        fail.touch()
        client.change(uri_of(branch), 2, {"text": NEW})
        assert "git diff" in troubled(client)["problems"][0]
        wait_for(client, uri_of(branch), (4, ITEM), version=2)
        seen = len(client.inbox)
        client.wait(lambda m: m.get("method") == "roundzero/status" and not m["params"]["problems"], after=seen - 1)


@pytest.mark.parametrize("how", ["renamed", "deleted"])
def test_a_repository_that_goes_and_comes_back(branch: Repo, client: Client, tmp_path: Path, how: str) -> None:
    """While it is away that is a problem in the status; when it is back, also as another one, it is reviewed."""
    client.initialize(branch.root)
    client.open(uri_of(branch), NEW)
    wait_for(client, uri_of(branch), (4, ITEM), version=1)
    status(client, running=False)
    root = branch.root
    other = tmp_path / "other"
    shutil.copytree(root, other)
    if how == "renamed":
        root.rename(tmp_path / "away")
    else:
        shutil.rmtree(root)
    seen = len(client.inbox)
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(branch)}})
    troubled(client, after=seen)
    (tmp_path / "away" if how == "renamed" else other).rename(root)
    if how == "deleted":
        branch.commit("more", {"c.py": "x = 1\n"})
    seen = len(client.inbox)
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(branch)}})
    client.wait(lambda m: m.get("method") == "roundzero/status" and not m["params"]["problems"], after=seen)
    client.change(uri_of(branch), 2, {"text": OLD})
    wait_for(client, uri_of(branch), version=2)
    client.change(uri_of(branch), 3, {"text": NEW})
    wait_for(client, uri_of(branch), (4, ITEM), version=3)
    at_rest(client)
    seen = len(client.inbox)
    branch.commit("mine", {"b.py": BAD})
    wait_for(client, uri_of(branch, "b.py"), (0, ITEM), after=seen)
    assert client.stop() == 0


def test_a_folder_that_becomes_a_repository_is_taken_in_on_save(client: Client, tmp_path: Path) -> None:
    """Every document that is open in it, with the settings and the watching of a folder that always was one."""
    folder = tmp_path / "later"
    folder.mkdir()
    client.initialize(folder)
    for name in ("a.py", "b.py"):
        client.open((folder / name).as_uri(), BAD)
    client.round_trip()
    repo = Repo(folder)
    repo.commit("base", {"c.py": "x = 1\n"})
    seen = len(client.inbox)
    client.notify("textDocument/didSave", {"textDocument": {"uri": (folder / "a.py").as_uri()}})
    for name in ("a.py", "b.py"):
        wait_for(client, (folder / name).as_uri(), (0, ITEM), version=1)
    assert {"workspace/configuration", "client/registerCapability"} <= {
        message.get("method") for message in client.inbox[seen:]
    }


def test_two_spellings_of_one_file(branch: Repo, client: Client) -> None:
    """The one typed in last is the file; closing it goes back to the other, and its marks move along."""
    client.initialize(branch.root)
    plain, odd = uri_of(branch), uri_of(branch).replace("a.py", "%61.py")
    client.open(plain, NEW)
    wait_for(client, plain, (4, ITEM), version=1)
    client.open(odd, OLD, version=7)
    wait_for(client, odd, version=7)
    client.change(plain, 2, {"range": TOP, "text": "\n"})
    wait_for(client, plain, (5, ITEM), version=2)
    client.change(odd, 8, {"text": "\n\n" + NEW})
    wait_for(client, odd, (6, ITEM), version=8)
    seen = len(client.inbox)
    client.notify("textDocument/didClose", {"textDocument": {"uri": odd}})
    wait_for(client, plain, (5, ITEM), version=2, after=seen)
    wait_for(client, odd, after=seen)
    client.notify("textDocument/didClose", {"textDocument": {"uri": plain}})
    wait_for(client, plain, after=len(client.inbox))
    assert client.stop() == 0


def test_git_goes_on_below_the_server(branch: Repo, client: Client) -> None:
    """Stash, commit, amend, a moved base, a detached head, a lock that was left, and garbage collection."""
    client.initialize(branch.root)
    branch.write("b.py", BAD)
    uri = uri_of(branch, "b.py")
    wait_for(client, uri, (0, ITEM))
    status(client, running=False)
    for take, bring in (
        (("stash",), ("stash", "pop")),
        (("checkout", "-q", "-f", "--detach", "main"), ("checkout", "-q", "work")),
    ):
        seen = len(client.inbox)
        branch.git(*take)
        wait_for(client, uri, after=seen)
        seen = len(client.inbox)
        branch.git(*bring)
        if bring[0] == "checkout":
            branch.write("b.py", BAD)
            branch.git("add", "b.py")
        wait_for(client, uri, (0, ITEM), after=seen)
    branch.commit("mine")
    branch.git("commit", "--amend", "-qm", "better")
    (branch.root / ".git" / "index.lock").touch()
    seen = len(client.inbox)
    branch.write("a.py", NEW)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_of(branch), "type": 2}]})
    wait_for(client, uri_of(branch), (4, ITEM), after=seen)
    (branch.root / ".git" / "index.lock").unlink()
    branch.git("gc", "-q", "--prune=now")
    seen = len(client.inbox)
    client.open(uri_of(branch), OLD)
    wait_for(client, uri_of(branch), version=1, after=seen)
    seen = len(client.inbox)
    branch.git("branch", "-qf", "main", "work")
    wait_for(client, uri, after=seen)
    assert client.stop() == 0


def test_a_base_that_cannot_be_kept_is_refused_in_words(branch: Repo, client: Client) -> None:
    """Where nothing may be written below .git: the command fails, the review goes on."""
    (branch.root / ".git" / "roundzero").touch()
    client.initialize(branch.root)
    client.open(uri_of(branch), NEW)
    wait_for(client, uri_of(branch), (4, ITEM), version=1)
    select = {"command": "roundzero.selectBase", "arguments": [{"ref": "main"}]}
    error = client.error("workspace/executeCommand", select)
    assert error["code"] == -32803
    client.result("workspace/executeCommand", {"command": "roundzero.review"})
    assert client.stop() == 0


def test_two_servers_on_one_repository(branch: Repo) -> None:
    """They see the same, and a base selected through one holds for the other from its next start."""
    with Client() as one, Client() as other:
        for client in (one, other):
            client.initialize(branch.root)
            client.open(uri_of(branch), NEW)
        ids = [wait_for(c, uri_of(branch), (4, ITEM), version=1)["diagnostics"][0]["data"] for c in (one, other)]
        assert ids[0] == ids[1]
        one.result("workspace/executeCommand", {"command": "roundzero.selectBase", "arguments": [{"ref": "work"}]})
    with Client() as again:
        again.initialize(branch.root)
        again.open(uri_of(branch), NEW)
        wait_for(again, uri_of(branch), (4, ITEM), version=1)
        assert status(again, running=False)["base"]["how"] == "explicit"


def test_everything_can_be_cancelled(branch: Repo, client: Client) -> None:
    """Each request is answered once, cancelled or not, and the next one is served."""
    client.initialize(branch.root)
    client.open(uri_of(branch), NEW)
    wait_for(client, uri_of(branch), (4, ITEM), version=1)
    where = {"textDocument": {"uri": uri_of(branch)}, "range": TOP | {"end": {"line": 9, "character": 0}},
             "context": {"diagnostics": []}}  # fmt: skip
    asked: list[int] = []
    for command in ("review", "status", "selectBase"):
        asked.append(client.request("workspace/executeCommand", {"command": f"roundzero.{command}"}))
        asked.append(client.request("textDocument/codeAction", where))
        asked.append(client.request("roundzero/baseText", {"uri": uri_of(branch)}))
        for each in asked:
            client.notify("$/cancelRequest", {"id": each})
    for each in asked:
        answer = client.response(each)
        assert "result" in answer or answer["error"]["code"] == -32800, answer
    client.round_trip()
    assert len([m for m in client.inbox if "method" not in m and m["id"] in asked]) == len(asked)
    assert client.result("textDocument/codeAction", where)
    assert client.stop() == 0


def test_settings_that_change_while_it_runs(branch: Repo, client: Client) -> None:
    """Switched off it shows nothing; milder findings, single items and on-save follow at once."""
    client.initialize(branch.root, {})
    uri = uri_of(branch)
    client.open(uri, NEW + "import os\n")
    both = wait_for(client, uri, (4, ITEM), (6, "python/unused-import"), version=1)

    def set_to(**settings: object) -> int:
        seen = len(client.inbox)
        client.notify("workspace/didChangeConfiguration", {"settings": {"roundzero": settings}})
        return seen

    wait_for(client, uri, after=set_to(enable=False))
    client.change(uri, 2, {"range": TOP, "text": "\n"})
    assert client.result("roundzero/findings", {"uri": uri}) == {"findings": []}
    back = wait_for(client, uri, (5, ITEM), (7, "python/unused-import"), after=set_to())
    assert [each["data"] for each in back["diagnostics"]] == [each["data"] for each in both["diagnostics"]]
    wait_for(client, uri, (7, "python/unused-import"), after=set_to(items={ITEM: "off"}))
    wait_for(client, uri, (5, ITEM), (7, "python/unused-import"), after=set_to(run="onSave", debounceMs=5))
    client.change(uri, 3, {"text": OLD})
    client.round_trip()
    seen = len(client.inbox)
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    wait_for(client, uri, version=3, after=seen)
    assert client.stop() == 0


def test_a_submodule_a_linked_worktree_and_a_repository_in_a_repository(branch: Repo, tmp_path: Path) -> None:
    """Each root is its own repository, and a file belongs to the deepest."""
    inner = Repo(branch.root / "inner")
    inner.commit("base", {"x.py": "x = 1\n"})
    inner.branch("topic")
    source = Repo(tmp_path / "source")
    source.commit("base", {"s.py": "x = 1\n"})
    branch.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source.root), "sub")
    branch.git("commit", "-qm", "submodule")
    branch.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked", "main")
    roots = [inner.root, branch.root / "sub", tmp_path / "linked"]
    with Client() as client:
        client.initialize(
            branch.root, workspaceFolders=[{"uri": root.as_uri(), "name": "x"} for root in (branch.root, *roots)]
        )
        for root in roots:
            client.open((root / "new.py").as_uri(), BAD)
            wait_for(client, (root / "new.py").as_uri(), (0, ITEM), version=1)
        assert client.stop() == 0


ODD_TEXTS = (
    "x = 1\r\ndef f(cache={}): return cache\r\n",
    "\ufeffdef f(cache={}): return cache",
    "x = 1\rdef f(cache={}): return cache",
    "x = '\u2028\x85\x0b\x1c'\n\x0cdef f(cache={}): return cache",
    "class F:\n    def f(x='\U0001f600', cache={}): return '\U0001f600', cache",
    "x = (" + "1, " * 100_000 + ")\ndef f(cache={}): return cache",
)
"""CRLF, a byte-order mark, a lone CR, separators that are no line ends, emoji, a huge line; mostly without final LF."""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_range_is_what_the_client_would_mark(branch: Repo, encoding: str) -> None:
    """The characters under the published range are the default that is meant, in every encoding."""
    unit, size = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    with Client() as client:
        client.initialize(branch.root, {"general": {"positionEncodings": [encoding]}})
        for number, text in enumerate(ODD_TEXTS):
            uri = uri_of(branch, f"new{number}.py")
            client.open(uri, text)
            mark = _mark(client, uri)
            line = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[mark["start"]["line"]]
            start, end = (mark[side]["character"] * size for side in ("start", "end"))
            assert line.encode(unit)[start:end].decode(unit) == "{}"
        assert client.stop() == 0


def _mark(client: Client, uri: str) -> Message:
    """The range of the one finding of the usual item."""
    shown = client.wait(lambda message: any(code == ITEM for _, code in found(message, uri)))
    (mark,) = [each["range"] for each in shown["params"]["diagnostics"] if each["code"] == ITEM]
    span: Message = mark
    return span


def test_wrong_command_arguments_are_refused_and_do_nothing(branch: Repo, client: Client) -> None:
    """Whatever type stands where a name or a place should."""
    client.initialize(branch.root)
    assert client.result("roundzero/findings") == {"findings": []}
    for command, argument in (
        ("review", {"scope": 1}), ("review", {"scope": ["worktree"]}), ("review", {"depth": {}}),
        ("review", {"uri": "untitled:x"}), ("selectBase", {"ref": 7}), ("selectBase", {"ref": "-x"}),
        ("selectBase", {"ref": "no/such"}), ("stop", {"uri": "file:///nowhere"}), ("status", 7), ("pause", [None]),
        ("review", {"uri": 5}), ("stop", {"uri": []}),
    ):  # fmt: skip
        error = client.error("workspace/executeCommand", {"command": f"roundzero.{command}", "arguments": [argument]})
        assert error["code"] in {-32602, -32803}, (command, argument, error)
    assert not client.result("workspace/executeCommand", {"command": "roundzero.status"})[0]["paused"]
    assert client.stop() == 0


def test_a_fix_asked_for_a_text_that_has_moved_fits_the_text_of_now(branch: Repo, client: Client) -> None:
    """Its edits are of the document's version, and land where the default has gone."""
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, NEW)
    wait_for(client, uri, (4, ITEM), version=1)
    where = {"textDocument": {"uri": uri}, "range": {"start": {"line": 4, "character": 0},
             "end": {"line": 4, "character": 99}}, "context": {"diagnostics": [], "only": ["quickfix"]}}  # fmt: skip
    action = client.result("textDocument/codeAction", where)[0]
    client.change(uri, 2, {"range": TOP, "text": "# one\n# two\n"})
    (change,) = client.result("codeAction/resolve", action)["edit"]["documentChanges"]
    assert change["textDocument"]["version"] == 2
    assert min(edit["range"]["start"]["line"] for edit in change["edits"]) >= 6
    wait_for(client, uri, (6, ITEM), version=2)
    client.change(uri, 3, {"text": OLD})
    assert client.error("codeAction/resolve", action)["code"] in {-32801, -32803}
    assert client.stop() == 0


def test_disk_changes_that_nobody_reports_are_seen_on_save(branch: Repo, client: Client) -> None:
    """Another program writes files while the client watches none: the next save of anything looks again."""
    client.initialize(branch.root, {})
    client.open(uri_of(branch), OLD)
    wait_for(client, uri_of(branch), version=1)
    status(client, running=False)
    subprocess.run(["sh", "-c", f"printf 'def f(cache={{}}):\\n    return cache\\n' > {branch.root}/b.py"], check=True)
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(branch)}})
    wait_for(client, uri_of(branch, "b.py"), (0, ITEM))
    assert client.stop() == 0
