"""Running every check over changed files."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from roundzero.core.change import FileChange, Source, Status, blob_id
from roundzero.core.linemap import Hunk
from roundzero.core.text import RelPath
from roundzero.engine.analysis import CHECKS, Analyst, Early
from roundzero.engine.pool import InProcess
from roundzero.linters import discover
from roundzero.packs.loader import load
from support.loop import run

if TYPE_CHECKING:
    from roundzero.checkers.run import FileResult
    from roundzero.core.item import Item
    from roundzero.engine.sights import FileSight

BAD = "def load(path, cache={}):\n    return cache\n"


def changed(head: str, base: str | None = None) -> FileChange:
    """A changed file, changed as a whole."""
    path = RelPath("a.py")
    removed = base.count("\n") if base is not None else 0
    return FileChange(
        path=path,
        status=Status.ADDED if base is None else Status.MODIFIED,
        base=None if base is None else Source(path, base, blob_id(base.encode())),
        head=Source(path, head, blob_id(head.encode())),
        hunks=(Hunk(1 if removed else 0, removed, 1, head.count("\n")),),
    )


class Held(InProcess):
    """Our own checks, held back until released."""

    def __init__(self) -> None:
        """Hold."""
        super().__init__()
        self.released = asyncio.Event()

    async def check_file(self, file: FileChange, items: tuple[Item, ...]) -> FileResult:
        """Wait, then check."""
        await self.released.wait()
        return await super().check_file(file, items)


def test_linters_are_told_early_when_our_own_checks_are_slow() -> None:
    """What ruff saw is there before our checks are; the whole follows."""

    async def scenario() -> None:
        runner = Held()
        told: list[FileSight] = []

        def tell(sights: list[FileSight]) -> None:
            told.extend(sights)
            runner.released.set()

        rules = load(repository=None, overrides={}, packs=None, cache_dir=None)
        analyst = Analyst(rules, linters=discover(), runner=runner)
        conflict = "<<<<<<< ours\n=======\n>>>>>>> theirs\n"
        text = BAD + '"""\n' + conflict + '"""\n'
        (whole,) = await analyst.files([changed(text)], early=Early(0.01, tell))
        await runner.close()
        assert [seen.item for seen in told[0].seen] == ["python/mutable-default"]
        assert CHECKS not in told[0].head
        assert {seen.item for seen in whole.seen} == {"python/mutable-default", "general/conflict-marker"}

    run(scenario())


def test_the_base_is_looked_at_only_where_the_head_has_a_hit() -> None:
    """A base full of other defects is not compared for items that are silent at the head."""

    async def scenario() -> None:
        runner = InProcess()
        rules = load(repository=None, overrides={}, packs=None, cache_dir=None)
        analyst = Analyst(rules, linters=discover(), runner=runner)
        (sight,) = await analyst.files([changed("x = 1\n", BAD)])
        assert (sight.base, sight.based) == ((), frozenset())
        (sight,) = await analyst.files([changed(BAD + "x = 1\n", BAD + "import os\n")])
        await runner.close()
        assert {seen.item for seen in sight.base} == {"python/mutable-default"}

    run(scenario())
