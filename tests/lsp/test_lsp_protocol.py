"""The protocol over real streams: every request is answered, whatever a client sends.

Everything here runs twice: with lsprotocol's types loaded lazily, as shipped, and with the stock import.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from roundzero.lsp.greeting import COMMANDS
from roundzero.lsp.lazy_types import VARIABLE
from support.lsp import MINIMAL, NEOVIM, VS_CODE, Client

if TYPE_CHECKING:
    from support.repo import Repo

Start = Callable[..., Client]
A_FILE = {"uri": "file:///a"}


@pytest.fixture(params=["lazy", "stock"])
def start(request: pytest.FixtureRequest) -> Iterator[Start]:
    """Starts servers, and leaves none behind."""
    started: list[Client] = []

    def begin(**options: Any) -> Client:  # noqa: ANN401  the client's own options
        client = Client(env={VARIABLE: request.param}, **options)
        started.append(client)
        return client

    yield begin
    for client in started:
        client.close()


@pytest.mark.parametrize("capabilities", [VS_CODE, NEOVIM, MINIMAL, {}], ids=["vscode", "neovim", "minimal", "none"])
def test_a_session_from_greeting_to_goodbye(start: Start, repo: Repo, capabilities: dict[str, Any]) -> None:
    """Every client gets its capabilities and leaves with exit status 0."""
    repo.commit(files={"a.py": "x = 1\n"})
    client = start()
    result = client.initialize(repo.root, capabilities)
    assert result["serverInfo"]["name"] == "roundzero"
    assert result["capabilities"]["executeCommandProvider"]["commands"] == list(COMMANDS)
    assert client.stop() == 0


def test_unknown_enum_values_and_types_do_not_keep_a_client_out(start: Start, tmp_path: Path) -> None:
    """A client of a later protocol version is greeted like any other."""
    client = start()
    odd = {
        "general": {"positionEncodings": ["utf-64", "utf-16"]},
        "textDocument": {
            "hover": {"contentFormat": ["asciidoc", 7]},
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["new.kind"]}}},
            "publishDiagnostics": {"tagSupport": {"valueSet": [1, 2, 99]}},
        },
        "workspace": {"workspaceEdit": {"failureHandling": "improvise", "resourceOperations": ["teleport"]}},
        "window": "all of it",
    }
    result = client.initialize(tmp_path, odd, trace="compact", processId="none", locale=3)
    assert result["capabilities"]["positionEncoding"] == "utf-16"
    assert client.stop() == 0


def test_before_initialize_requests_are_refused(start: Start, tmp_path: Path) -> None:
    """Nothing but initialize is served first; afterwards it is not served again."""
    client = start()
    assert client.error("textDocument/hover", {})["code"] == -32002
    client.notify("textDocument/didOpen", {})
    assert client.error("initialize", [])["code"] == -32602
    client.initialize(tmp_path)
    assert client.error("initialize", {"capabilities": {}})["code"] == -32600


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("textDocument/hover", None, -32602),
        ("textDocument/hover", {}, -32602),
        ("textDocument/hover", {"textDocument": A_FILE, "position": {"line": 2**40, "character": 0}}, -32602),
        ("textDocument/hover", {"textDocument": A_FILE, "position": {"line": -1, "character": 0}}, -32602),
        ("textDocument/codeAction", {"context": {"diagnostics": [], "triggerKind": 9}}, -32602),
        ("codeAction/resolve", {"title": "not ours"}, -32602),
        ("workspace/executeCommand", {"command": "roundzero.nothing"}, -32602),
        ("workspace/executeCommand", {"command": "roundzero.status", "arguments": ["text"]}, -32602),
        ("workspace/executeCommand", {"command": "roundzero.status", "arguments": [{}, {}]}, -32602),
        ("workspace/executeCommand", {"command": "roundzero.review", "arguments": [{"scope": "all"}]}, -32602),
        ("workspace/executeCommand", {"command": "roundzero.dismiss", "arguments": [{"id": "x"}]}, -32803),
        ("roundzero/baseText", None, -32602),
        ("roundzero/baseText", {"uri": "file:///nowhere"}, -32602),
        ("textDocument/definition", {}, -32601),
        ("no/such", None, -32601),
    ],
    ids=str,
)  # fmt: skip
def test_a_bad_request_is_answered_with_an_error(
    start: Start, repo: Repo, method: str, params: object, code: int
) -> None:
    """Never left hanging, and the next request is served."""
    client = start()
    client.initialize(repo.root)
    assert client.error(method, params)["code"] == code
    assert client.result("roundzero/findings") == {"findings": []}


@pytest.mark.parametrize(
    ("body", "identity", "code"),
    [
        (b"{", None, -32700),
        (b"\xff", None, -32700),
        (b"[]", None, -32600),
        (b"7", None, -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"shutdown"}', {}, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"shutdown"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":"x"}', "x", -32600),
        (b"[" * 100_000, None, -32700),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_no_message_is_answered_too(
    start: Start, tmp_path: Path, body: bytes, identity: object, code: int
) -> None:
    """With the code JSON-RPC has for it."""
    client = start()
    client.initialize(tmp_path)
    client.send_raw(body)
    answer = client.wait(lambda message: "error" in message and message.get("id") == identity)
    assert answer["error"]["code"] == code
    assert client.stop() == 0


def test_requests_of_our_own_need_no_params(start: Start, repo: Repo) -> None:
    """``params`` may be left out, null or empty."""
    client = start()
    client.initialize(repo.root)
    forms: list[dict[str, object]] = [{}, {"params": None}, {"params": {}}, {"params": {"jsonrpc": "2.0", "id": 7}}]
    for more in forms:
        client.send({"jsonrpc": "2.0", "id": "own", "method": "roundzero/findings"} | more)
        seen = len(client.inbox)
        answer = client.wait(lambda message: message.get("id") == "own", after=seen)
        assert answer["result"] == {"findings": []}


def test_an_argument_may_have_any_key(start: Start, repo: Repo) -> None:
    """An object with the keys of a message inside a message is only data."""
    client = start()
    client.initialize(repo.root)
    odd = {"jsonrpc": "2.0", "method": "exit", "foo-bar": 1, "class": 2}
    arguments = {"command": "roundzero.status", "arguments": [odd]}
    assert client.result("workspace/executeCommand", arguments)[0]["uri"] == repo.root.as_uri()


def test_odd_notifications_are_survived_without_a_popup(start: Start, tmp_path: Path) -> None:
    """Unknown, invalid and untimely notifications are logged at most."""
    client = start()
    client.initialize(tmp_path)
    uri = (tmp_path / "never.py").as_uri()
    client.change(uri, 2, {"text": "x"})
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    client.notify("textDocument/didOpen", {"textDocument": 7})
    client.notify("textDocument/didOpen")
    client.notify("$/setTrace", {"value": "compact"})
    client.notify("$/cancelRequest", {"id": 99})
    client.notify("$/cancelRequest")
    client.notify("window/workDoneProgress/cancel", {"token": "none"})
    client.notify("$/anything", {})
    client.send({"jsonrpc": "2.0", "id": "stray", "result": 1})
    client.round_trip()
    assert not [each for each in client.inbox if each.get("method") == "window/showMessage"]
    log = [each["params"]["message"] for each in client.inbox if each.get("method") == "window/logMessage"]
    assert any("never opened" in line for line in log)


def test_a_request_without_an_id_is_ignored(start: Start, repo: Repo) -> None:
    """Nobody could be answered: it is not begun, and nothing is left of it."""
    client = start()
    client.initialize(repo.root)
    client.notify("workspace/executeCommand", {"command": "roundzero.pause"})
    client.notify("roundzero/baseText", {"uri": (repo.root / "a.py").as_uri()})
    client.notify("shutdown")
    client.round_trip()
    assert not client.result("workspace/executeCommand", {"command": "roundzero.status"})[0]["paused"]
    assert client.stop() == 0
    client.close()
    assert b"never awaited" not in client.stderr


def test_documents_that_are_no_files_are_named_and_ignored(start: Start, repo: Repo) -> None:
    """Each scheme is named in the log once."""
    client = start()
    client.initialize(repo.root)
    for number in range(3):
        client.open(f"untitled:Untitled-{number}", "x")
        client.change(f"untitled:Untitled-{number}", 2, {"text": "y"})
    client.open("vscode-notebook-cell:/a.ipynb#W0", "x")
    client.round_trip()
    log = [each["params"]["message"] for each in client.inbox if each.get("method") == "window/logMessage"]
    assert [sum(scheme in line for line in log) for scheme in ("untitled:", "vscode-notebook-cell:")] == [1, 1]


def test_a_folder_without_git_is_one_line_in_the_log(start: Start, tmp_path: Path) -> None:
    """No popup, and not again when it is added again."""
    client = start()
    client.initialize(tmp_path)
    folder = {"uri": tmp_path.as_uri(), "name": "x"}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    client.open((tmp_path / "a.py").as_uri(), "x")
    client.round_trip()
    said = [each for each in client.inbox if each.get("method") in {"window/logMessage", "window/showMessage"}]
    about = [each for each in said if "not in a git repository" in each["params"]["message"]]
    assert [each["method"] for each in about] == ["window/logMessage"]


def test_lone_surrogates_do_not_break_the_stream(start: Start, repo: Repo) -> None:
    """In a text, in a name that is echoed: the answer is valid UTF-8 and the session goes on."""
    client = start()
    client.initialize(repo.root)
    client.open((repo.root / "a.py").as_uri(), "x = '\ud800'\n")
    error = client.error("workspace/executeCommand", {"command": "roundzero.\udc00"})
    assert "\ufffd" in error["message"]
    assert client.stop() == 0


def test_after_shutdown_requests_are_refused_and_exit_is_0(start: Start, repo: Repo) -> None:
    """A late request is answered, a late notification ignored."""
    client = start()
    client.initialize(repo.root)
    assert client.result("shutdown") is None
    client.open((repo.root / "a.py").as_uri(), "x")
    assert client.error("roundzero/findings")["code"] == -32600
    client.notify("exit")
    assert client.process.wait(20) == 0


def test_exit_right_behind_shutdown_is_0(start: Start, repo: Repo) -> None:
    """Also from a client that does not wait for the answer, and with work pending."""
    client = start()
    client.initialize(repo.root)
    client.request("workspace/executeCommand", {"command": "roundzero.review", "arguments": [{}]})
    bodies = [b'{"jsonrpc":"2.0","id":"bye","method":"shutdown"}', b'{"jsonrpc":"2.0","method":"exit"}']
    client.write(b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies))
    assert client.process.wait(20) == 0


def test_before_the_greeting_too_what_is_no_message_is_answered(start: Start, tmp_path: Path) -> None:
    """With the code JSON-RPC has for it, and the greeting is still welcome."""
    client = start()
    for body, code in ((b"[" * 100_000, -32700), (b"{", -32700), (b"7", -32600)):
        seen = len(client.inbox)
        client.send_raw(body)
        assert client.wait(lambda message: "error" in message, after=seen)["error"]["code"] == code
    client.initialize(tmp_path)
    assert client.stop() == 0


@pytest.mark.parametrize("when", ["at once", "greeted"])
def test_exit_without_shutdown_is_1(start: Start, repo: Repo, when: str) -> None:
    """As the protocol wants."""
    client = start()
    if when == "greeted":
        client.initialize(repo.root)
    client.notify("exit")
    assert client.process.wait(20) == 1


@pytest.mark.parametrize("when", ["at once", "greeted", "after shutdown"])
def test_a_client_that_dies_takes_the_server_along(start: Start, repo: Repo, when: str) -> None:
    """The end of standard input ends the process, whatever it is doing, without an error."""
    client = start()
    if when != "at once":
        client.initialize(repo.root)
    if when == "after shutdown":
        client.result("shutdown")
    assert client.process.stdin
    client.process.stdin.close()
    assert client.process.wait(20) == (0 if when == "after shutdown" else 1)
    client.close()
    assert client.stderr.count(b"Traceback") == 0


def test_a_client_that_stops_listening_is_no_flood(repo: Repo) -> None:
    """What cannot be sent is dropped: no recursion, no megabytes on standard error."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys; from roundzero.lsp.server import serve; sys.exit(serve())"],
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)

    def request(method: str, params: object) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    folders = [{"uri": repo.root.as_uri(), "name": "x"}]
    assert process.stdin
    process.stdin.write(request("initialize", {"capabilities": {}, "workspaceFolders": folders}))
    process.stdin.flush()
    assert os.read(reading, 100)
    os.close(reading)
    leaving = b'{"jsonrpc":"2.0","method":"exit"}'
    asked = request("no/such", {}) * 100 + b"Content-Length: %d\r\n\r\n%b" % (len(leaving), leaving)
    _, errors = process.communicate(asked, timeout=20)
    assert process.returncode == 1
    assert len(errors) < 10_000


