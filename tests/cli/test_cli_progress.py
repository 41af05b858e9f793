"""The progress bar comes late, goes without a trace, and costs nothing when it is not needed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from roundzero.cli._progress import Bar, Events, Quiet, progress

PROGRAM = """
import asyncio, sys
from roundzero.cli import _progress
_progress.DELAY = float(sys.argv[1])

async def main():
    with _progress.progress("terminal") as bar:
        assert isinstance(bar, _progress.Bar)
        bar.stage("collect", 0, None)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        bar.stage("check", 1, 7)
    print("rich" in sys.modules)

asyncio.run(main())
"""


def on_a_terminal(delay: float) -> tuple[str, str]:
    """What a run writes to standard output and to a terminal as standard error."""
    leader, follower = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(delay)],
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(follower)
        shown = b""
        try:
            while chunk := os.read(leader, 65536):
                shown += chunk
        except OSError:
            pass  # Linux says so when the other side has closed
        os.close(leader)
        assert process.stdout is not None
        return process.stdout.read().decode(), shown.decode()


def test_a_short_review_shows_no_bar() -> None:
    """Before the delay has passed nothing is written and rich is not loaded."""
    assert on_a_terminal(60) == ("False\n", "")


def test_a_long_review_shows_a_bar_and_takes_it_away() -> None:
    """After the delay the stages are shown; at the end the lines are erased."""
    out, shown = on_a_terminal(0)
    assert out == "True\n"
    assert "collect" in shown
    assert "\x1b[2K" in shown


def test_only_a_person_gets_a_bar() -> None:
    """Without a terminal, and with a format for programs, there is none."""
    assert type(progress("terminal")) is Quiet
    assert type(progress("json")) is Quiet
    assert type(progress("ndjson")) is Events


def test_a_bar_that_never_appeared_leaves_no_timer(capfd: pytest.CaptureFixture[str]) -> None:
    """When the review fails early, nothing appears afterwards."""

    async def fail() -> None:
        loop = asyncio.get_running_loop()
        with pytest.raises(TypeError), Bar() as bar:
            bar.stage([], 0, None)  # type: ignore[arg-type]
        assert all(timer.cancelled() for timer in loop._scheduled)  # type: ignore[attr-defined]

    asyncio.run(fail())
    assert capfd.readouterr() == ("", "")
