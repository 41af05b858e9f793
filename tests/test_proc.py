"""Programs are started with a clean environment, within limits, and leave nothing behind."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import warnings
from pathlib import Path

import pytest

from roundzero import proc
from roundzero.errors import OutsideError
from support.loop import run

PYTHON = sys.executable


def _python(code: str) -> list[str]:
    return [PYTHON, "-c", code]


def test_output_and_exit_status_are_returned(tmp_path: Path) -> None:
    """Whatever a program writes and however it exits is the caller's to judge."""
    code = "import sys; sys.stdout.write('out' * 100000); sys.stderr.write('a\\nlast\\n'); sys.exit(3)"
    done = run(proc.run(_python(code), cwd=tmp_path))
    assert (done.returncode, done.stdout, done.complaint) == (3, b"out" * 100_000, "last")


def test_standard_input_is_given_whole_or_closed(tmp_path: Path) -> None:
    """Megabytes go in without blocking; without input the program sees its end at once."""
    code = "import sys; data = sys.stdin.buffer.read(); print(len(data))"
    assert run(proc.run(_python(code), cwd=tmp_path, stdin=b"x" * 5_000_000)).stdout == b"5000000\n"
    assert run(proc.run(_python(code), cwd=tmp_path)).stdout == b"0\n"


def test_a_program_that_does_not_read_its_input_is_no_error(tmp_path: Path) -> None:
    """A closed pipe is the program's choice."""
    assert run(proc.run(_python("pass"), cwd=tmp_path, stdin=b"x" * 5_000_000)).returncode == 0


