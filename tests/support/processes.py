"""The processes below one, for tests that kill them or want none left. Linux only, through /proc."""

from __future__ import annotations

import time
from pathlib import Path

LIMIT = 20.0
"""Seconds a process may take to appear or to go."""


def below(pid: int) -> dict[int, str]:
    """Every living process below one, with its command line."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [pid]
    for each in found:
        found += parents.get(each, [])
    return {each: line for each in found[1:] if (line := command(each)) is not None}


def command(pid: int) -> str | None:
    """The command line of a process; None when it has gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace") or None
    except OSError:
        return None


def wait_until_gone(pids: list[int]) -> None:
    """Wait until none of these processes is left. Raises AssertionError naming what stayed."""
    end = time.monotonic() + LIMIT
    while left := [line for pid in pids if (line := command(pid)) is not None]:
        assert time.monotonic() < end, left
        time.sleep(0.02)


def wait_for_child(pid: int, word: str) -> int:
    """Wait until a process below one has a word in its command line; its id."""
    end = time.monotonic() + LIMIT
    while True:
        for child, line in below(pid).items():
            if word in line:
                return child
        assert time.monotonic() < end, below(pid)
        time.sleep(0.02)
