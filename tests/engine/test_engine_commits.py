"""Findings about commits and about files that are no text, the whole way through a review and an editor's engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero.config import Settings
from roundzero.engine.pool import InProcess
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.worker_link import Worker
from roundzero.engine.workspace import Workspace
from support.engine import live
from support.loop import run

if TYPE_CHECKING:
    from roundzero.core.report import Report
    from support.repo import Repo


@pytest.fixture
def machine(repo: Repo) -> Repo:
    """A branch of one commit by root, with a library and a broken link, and with one of each uncommitted."""
    repo.commit("base", {"docs/a.md": "# A\n"})
    repo.branch("topic")
    repo.write("lib/x.so", b"\0" * 9000)
    repo.write("docs/a.md", "# A\n[x](b.md)\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Add x (tests only)", "--author=root <root@build-7>")
    repo.write("lib/y.so", b"\0" * 2_000_000)
    repo.write("docs/a.md", "# A\n[x](b.md)\n[y](c.md)\n")
    return repo


WANTED = [
    (None, "committer-not-a-person"),
    ("docs/a.md", "broken-relative-link"),
    ("docs/a.md", "broken-relative-link"),
    ("lib/x.so", "binary-added"),
    ("lib/y.so", "large-file-added"),
]


@pytest.mark.parametrize("kind", [InProcess, Worker])
def test_a_review_sees_them_in_either_process(machine: Repo, kind: type[InProcess | Worker]) -> None:
    """What the worker asks about commits is answered, too; a file that is not text may hold a finding."""

    async def make() -> Report:
        workspace = await Workspace.open(machine.root, settings=Settings(), environ={})
        runner = kind()
        try:
            return await review(workspace, ReviewRequest(base="main"), runner=runner)
        finally:
            await runner.close()
            await workspace.git.close()

    findings = [finding for finding in run(make()).findings if finding.hidden is None]
    seen = [(finding.seen.path, finding.seen.item.partition("/")[2]) for finding in findings]
    assert sorted(seen, key=lambda row: (row[0] or "", row[1])) == WANTED


def test_the_editor_shows_them_too(machine: Repo) -> None:
    """On the page with the links, and on the files that no editor opens."""

    async def work() -> None:
        async with live(machine.root) as here:
            await here.shows("docs/a.md", "broken-relative-link", "broken-relative-link")
            await here.shows("lib/x.so", "binary-added")
            await here.shows("lib/y.so", "large-file-added")

    run(work())