def test_ambient_git_variables_are_not_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The default environment is ours without ``GIT_*``; a given one is taken as it is."""
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("KEPT", "yes")
    code = "import os; print(os.environ.get('GIT_DIR'), os.environ.get('KEPT'))"
    assert run(proc.run(_python(code), cwd=tmp_path)).stdout == b"None yes\n"
    assert run(proc.run(_python(code), cwd=tmp_path, env={"GIT_DIR": "x"})).stdout == b"x None\n"


@pytest.mark.parametrize(
    ("argv", "options", "message"),
    [
        (["no-such-program-here"], {}, "no-such-program-here was not found; install it"),
        (_python("import time; time.sleep(60)"), {"seconds": 0.2}, "did not finish within 0.2 seconds"),
        (["cat", "/dev/zero"], {"max_stdout": 10_000}, "cat wrote more than 10000 bytes"),
        (["cat"], {"cwd": "/nonexistent"}, "the folder /nonexistent does not exist"),
        (["/dev/null"], {}, "null could not be started: Permission denied"),
    ],
)
def test_failures_of_the_world_say_what_happened(
    tmp_path: Path, argv: list[str], options: dict[str, object], message: str
) -> None:
    """A program that is missing, endless, too talkative or nowhere is an OutsideError in words."""
    keywords = {"cwd": tmp_path, **options}
    with pytest.raises(OutsideError, match=message):
        run(proc.run(argv, **keywords))  # type: ignore[arg-type]


def _spawning(pids: Path) -> list[str]:
    """A program with a child of its own, both of which would run for a minute."""
    return ["sh", "-c", f"sleep 60 & echo $! $$ > '{pids}.new'; mv '{pids}.new' '{pids}'; wait"]


async def _both(pids: Path) -> list[int]:
    for _ in range(1000):
        if found := _read(pids):
            return found
        await asyncio.sleep(0.01)
    raise AssertionError("the program never said who it is")


def _read(pids: Path) -> list[int]:
    return [int(word) for word in pids.read_text().split()] if pids.exists() else []


async def _gone(numbers: list[int]) -> bool:
    """Whether the processes end; a zombie that nobody has reaped yet has ended."""
    for _ in range(500):
        if not any(_runs(number) for number in numbers):
            return True
        await asyncio.sleep(0.01)
    return False


def _runs(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_cancellation_kills_the_program_and_its_children(tmp_path: Path) -> None:
    """Whoever stops waiting leaves no process behind, grandchildren included."""

    async def scenario() -> None:
        task = asyncio.ensure_future(proc.run(_spawning(tmp_path / "pids"), cwd=tmp_path))
        numbers = await _both(tmp_path / "pids")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await _gone(numbers)

    run(scenario())


def test_who_stops_waiting_twice_leaves_nothing_open(tmp_path: Path) -> None:
    """As when two that wait side by side fail: the second cancellation comes while the first is being served."""

    async def scenario() -> None:
        task = asyncio.ensure_future(proc.run(_spawning(tmp_path / "pids"), cwd=tmp_path))
        numbers = await _both(tmp_path / "pids")
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await _gone(numbers)

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run(scenario())
        gc.collect()
    assert not said


def test_a_time_out_kills_the_program_and_its_children(tmp_path: Path) -> None:
    """The limit holds for the whole group."""

    async def scenario() -> None:
        with pytest.raises(OutsideError, match="did not finish"):
            await proc.run(_spawning(tmp_path / "pids"), cwd=tmp_path, seconds=0.5)
        assert await _gone(await _both(tmp_path / "pids"))

    run(scenario())


ECHO = "import sys\nfor line in sys.stdin.buffer:\n sys.stdout.buffer.write(line.upper())\n sys.stdout.buffer.flush()"


def test_a_child_answers_and_ends_with_its_input(tmp_path: Path) -> None:
    """A long-lived child is spoken to line by line and ends by itself when it is closed."""

    async def scenario() -> None:
        child = await proc.Child.start(_python(ECHO), tmp_path)
        await child.write(b"one\n")
        assert await child.readline() == b"ONE\n"
        await child.write(b"two\n")
        assert await child.readexactly(2) == b"TW"
        assert child.alive
        await child.close()
        assert not child.alive

    run(scenario())


def test_a_child_that_died_says_why(tmp_path: Path) -> None:
    """Speaking to a dead child is an OutsideError with its last words."""

    async def scenario() -> None:
        child = await proc.Child.start(_python("raise SystemExit('no more')"), tmp_path)
        with pytest.raises(OutsideError, match="ended unexpectedly: no more"):
            await child.readline()
        with pytest.raises(OutsideError, match="ended unexpectedly"):
            await child.readexactly(1)
        await child.close()

    run(scenario())


def test_a_child_that_will_not_end_is_killed_with_its_children(tmp_path: Path) -> None:
    """Closing waits two seconds at most."""

    async def scenario() -> None:
        child = await proc.Child.start(_spawning(tmp_path / "pids"), tmp_path)
        numbers = await _both(tmp_path / "pids")
        assert child.pid in numbers
        await child.close()
        assert await _gone(numbers)

    run(scenario(), seconds=20)


def test_a_child_may_be_closed_while_somebody_waits_for_it(tmp_path: Path) -> None:
    """Twice at once, too: who waits hears that it is gone, and one closing does not hinder another."""

    async def scenario() -> None:
        child = await proc.Child.start(_python("import sys; sys.stdin.read()"), tmp_path)
        waiting = asyncio.ensure_future(child.readline())
        await asyncio.sleep(0)
        cancelled = asyncio.ensure_future(child.close())
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.gather(child.close(), child.close())
        with pytest.raises(OutsideError, match="ended unexpectedly"):
            await waiting
        assert not child.alive

    run(scenario())


def test_a_missing_child_is_an_error_in_words(tmp_path: Path) -> None:
    """A long-lived program that is not there fails like a short one."""
    with pytest.raises(OutsideError, match="no-such-program-here was not found"):
        run(proc.Child.start(["no-such-program-here"], tmp_path))


@pytest.mark.parametrize("name", ["ruff", "ast-grep"])
def test_our_own_tools_are_found_beside_us(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The pinned copies are used, whatever PATH says; a missing one names the remedy."""
    fake = tmp_path / name
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert Path(proc.tool_path(name)).parent == Path(sys.executable).parent
    with pytest.raises(OutsideError, match="pip install"):
        proc.tool_path("no-such-tool")
