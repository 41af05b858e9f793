"""A live engine and the ledger: it reads what others write, writes what a person asks, and agrees with a review."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

from roundzero import config
from roundzero.core.dismissal import Dismissal, DismissalScope, anchor_print
from roundzero.core.finding import FindingId, State
from roundzero.core.item import ItemId
from roundzero.core.report import VerdictStatus
from roundzero.core.shared_file import format_shared
from roundzero.core.text import RelPath
from roundzero.engine import change_lane
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.watch import Watch
from roundzero.engine.workspace import Workspace
from roundzero.errors import UserError
from roundzero.git.repository import Scope
from roundzero.store.ledger_db import LedgerDb
from support.engine import live
from support.house import rules
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Finding
    from roundzero.core.ledger import Ledger
    from roundzero.core.report import Report
    from roundzero.engine.recall import Recall
    from support.engine import Live
    from support.repo import Repo

GOOD = "def load(path, cache=None):\n    return cache\n"
BAD = "def load(path, cache={}):\n    return cache\n"
BARE = "try:\n    pass\nexcept:\n    print()\n"
EVAL = "print(eval(input()))\n"


@pytest.fixture
def branch(repo: Repo) -> Repo:
    """A branch from main, whose rules are known."""
    known = rules(bare="P2", unused="P2", default="P2", eval="P1")
    repo.commit("base", {"a.py": GOOD, "b.py": "x = 1\n", **known})
    repo.branch("topic")
    return repo


async def on_disk(repo: Repo, **options: object) -> Report:
    """A review as the command line makes it, with the ledger."""
    settings, _ = config.load(root=repo.root, environ={})
    workspace = await Workspace.open(repo.root, settings=settings, environ={})
    try:
        return await review(workspace, ReviewRequest(remember=True, **options))  # type: ignore[arg-type]
    finally:
        await workspace.git.close()


def ledger(repo: Repo) -> Ledger:
    """The ledger on disk."""
    db = LedgerDb(repo.root / ".git")
    return db.load(db.find("refs/heads/topic"))


def facts(findings: Iterable[Finding]) -> list[tuple[object, ...]]:
    """What two front ends must agree on."""
    return [
        (each.id, each.seen, each.origin, each.state, each.state_text, each.state_by, each.blocking,
         each.not_blocking_because, each.first_seen, each.last_seen, each.regressions, each.family)
        for each in findings
    ]  # fmt: skip


def put_aside(repo: Repo, name: str, scope: str = "finding", expires: str | None = None) -> None:
    """Dismiss as another process does."""
    db = LedgerDb(repo.root / ".git")
    branch = db.find("refs/heads/topic")
    entry = ledger(repo).entries[FindingId(name)]
    made = dismissal_of(entry.id, entry.sighting.item, entry.sighting.path, entry.sighting.anchor_text)
    assert db.dismiss(branch, replace(made, scope=DismissalScope(scope), expires=expires))


def dismissal_of(name: str, item: str, path: str | None, text: str) -> Dismissal:
    """A dismissal of one finding."""
    return Dismissal(
        id=FindingId(name), scope=DismissalScope.FINDING, item=ItemId(item), path=RelPath(path) if path else None,
        symbol=None, anchor=anchor_print(text), reason="fine", by="Ada", at="2026-01-01T00:00:00+00:00",
    )  # fmt: skip


def test_what_another_process_dismisses_vanishes(branch: Repo) -> None:
    """Without a word from the client; reopened there, it is back under the same id."""
    branch.write("a.py", BAD)

    async def scenario() -> None:
        async with live(branch.root) as it:
            (finding,) = await it.shows("a.py", "default")
            await it.idle()
            await on_disk(branch)
            await it.listener.until(lambda: it.engine.status().round.index == 1)
            put_aside(branch, finding.id)
            await it.shows("a.py")
            (listed,) = it.engine.listed()
            assert (listed.id, listed.state, listed.first_seen, listed.blocking) == (
                finding.id, State.DISMISSED, 1, False,
            )  # fmt: skip
            db = LedgerDb(branch.root / ".git")
            assert db.reopen(db.find("refs/heads/topic"), finding.id, at="2026-01-02T00:00:00+00:00", by=None)
            (again,) = await it.shows("a.py", "default")
            assert again.id == finding.id

    run(scenario())


def test_an_older_reading_of_the_ledger_does_not_undo_a_newer_one(branch: Repo) -> None:
    """A dismissal comes while the change is collected, after the ledger was read for that."""
    branch.write("a.py", BAD)
    read, go, recollect = asyncio.Event(), asyncio.Event(), change_lane.recollect

    async def slow(*given: Any) -> Recall | None:  # noqa: ANN401  as the real one takes
        found = await recollect(*given)
        if not read.is_set():
            read.set()
            await go.wait()
        return found

    async def scenario() -> None:
        async with live(branch.root) as it:
            (finding,) = await it.shows("a.py", "default")
            await it.engine.review(ReviewRequest())
            await it.idle()
            with patch.object(change_lane, "recollect", slow), patch.object(Watch, "_is_written", lambda *_: False):
                it.engine.saved(it.path("a.py"))
                await read.wait()
                made = it.engine.by_id.dismiss(finding.id, scope=DismissalScope.FINDING, reason="intended")
                dismissing = asyncio.ensure_future(made)
                while not ledger(branch).entries[finding.id].dismissal:
                    await asyncio.wait([dismissing], timeout=0.01)
                go.set()
                assert await dismissing == "dismissed"
                await it.idle()
            assert [each.state for each in it.engine.listed()] == [State.DISMISSED]

    run(scenario())


def test_what_the_editor_dismisses_counts_everywhere(branch: Repo) -> None:
    """Also before any round, in a text that is not saved; undone, it blocks again."""

    async def scenario() -> None:
        async with live(branch.root) as it:
            it.engine.opened(it.path("a.py"), GOOD + EVAL, 1)
            found = await it.shows("a.py", "eval", version=1)
            name = found[0].id
            state = await it.engine.by_id.dismiss(name, scope=DismissalScope.FINDING, reason="false-positive")
            assert state == "dismissed"
            await it.shows("a.py")
            branch.write("a.py", GOOD + EVAL)
            (listed,) = (await on_disk(branch)).findings
            assert (listed.id, listed.state, listed.state_text, listed.first_seen) == (
                name, State.DISMISSED, "false-positive", 1,
            )  # fmt: skip
            with pytest.raises(UserError, match="dismissed already"):
                await it.engine.by_id.dismiss(name, scope=DismissalScope.FINDING, reason="again")
            assert await it.engine.by_id.reopen(name) == "open"
            await it.shows("a.py", "eval")
            with pytest.raises(UserError, match="is not dismissed"):
                await it.engine.by_id.reopen(name)

    run(scenario())


@pytest.mark.parametrize("scope", ["file", "item", "similar"])
def test_wider_dismissals_reach_and_are_taken_back_from_any_finding(branch: Repo, scope: str) -> None:
    """What one dismissal covers vanishes together, and reopening one of them brings all back."""
    branch.write("a.py", GOOD + "x = eval(y)\n" * 2)

    async def scenario() -> None:
        async with live(branch.root) as it:
            found = await it.shows("a.py", "eval", "eval")
            one, other = (each.id for each in found if each.seen.item.endswith("eval"))
            await it.engine.by_id.dismiss(one, scope=DismissalScope(scope), reason="intended")
            await it.shows("a.py")
            assert await it.engine.by_id.reopen(other) == "open"
            await it.shows("a.py", "eval", "eval")

    run(scenario())


def test_command_line_and_editor_agree_on_what_is_remembered(branch: Repo) -> None:
    """Dismissed by finding, file, item, like, shared file, expired ones, families and regressions: all the same."""
    branch.write("a.py", GOOD + "import os\n" + BARE)
    branch.write("b.py", BAD + EVAL + "def other(a={}, b=[]):\n    return a, b\n")
    branch.write("c.py", "import sys\n" + EVAL + "# TODO\n")

    async def scenario() -> None:
        first = await on_disk(branch)
        by_item = {(str(each.seen.path), each.seen.item.split("/")[1]): each for each in first.findings}
        put_aside(branch, by_item["a.py", "unused"].id, "item")
        put_aside(branch, by_item["a.py", "bare"].id, "finding", expires="2026-01-02")
        put_aside(branch, by_item["b.py", "eval"].id, "finding")
        shared = by_item["c.py", "eval"]
        branch.write(
            ".roundzero/dismissals.toml",
            format_shared([dismissal_of("rz-000000000000", shared.seen.item, "gone.py", shared.seen.anchor_text)]),
        )
        branch.write("b.py", "\n" + EVAL + "def other(a={}, b=[]):\n    return a, b\n")
        await on_disk(branch)
        branch.write("b.py", BAD + EVAL + "def other(a={}, b=[]):\n    return a, b\n")
        saved = await on_disk(branch)
        async with live(branch.root) as it:
            await it.idle()
            unsaved = it.engine.report()
            status = it.engine.status()
        assert unsaved is not None
        states = {each.state for each in saved.findings}
        assert {State.OPEN, State.DISMISSED} <= states
        assert max(each.regressions for each in saved.findings) == 1
        assert facts(unsaved.findings) == facts(saved.findings)
        assert (unsaved.verdict, unsaved.counts) == (saved.verdict, saved.counts)
        assert unsaved.round.index == saved.round.index
        assert (status.verdict, status.counts) == (saved.verdict, saved.counts)
        assert unsaved.stats.hidden == saved.stats.hidden
        assert unsaved.checklists == saved.checklists

    run(scenario())


def test_a_dismissed_blocker_does_not_block(branch: Repo) -> None:
    """The verdict follows at once, there and back."""
    branch.write("a.py", GOOD + EVAL)

    async def scenario() -> None:
        async with live(branch.root) as it:
            (finding,) = await it.shows("a.py", "eval")
            status = await it.idle()
            assert status.verdict is not None
            assert status.verdict.status is VerdictStatus.BLOCKED
            await it.engine.by_id.dismiss(finding.id, scope=DismissalScope.FINDING, reason="later")
            status = it.engine.status()
            assert status.verdict is not None
            assert (status.verdict.status, status.counts) == (VerdictStatus.LGTM, (0, 0, 0, 0))

    run(scenario())


def test_the_verdict_is_stale_when_texts_are_others_than_those_of_the_round(branch: Repo) -> None:
    """A character makes it stale, undo does not leave it so, and neither committing, amending nor squashing matters."""
    path = RelPath("a.py")

    async def scenario() -> None:
        async with live(branch.root) as it:
            it.engine.opened(path, BAD, 1)
            await it.shows("a.py", "default", version=1)
            await it.idle()
            assert not stale(it)
            report = await it.engine.review(ReviewRequest())
            assert report.round.index == 1
            await it.idle()
            assert not stale(it)
            it.engine.edited(path, BAD + "y", 2)
            assert stale(it)
            await it.listener.until(lambda: not it.engine.status().running and it.engine.quiet)
            assert stale(it)
            it.engine.edited(path, BAD, 3)
            await it.listener.until(lambda: not stale(it))
            branch.write("a.py", BAD)
            it.engine.saved(path)
            branch.commit("as it was reviewed")
            await it.idle()
            await it.listener.until(lambda: commit(it) == branch.head() and not stale(it))
            branch.git("commit", "--quiet", "--amend", "-m", "amended")
            await it.listener.until(lambda: commit(it) == branch.head() and not stale(it))
            branch.commit("more", {"b.py": "x = 2\n"})
            await it.listener.until(lambda: commit(it) == branch.head() and stale(it))
            report = await it.engine.review(ReviewRequest(scope=Scope.COMMITTED))
            await it.idle()
            await it.listener.until(lambda: not stale(it))
            branch.git("reset", "--quiet", "--soft", "main")
            branch.commit("squashed")
            await it.listener.until(lambda: commit(it) == branch.head() and not stale(it))
        assert len(LedgerDb(branch.root / ".git").rounds(LedgerDb(branch.root / ".git").find("refs/heads/topic"))) == 2

    run(scenario())


def stale(it: Live) -> bool:
    """Whether the verdict is."""
    verdict = it.engine.status().verdict
    assert verdict is not None
    return verdict.stale


def commit(it: Live) -> str | None:
    """The commit that is reviewed."""
    head = it.engine.status().head
    return head.commit if head is not None else None


def test_on_save_an_edit_makes_the_verdict_stale_too(branch: Repo) -> None:
    """Though nobody looks at it before it is saved."""

    async def scenario() -> None:
        async with live(branch.root, run="onSave") as it:
            it.engine.opened(RelPath("b.py"), "x = 1\n", 1)
            await it.idle()
            await it.engine.review(ReviewRequest())
            await it.idle()
            assert not stale(it)
            it.engine.edited(RelPath("b.py"), "x = 2\n", 2)
            assert stale(it)

    run(scenario())


def test_a_round_of_the_editor_and_one_of_another_process_lose_nothing(branch: Repo) -> None:
    """Both at once, over different texts: two rounds, and every finding is remembered."""
    branch.write("b.py", BAD)
    command = [sys.executable, "-m", "roundzero", "review", "--repo", str(branch.root), "--format", "json"]

    async def scenario() -> None:
        async with live(branch.root) as it:
            it.engine.opened(RelPath("a.py"), GOOD + BARE, 1)
            await it.shows("a.py", "bare")
            process = await asyncio.to_thread(subprocess.Popen, command, stdout=subprocess.DEVNULL)
            report = await it.engine.review(ReviewRequest())
            assert await asyncio.to_thread(process.wait, 60) in {0, 1}
            assert report.round.index in {1, 2}
            remembered = ledger(branch)
            assert {each.sighting.item for each in remembered.entries.values()} == {
                "house/bare", "house/default",
            }  # fmt: skip
            assert remembered.next_index == 3

    run(scenario())


def test_a_finding_takes_the_name_it_has_in_the_ledger(branch: Repo) -> None:
    """Renamed and moved since the last round, or looked at by a new engine: the id of the first round stays."""
    one, two = "def f(v):\n    return eval(v)\n", "def g(v):\n    return eval(v) + 1\n"
    branch.commit("one", {"one.py": GOOD + one, "two.py": "y = 1\n" + two})

    async def scenario() -> None:
        first = await on_disk(branch)
        names = {each.seen.symbol: each.id for each in first.findings}
        branch.rename("one.py", "moved.py")
        branch.write("two.py", "y = 1\n")
        branch.write("three.py", "z = 1\n\n" + two)
        async with live(branch.root) as it:
            await it.listener.until(lambda: {each.seen.symbol: each.id for each in it.engine.findings()} == names)
            it.engine.opened(RelPath("moved.py"), "\n\n" + GOOD + one, 1)
            (finding,) = await it.shows("moved.py", "eval", version=1)
            assert (finding.id, finding.first_seen) == (names["f"], 1)
        assert not ledger(branch).rounds[1:], "nobody asked for a round"

    run(scenario())


def test_a_line_that_is_cut_and_typed_again_keeps_its_name(branch: Repo) -> None:
    """Though the engine has forgotten it meanwhile: the ledger has not."""
    branch.write("a.py", GOOD + "def f():\n    x = eval(input())\n    return x\n")

    async def scenario() -> None:
        async with live(branch.root) as it:
            (finding,) = await it.shows("a.py", "eval")
            await it.engine.review(ReviewRequest())
            text = GOOD + "def renamed():\n    return 1\n"
            it.engine.opened(RelPath("a.py"), text, 1)
            await it.shows("a.py", version=1)
            it.engine.edited(RelPath("a.py"), text + "def g():\n    x = eval(input())\n    return x\n", 2)
            (again,) = await it.shows("a.py", "eval", version=2)
            assert (again.id, again.first_seen) == (finding.id, 1)

    run(scenario())


def test_rechecking_asks_the_checks_again(branch: Repo) -> None:
    """One finding or everything; the answer is its state, and an unknown one is refused."""
    branch.write("a.py", BAD)

    async def scenario() -> None:
        async with live(branch.root) as it:
            (finding,) = await it.shows("a.py", "default")
            await it.idle()
            assert await it.engine.by_id.recheck(finding.id) == "open"
            await it.engine.recheck()
            with pytest.raises(UserError, match="there is no finding rz-0"):
                await it.engine.by_id.recheck(FindingId("rz-0"))

    run(scenario())
