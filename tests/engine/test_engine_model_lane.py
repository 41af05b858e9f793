"""The model lane of a live engine: when it asks, what it keeps, and what it does with failures."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

from roundzero import config
from roundzero.core import plan
from roundzero.core.finding import State
from roundzero.engine import round_of_model
from roundzero.engine.answers import STALE
from roundzero.engine.review import ReviewRequest
from roundzero.engine.round_of_model import commit_round
from roundzero.engine.session import Engine
from roundzero.engine.telling import LaneState
from roundzero.errors import UserError
from roundzero.store.ledger_db import LedgerDb
from support.engine import LIMIT, Listener, Live
from support.loop import run
from support.model_server import ModelServer
from support.replies import draft, found, script

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from roundzero.core.finding import Finding
    from support.repo import Repo

BASE = "price, tax = 2, 1\n"
LINE = "total = price - tax"
TEXT = f"{BASE}{LINE}\n"


@asynccontextmanager
async def asking(repo: Repo, **settings: object) -> AsyncIterator[Live]:
    """A live engine that asks a model soon after each edit, and trusts the repository unless told otherwise."""
    trusted = settings.pop("trusted", True) is True or None
    repo.commit("base", {"a.py": BASE})
    repo.branch("topic")
    editor = {"debounceMs": 20, **{name.replace("__", "."): value for name, value in settings.items()}}
    loaded, problems = config.load(root=repo.root, editor=editor, environ={})
    assert not problems
    listener = Listener()
    with patch.object(plan, "MODEL_IDLE", 0.3):
        engine = Engine(root=repo.root, settings=loaded, trusted=trusted, listener=listener)
        try:
            await engine.start()
            yield Live(engine, listener)
        finally:
            await engine.close()


def scripted(path: Path, **replies: str) -> dict[str, object]:
    """Settings for a script in which a model objects to the line."""
    said = {"price - tax": draft(found("a.py", 2, LINE))} | replies
    return {"model__provider": "scripted", "model__script": str(script(path / "script", **said))}


def host(server: ModelServer, name: str, **more: object) -> dict[str, object]:
    """Settings for a model at a host on this machine."""
    return {
        "model__provider": "openai",
        "model__baseUrl": server.url,
        "model__name": name,
        "model__cache": False,
    } | more


def states(it: Live, path: str = "a.py") -> dict[int, State]:
    """Where what a model said of a file stands, by line."""
    return {each.seen.line: each.state for each in it.engine.findings(it.path(path)) if each.seen.source == "model"}


async def until(it: Live, fits: Callable[[], bool]) -> None:
    """Wait until this is true, whether the engine said so or not."""
    try:
        async with asyncio.timeout(LIMIT):
            while not fits():
                with suppress(TimeoutError):
                    await asyncio.wait_for(it.listener.until(fits), 0.1)
    except TimeoutError:
        raise AssertionError(f"{it.engine.status()}, {states(it)}") from None


def test_lines_that_move_are_not_asked_about_again(repo: Repo, tmp_path: Path) -> None:
    """A line inserted far above makes no new question, in the same session."""

    async def scenario() -> None:
        async with asking(repo, **scripted(tmp_path)) as it:
            gap = "".join(f"# {number}\n" for number in range(40))
            it.engine.opened(it.path("a.py"), BASE + gap + LINE + "\n", 1)
            await until(it, lambda: states(it) == {42: State.OPEN})
            asked = it.engine.status().model.requests
            it.engine.edited(it.path("a.py"), "import os\n" + BASE + gap + LINE + "\n", 2)
            await until(it, lambda: it.engine.status().model.requests == asked + 1)
            await until(it, lambda: states(it) == {43: State.OPEN} and it.engine.quiet)
            assert it.engine.status().model.requests == asked + 1

    run(scenario())


def test_without_a_cache_undo_costs_nothing_either(repo: Repo, tmp_path: Path) -> None:
    """Answers of this session are kept in memory."""

    async def scenario() -> None:
        async with asking(repo, **scripted(tmp_path, **{"price % tax": draft()}), model__cache=False) as it:
            it.engine.opened(it.path("a.py"), TEXT, 1)
            await until(it, lambda: states(it) == {2: State.OPEN})
            it.engine.edited(it.path("a.py"), TEXT.replace("-", "%"), 2)
            await until(it, lambda: states(it) == {2: State.UNCONFIRMED})
            it.engine.edited(it.path("a.py"), TEXT, 3)
            await until(it, lambda: states(it) == {2: State.OPEN} and it.engine.quiet)
            assert it.engine.status().model.requests == 2

    run(scenario())


def test_what_comes_for_an_older_text_is_carried_over(repo: Repo) -> None:
    """It was paid for: on lines that were not edited it is open, though others were meanwhile."""

    async def scenario() -> None:
        server = ModelServer({"slow": draft(found("a.py", 2, LINE))})
        gate, sent, answer = asyncio.Event(), asyncio.Event(), server._answer

        async def later(*given: Any) -> None:  # noqa: ANN401  as the real one takes
            sent.set()
            await gate.wait()
            await answer(*given)

        with patch.object(server, "_answer", later):
            async with server, asking(repo, **host(server, "slow")) as it:
                it.engine.opened(it.path("a.py"), TEXT, 1)
                async with asyncio.timeout(LIMIT):
                    await sent.wait()
                it.engine.edited(it.path("a.py"), f"# a\n{TEXT}# b\n", 2)
                await it.shows("a.py", version=2)
                gate.set()
                await until(it, lambda: states(it) == {3: State.OPEN})

    run(scenario())


def test_what_ages_before_anyone_looked_says_why(repo: Repo, tmp_path: Path) -> None:
    """The edited line is shown as stale at once, with the reason, although the checks of its text are still to come."""

    async def scenario() -> None:
        async with asking(repo, **scripted(tmp_path), model__mode="onSave") as it:
            it.engine.opened(it.path("a.py"), TEXT, 1)
            await it.idle()
            await it.engine.review(ReviewRequest(depth="quick"))
            await until(it, lambda: states(it) == {2: State.OPEN})
            it.engine.pause()
            it.engine.edited(it.path("a.py"), TEXT.replace("-", "+"), 2)
            it.engine._state.publish([it.path("a.py")])
            last = it.listener.last("a.py")
            assert last is not None
            assert last.version == 2
            assert [(each.state, each.state_text) for each in last.findings] == [(State.STALE, STALE)]

    run(scenario())


@pytest.mark.parametrize("when", ["typed before", "written meanwhile"])
def test_a_round_is_of_the_texts_the_model_was_asked_about(repo: Repo, tmp_path: Path, when: str) -> None:
    """An edit that comes between the answer and the round makes that a round nobody has looked at: there is none."""
    done: list[bool] = []
    newer = f"{TEXT}more = 1\n"

    async def scenario() -> None:
        async with asking(repo, **scripted(tmp_path), model__mode="onSave") as it:
            repo.write("a.py", TEXT)

            async def committing(state: Any, change: Any, said: Any, texts: Any) -> bool:  # noqa: ANN401  as the real one
                if when == "typed before":
                    texts = {it.path("a.py"): newer}
                else:
                    repo.write("b.py", newer)
                done.append(await commit_round(state, change, said, texts))
                return done[-1]

            with patch.object(round_of_model, "commit_round", committing):
                it.engine.opened(it.path("a.py"), TEXT, 1)
                await until(it, lambda: it.engine.status().base is not None and it.engine.quiet)
                it.engine.saved(it.path("a.py"))
                await until(it, lambda: bool(done))
            assert done[0] is False
            branches = LedgerDb(repo.root / ".git")
            assert branches.load(branches.find("refs/heads/topic")).last is None

    run(scenario())


async def look_once(it: Live) -> Finding:
    """Ask about the line; what the model says of it."""
    it.engine.opened(it.path("a.py"), TEXT, 1)
    await it.idle()
    await it.engine.review(ReviewRequest(depth="quick"))
    await until(it, lambda: states(it) == {2: State.OPEN} and it.engine.quiet)
    (finding,) = (each for each in it.engine.findings(it.path("a.py")) if each.seen.source == "model")
    return finding


def test_a_second_look_does_not_take_a_doubt_away(repo: Repo, tmp_path: Path) -> None:
    """A unit that waits to be asked again is asked by the next run, though a person confirmed something meanwhile."""

    async def scenario() -> None:
        async with asking(repo, **scripted(tmp_path), model__mode="manual") as it:
            finding = await look_once(it)
            lane = it.engine._model.lane
            await lane.ask_now()
            lane._inquiring.doubt(finding.seen)
            with pytest.raises(UserError):
                await lane.confirm(finding)
            asked = it.engine.status().model.requests
            run_ = await lane.ask_now()
            assert run_ is not None
            assert (run_.asked, it.engine.status().model.requests) == (1, asked + 1)
            run_ = await lane.ask_now()
            assert run_ is not None
            assert (run_.asked, it.engine.status().model.requests) == (0, asked + 1)

    run(scenario())


def test_a_doubt_stands_until_its_unit_is_answered(repo: Repo) -> None:
    """A host that fails when asked again is asked at the next chance; one answer is enough."""

    async def scenario() -> None:
        says = {"m": draft(found("a.py", 2, LINE))}
        async with ModelServer(says) as server, asking(repo, **host(server, "m"), model__mode="manual") as it:
            finding = await look_once(it)
            lane, good = it.engine._model.lane, says["m"]
            says["m"] = ""
            run_ = await lane.recheck(finding)
            assert run_ is not None
            assert (run_.asked, run_.whole) == (1, False)
            says["m"] = good
            for asked in (1, 0):
                run_ = await lane.ask_now()
                assert run_ is not None
                assert (run_.asked, run_.whole) == (asked, True)
            assert states(it) == {2: State.OPEN}

    run(scenario())


def test_what_becomes_known_while_it_asks_is_looked_at_after(repo: Repo) -> None:
    """What a person answers meanwhile was not part of the questions; once it was looked at, nothing is left to do."""

    async def scenario() -> None:
        server = ModelServer({"m": draft(found("a.py", 2, LINE))})
        gate, sent, answer = asyncio.Event(), asyncio.Event(), server._answer
        prepared: list[object] = []

        async def later(*given: Any) -> None:  # noqa: ANN401  as the real one takes
            sent.set()
            await gate.wait()
            await answer(*given)

        with patch.object(server, "_answer", later):
            async with server, asking(repo, **host(server, "m"), model__mode="manual") as it:
                it.engine.opened(it.path("a.py"), TEXT, 1)
                await it.shows("a.py", version=1)
                lane = it.engine._model.lane
                prepare = lane._inquiring.prepared

                async def counted(*given: Any) -> Any:  # noqa: ANN401  as above
                    prepared.append(given)
                    return await prepare(*given)

                with patch.object(lane._inquiring, "prepared", counted):
                    asking_now = asyncio.ensure_future(lane.ask_now())
                    async with asyncio.timeout(LIMIT):
                        await sent.wait()
                    lane.ask_again()
                    gate.set()
                    for looks in (1, 2, 2):
                        run_ = await (lane.ask_now() if asking_now.done() else asking_now)
                        assert run_ is not None
                        assert (run_.whole, len(prepared)) == (True, looks)

    run(scenario())


def test_a_bad_answer_is_not_bought_again(repo: Repo, tmp_path: Path) -> None:
    """The same question would have the same answer; a person who asks for a review gets another try."""

    async def scenario() -> None:
        async with asking(repo, **scripted(tmp_path, **{"price - tax": ""})) as it:
            it.engine.opened(it.path("a.py"), TEXT, 1)
            await until(it, lambda: it.engine.status().model.hunks == 1)
            status = it.engine.status()
            assert (status.model.requests, status.model.covered) == (1, 0)
            assert status.verdict is not None
            assert status.verdict.status.value == "INCOMPLETE"
            it.engine.edited(it.path("a.py"), TEXT + "\n\n\n", 2)
            it.engine.edited(it.path("a.py"), TEXT, 3)
            await until(it, lambda: it.listener.last("a.py") is not None and it.engine.quiet)
            assert it.engine.status().model.requests == 1
            await it.engine.review(ReviewRequest(depth="quick"))
            assert it.engine.status().model.requests == 2

    run(scenario())


def test_no_round_is_written_of_what_was_not_answered(repo: Repo) -> None:
    """A host that fails leaves the ledger alone."""

    async def scenario() -> None:
        async with ModelServer() as server, asking(repo, **host(server, "quota")) as it:
            it.engine.opened(it.path("a.py"), TEXT, 1)
            await until(it, lambda: it.engine.status().model.state is LaneState.BUDGET_SPENT and it.engine.quiet)
            assert it.engine.status().round.index is None
            assert [level for level, _ in it.listener.messages] == ["error"]

    run(scenario())


def test_a_wrong_key_stays_wrong(repo: Repo) -> None:
    """After the host refused it nothing is sent until a person resumes; the state says so, one message did."""

    async def scenario() -> None:
        async with ModelServer() as server, asking(repo, **host(server, "401")) as it:
            it.engine.opened(it.path("a.py"), TEXT, 1)
            await until(it, lambda: it.engine.status().model.state is LaneState.PAUSED)
            it.engine.edited(it.path("a.py"), f"{TEXT}more = 1\n", 2)
            await it.shows("a.py", version=2)
            await until(it, lambda: it.engine.quiet)
            assert (it.engine.status().model.state, len(server.requests)) == (LaneState.PAUSED, 1)
            assert len(it.listener.messages) == 1
            it.engine.resume()
            await until(it, lambda: len(server.requests) > 1 and it.engine.status().model.state is LaneState.PAUSED)
            assert len(it.listener.messages) == 1

    run(scenario())


def test_it_comes_back_when_the_budget_does(repo: Repo, tmp_path: Path) -> None:
    """With one timer: a spent limit says until when, and what waited is asked then."""

    async def scenario() -> None:
        said = scripted(tmp_path)
        async with asking(repo, **said, model__tokensPerHour=1) as it:
            it.engine.opened(it.path("a.py"), TEXT, 1)
            await until(it, lambda: it.engine.status().model.state is LaneState.BUDGET_SPENT and it.engine.quiet)
            status = it.engine.status()
            assert status.model.covered == 0
            assert any("budget" in reason for reason in status.model.reasons)
            loaded, _ = config.load(
                root=repo.root,
                editor={name.replace("__", "."): value for name, value in said.items()} | {"debounceMs": 20},
                environ={},
            )
            it.engine.settings_changed(loaded)
            await until(it, lambda: states(it) == {2: State.OPEN})

    run(scenario())


def test_a_host_that_asks_to_wait_for_long_is_asked_again_then(repo: Repo) -> None:
    """Longer than a person waits, also where there is nothing else to ask: the state says until when."""

    async def scenario() -> None:
        async with ModelServer() as server, asking(repo, **host(server, "wait-200")) as it:
            it.engine.opened(it.path("a.py"), TEXT, 1)
            await until(it, lambda: len(server.requests) == 1 and it.engine.quiet)
            status = it.engine.status().model
            assert status.state is LaneState.WAITING
            assert status.until is not None
            assert 150.0 < status.until - time.time() <= 201.0

    run(scenario())


def test_untrusted_asks_nobody_and_says_why(repo: Repo, tmp_path: Path) -> None:
    """By the user's list where the editor does not say."""

    async def scenario() -> None:
        async with asking(repo, trusted=False, **scripted(tmp_path)) as it:
            it.engine.opened(it.path("a.py"), TEXT, 1)
            await until(it, lambda: it.engine.status().model.state is LaneState.OFF and it.engine.quiet)
            assert "not trusted" in it.engine.status().model.reasons[0]
            assert it.engine.status().verdict is not None
            with pytest.raises(UserError, match="roundzero trust"):
                await it.engine.review(ReviewRequest(depth="quick"))

    run(scenario())


def test_nothing_wakes_up_when_all_is_answered(repo: Repo, tmp_path: Path) -> None:
    """After the round is written there is no job and no timer."""

    async def scenario() -> None:
        async with asking(repo, **scripted(tmp_path)) as it:
            it.engine.opened(it.path("a.py"), TEXT, 1)
            await until(it, lambda: it.engine.status().round.index == 1)
            await until(it, lambda: it.engine.quiet)
            assert it.engine._model.lane._timer is None
            assert it.engine.status().model.requests == 1

    run(scenario())
