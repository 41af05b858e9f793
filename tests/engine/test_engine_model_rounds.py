"""A model's findings in a live engine over restarts and rounds: what is remembered, counted and written."""

from __future__ import annotations

import json
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from roundzero import config
from roundzero.core.finding import State
from roundzero.engine.review import ReviewRequest
from roundzero.engine.session import Engine
from roundzero.git.repository import Scope
from support.command import Cli
from support.engine import Listener, Live
from support.loop import run
from support.replies import draft, found, script

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from support.repo import Repo

BASE = "price, tax = 2, 1\n"
LINE = "total = price - tax"
TEXT = f"{BASE}{LINE}\n"
GRAVE = {"price - tax": draft(found("a.py", 2, LINE, severity="P1"))}


@pytest.fixture
def topic(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A branch with two changed files and a model that objects to a line of one, for every front end."""
    repo.commit("base", {"a.py": BASE, "b.py": "y = 1\n"})
    repo.branch("topic")
    repo.write("a.py", TEXT)
    repo.write("b.py", "y = 2\n")
    monkeypatch.setenv("ROUNDZERO_MODEL_PROVIDER", "scripted")
    monkeypatch.setenv("ROUNDZERO_MODEL_SCRIPT", str(script(tmp_path / "script", **GRAVE)))
    return repo


@asynccontextmanager
async def editor(repo: Repo, complete: object = None, *, mode: str = "manual", **more: object) -> AsyncIterator[Live]:
    """A live engine that trusts the repository."""
    given = {"debounceMs": 20, "model.mode": mode, **{name.replace("__", "."): value for name, value in more.items()}}
    loaded, problems = config.load(root=repo.root, editor=given, environ=os.environ)
    assert not problems
    listener = Listener()
    engine = Engine(root=repo.root, settings=loaded, trusted=True, listener=listener, complete=complete)  # type: ignore[arg-type]
    try:
        await engine.start()
        yield Live(engine, listener)
    finally:
        await engine.close()


def said(it: Live) -> list[tuple[int, State]]:
    """The lines a model said something of, and where that stands."""
    return [(each.seen.line, each.state) for each in it.engine.findings() if each.seen.source == "model"]


def verdict(it: Live) -> tuple[str, str, tuple[str, ...]]:
    """The verdict's status, depth and reasons; the report says the same."""
    status, report = it.engine.status().verdict, it.engine.report()
    assert status is not None
    assert report is not None
    of_report = report.verdict
    assert (of_report.status, of_report.depth, of_report.reasons) == (status.status, status.depth, status.reasons)
    return status.status.value, status.depth, status.reasons


WAITS = "1 finding of a model waits for a deep review"


def test_a_restart_forgets_nothing(topic: Repo) -> None:
    """With nobody asked, what an earlier round holds is shown, followed through edits, and keeps the verdict open."""

    async def scenario() -> None:
        async with editor(topic) as it:
            await it.idle()
            await it.engine.review(ReviewRequest(depth="quick"))
        async with editor(topic) as it:
            await it.idle()
            await it.listener.until(lambda: said(it) == [(2, State.OPEN)])
            assert verdict(it) == ("INCOMPLETE", "off", (WAITS,))
            it.engine.opened(it.path("a.py"), f"# above\n{TEXT}", 1)
            await it.listener.until(lambda: said(it) == [(3, State.OPEN)])
            it.engine.edited(it.path("a.py"), f"{BASE}{LINE} + 1\n", 2)
            await it.listener.until(lambda: said(it) == [(2, State.STALE)])
            report = await it.engine.review(ReviewRequest())
            assert [each.state for each in report.findings if each.seen.source == "model"] == [State.STALE]
            it.engine.edited(it.path("a.py"), TEXT, 3)
            await it.listener.until(lambda: said(it) == [(2, State.OPEN)])

    run(scenario())


def test_what_the_command_line_was_told_is_shown(
    topic: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """And costs nothing to ask again: both word the same question."""
    cli = Cli(topic.root, monkeypatch, capfd)
    assert cli("review", "--model", "quick").status == 0

    async def scenario() -> None:
        async with editor(topic) as it:
            await it.idle()
            await it.listener.until(lambda: said(it) == [(2, State.OPEN)])
            await it.engine.review(ReviewRequest(depth="quick"))
            model = it.engine.status().model
            assert (model.requests, model.cached) == (0, 2)
            assert said(it) == [(2, State.OPEN)]
            assert it.engine.status().round.index == 1

    run(scenario())
    sent = json.loads(cli("review", "--model", "quick", "--format", "json").out)
    assert (sent["stats"]["drafts"]["requests"], sent["round"]["index"]) == (0, 1)


@pytest.mark.parametrize("above", ["", "# above\n"])
def test_a_file_renamed_before_it_was_committed_keeps_what_was_said(topic: Repo, above: str) -> None:
    """Git has neither text; the editor knows the one that was renamed, also where an edit came with it."""

    async def scenario() -> None:
        async with editor(topic) as it:
            await it.idle()
            await it.engine.review(ReviewRequest(depth="quick"))
            ((name, _),) = [(each.id, each) for each in it.engine.findings() if each.seen.source == "model"]
            topic.rename("a.py", "c.py")
            topic.write("c.py", above + TEXT)
            it.engine.files_changed([topic.root / "a.py", topic.root / "c.py"])
            at = (above + TEXT).split("\n").index(LINE) + 1
            await it.listener.until(lambda: said(it) == [(at, State.OPEN)])
            report = await it.engine.review(ReviewRequest())
            kept = [(each.id, each.seen.path, each.seen.line, each.state) for each in report.findings]
            assert (name, "c.py", at, State.OPEN) in kept
            assert (await it.idle()).round.index == 2

    run(scenario())


def test_the_command_line_follows_renamings_nobody_committed(
    topic: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No older text is left: equal texts tell, what git calls a renaming, or the lines something was found in."""
    telling, body = f"{LINE}  # of a day", "".join(f"v{number} = {number}\n" for number in range(20))
    text = f"{BASE}{telling}\n{body}"
    reply = draft(found("a.py", 2, telling, severity="P1"))
    monkeypatch.setenv("ROUNDZERO_MODEL_SCRIPT", str(script(tmp_path / "own", **{"price - tax": reply})))
    topic.write("b.py", "y = 1\n")
    topic.commit("longer", {"a.py": BASE + body})
    cli = Cli(topic.root, monkeypatch, capfd)
    for steps in ((("c.py", ""), ("d.py", "# above\n")), (("e.py", "# above\n"),)):
        topic.write("a.py", text)
        assert cli("review", "--base", "HEAD", "--model", "quick").status == 0
        old = "a.py"
        for name, above in steps:
            topic.rename(old, name)
            topic.write(name, above + text)
            topic.git("add", "--intent-to-add", name)
            sent = json.loads(cli("review", "--base", "HEAD", "--format", "json").out)
            kept = [(each["path"], each["state"]) for each in sent["findings"] if each["source"] == "model"]
            assert kept == [(name, "open")]
            old = name
        topic.remove(old)


def test_an_edit_is_not_looked_at_yet(topic: Repo) -> None:
    """Status and report count the hunks of now, until the text is as it was or the model has looked."""

    async def scenario() -> None:
        async with editor(topic) as it:
            await it.idle()
            await it.engine.review(ReviewRequest(depth="quick"))
            assert verdict(it) == ("INCOMPLETE", "quick", (WAITS,))
            more = f"{TEXT}more = 1\n"
            it.engine.opened(it.path("b.py"), "y = 2\nz = 3\n", 1)
            await it.listener.until(lambda: it.engine.status().model.covered == 1)
            assert verdict(it)[2][1:] == (
                "1 of 2 hunks were looked at by the model: 1 not asked yet",
                "the text has changed since the model looked",
            )
            it.engine.edited(it.path("b.py"), "y = 2\n", 2)
            await it.listener.until(lambda: it.engine.status().model.covered == 2)
            assert verdict(it)[2] == (WAITS,)
            it.engine.opened(it.path("a.py"), more, 1)
            await it.listener.until(lambda: it.engine.status().model.covered == 1)
            await it.engine.review(ReviewRequest(depth="quick"))
            assert (it.engine.status().model.covered, verdict(it)[2]) == (2, (WAITS,))

    run(scenario())


def test_the_model_of_an_editor_is_asked_about_commits_too(topic: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the scope, the provider client is whoever the editor offers."""
    topic.commit("more")
    monkeypatch.delenv("ROUNDZERO_MODEL_PROVIDER")
    asked: list[str] = []

    async def complete(prompt: str, schema: Mapping[str, object]) -> str:
        del schema
        asked.append(prompt)
        return draft()

    async def scenario() -> None:
        async with editor(topic, complete, model__provider="client") as it:
            await it.idle()
            report = await it.engine.review(ReviewRequest(depth="quick", scope=Scope.COMMITTED))
            assert (report.verdict.status.value, len(asked)) == ("LGTM", 2)

    run(scenario())


def test_a_review_of_one_file_counts_its_hunks(topic: Repo) -> None:
    """Those of other files are no gap."""

    async def scenario() -> None:
        async with editor(topic) as it:
            await it.idle()
            report = await it.engine.review(ReviewRequest(depth="quick", paths=(it.path("b.py"),)))
            assert report.stats.model is not None
            assert (report.stats.model.hunks, report.stats.model.covered, report.stats.model.gaps) == (1, 1, ())
            assert report.verdict.status.value == "LGTM"
            assert it.engine.status().model.requests == 1

    run(scenario())


def test_a_person_may_ask_where_the_mode_is_off(topic: Repo) -> None:
    """It rules what happens by itself: a review that names no depth asks nobody."""

    async def scenario() -> None:
        async with editor(topic, mode="off") as it:
            await it.idle()
            assert await it.engine.usual_depth() == "off"
            report = await it.engine.review(ReviewRequest(depth="quick"))
            assert (report.verdict.depth, it.engine.status().model.requests) == ("quick", 2)
            assert verdict(it) == ("INCOMPLETE", "quick", (WAITS,))

    run(scenario())


def test_a_recheck_is_written_down(topic: Repo) -> None:
    """What is said again is open and no round; what no longer holds and is not said again is unconfirmed."""

    async def scenario() -> None:
        async with editor(topic) as it:
            await it.idle()
            await it.engine.review(ReviewRequest(depth="quick"))
            (finding,) = (each for each in it.engine.findings() if each.seen.source == "model")
            asked = it.engine.status().model.requests
            assert await it.engine.by_id.recheck(finding.id) == "open"
            assert (it.engine.status().round.index, it.engine.status().model.requests) == (1, asked + 1)
            it.engine.opened(it.path("a.py"), TEXT.replace("-", "%"), 1)
            await it.listener.until(lambda: said(it) == [(2, State.STALE)])
            assert await it.engine.by_id.recheck(finding.id) == "unconfirmed"
            live = it.engine._state.live
            assert live is not None
            assert live.recall is not None
            assert live.recall.ledger.entries[finding.id].state is State.UNCONFIRMED

    run(scenario())
