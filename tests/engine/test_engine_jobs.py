"""What runs beside the jobs: its failure is told, and it ends with them."""

from __future__ import annotations

import asyncio

from roundzero.config import load
from roundzero.core.planner import Planner
from roundzero.engine.jobs import Jobs
from roundzero.engine.rhythm import rhythm_of


def jobs(failures: list[tuple[object, BaseException]]) -> Jobs[None]:
    """Jobs that do nothing, and note what failed."""

    async def nothing() -> None:
        return None

    settings, _ = load(root=None, environ={})
    return Jobs(
        Planner(rhythm_of(settings), paused=False, collected=False),
        work=lambda _lane, _path: nothing(),
        accept=lambda _found: None,
        failed=lambda path, error: failures.append((path, error)),
        told=lambda: None,
    )


def test_a_failure_beside_the_jobs_is_told() -> None:
    """It is the change's, not a file's."""

    async def scenario() -> None:
        failures: list[tuple[object, BaseException]] = []
        error = OSError("no space")

        async def fail() -> None:
            raise error

        it = jobs(failures)
        it.spawn(fail())
        for _ in range(3):  # it runs, it fails, that is told
            await asyncio.sleep(0)
        await it.close()
        assert failures == [(None, error)]

    asyncio.run(asyncio.wait_for(scenario(), 10))


def test_what_runs_beside_the_jobs_is_cancelled_with_them() -> None:
    """Without a word: nobody is there any more."""

    async def scenario() -> None:
        failures: list[tuple[object, BaseException]] = []
        ended = asyncio.Event()

        async def wait() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        it = jobs(failures)
        it.spawn(wait())
        await asyncio.sleep(0)
        await it.close()
        assert ended.is_set()
        assert not failures

    asyncio.run(asyncio.wait_for(scenario(), 10))
