"""Memory, wake-ups and stalls of the server and its children, seen from outside through /proc. Linux only.

A stall is measured as the time the server takes to refuse a request it does not know, asked again and again while
10,000 lines are being edited: only a loop that is busy with something else makes that slow.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import subject
from lsp_client import Client
from report import Row, p95, table

EDITS: Final = 10_000
WATCHED_SECONDS: Final = 15
MIB: Final = 1024 * 1024


def measure() -> list[Row]:
    """Rows for memory, wake-ups and stalls."""
    if not sys.platform.startswith("linux"):
        return []
    roundzero = subject.command()
    with tempfile.TemporaryDirectory() as scratch:
        root = subject.repository(Path(scratch) / "repo", files=20, lines=2_000, touched=5)
        big = subject.repository(Path(scratch) / "big", files=20, lines=10_000, touched=1)
        return [
            *_memory(roundzero, root),
            _wake_ups(roundzero, root, watches_files=True),
            _wake_ups(roundzero, root, watches_files=False),
            *_stalls(roundzero, big),
        ]


def _memory(roundzero: Path, root: Path) -> list[Row]:
    client = Client([roundzero, "lsp"], root)
    try:
        uri = _settle(client, root)
        idle = resident(client.process.pid)
        _type(client, uri, EDITS // 10)
        warm = resident(client.process.pid)
        _type(client, uri, EDITS - EDITS // 10)
        after = resident(client.process.pid)
    finally:
        client.close()
    return [
        Row(what="resident when idle, server and children", ours=idle, unit="MiB", bound=160),
        Row(
            what=f"resident after {EDITS:,} edits",
            ours=after,
            unit="MiB",
            peer=warm,
            peer_name=f"after {EDITS // 10:,}",
            bound=1.05,
        ),
    ]


def _wake_ups(roundzero: Path, root: Path, *, watches_files: bool) -> Row:
    client = Client([roundzero, "lsp"], root)
    try:
        _settle(client, root, watches_files=watches_files)
        before = _switches(client.process.pid)
        time.sleep(WATCHED_SECONDS)
        count = _switches(client.process.pid) - before
    finally:
        client.close()
    if watches_files:
        return Row(what=f"wake-ups in {WATCHED_SECONDS} s, client watches files", ours=count, unit="times", bound=0)
    bound = WATCHED_SECONDS / 5
    return Row(what=f"wake-ups in {WATCHED_SECONDS} s, client cannot watch", ours=count, unit="times", bound=bound)


def _stalls(roundzero: Path, root: Path) -> list[Row]:
    client = Client([roundzero, "lsp"], root)
    waits: list[float] = []
    try:
        uri = _settle(client, root)
        until = time.monotonic() + 10
        edits = 0
        while time.monotonic() < until:
            if len(waits) % 20 == 0:
                edits += 1
                client.edit(uri, (0, 0), (0, 0) if edits % 2 else (1, 0), "# typed\n" if edits % 2 else "")
            start = time.perf_counter()
            client.request("roundzero/areYouThere", {})
            waits.append((time.perf_counter() - start) * 1000)
            time.sleep(0.005)
    finally:
        client.close()
    return [
        Row(what="longest stall of the loop while 10,000 lines are edited", ours=max(waits), unit="ms", bound=50),
        Row(what="the same, p95 of the answers", ours=p95(waits), unit="ms"),
    ]


def _settle(client: Client, root: Path, *, watches_files: bool = True) -> str:
    """Open a file, wait for its diagnostics, and let everything that was started come to rest."""
    path = root / "part000" / "module00000.py"
    client.initialize(subject.SETTINGS, watches_files=watches_files)
    uri = client.open(path, path.read_text(encoding="utf-8"))
    client.diagnostics(uri, lambda p: bool(p["diagnostics"]))
    client.drain(5)
    return uri


def _type(client: Client, uri: str, edits: int) -> None:
    """Type a line and take it back, over and over; every hundredth time wait until the server has answered."""
    for at in range(edits):
        client.edit(uri, (0, 0), (0, 0) if at % 2 == 0 else (1, 0), "# typed\n" if at % 2 == 0 else "")
        if at % 100 == 99:
            client.request("roundzero/areYouThere", {})
    client.drain(3)


def _tree(pid: int) -> list[int]:
    """A process and everything below it."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def resident(pid: int) -> float:
    """MiB resident, summed over the tree; pages shared between processes count in each."""
    total = 0
    for one in _tree(pid):
        for line in _status(Path(f"/proc/{one}/status")):
            if line.startswith("VmRSS:"):
                total += int(line.split()[1]) * 1024
    return total / MIB


def _switches(pid: int) -> int:
    """Times any thread of the tree gave up the processor of its own accord: each is the end of a wake-up."""
    total = 0
    for one in _tree(pid):
        for status in Path(f"/proc/{one}/task").glob("*/status"):
            total += sum(int(line.split()[1]) for line in _status(status) if line.startswith("voluntary_ctxt"))
    return total


def _status(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


if __name__ == "__main__":
    print(table(measure()))
