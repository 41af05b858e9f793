"""One review of files on disk."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero import config
from roundzero.core.report import ItemStatus, VerdictStatus
from roundzero.core.text import RelPath
from roundzero.engine.pool import Both, InProcess
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.worker_link import Worker
from roundzero.engine.workspace import Workspace
from roundzero.git.repository import Scope
from roundzero.linters import LinterResult
from support.engine import names
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.change import Source
    from roundzero.core.item import Item
    from roundzero.core.report import Report
    from roundzero.engine.pool import Runner
    from roundzero.linters import Linter
    from support.repo import Repo

BAD = "def load(path, cache={}):\n    return cache\n"
BARE = "try:\n    pass\nexcept:\n    print()\n"
CONFLICT = "<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n"


def reviewed(
    repo: Repo,
    request: ReviewRequest | None = None,
    *,
    linters: tuple[Linter, ...] | None = None,
    runner: Runner | None = None,
    **settings: object,
) -> Report:
    """A review of a repository."""

    async def make() -> Report:
        loaded, problems = config.load(root=repo.root, editor=settings, environ={})
        workspace = await Workspace.open(repo.root, settings=loaded, problems=problems, environ={})
        if linters is not None:
            workspace = replace(workspace, linters=linters)
        try:
            return await review(workspace, request or ReviewRequest(), runner=runner)
        finally:
            await workspace.git.close()
            if runner is not None:
                await runner.close()

    return run(make())


def topic(repo: Repo) -> None:
    """A branch with a pre-existing defect, an introduced one, and a blocking one."""
    repo.commit("base", {"a.py": BARE, "lib/b.py": "x = 1\n"})
    repo.branch("topic")
    repo.commit("work", {"a.py": BAD + BARE})
    repo.write("lib/b.py", CONFLICT)


def test_a_review_blocks_on_what_the_branch_brings(repo: Repo) -> None:
    """Committed and uncommitted, checked by linters and by checkers, with a verdict and its reason."""
    topic(repo)
    report = reviewed(repo)
    assert names(report.findings) == ["conflict-marker", "mutable-default"]
    assert report.verdict.status is VerdictStatus.BLOCKED
    assert report.verdict.blocking == 1
    assert report.counts == (1, 0, 1, 0)
    statuses = {str(row.item): row.status for row in report.checklists}
    assert statuses["python/mutable-default"] is ItemStatus.FAIL
    assert statuses["python/bare-except"] is ItemStatus.NOT_CHECKED
    assert statuses["general/secret-added"] is ItemStatus.PASS
    assert [(row.path, row.added, row.deleted) for row in report.overview] == [("a.py", 2, 0), ("lib/b.py", 4, 0)]


def test_the_same_snapshot_gives_the_same_report(repo: Repo) -> None:
    """But for the time, whichever process did the work."""
    topic(repo)
    reports = [reviewed(repo, runner=runner) for runner in (None, InProcess(), Worker(), Both(Worker()))]
    assert len({repr(_timeless(report)) for report in reports}) == 1


def _timeless(report: Report) -> Report:
    return replace(report, reviewed_at="", stats=replace(report.stats, seconds=()), change=None)  # type: ignore[arg-type]


def test_paths_and_origins_choose_what_is_listed(repo: Repo) -> None:
    """Ids are the same however narrow the view; hidden findings are counted with their reason."""
    topic(repo)
    everything = reviewed(repo, ReviewRequest(show_all_origins=True))
    assert names(everything.findings) == ["bare-except", "conflict-marker", "mutable-default"]
    narrow = reviewed(repo, ReviewRequest(paths=(RelPath("lib"),)))
    assert names(narrow.findings) == ["conflict-marker"]
    assert narrow.findings[0].id in {finding.id for finding in everything.findings}
    normal = reviewed(repo)
    assert "pre-existing findings are not asked for" in dict(normal.stats.hidden)


def test_a_diff_restricts_to_its_lines(repo: Repo) -> None:
    """Only lines that the diff adds count."""
    topic(repo)
    diff = repo.git("diff", "HEAD", "--", "lib").encode() + b"\n"
    assert names(reviewed(repo, ReviewRequest(diff=diff)).findings) == ["conflict-marker"]


def test_scopes(repo: Repo) -> None:
    """Staged sees the index, committed sees HEAD, worktree sees everything."""
    topic(repo)
    repo.write("c.py", "import os\n")
    repo.stage("c.py")
    assert names(reviewed(repo, ReviewRequest(scope=Scope.STAGED)).findings) == ["unused-import"]
    assert names(reviewed(repo, ReviewRequest(scope=Scope.COMMITTED)).findings) == ["mutable-default"]
    assert names(reviewed(repo).findings) == ["conflict-marker", "mutable-default", "unused-import"]


class Broken:
    """A linter that fails."""

    name = "ruff"

    def takes(self, item: Item) -> bool:
        """Everything python."""
        return item.pack == "python"

    def at(self, path: str) -> Broken:
        """Wherever it is."""
        assert path
        return self

    async def version(self) -> str:
        """Some version."""
        return "1"

    async def run(self, sources: Sequence[Source], items: Sequence[Item]) -> LinterResult:
        """Fail."""
        assert sources
        assert items
        return LinterResult(failures=((None, "it was not found; reinstall it"),))


def test_a_broken_linter_is_incomplete_and_named(repo: Repo) -> None:
    """Its items are not checked; the others still are."""
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.branch("topic")
    repo.write("a.py", BAD + CONFLICT)
    report = reviewed(repo, linters=(Broken(),))
    assert names(report.findings) == ["conflict-marker"]
    assert report.verdict.status is VerdictStatus.BLOCKED
    assert report.stats.failures[-1:] == ("ruff: it was not found; reinstall it",)
    statuses = {str(row.item): row.status for row in report.checklists}
    assert statuses["python/mutable-default"] is ItemStatus.NOT_CHECKED


def test_a_file_that_does_not_parse_blocks(repo: Repo) -> None:
    """The syntax error is a finding at its place, in a new file too; what else was not looked at is not checked."""
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.branch("topic")
    for name in ("a.py", "new.py"):
        repo.write(name, "def broken(:\n")
        report = reviewed(repo)
        (finding,) = report.findings
        assert (finding.seen.item, finding.seen.path, finding.seen.line) == ("python/syntax-error", name, 1)
        assert report.verdict.status is VerdictStatus.BLOCKED
        assert any(f"{name}:1: does not parse" in failure for failure in report.stats.failures)
        statuses = {str(row.item): row.status for row in report.checklists}
        assert statuses["python/mutable-default"] is ItemStatus.NOT_CHECKED
        assert statuses["python/syntax-error"] is not ItemStatus.NOT_CHECKED
        repo.write(name, "x = 1\n")


def test_a_text_that_did_not_parse_before_is_no_new_syntax_error(repo: Repo) -> None:
    """Code for another Python is left alone, whatever lines the branch touches; it is still not checked."""
    repo.commit("base", {"a.py": "print 'old'\nprint 'more'\n"})
    repo.branch("topic")
    repo.write("a.py", "print 'old'\nprint 'less'\n")
    report = reviewed(repo)
    assert report.findings == ()
    assert report.verdict.status is VerdictStatus.INCOMPLETE


def test_comments_that_dismiss_are_listed(repo: Repo) -> None:
    """The finding is dismissed by the code, the report names the comment, a stale one is a finding."""
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.branch("topic")
    repo.write("a.py", BAD.replace("\n", "  # roundzero: ignore[mutable-default] read only\n", 1))
    repo.write("b.py", "x = 1  # roundzero: ignore[python/bare-except] stale\n")
    report = reviewed(repo)
    assert [(finding.seen.path, finding.state.value) for finding in report.findings] == [
        ("a.py", "dismissed"),
        ("b.py", "open"),
    ]
    assert names(report.findings) == ["mutable-default", "unused-ignore"]
    assert report.settings_changed == (
        "a.py:1: ignore[mutable-default] read only",
        "b.py:1: ignore[python/bare-except] stale",
    )


def test_a_deleted_file_that_is_still_named_is_found_across_the_repository(repo: Repo) -> None:
    """Checks of the whole change look beyond the changed files, and tie what they see to them."""
    repo.commit("base", {"gone.py": "x = 1\n", "BUILD": 'py_library(name = "gone", srcs = ["gone.py"])\n'})
    repo.branch("topic")
    repo.remove("gone.py")
    for runner in (None, Worker()):
        report = reviewed(repo, runner=runner)
        assert names(report.findings) == ["deleted-file-still-named"]
        assert report.findings[0].seen.path == "BUILD"


def test_a_defect_that_came_out_of_a_deleted_file_is_old(repo: Repo) -> None:
    """A file is taken apart: git sees no rename where the new one is too unlike it."""
    rest = "".join(f"VALUE_{number} = {number}\n" for number in range(40))
    repo.commit("base", {"whole.py": rest + BAD})
    repo.branch("topic")
    repo.remove("whole.py")
    repo.write("part.py", BAD)
    report = reviewed(repo, ReviewRequest(show_all_origins=True))
    assert [(seen.seen.item, seen.origin.value) for seen in report.findings] == [
        ("python/mutable-default", "pre-existing")
    ]


def test_a_lost_pack_and_an_idle_linter_are_gaps(repo: Repo) -> None:
    """What a broken pack or a linter that is switched off would have seen was not looked for: never clean."""
    repo.commit("base", {"a.py": "x = 1\n", ".roundzero/checklists/house.yaml": "pack: house\nitems: []\n"})
    repo.branch("topic")
    repo.write("a.py", "x = 2\n")
    report = reviewed(repo, linters=())
    assert report.verdict.status is VerdictStatus.INCOMPLETE
    said = " ".join(report.verdict.reasons)
    assert "house.yaml" in said
    assert "ruff is switched off" in said
    checked = {str(row.item): row.status for row in report.checklists}
    assert checked["python/mutable-default"] is ItemStatus.NOT_CHECKED


def test_a_base_that_does_not_parse_makes_no_old_line_new(repo: Repo) -> None:
    """Its repair makes old defects visible; they are not this branch's."""
    repo.commit("base", {"a.py": "def broken(:\n    pass\n\n\nimport os\n"})
    repo.branch("topic")
    repo.write("a.py", "def broken():\n    pass\n\n\nimport os\n")
    assert reviewed(repo).findings == ()
