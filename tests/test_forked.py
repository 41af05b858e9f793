"""The copy of a process: what it answers, how it ends, and what it does not share."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from roundzero.errors import OutsideError
from roundzero.forked import Copy
from support.loop import run
from support.processes import below, wait_until_gone

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PARENT = """
import asyncio, os, sys, time
from roundzero.forked import Copy

def answer(number):
    if number:
        time.sleep(number)
    print("from the copy")
    return os.getpid()

async def main():
    sys.stdout.write("once ")
    copy = Copy(answer)
    pid = await copy.ask(0)
    os.write(2, f"{pid}\\n".encode())
    try:
        await copy.ask(int(sys.argv[1]))
    finally:
        copy.close()

asyncio.run(main())
"""


def started(seconds: int) -> tuple[subprocess.Popen[str], int]:
    """A process whose copy is busy for so long, and the copy's id."""
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(seconds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        start_new_session=True,
    )
    assert process.stderr is not None
    return process, int(process.stderr.readline())


def with_copy(answer: Callable[[int], object], work: Callable[[Copy], Awaitable[None]]) -> None:
    """Do something with a copy, and see that nothing is left of it."""

    async def scenario() -> int:
        copy = Copy(answer)
        try:
            await work(copy)
        finally:
            copy.close()
        return copy.pid

    with pytest.raises(ProcessLookupError):
        os.kill(run(scenario()), 0)


def test_it_answers_from_what_was_there_when_it_was_made() -> None:
    """In another process, in order, also what is larger than a pipe holds at once."""
    here, known = os.getpid(), "x" * 1_000_000

    async def work(copy: Copy) -> None:
        answers = await asyncio.gather(*(copy.ask(number) for number in range(4)))
        assert answers == [(number, known, False) for number in range(4)]

    with_copy(lambda number: (number, known, os.getpid() == here), work)


def test_what_breaks_over_a_question_fails_it_alone(capfd: pytest.CaptureFixture[str]) -> None:
    """The next one is answered, and the stack is on standard error."""

    async def work(copy: Copy) -> None:
        with pytest.raises(OutsideError, match="ZeroDivisionError"):
            await copy.ask(0)
        assert await copy.ask(2) == 5

    with_copy(lambda number: 10 // number, work)
    assert "Traceback" in capfd.readouterr().err


def test_a_copy_that_is_killed_fails_what_it_was_asked_and_is_asked_no_more() -> None:
    """Nobody hangs: not who waits, nor who asks afterwards."""

    async def work(copy: Copy) -> None:
        os.kill(copy.pid, signal.SIGSTOP)
        waiting = [asyncio.ensure_future(copy.ask(number)) for number in range(3)]
        await asyncio.sleep(0)
        os.kill(copy.pid, signal.SIGKILL)
        for each in waiting:
            with pytest.raises(OutsideError):
                await each
        assert not copy.alive
        with pytest.raises(OutsideError):
            await copy.ask(0)

    with_copy(lambda number: number, work)


def test_a_copy_that_died_meanwhile_is_known_by_the_first_question() -> None:
    """Whoever asks one after the other, and never lets the loop turn, loses one answer and not all."""

    async def work(copy: Copy) -> None:
        os.kill(copy.pid, signal.SIGKILL)
        os.waitid(os.P_PID, copy.pid, os.WEXITED | os.WNOWAIT)  # noqa: ASYNC222  the loop must not turn
        with pytest.raises(OutsideError):
            await copy.ask(0)
        assert not copy.alive

    with_copy(lambda number: number, work)


def test_who_stops_waiting_disturbs_nobody() -> None:
    """The answer to a cancelled question is not taken for that to the next."""

    async def work(copy: Copy) -> None:
        waiting = asyncio.ensure_future(copy.ask(1))
        await asyncio.sleep(0)
        waiting.cancel()
        assert await copy.ask(2) == 2
        with pytest.raises(asyncio.CancelledError):
            await waiting

    with_copy(lambda number: number, work)


def test_it_holds_none_of_our_files() -> None:
    """A pipe whose other end waits for its end would else never see it."""
    reading, writing = os.pipe()

    async def work(copy: Copy) -> None:
        await copy.ask(0)
        os.close(writing)
        assert os.read(reading, 1) == b""

    with_copy(lambda number: number, work)
    os.close(reading)


def test_what_was_not_yet_written_is_written_once() -> None:
    """And what the copy prints is no part of our output."""
    process, pid = started(0)
    output, _ = process.communicate(timeout=20)
    assert output == "once "
    wait_until_gone([pid])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_us(number: signal.Signals) -> None:
    """However we end: as soon as it has an answer that nobody takes."""
    process, pid = started(1)
    process.send_signal(number)
    process.communicate(timeout=20)
    wait_until_gone([pid])


def test_an_interrupt_of_both_ends_both_quietly() -> None:
    """As Ctrl+C does it: the copy is ended by us, which is no accident to tell of."""
    process, pid = started(60)
    assert pid in below(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, complaint = process.communicate(timeout=20)
    wait_until_gone([pid])
    assert "ended" not in complaint
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
