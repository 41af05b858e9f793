"""A buffer that returns to its saved text: what the change as a whole showed is there again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.text import RelPath
from support.engine import live, names
from support.loop import run

if TYPE_CHECKING:
    from support.repo import Repo

GOOD = "def g():\n    return 2\n"


def test_an_undo_brings_back_what_the_whole_change_showed(repo: Repo) -> None:
    """Also when git moved while the text did not parse, so that the whole change was looked at without it."""
    repo.commit(
        "base", {"a.py": "def f():\n    return 1\n\n\n" + GOOD, "c.py": "from a import f, g\n\nprint(f(), g())\n"}
    )
    repo.branch("topic")
    repo.write("a.py", GOOD)

    async def scenario() -> None:
        async with live(repo.root) as it:
            path = RelPath("a.py")
            it.engine.opened(path, GOOD, 1)
            await it.idle()
            assert names(it.engine.listed()) == ["unresolved-import"]
            it.engine.edited(path, GOOD + "def (:\n", 2)
            await it.idle()
            repo.commit("other", {"d.py": "x = 1\n"})
            it.engine.files_changed([repo.path("d.py")])
            await it.idle()
            assert names(it.engine.listed()) == []
            it.engine.edited(path, GOOD, 3)
            await it.idle()
            assert names(it.engine.listed()) == ["unresolved-import"]

    run(scenario())