def test_a_signal_ends_it_cleanly(start: Start, repo: Repo) -> None:
    """SIGTERM closes the engines and leaves."""
    client = start()
    client.initialize(repo.root)
    client.round_trip()
    client.process.send_signal(signal.SIGTERM)
    assert client.process.wait(20) == 1
    client.close()
    assert b"Traceback" not in client.stderr


def test_headers_in_any_case_and_order(start: Start) -> None:
    """Content-Type may stand beside Content-Length, which may be written in lower case."""
    client = start()
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
    kind = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    client.write(kind + b"content-length:%d\r\n\r\n%b" % (len(body), body))
    assert "result" in client.response(1)


def test_a_stray_print_does_not_reach_the_client(start: Start, tmp_path: Path) -> None:
    """Standard output belongs to the protocol; what anything else prints goes to standard error."""
    code = "import sys; from roundzero.lsp import server; a = server._assemble\n"
    code += "server._assemble = lambda *x: (print('stray', flush=True), a(*x))[1]\nsys.exit(server.serve())"
    client = start(argv=(sys.executable, "-c", code))
    client.initialize(tmp_path)
    assert client.stop() == 0
    client.close()
    assert b"stray" in client.stderr


def test_requests_at_once_are_all_answered_once(start: Start, repo: Repo) -> None:
    """Answers may come in any order but each comes, and only once."""
    client = start()
    client.initialize(repo.root)
    asked = [client.request("roundzero/findings" if number % 2 else "no/such") for number in range(200)]
    for each in asked:
        client.response(each)
    client.round_trip()
    answered = [message["id"] for message in client.inbox if "method" not in message and message["id"] in asked]
    assert sorted(answered) == asked


