"""Settings in the live engine: what names nothing is told, and programs of one's own wait for trust."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.engine import live
from support.loop import run

if TYPE_CHECKING:
    from support.repo import Repo


def test_settings_that_name_nothing_are_problems_of_the_status(repo: Repo) -> None:
    """Items, packs and linters that do not exist are told with where they were set, and the rest goes on."""
    repo.commit("first", {"a.py": "x = 1\n"})
    repo.branch("topic")

    async def scenario() -> None:
        settings: dict[str, object] = {
            "items": {"python/no-such-item-anywhere": "off"},
            "linters": {"rufff": {"enable": False}, "ruff": {"path": "/no/such/ruff"}},
        }
        async with live(repo.root, **settings) as it:
            problems = (await it.idle()).problems
            assert len(problems) == 3
            assert problems[0].startswith('editor settings: there is no item "python/no-such-item-anywhere"')
            assert problems[1].startswith("editor settings: there is no linter rufff")
            assert problems[2].startswith("editor settings: linters.ruff.path counts in trusted repositories only")
            it.engine.opened(it.path("a.py"), "try:\n    x = 1\nexcept:\n    x = 2\n", 1)
            await it.shows("a.py", "bare-except", version=1)

    run(scenario())
