"""``roundzero doctor``."""

from __future__ import annotations

import platform
import re
import time
from typing import TYPE_CHECKING

from roundzero import __version__
from roundzero.core.budget import Limits
from roundzero.store.budget_db import BudgetDb, Lease

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from support.command import Cli
    from support.repo import Repo


def test_it_names_versions_files_base_trust_and_logs(cli: Cli, repo: Repo, home: Path) -> None:
    """Everything a report about a problem needs is there."""
    repo.commit("first", {"a": ""})
    ran = cli("doctor")
    assert (ran.status, ran.err) == (0, "")
    for words in (
        f"roundzero  {__version__}",
        f"python     {platform.python_version()}",
        "git        ",
        "ruff       ",
        "ast-grep   ",
        f"repository: {repo.root}",
        "Base ",
        "trusted: no",
        f"{home / 'config/roundzero/config.toml'} (not there)",
        f"{repo.root / '.roundzero.toml'} (not there)",
        "packs: general, ",
        "problems: none",
        f"logs: {home / 'state/roundzero/log'}",
    ):
        assert words in ran.out


def test_problems_are_named_with_file_and_line(cli: Cli, repo: Repo) -> None:
    """Faults of configuration and packs are listed, and an existing file is found."""
    repo.commit("first", {".roundzero.toml": "\nrubbish = 1\n", ".roundzero/checklists/x.yaml": "pack: [\n"})
    cli("trust")
    out = cli("doctor").out
    assert f"{repo.root / '.roundzero.toml'} (found)" in out
    assert "  .roundzero.toml:2: rubbish is not a setting" in out
    assert ".roundzero/checklists/x.yaml:" in out
    assert "problems: 2" in out
    assert "trusted: yes" in out


def test_it_works_outside_a_repository(cli: Cli, tmp_path: Path) -> None:
    """Without a repository it says so and reports the rest."""
    outside = tmp_path / "outside"
    outside.mkdir()
    ran = cli("doctor", here=outside)
    assert ran.status == 0
    assert "repository: " in ran.out
    assert "packs: general, " in ran.out


def test_nothing_is_sent(cli: Cli) -> None:
    """Without a provider nothing is sent, and that is what it says."""
    for arguments in (("doctor", "--what-is-sent"), ("doctor", "--what-is-sent", "a.py")):
        assert cli(*arguments).out == "Nothing is sent: no model provider is configured.\n"


def test_a_change_without_lines_sends_nothing(cli: Cli, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a provider it says so of a change that has nothing to ask about; a model has to be named."""
    repo.commit("first", {"a.py": "x = 1\n"})
    monkeypatch.setenv("ROUNDZERO_MODEL_PROVIDER", "ollama")
    ran = cli("doctor", "--what-is-sent")
    assert (ran.status, "no model is named" in ran.err) == (2, True)
    monkeypatch.setenv("ROUNDZERO_MODEL_NAME", "m")
    assert cli("doctor", "--what-is-sent").out.startswith("Nothing is sent about this change: ")


def test_a_base_that_stops_every_review_is_a_problem(cli: Cli, repo: Repo) -> None:
    """What a review would exit with is found before one is made, with the place and a command that can work."""
    repo.commit("first", {".roundzero.toml": 'base = "origin/mastre"\n'})
    repo.config("remote.origin.url", "nowhere")
    review = cli("review")
    assert (review.status, "(git fetch origin mastre). The base is set in .roundzero.toml:1" in review.err) == (2, True)
    out = cli("doctor").out
    assert "problems: 1\n  no review can be made: the base 'origin/mastre'" in out


def test_it_shows_what_is_set_and_where(cli: Cli, repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values in force that are not built in, as files have them, with the file and line or the variable."""
    repo.commit("first", {".roundzero.toml": 'exclude = ["v/**"]\n\n[items]\n"general/debug-left" = "off"\n'})
    monkeypatch.setenv("ROUNDZERO_LANGUAGE", "en")
    monkeypatch.setenv("ROUNDZERO_GATE_FAIL_ON", "P2")
    out = cli("doctor").out
    for words in (
        '  exclude = ["v/**"] (.roundzero.toml:1)\n',
        '  items."general/debug-left" = "off" (.roundzero.toml:4)\n',
        '  gate.fail_on = "P2" (ROUNDZERO_GATE_FAIL_ON)\n',
    ):
        assert words in out
    assert "  debounce_ms" not in out


def test_it_says_which_hooks_are_installed(cli: Cli, repo: Repo) -> None:
    """Ours, by stage; somebody else's is none of ours."""
    repo.commit("first", {"a": ""})
    assert "  hooks: none of ours (roundzero hook install)\n" in cli("doctor").out
    cli("hook", "install")
    assert "  hooks: pre-push\n" in cli("doctor").out


def test_an_optional_linter_that_does_not_run_is_named_once(cli: Cli, repo: Repo) -> None:
    """With the reason; one that runs is there with its version. Neither is a problem."""
    repo.commit("base", {"a.py": "x = 1\n"})
    out = cli("doctor").out
    assert "optional   clang-format, pre-commit, shellcheck, zizmor: only in trusted repositories" in out
    cli("trust")
    out = cli("doctor").out
    assert "optional   clang-format: the repository does not pin it" in out
    assert re.search(r"^shellcheck [0-9.]+$", out, re.MULTILINE)
    assert out.count("clang-format:") == 1
    assert "problems: none" in out


def test_what_a_configured_model_lacks_is_a_problem(cli: Cli, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing name or address is named; a key is looked for in a trusted repository only, and nothing is sent."""
    repo.commit("first", {"a.py": "x = 1\n"})
    monkeypatch.setenv("ROUNDZERO_MODEL_PROVIDER", "openai")
    assert "the model is not asked: no model is named; set model.name" in cli("doctor").out
    monkeypatch.setenv("ROUNDZERO_MODEL_NAME", "m")
    assert "problems: none" in cli("doctor").out
    assert cli("trust").status == 0
    assert "problems: 1\n  the model is not asked: no key for openai; put it into" in cli("doctor").out
    monkeypatch.setenv("ROUNDZERO_API_KEY", "k")
    assert "problems: none" in cli("doctor").out


def test_it_shows_what_the_model_has_cost_of_late(cli: Cli, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """All processes of the user share the limits, so one that waits may have asked nothing itself."""
    repo.commit("first", {"a.py": "x = 1\n"})
    assert "model budget" not in cli("doctor").out
    monkeypatch.setenv("ROUNDZERO_MODEL_PROVIDER", "openai")
    limits = Limits(requests_per_minute=9, parallel=9, tokens_per_hour=9_000, cost_per_day=9.0)
    budget = BudgetDb()
    for question, cost in (("a", 0.25), ("b", 1.0)):
        lease = budget.reserve(question, provider="p", tokens=400, cost=cost, limits=limits, clock=time.time)
    assert isinstance(lease, Lease)
    budget.settle(lease, tokens=50, cost=0.5)
    spent = "2 requests in the last minute (1 not answered yet), 450 tokens in the last hour, 0.75 in the last day"
    assert f"model budget: {spent}\n" in cli("doctor").out
