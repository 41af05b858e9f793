"""Crowds: edits faster than checks, long files, many changed files; and nothing at all when nothing happens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from support.processes import below
from support.shown import ITEM, NEW, at_rest, found, uri_of, wait_for

if TYPE_CHECKING:
    from support.lsp import Client, Message
    from support.repo import Repo

TOP: Final = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
FIRST_LINE: Final = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
MANY: Final = 5
FUNCTION: Final = "def f{}(a, b):\n    if a:\n        return b\n    return a\n\n\n"


def type_on(client: Client, uri: str, edits: int, *, version: int) -> int:
    """Type a line and take it back, without waiting for anything; the version reached, with the text as it was."""
    for _ in range(edits // 2):
        client.change(uri, version + 1, {"range": TOP, "text": "\n"})
        client.change(uri, version + 2, {"range": FIRST_LINE, "text": ""})
        version += 2
    client.round_trip()
    return version


def resident(client: Client) -> int:
    """KiB of memory of the server and its children."""
    total = 0
    for pid in (client.process.pid, *below(client.process.pid)):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        total += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
    return total


def is_steady(sizes: list[int]) -> bool:
    """Whether the last of many sizes are no more than three in a hundred above one another.

    A process takes memory in steps, when a job first overlaps another; what edits cost for good would show in each.
    """
    return len(sizes) > MANY and max(sizes[-MANY:]) <= sizes[-MANY - 1] * 1.03


@pytest.mark.parametrize(("lines", "edits"), [(60, 10_000), (50_000, 1_000)])
def test_edits_faster_than_checks(branch: Repo, client: Client, lines: int, edits: int) -> None:
    """The last version is shown, each publication is of a version that was, and memory does not grow with edits."""
    body = "".join(FUNCTION.format(number) for number in range(lines // 6))
    branch.commit("long", {"long.py": body})
    branch.git("branch", "-qf", "main")
    client.initialize(branch.root)
    uri, start = uri_of(branch, "long.py"), body.count("\n")
    client.open(uri, body + NEW)
    marks = (start, ITEM), (start + 4, ITEM)
    wait_for(client, uri, *marks, version=1)
    version, sizes = 1, list[int]()
    while not is_steady(sizes):
        assert len(sizes) < 20, sizes
        version = type_on(client, uri, edits // 10, version=version)
        wait_for(client, uri, *marks, version=version)
        at_rest(client)
        sizes.append(resident(client))
    shown = [m["params"]["version"] for m in client.inbox if found(m, uri)]
    assert shown == sorted(shown)
    assert client.stop() == 0


def test_many_changed_files_do_not_hold_up_who_types(branch: Repo, client: Client) -> None:
    """The open file comes first and answers while the others are looked at; each of those is published once."""
    for number in range(400):
        branch.write(f"d{number % 7}/f{number}.py", "def f(cache={}):\n    return cache\n")
    client.initialize(branch.root)
    uri = uri_of(branch)
    client.open(uri, NEW)
    wait_for(client, uri, (4, ITEM), version=1)
    others = sum(bool(found(m, m["params"]["uri"])) for m in _publications(client))
    assert others < 100
    version = type_on(client, uri, 10, version=1)
    wait_for(client, uri, (4, ITEM), version=version)
    at_rest(client)
    count: dict[str, int] = {}
    for message in _publications(client):
        count[message["params"]["uri"]] = count.get(message["params"]["uri"], 0) + 1
    del count[uri]
    assert len(count) == 400
    assert set(count.values()) == {1}
    assert client.stop() == 0


def test_nothing_wakes_up_when_nothing_happens(branch: Repo, client: Client) -> None:
    """No thread of the server or its children runs while nobody says anything."""
    client.initialize(branch.root)
    client.open(uri_of(branch), NEW)
    wait_for(client, uri_of(branch), (4, ITEM), version=1)
    at_rest(client)
    quiet = 0
    for _ in range(40):
        before = _switches(client)
        quiet = quiet + 1 if client.is_silent(0.5) and _switches(client) == before else 0
        if quiet == 3:
            break
    assert quiet == 3
    assert client.stop() == 0


def _publications(client: Client) -> list[Message]:
    return [m for m in client.inbox if m.get("method") == "textDocument/publishDiagnostics"]


def _switches(client: Client) -> int:
    total = 0
    for pid in (client.process.pid, *below(client.process.pid)):
        for status in Path(f"/proc/{pid}/task").glob("*/status"):
            total += sum(int(line.split()[1]) for line in status.read_text().splitlines() if "voluntary" in line)
    return total
