"""The worker process: results, stops, crashes, questions."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from roundzero.checkers.run import check_file
from roundzero.core.change import Change, FileChange, Side, Source, Status, blob_id
from roundzero.core.item import CheckerCheck, Item, ItemId, LooksAt, Prose, Severity, TextCheck
from roundzero.core.linemap import Hunk
from roundzero.core.text import RelPath
from roundzero.engine.frames import TEXTS_KEPT, Texts, pack, unpack
from roundzero.engine.patient import Patient
from roundzero.engine.pool import (
    AHEAD,
    WORTH_A_COPY,
    WORTH_A_PROCESS,
    Both,
    Forked,
    InProcess,
    Runner,
    processors,
    runner_for,
)
from roundzero.engine.repository import Snapshot
from roundzero.engine.worker_link import PAUSE, TURNS, Worker
from roundzero.errors import OutsideError
from roundzero.git.repository import CollectRules
from support.changes import change_of
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from roundzero.core.ports import Commit, GrepHit
    from roundzero.git.repository import Git

TODO = Item(
    id=ItemId("p/todo"),
    title=Prose("todo"),
    why=Prose("w"),
    severity=Severity.P3,
    looks_at=LooksAt.FILE,
    checks=(TextCheck("TODO"), CheckerCheck("identical-branches")),
)
WIDE = replace(TODO, id=ItemId("p/wide"), looks_at=LooksAt.CHANGE, checks=(CheckerCheck("deleted-file-still-named"),))


def changed(head: str, base: str | None = None, path: str = "a.py") -> FileChange:
    """A changed file, changed as a whole."""
    name = RelPath(path)
    lines = head.count("\n")
    removed = base.count("\n") if base is not None else 0
    return FileChange(
        path=name,
        status=Status.ADDED if base is None else Status.MODIFIED,
        base=None if base is None else Source(name, base, blob_id(base.encode())),
        head=Source(name, head, blob_id(head.encode())),
        hunks=(Hunk(1 if removed else 0, removed, 1, lines),),
    )


def both(work: Callable[[Runner], object]) -> None:
    """Await some work with each kind of runner."""

    async def with_each() -> None:
        for runner in (InProcess(), Worker()):
            try:
                await cast("asyncio.Future[None]", work(runner))
            finally:
                await runner.close()

    run(with_each())


def test_a_second_process_is_for_large_changes() -> None:
    """The size of the change decides, not what else the machine does. A copy pays sooner than a worker."""

    async def scenario() -> None:
        two = Both if processors() > 1 else InProcess
        few, some, many = (changed("#" * size + "\n") for size in (1, WORTH_A_COPY, WORTH_A_PROCESS))
        kinds = {(few, True): InProcess, (some, True): two, (some, False): InProcess, (many, False): two}
        for (file, alone), kind in kinds.items():
            runner = runner_for([file], (TODO,), alone=alone)
            await runner.close()
            assert type(runner) is kind

    run(scenario())


def test_a_second_process_is_for_a_second_processor() -> None:
    """One that this process may use, whatever the machine has."""
    may_use = os.sched_getaffinity(0)

    async def scenario() -> None:
        file = changed("#" * WORTH_A_COPY + "\n")
        runner = runner_for([file], (TODO,), alone=True)
        await runner.close()
        assert type(runner) is InProcess

    os.sched_setaffinity(0, {min(may_use)})
    try:
        run(scenario())
    finally:
        os.sched_setaffinity(0, may_use)


def copied(files: Sequence[FileChange], work: Callable[[Both, Forked], Awaitable[None]]) -> None:
    """Await some work with this process and a copy of it."""

    async def scenario() -> None:
        there = Forked(files, (TODO,))
        runner = Both(there)
        try:
            await work(runner, there)
        finally:
            await runner.close()

    run(scenario())


def test_a_copy_gives_the_results_of_this_process() -> None:
    """Each file its own, whoever of the two checked it; also a file, or items, that the copy does not have."""
    files = [changed(f"x = {number}\n" + "# TODO\n" * number, "# TODO old\n", f"{number}.py") for number in range(20)]
    other, off = changed("# TODO\n", path="other.py"), (replace(TODO, enabled=False),)

    async def work(runner: Both, _there: Forked) -> None:
        results = await asyncio.gather(*(runner.check_file(file, (TODO,)) for file in files))
        assert results == [check_file(file, (TODO,)) for file in files]
        assert await runner.check_file(other, (TODO,)) == check_file(other, (TODO,))
        assert (await runner.check_file(files[1], off)).head == ()

    copied(files, work)


def test_a_copy_that_dies_costs_only_what_it_had_at_hand() -> None:
    """That is not checked; the other files are, by this process."""
    files = [changed("# TODO\n", path=f"{number}.py") for number in range(20)]

    async def work(runner: Both, there: Forked) -> None:
        os.kill(there.pid, signal.SIGSTOP)
        waiting = [asyncio.ensure_future(runner.check_file(file, (TODO,))) for file in files[:AHEAD]]
        await asyncio.sleep(0)
        os.kill(there.pid, signal.SIGKILL)
        lost = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(each, OutsideError) for each in lost)
        for file in files[AHEAD:]:
            assert len((await runner.check_file(file, (TODO,))).head) == 1

    copied(files, work)


def test_a_worker_gives_the_results_of_this_process() -> None:
    """Both runners answer what check_file answers."""
    file = changed("x = 1  # TODO one\n# TODO two\n", "# TODO old\n")

    async def work(runner: Runner) -> None:
        assert await runner.check_file(file, (TODO,)) == check_file(file, (TODO,))
        assert await runner.check_file(file, (TODO,)) == check_file(file, (TODO,))

    both(work)


def test_new_items_reach_the_worker() -> None:
    """Items cross once and again when they differ."""
    file = changed("# TODO\n")

    async def work(runner: Runner) -> None:
        assert len((await runner.check_file(file, (TODO,))).head) == 1
        assert (await runner.check_file(file, (replace(TODO, enabled=False),))).head == ()
        assert len((await runner.check_file(file, (TODO,))).head) == 1

    both(work)


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_worker_that_dies_is_replaced_and_asked_again_once(deaths: int) -> None:
    """One death costs nothing. What kills two is not checked, and the next file is, by a third."""

    async def work() -> None:
        worker = Worker()
        await worker.warm()
        first = worker.pid
        assert first is not None
        os.kill(first, signal.SIGSTOP)
        waiting = asyncio.ensure_future(worker.check_file(changed("# TODO\n"), (TODO,)))
        await asyncio.sleep(0)
        os.kill(first, signal.SIGKILL)
        if deaths == 2:
            while worker.pid in {None, first}:
                await asyncio.wait([waiting], timeout=0.001)
            assert worker.pid is not None
            os.kill(worker.pid, signal.SIGKILL)
            with pytest.raises(OutsideError):
                await waiting
        else:
            assert len((await waiting).head) == 1
        assert len((await worker.check_file(changed("# TODO\n"), (TODO,))).head) == 1
        assert worker.pid != first
        await worker.close()

    run(work())


def test_a_cancelled_check_leaves_the_conversation_whole() -> None:
    """After a cancellation the same process answers the next request."""

    async def work() -> None:
        worker = Worker()
        await worker.warm()
        big = changed("x = [1, 2, 3, 4, 5]\n" * 20_000)
        waiting = asyncio.ensure_future(worker.check_file(big, (TODO,)))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        pid = worker.pid
        assert len((await worker.check_file(changed("# TODO\n"), (TODO,))).head) == 1
        assert worker.pid == pid
        await worker.close()

    run(work())


async def asked(worker: Worker) -> None:
    """Wait until a worker was asked something."""
    while not worker._waiting:  # noqa: ASYNC110  what is waited for says nothing
        await asyncio.sleep(0)


def test_what_nobody_waits_for_gives_way() -> None:
    """A file somebody waits for is answered first, though asked later; the other is looked at anew then."""

    async def work() -> None:
        worker = Worker()
        await worker.warm()
        slow, small = changed("x = [1, 2, 3, 4, 5]\n" * 20_000 + "# TODO\n"), changed("# TODO\n")
        patient = asyncio.ensure_future(Patient(worker).check_file(slow, (TODO,)))
        await asked(worker)
        assert len((await worker.check_file(small, (TODO,))).head) == 1
        assert not patient.done()
        assert len((await patient).head) == 1
        await worker.close()

    run(work())


def test_giving_way_has_an_end() -> None:
    """Whoever never pauses waits for the others once in a while."""

    async def work() -> None:
        worker = Worker()
        await worker.warm()
        slow, small = changed("x = [1, 2, 3, 4, 5]\n" * 20_000 + "# TODO\n"), changed("# TODO\n")
        patient = asyncio.ensure_future(worker.check_between(slow, (TODO,)))
        ended = []
        for _ in range(TURNS + 1):
            await asked(worker)
            await worker.check_file(small, (TODO,))
            ended.append(patient.done())
        assert ended == [*[False] * TURNS, True]
        assert len((await patient).head) == 1
        await worker.close()

    run(work())


def test_a_patient_check_is_not_begun_between_two_keystrokes() -> None:
    """Right after a file that somebody waited for it waits a moment, else it begins at once."""

    async def work() -> None:
        worker, clock = Worker(), asyncio.get_running_loop().time
        await worker.warm()
        took: list[float] = []
        for _ in range(2):
            begun = clock()
            await worker.check_between(changed("# TODO\n"), (TODO,))
            took.append(clock() - begun)
            await worker.check_file(changed("x = 1\n"), (TODO,))
        assert took[1] >= PAUSE * 0.9
        await worker.close()

    run(work())


def test_a_patient_check_that_is_no_longer_wanted_leaves_nothing_behind() -> None:
    """It is stopped, and the next one has its turn."""

    async def work() -> None:
        worker = Worker()
        await worker.warm()
        slow = changed("x = [1, 2, 3, 4, 5]\n" * 20_000 + "# TODO\n")
        patient = asyncio.ensure_future(worker.check_between(slow, (TODO,)))
        await asked(worker)
        patient.cancel()
        with pytest.raises(asyncio.CancelledError):
            await patient
        assert len((await worker.check_between(changed("# TODO\n"), (TODO,))).head) == 1
        await worker.close()

    run(work())


def test_closing_ends_what_waits_and_the_process() -> None:
    """Nobody hangs, no process is left."""

    async def work() -> None:
        worker = Worker()
        await worker.warm()
        pid = worker.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        waiting = asyncio.ensure_future(worker.check_file(changed("# TODO\n"), (TODO,)))
        await asyncio.sleep(0)
        await worker.close()
        with pytest.raises(OutsideError):
            await waiting
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

    run(work())


class Anywhere:
    """A repository of one path, with a broken grep."""

    async def read(self, path: RelPath, side: Side, change: Change) -> Source | None:
        """Any file has one line."""
        return Source(path, f"srcs = ['gone.py']  # {side.value} {change.snapshot}\n", "0" * 40)

    async def paths(self, _side: Side, _change: Change) -> frozenset[RelPath]:
        """One path."""
        return frozenset({RelPath("BUILD")})

    async def commits(self, _change: Change) -> tuple[Commit, ...]:
        """None."""
        return ()

    async def grep(self, _words: Collection[str], _change: Change) -> Mapping[str, tuple[GrepHit, ...]]:
        """Git fails."""
        raise OutsideError("git is gone")


def test_a_failing_repository_is_not_checked() -> None:
    """What the checks of the whole change ask and cannot get is a failure, not silence."""
    gone = FileChange(
        path=RelPath("gone.py"),
        status=Status.DELETED,
        base=Source(RelPath("gone.py"), "x\n", "0"),
        head=None,
        hunks=(Hunk(1, 1, 0, 0),),
    )
    change = change_of(gone)

    async def work(runner: Runner) -> None:
        snapshot = Snapshot(cast("Git", Anywhere()), change, CollectRules())
        try:
            result = await runner.check_change(snapshot, (WIDE,))
        except OutsideError as error:
            assert "git is gone" in str(error)  # noqa: PT017  one of two good answers
        else:
            assert result.failures

    both(work)


def test_a_base_text_crosses_the_pipe_once() -> None:
    """The second request carries no base, and the other end puts it back."""
    here, there = Texts(), Texts()
    file = changed("a\n", "b\n")
    first, second = pack(1, file, here), pack(2, file, here)
    assert first.file.base is not None
    assert second.file.base is None
    unpack(first, there)
    assert file.base is not None
    for _ in range(2):
        base = unpack(second, there).base
        assert base is not None
        assert (base.path, base.text, base.blob) == (file.base.path, file.base.text, file.base.blob)


def test_both_ends_forget_the_same_texts() -> None:
    """After many files the oldest crosses again."""
    here, there = Texts(), Texts()
    files = [changed("a\n", f"{number}\n", f"{number}.py") for number in range(TEXTS_KEPT + 3)]
    for number, file in enumerate([*files, *files, files[0], *files[::-1]]):
        unpacked = unpack(pack(number, file, here), there)
        assert unpacked.base is not None
        assert file.base is not None
        assert unpacked.base.text == file.base.text