def test_notifications_and_requests_leave_nothing_behind(tmp_path: Path) -> None:
    """After 2,000 edits and 200 requests the protocol's own tables hold what they held before."""
    code = """
import asyncio, json, os, sys
from roundzero.lsp import lazy_types
lazy_types.load()
from roundzero.lsp import handlers
from roundzero.lsp.client import Client
from roundzero.lsp.connection import Connection
from roundzero.lsp.pygls_fixes import Server
from roundzero.lsp.session import Session
from roundzero.lsp.workspaces import Workspaces

async def main():
    server = Server(Connection(0, os.open(os.devnull, os.O_WRONLY)))
    server.session = Session(server, Client(), Workspaces(Client(), {}))
    handlers.register_all(server)
    receive = lambda message: server.protocol.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())
    item = {"uri": "file:///nowhere/a.py", "languageId": "python", "version": 1, "text": "x\\n"}
    receive({"method": "textDocument/didOpen", "params": {"textDocument": item}})
    for number in range(2000):
        change = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}, "text": "y"}
        document = {"uri": item["uri"], "version": number + 2}
        receive({"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": [change]}})
    for number in range(200):
        receive({"id": number, "method": "roundzero/findings"})
        receive({"id": str(number), "method": "roundzero/baseText"})
    while server.protocol._running:
        await asyncio.sleep(0)
    print(len(server.protocol._request_futures), len(server.protocol._result_types), len(server.protocol._running))
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ)
    assert (done.stdout.split(), done.stderr) == (["0", "0", "0"], "")


def test_the_greeting_needs_nothing_heavy() -> None:
    """Until ``initialize`` is answered neither asyncio nor pygls nor lsprotocol nor the engine has been imported."""
    code = """
