"""A file that came with the branch is renamed on it: git's diff to the base knows of no renaming, the ledger must."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero import config
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.workspace import Workspace
from support.house import rules
from support.loop import run

if TYPE_CHECKING:
    from roundzero.core.report import Report
    from support.repo import Repo

TEXT = "try:\n    import fast\nexcept:\n    fast = None\nlimit = 3\n"
OTHER = "path = open('log')\ntry:\n    path.write()\nexcept:\n    print(path)\n"


async def _review(repo: Repo) -> Report:
    settings, _ = config.load(root=repo.root, environ={})
    workspace = await Workspace.open(repo.root, settings=settings, environ={})
    try:
        return await review(workspace, ReviewRequest(remember=True))
    finally:
        await workspace.git.close()


def _ids(report: Report) -> dict[tuple[str, int], str]:
    return {
        (each.seen.path or "", each.seen.line): each.id for each in report.findings if each.seen.item == "house/bare"
    }


def test_a_short_line_is_followed_through_a_renaming_on_the_branch(repo: Repo) -> None:
    """``except:`` is everywhere; which one it is, only the texts of both files tell."""
    repo.commit("base", rules(bare="P2"))
    repo.branch("topic")
    repo.commit("one", {"load.py": TEXT, "keep.py": OTHER})
    before = _ids(run(_review(repo)))
    repo.rename("load.py", "reader.py")
    repo.rename("keep.py", "writer.py")
    repo.commit("two", {"reader.py": '"""Reads."""\n\n' + TEXT, "writer.py": '"""Writes."""\n' + OTHER})
    after = _ids(run(_review(repo)))
    assert after == {("reader.py", 5): before["load.py", 3], ("writer.py", 5): before["keep.py", 4]}
