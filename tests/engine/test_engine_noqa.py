"""Comments for ruff: what they silence is dismissed by the code, in a review, in the ledger and in an editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero import config
from roundzero.core.finding import Finding, State
from roundzero.core.text import RelPath
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.workspace import Workspace
from roundzero.render.look import Look
from roundzero.render.terminal import render
from roundzero.store.ledger_db import LedgerDb
from support.engine import live
from support.loop import run

if TYPE_CHECKING:
    from roundzero.core.ledger import Ledger
    from roundzero.core.report import Report
    from support.repo import Repo

BARE = "try:\n    pass\nexcept:\n    print()\n"
QUIET = "try:\n    pass\nexcept:  # noqa: E722  a plug-in may raise anything\n    print()\n"


def reviewed(repo: Repo, **settings: object) -> Report:
    """A review of the work tree that is a round."""

    async def make() -> Report:
        loaded, problems = config.load(root=repo.root, editor=settings, environ={})
        workspace = await Workspace.open(repo.root, settings=loaded, problems=problems, environ={})
        try:
            return await review(workspace, ReviewRequest(remember=True))
        finally:
            await workspace.git.close()

    return run(make())


def ledger(repo: Repo, branch: str = "refs/heads/topic") -> Ledger:
    """What is remembered of a branch."""
    database = LedgerDb(repo.root / ".git")
    return database.load(database.find(branch))


def only(report: Report) -> Finding:
    """The finding of a report that has one."""
    (finding,) = report.findings
    return finding


def topic(repo: Repo, text: str) -> None:
    """A branch whose work is one file."""
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.branch("topic")
    repo.write("a.py", text)


def test_what_a_comment_for_ruff_silences_is_listed_as_dismissed_by_the_code(repo: Repo) -> None:
    """With the comment as the reason and its place, among what the branch changes about its review, in one line."""
    topic(repo, QUIET + BARE.replace("except:", "except:  # noqa"))
    report = reviewed(repo)
    first, second = report.findings
    assert [each.state for each in report.findings] == [State.DISMISSED] * 2
    assert (first.state_by, first.state_text) == ("code", "noqa: E722 a plug-in may raise anything")
    assert (second.state_by, second.state_text) == ("code", "noqa")
    assert first.grounds is not None
    assert (first.grounds.path, first.grounds.line, first.blocking) == ("a.py", 3, False)
    assert report.counts == (0, 0, 0, 0)
    assert dict(report.stats.hidden) == {"ignored by a comment in the code": 2}
    assert report.settings_changed == ("a.py:3: noqa: E722 a plug-in may raise anything", "a.py:7: noqa")
    (line,) = [line for line in render(report, Look()).splitlines() if "a.py:3" in line and "a.py:7" in line]
    assert "2 comments" in line


def test_a_comment_for_ruff_fixes_nothing_in_the_ledger(repo: Repo) -> None:
    """What was open is dismissed by the code, and open again without the comment: it was never gone."""
    topic(repo, BARE)
    name = only(reviewed(repo)).id
    repo.write("a.py", QUIET)
    assert (only(reviewed(repo)).id, only(reviewed(repo)).state) == (name, State.DISMISSED)
    assert ledger(repo).entries[name].state is not State.FIXED
    repo.write("a.py", BARE)
    again = only(reviewed(repo))
    assert (again.id, again.state, again.regressions) == (name, State.OPEN, 0)


def test_a_comment_for_ruff_is_not_named_unused(repo: Repo) -> None:
    """Which rules a project runs elsewhere is its own business."""
    topic(repo, "x = 1  # noqa: E501\ny = 2  # noqa\n# ruff: noqa: E722\n")
    report = reviewed(repo)
    assert (report.findings, report.settings_changed) == ((), ())


def test_a_finding_that_was_silenced_before_is_not_new(repo: Repo) -> None:
    """Where the branch edits the line it is dismissed as before; where it takes the comment away, it is old."""
    repo.commit("base", {"a.py": QUIET})
    repo.branch("topic")
    repo.write("a.py", QUIET.replace("print()", "print(1)"))
    assert reviewed(repo).findings == ()
    repo.write("a.py", BARE)
    assert reviewed(repo).findings == ()
    (old,) = reviewed(repo, showOrigins=["introduced", "exposed", "pre-existing"]).findings
    assert (old.origin.value, old.state) == ("pre-existing", State.OPEN)


def test_an_editor_shows_nothing_there_also_while_the_text_does_not_parse(repo: Repo) -> None:
    """What is carried over from the last good text keeps its comment."""
    topic(repo, QUIET + BARE)

    async def scenario() -> None:
        async with live(repo.root) as it:
            path = RelPath("a.py")
            it.engine.opened(path, QUIET + BARE, 1)
            await it.shows("a.py", "bare-except", version=1)
            it.engine.edited(path, "def f(:\n" + QUIET + BARE, 2)
            (shown,) = await it.shows("a.py", "bare-except", version=2)
            assert shown.seen.line == 8
            await it.idle()
            assert [each.state for each in it.engine.listed(path) if each.seen.line == 4] == [State.DISMISSED]

    run(scenario())
