"""Folders for programs to read: gone whenever somebody stops waiting, and what cannot be written is said."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from roundzero import scratch
from roundzero.core.change import Source, blob_id
from roundzero.core.item import Item, ItemId, Prose, RuffCheck, Severity
from roundzero.core.text import RelPath
from roundzero.linters import _filled
from roundzero.linters._base import laid_out
from roundzero.linters._work_tree import tree
from roundzero.linters.ruff import LINTER
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = range(60)
"""Turns of the loop after which somebody stops waiting: from before the first file to after the last is removed."""


@pytest.fixture(params=["memory", "disk"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where folders are made, as if in memory, which is written on the loop, or as on a disk, in a thread."""
    monkeypatch.setattr(_filled, "_SECONDS_AT_ONCE", 0.0)
    if request.param == "memory":
        for name in ("TMPDIR", "TEMP", "TMP"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(scratch, "_MEMORY", tmp_path)
    else:
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


async def work() -> None:
    """One program that reads a flat folder, and one that reads a tree."""
    async with laid_out(["x = 1\n"] * 9, ["a.py", "__init__.py", "b.py"] * 3):
        await asyncio.sleep(0)
    async with tree([(f"a/{number}/b.py", "x = 1\n") for number in range(9)], {}):
        await asyncio.sleep(0)


@pytest.mark.parametrize("again", [0, 1, 2])
def test_stopping_at_any_moment_leaves_nothing(place: Path, again: int) -> None:
    """Once, or again while what is there is being put away."""

    async def scenario() -> None:
        for steps in STEPS:
            task = asyncio.ensure_future(work())
            for _ in range(steps):
                await asyncio.sleep(0)
            for _ in range(1 + again):
                task.cancel()
                await asyncio.sleep(0)
            await asyncio.wait([task])
            while left := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(left)

    run(scenario())
    assert [*place.glob("*/*")] == []


def test_a_loop_that_ends_leaves_nothing(place: Path) -> None:
    """At any moment, with nobody left who would wait for the removing."""
    for steps in STEPS:

        async def scenario(steps: int = steps) -> None:
            tasks = [asyncio.ensure_future(work()) for _ in range(2)]
            for _ in range(steps):
                await asyncio.sleep(0)
            tasks[0].cancel()

        asyncio.run(scenario())
        assert [*place.glob("*/*")] == [], steps


@pytest.fixture
def little_room() -> Iterator[None]:
    """No file may become larger than 64 KiB."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("little_room")
def test_what_cannot_be_written_is_said_in_the_same_words_every_time(place: Path) -> None:
    """With what to do, and without the name of a folder that nobody finds again."""
    text = "x = 1\n" * 20_000
    sources = [Source(RelPath(f"{name}.py"), text, blob_id(text.encode())) for name in "ab"]
    item = Item(
        id=ItemId("test/item"), title=Prose("t"), why=Prose("w"), severity=Severity.P2, checks=(RuffCheck(("B006",)),)
    )
    result = run(LINTER.run(sources, [item]))
    (failure,) = result.failures
    assert failure[0] is None
    assert "make room, or set TMPDIR" in failure[1]
    assert str(place) not in failure[1]
    assert [*place.glob("*/*")] == []
