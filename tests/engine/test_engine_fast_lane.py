"""Looks at one buffer: what they hold, and what becomes of them when the change is collected anew meanwhile."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

from roundzero.engine.state import Buffer
from support.engine import live
from support.loop import run

if TYPE_CHECKING:
    from support.repo import Repo

GOOD = "def load(path, cache=None):\n    return cache\n"
BAD = "def load(path, cache={}):\n    return cache\n"


def test_a_burst_of_edits_keeps_few_texts(repo: Repo) -> None:
    """Many edits in one turn of the loop, as after a stall, hold the last text and not each one."""
    repo.commit("base", {"a.py": GOOD})
    repo.branch("topic")

    async def scenario() -> None:
        async with live(repo.root, debounceMs=0) as it:
            it.engine.opened(it.path("a.py"), GOOD, 1)
            await it.idle()
            for version in range(2, 200):
                it.engine.edited(it.path("a.py"), f"{BAD}# {version}\n", version)
            assert sum(isinstance(each, Buffer) for each in gc.get_objects()) < 5
            await it.shows("a.py", "mutable-default", version=199)

    run(scenario())


def test_a_look_goes_on_while_the_change_is_collected_anew(repo: Repo) -> None:
    """What it saw belongs to the change of now, with the text it was asked about."""
    repo.commit("base", {"a.py": GOOD})
    repo.branch("topic")

    async def scenario() -> None:
        async with live(repo.root) as it:
            path = it.path("a.py")
            it.engine.opened(path, BAD, 1)
            await it.shows("a.py", "mutable-default", version=1)
            await it.idle()
            known = it.engine._state.live
            assert known is not None
            assert known.change is not None
            collected, text = known.change, f"import os\n{BAD}"
            looking = asyncio.ensure_future(it.engine._fast.look(path, Buffer(text, 2)))
            while known.change is collected:  # noqa: ASYNC110  what is waited for says nothing
                await asyncio.sleep(0)
            known.install(collected)
            found = await looking
            file = known.change.file(path)
            assert file is found.file
            assert file is not None
            assert file.head is not None
            assert file.head.text == text
            assert found.sight is not None

    run(scenario())
