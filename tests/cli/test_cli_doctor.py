"""``roundzero doctor``."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from roundzero import __version__

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


def test_a_configured_provider_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a provider it still says truly that nothing is sent, and why."""
    monkeypatch.setenv("ROUNDZERO_MODEL_PROVIDER", "ollama")
    out = cli("doctor", "--what-is-sent").out
    assert out == "Nothing is sent: the provider ollama is configured, but this version makes no model reviews.\n"
