"""What was edited beside a change while a model looked at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero import config
from roundzero.core.text import RelPath
from roundzero.engine.edited import NAMED, edited_since, told_edited
from roundzero.engine.workspace import Workspace
from roundzero.git.repository import Scope
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from support.repo import Repo


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A branch that changes one file of three."""
    repo.commit("first", {"a.py": "a = 1\n", "b.py": "b = 1\n", "c.py": "c = 1\n"})
    repo.branch("topic")
    repo.write("a.py", "a = 2\n")
    return repo


def edited(
    repo: Repo,
    edits: Mapping[str, str],
    *,
    unsaved: Mapping[RelPath, str] | None = None,
    scope: Scope = Scope.WORKTREE,
    untracked: bool = True,
) -> tuple[str, ...]:
    """What is told after these files were written between the collection of a change and now."""

    async def look() -> tuple[str, ...]:
        settings, problems = config.load(root=repo.root, environ={})
        workspace = await Workspace.open(repo.root, settings=settings, problems=problems, environ={})
        buffers = unsaved or {}
        try:
            base = await workspace.choose_base("main")
            overlays = buffers if scope is Scope.WORKTREE else {}
            rules = workspace.collect_rules(untracked=untracked)
            change = await workspace.git.collect(base, scope=scope, rules=rules, overlays=overlays)
            for path, text in edits.items():
                repo.write(path, text)
            return await edited_since(workspace, change, buffers, untracked=untracked)
        finally:
            await workspace.git.close()

    return run(look())


def test_only_what_lies_beside_the_change_is_told(shop: Repo) -> None:
    """The text of a file of the change is the one it was collected with, whatever is written."""
    assert edited(shop, {}) == ()
    assert edited(shop, {"a.py": "a = 3\n"}) == ()
    assert edited(shop, {"c.py": "c = 2\n", "a.py": "a = 1\n"}) == ("c.py",)


def test_a_new_file_is_told_where_new_files_are_reviewed(shop: Repo) -> None:
    """One that was there already, or that git ignores, is not new."""
    shop.write("there.py", "d = 1\n")
    shop.write(".gitignore", "*.log\n")
    assert edited(shop, {"new.py": "e = 1\n", "a.log": "made\n"}) == ("new.py",)
    assert edited(shop, {"newer.py": "e = 1\n"}, untracked=False) == ()


def test_a_buffer_that_takes_an_edit_back_is_no_edit(shop: Repo) -> None:
    """What is on disk under it was there before, and nobody reads it."""
    shop.write("b.py", "b = 2\n")
    assert edited(shop, {}, unsaved={RelPath("b.py"): "b = 1\n"}) == ()


def test_a_review_of_objects_has_nothing_beside_it(shop: Repo) -> None:
    """The work tree is not read for it."""
    shop.commit("second", {"a.py": "a = 2\n"})
    assert edited(shop, {"c.py": "c = 2\n"}, scope=Scope.COMMITTED) == ()


def test_a_few_files_are_named() -> None:
    """And their number is told."""
    paths = [RelPath(f"m{number}.py") for number in range(NAMED + 2)]
    assert told_edited(paths[:1]).endswith("two texts: m0.py")
    assert told_edited(paths).startswith("5 files beside the change were edited")
    assert told_edited(paths).endswith("two texts: m0.py, m1.py, m2.py, …")
