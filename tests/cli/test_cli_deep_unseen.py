"""What models of a deep review did not see is in the report: calls that gave nothing, parts, and early ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from roundzero.core.toolbox import Bounds
from support.deep_host import AFTER, BEFORE, NOTHING, OVERVIEW, TOOLS, choose_model
from support.drafts import reply, script

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Cli
    from support.repo import Repo

CALLS = {
    "calls": [
        {"name": "read", "arguments": {"path": "kept.txt"}},
        {"name": "read", "arguments": {"path": "no/such.py"}},
        {"name": "read", "arguments": {"path": "long.py"}},
        {"name": "shout", "arguments": {}},
        {"name": "read", "arguments": {"path": ".git/config"}},
        *({"name": "grep", "arguments": {"word": f"word{number}"}} for number in range(3)),
    ]
}
"""Eight calls, of which six are carried out: one is of a file that is kept back, three are of what there is not."""


@pytest.fixture
def shop(repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Repo:
    """A branch that loses a guard, and a file that nobody may see."""
    repo.commit(
        "first",
        {
            "shop.py": BEFORE,
            "long.py": "x = 1\n" * 900,
            "kept.txt": "the kept text\n",
            ".roundzeroignore": "kept.txt\n",
            ".roundzero.toml": 'packs = ["general"]\n',
        },
    )
    repo.branch("topic")
    repo.commit("Take faster", {"shop.py": AFTER})
    choose_model(monkeypatch, PROVIDER="scripted", SCRIPT=str(tmp_path / "script.jsonl"))
    return repo


def tools_of(cli: Cli, path: Path, *answers: tuple[str, object]) -> dict[str, Any]:
    """What the report says was looked up, where a model answers so."""
    script(path, (OVERVIEW, NOTHING), *answers, ("", reply()))
    ran = cli("review", "--model", "deep", "--format", "json")
    assert ran.status == 0
    found: dict[str, Any] = json.loads(ran.out)["stats"]["tools"]
    return found


@pytest.mark.usefixtures("shop")
def test_calls_that_gave_nothing_are_counted_by_why(cli: Cli, tmp_path: Path) -> None:
    """Three conversations make the same calls: two voices, and the question about the whole change."""
    said = tools_of(cli, tmp_path / "script.jsonl", ("more calls may be made", reply()), (TOOLS, CALLS))
    assert said["calls"] == 3 * Bounds().at_once
    assert said["unanswered"] == {
        "asked for what there is not, or asked wrongly": 3 * 3,
        "may be shown to nobody": 3,
        "past a limit": 3 * 2,
    }
    assert (said["cut"], said["ended"]) == (3, {})
    for form, line in (("terminal", "tool calls that gave nothing: "), ("markdown", "only a part: 3")):
        out = cli("review", "--model", "deep", "--format", form).out
        assert line in out
        assert "may be shown to nobody (3)" in out
        assert "the kept text" not in out


@pytest.mark.usefixtures("shop")
def test_a_conversation_without_end_is_told_with_what_ended_it(cli: Cli, tmp_path: Path) -> None:
    """Who only asks the same again is ended soon, and answers with what it has: no draft is missing."""
    said = tools_of(
        cli,
        tmp_path / "script.jsonl",
        ("You cannot look around any further", reply()),
        (TOOLS, {"calls": [{"name": "grep", "arguments": {"word": "shelf"}}]}),
    )
    assert said["ended"] == {"the same calls again": 3}
    assert said["calls"] == 3 * 3
    out = cli("review", "--model", "deep").out
    assert "looking around ended early: the same calls again (3)" in out
    assert "LGTM" in out.splitlines()[-1]