import sys
from roundzero.lsp import server, greeting
from roundzero.lsp.client import read_client
greeting.initialize_result(read_client({"capabilities": {}}))
heavy = ("asyncio", "pygls", "lsprotocol", "cattrs", "pydantic", "git", "roundzero.engine", "roundzero.config")
print([name for name in heavy if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_announced_is_handled_and_no_more() -> None:
    """The capabilities stand in the greeting as data; this is what keeps them true."""
    code = """
import asyncio, json
from roundzero.lsp import lazy_types
lazy_types.load()
from roundzero.lsp import handlers, greeting
from roundzero.lsp.client import Client
from roundzero.lsp.connection import Connection
from roundzero.lsp.handlers.commands import _COMMANDS
from roundzero.lsp.pygls_fixes import Server
from lsprotocol import types

async def main():
    server = Server(Connection(0, 1))
    handlers.register_all(server)
    known = server.protocol.fm.features
    plain = [name for name, handler in known.items()
             if name in types.METHOD_TO_TYPES and types.METHOD_TO_TYPES[name][1] is None
             and asyncio.iscoroutinefunction(getattr(handler, "func", handler))]
    print(json.dumps([sorted(known), plain, list(_COMMANDS) == list(greeting.COMMANDS)]))
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    known, coroutines, same_commands = json.loads(done.stdout)
    assert known == sorted(
        [
            "codeAction/resolve", "exit", "initialized", "roundzero/baseText", "roundzero/findings", "shutdown",
            "$/setTrace", "textDocument/codeAction", "textDocument/didChange", "textDocument/didClose",
            "textDocument/didOpen", "textDocument/didSave", "textDocument/hover", "window/workDoneProgress/cancel",
            "workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles",
            "workspace/didChangeWorkspaceFolders", "workspace/didRenameFiles", "workspace/executeCommand",
            "workspace/willRenameFiles",
        ]
    )  # fmt: skip
    assert coroutines == []
    assert same_commands


def test_a_parent_that_dies_is_noticed_though_the_pipe_stays_open(repo: Repo) -> None:
    """The client is killed while somebody else still holds its end of the server's standard input."""
    parent = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import sys; from roundzero.lsp.server import serve; sys.exit(serve())"])
import signal; signal.pause()
"""
    reading, writing = os.pipe()
    process = subprocess.Popen([sys.executable, "-c", parent], stdin=reading, stdout=subprocess.PIPE)
    os.close(reading)
    folders = [{"uri": repo.root.as_uri(), "name": "x"}]
    params = {"capabilities": {}, "workspaceFolders": folders, "processId": process.pid}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params},
        {"jsonrpc": "2.0", "id": 2, "method": "roundzero/findings"},
    ]
    for message in messages:
        body = json.dumps(message).encode()
        os.write(writing, b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    assert process.stdout
    answers = b""
    while b'"id":2' not in answers:
        answers += os.read(process.stdout.fileno(), 65536)
    process.kill()
    process.wait(20)
    while os.read(process.stdout.fileno(), 65536):
        pass
    process.stdout.close()
    os.close(writing)
