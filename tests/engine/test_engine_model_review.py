"""The model's part of a review, without the command line: time, bugs, and what it costs where there is none."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from roundzero import config
from roundzero.core.model_values import Ask, Outcome, Reply
from roundzero.engine import model_review
from roundzero.engine.asking import Spent
from roundzero.engine.model_review import choose_depth
from roundzero.engine.quick_review import ModelSight, quick_review
from roundzero.engine.review import ReviewRequest, inquire, review
from roundzero.engine.workspace import Workspace
from support.loop import run

if TYPE_CHECKING:
    from pathlib import Path

    from roundzero.core.report import Report
    from support.repo import Repo

ALONE = """
import sys
from roundzero.cli.main import main
assert main(["review"]) == 0
heavy = {"httpx", "roundzero.providers", "roundzero.engine.asking", "roundzero.engine.quick_review",
         "roundzero.engine.model_review", "roundzero.core.prompt", "roundzero.core.anatomy", "roundzero.core.claims",
         "roundzero.core.model_part", "roundzero.core.reversal"}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
"""


class Silent:
    """Answers about one file at once, and about others never."""

    spent = Spent()
    over = None

    async def put(self, ask: Ask) -> Reply:
        """Wait for ever, or say that there is nothing."""
        if "Part of a.py" not in ask.question.turns[-1].text:
            await asyncio.Event().wait()
        return Reply(outcome=Outcome.OK, text='{"findings": [], "clean": []}')


@pytest.fixture
def topic(repo: Repo) -> Repo:
    """A branch with two changed files."""
    repo.commit("first", {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    repo.branch("topic")
    repo.write("a.py", "x = 2\n")
    repo.write("b.py", "y = 2\n")
    return repo


async def opened(root: Path) -> Workspace:
    """The repository, with a provider that is never asked."""
    settings, _ = config.load(root=root, environ={})
    return await Workspace.open(root, settings=replace(settings, model_provider="scripted", model_script="none"))


def test_what_is_late_is_given_up(topic: Repo) -> None:
    """After the time allowed the answers that came count, the others are a gap, and nothing is left running."""

    async def asked() -> ModelSight:
        workspace = await opened(topic.root)
        inquiry, snapshot = await inquire(workspace, ReviewRequest())
        seen = await quick_review(inquiry, snapshot, Silent(), seconds=0.2)
        await workspace.git.close()
        assert len(asyncio.all_tasks()) == 1
        return seen

    seen = run(asked())
    assert (seen.hunks, seen.covered) == (2, 1)
    assert seen.gaps == ("1 of 2 hunks were looked at by the model: 1 not answered in time",)


def test_a_bug_of_this_part_costs_only_this_part(
    topic: Repo, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged once with its stack, said in the verdict, and what checks found stands."""

    async def broken(*_: object, **__: object) -> ModelSight:
        raise ZeroDivisionError

    async def reviewed(depth: str) -> Report:
        workspace = await opened(topic.root)
        request = ReviewRequest(depth="quick" if depth == "quick" else "off", consent=True)
        report = await review(workspace, request)
        await workspace.git.close()
        return report

    plain = run(reviewed("off"))
    monkeypatch.setattr(model_review, "_asked", broken)
    report = run(reviewed("quick"))
    assert report.verdict.reasons == ("the model was not asked: an internal error, see the log",)
    assert report.findings == plain.findings
    assert [record.exc_info is not None for record in caplog.records if "model's part" in record.message] == [True]


def test_a_review_without_a_model_loads_nothing_of_it(topic: Repo, home: Path) -> None:
    """Neither the parts that ask nor what they need."""
    done = subprocess.run([sys.executable, "-c", ALONE], cwd=topic.root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), home


@pytest.mark.parametrize(
    ("provider", "mode", "depth", "trusted", "expected", "told"),
    [
        (None, "onIdle", "quick", True, "off", False),
        ("ollama", "off", "quick", True, "off", False),
        ("ollama", "manual", "quick", True, "quick", False),
        ("ollama", "onIdle", "quick", False, "off", True),
        ("ollama", "onIdle", "deep", True, "deep", False),
    ],
)
def test_the_settings_choose_a_depth(
    provider: str | None, mode: str, depth: str, trusted: bool, expected: str, told: bool
) -> None:
    """A provider and trust together; whatever is not as the settings say is told."""
    settings = replace(config.Settings(), model_provider=provider)
    settings = replace(settings, model_mode=mode, model_depth=depth)  # type: ignore[arg-type]
    choice = choose_depth(settings, trusted=trusted)
    assert (choice.depth, choice.notice is not None) == (expected, told)
