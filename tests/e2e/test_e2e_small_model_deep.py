"""A deep review by a real llama.cpp server with a real small model: votes, tools, counts, resuming. No opinions.

The server shows the model short examples, so that it answers, and calls tools, in seconds; what it says proves nothing.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from roundzero.core.deep import VOICES
from roundzero.core.model_values import Ask, Outcome, Question, Reply, Turn
from roundzero.core.toolbox import Bounds
from roundzero.providers import Endpoint
from roundzero.providers._http import Patience, send
from roundzero.providers.openai import PROVIDER
from roundzero.providers.reply import forms
from roundzero.store.budget_db import BudgetDb
from support.loop import run
from support.passing import Passing, passing
from support.small_server import BRISK, LIMIT, counted, small_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.repo import Repo

pytestmark = [pytest.mark.e2e, pytest.mark.small_model, pytest.mark.timeout(280)]

TOKENS: Final = 80_000
"""Of an hour: enough for two questions at once, not for all, were what an answer did not take not given back."""

PATIENT: Final = Patience(first=120.0, silence=120.0, total=240.0)


@pytest.fixture(scope="module")
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the server, without the path of its protocol."""
    folder = Path(request.config.getoption("--small-model"))
    with small_server(folder, tmp_path_factory.mktemp("small-model") / "log", BRISK) as address:
        yield address


@pytest.fixture
def host(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Passing]:
    """What stands before it, as the settings' provider."""
    with passing(url) as between:
        settings = {"PROVIDER": "openai", "NAME": "small", "BASE_URL": between.url, "REQUESTS_PER_MINUTE": "600"}
        settings |= {"TOKENS_PER_HOUR": str(TOKENS), "PARALLEL": "2"}
        for name, value in settings.items():
            monkeypatch.setenv(f"ROUNDZERO_MODEL_{name}", value)
        yield between


@pytest.fixture
def change(repo: Repo) -> Repo:
    """A repository with a branch of one hunk."""
    repo.commit("first", {"app/load.py": "def load(path):\n    return open(path).read()\n"})
    repo.branch("feature")
    repo.commit("second", {"app/load.py": "def load(path, mode='r'):\n    return open(path, mode).read()\n"})
    return repo


def review(command: Path, repo: Repo, *more: str) -> dict[str, Any]:
    """The report of a deep review, without the two entries that tell one run from another."""
    argv = [str(command), "review", "--model", "deep", "--format", "json", *more]
    done = subprocess.run(argv, cwd=repo.root, capture_output=True, text=True, timeout=270, check=False)
    assert done.returncode in {0, 1}, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    del report["reviewed_at"], report["stats"]["seconds"]
    return report


def test_every_number_of_a_deep_review_is_the_servers_own(
    roundzero: Path, change: Repo, host: Passing, url: str, tmp_path: Path
) -> None:
    """Five voices vote on one hunk, two with native tools; recorded, it is replayed to the same report."""
    before = counted(url)
    report = review(roundzero, change, "--record", str(tmp_path / "recorded"))
    stats, tokens = report["stats"], report["stats"]["tokens"]
    assert report["verdict"]["depth"] == "deep"
    assert [voice["asked"] for voice in stats["voices"]] == [1] * len(VOICES)
    assert sum(voice["ok"] for voice in stats["voices"]) == stats["drafts"]["ok"]

    asked, after = len(host.answered), counted(url)
    assert (stats["drafts"]["requests"], stats["drafts"]["cached"]) == (asked, 0)
    assert (tokens["sent"], tokens["received"]) == (after[0] - before[0], after[1] - before[1])
    tally = BudgetDb().tally(time.time())
    assert (tally.tokens, tally.running) == (tokens["sent"] + tokens["received"], 0)
    assert tally.tokens < TOKENS

    bodies = [json.loads(body) for body in host.answered]
    assert sum("tools" in body for body in bodies) >= sum(voice.tools for voice in VOICES)
    assert sum("response_format" in body for body in bodies) >= sum(not voice.tools for voice in VOICES)
    looked = host.looked()
    assert stats["tools"]["calls"] == sum(looked.values())
    assert max(looked.values()) <= Bounds().calls
    assert stats["tools"]["bytes"] <= Bounds().bytes * len(looked)

    again = review(roundzero, change, "--replay", str(tmp_path / "recorded"))
    assert json.dumps(again, indent=1).splitlines() == json.dumps(report, indent=1).splitlines()
    assert len(host.requests) == asked


def test_one_that_is_stopped_goes_on_and_asks_nothing_twice(
    roundzero: Path, change: Repo, host: Passing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the middle of an answer, it leaves nothing charged that runs, and all answers to those who go on."""
    for name in ("PARALLEL", "DRAFTS"):
        monkeypatch.setenv(f"ROUNDZERO_MODEL_{name}", "1")
    host.held_from = 1
    argv = [str(roundzero), "review", "--model", "deep"]
    with subprocess.Popen(argv, cwd=change.root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert host.begun.wait(LIMIT)
        process.terminate()
        _, told = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, told
    assert b"the same command goes on from there" in told
    assert BudgetDb().tally(time.time()).running == 0

    host.held_from = None
    drafts = review(roundzero, change)["stats"]["drafts"]
    assert drafts["cached"] == 1
    assert len(host.requests) == 2 + drafts["requests"]
    assert host.twice == []


def test_every_form_of_reply_is_a_grammar_the_server_takes(url: str) -> None:
    """Drafts, second looks, fact checks, rechecks, overviews: none is refused, whatever the model makes of it."""

    async def ask(form: str) -> Reply:
        schema = forms()[form].schema()
        question = Question(system="You answer.", turns=(Turn("user", "x = 1"),), schema=schema, key=form, tokens=400)
        return await send(PROVIDER, Ask(question=question, model="m", max_output=8), endpoint, patience=PATIENT)

    async def all_of_them() -> list[Reply]:
        return await asyncio.gather(*map(ask, forms()))

    endpoint = Endpoint(f"{url}/v1")
    replies = run(all_of_them(), seconds=270)
    assert {reply.outcome for reply in replies} <= {Outcome.OK, Outcome.TRUNCATED}, replies
    assert len(replies) >= 6
