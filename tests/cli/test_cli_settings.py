"""Settings as a review meets them: typos are said where they stand, programs of one's own run on trust."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from roundzero.config import user_file
from roundzero.proc import tool_path

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Cli, Ran
    from support.repo import Repo


@pytest.fixture
def branch(repo: Repo) -> Repo:
    """A branch whose one finding is ruff's."""
    repo.commit("first", {"a.py": "x = 1\n"})
    repo.branch("topic")
    repo.write("a.py", "try:\n    x = 1\nexcept:\n    x = 2\n")
    return repo


def write_user(text: str) -> None:
    """Write the user's file."""
    path = user_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def of(ran: Ran) -> tuple[list[str], dict[str, Any]]:
    """The notices and the report."""
    report: dict[str, Any] = json.loads(ran.out)
    return report["notices"], report


def test_an_item_or_pack_that_is_none_is_named_with_its_line(cli: Cli, branch: Repo) -> None:
    """A typo in either is a notice at its place, is ignored, and does not make the review greener."""
    text = '\npacks = ["python", "pyhton"]\n[items]\n"python/bare-except" = "P0"\n"python/bare-exept" = "off"\n'
    branch.write(".roundzero.toml", text)
    notices, report = of(cli("review", "--format", "json"))
    assert notices == [
        '.roundzero.toml:2: there is no pack "pyhton"; did you mean "python"?',
        '.roundzero.toml:5: there is no item "python/bare-exept"; did you mean "python/bare-except"?',
    ]
    assert [(each["item"], each["severity"]) for each in report["findings"]] == [("python/bare-except", "P0")]


def test_a_linter_that_is_none_is_named(cli: Cli, branch: Repo) -> None:
    """A misspelt linter is not switched off in silence."""
    write_user("\n[linters.rufff]\nenable = false\n")
    notices, report = of(cli("review", "--format", "json"))
    known = "ast-grep, ruff, clang-format, pre-commit, shellcheck, zizmor"
    assert notices == [f"{user_file()}:3: there is no linter rufff; it was ignored. Known are {known}"]
    assert [each["item"] for each in report["findings"]] == ["python/bare-except"]


def test_a_linter_of_ones_own_runs_in_a_trusted_repository_only(cli: Cli, branch: Repo, tmp_path: Path) -> None:
    """Before ``roundzero trust`` our copy runs and that is said; afterwards the named program does."""
    own = tmp_path / "my-ruff"
    own.write_text(f'#!/bin/sh\n: > {tmp_path}/ran\nexec {tool_path("ruff")} "$@"\n')
    own.chmod(0o755)
    write_user(f'[linters.ruff]\npath = "{own}"\n')
    notices, before = of(cli("review", "--format", "json"))
    assert len(notices) == 1
    assert notices[0].startswith(f"{user_file()}:2: linters.ruff.path counts in trusted repositories only")
    assert not (tmp_path / "ran").exists()
    cli("trust")
    notices, after = of(cli("review", "--format", "json"))
    assert notices == []
    assert (tmp_path / "ran").exists()
    assert [each["item"] for each in after["findings"]] == [each["item"] for each in before["findings"]]
    assert "ruff       0." in cli("doctor").out


def test_a_wrong_path_of_a_linter_leaves_its_items_not_checked(cli: Cli, branch: Repo) -> None:
    """The verdict is INCOMPLETE, not LGTM, and says which setting to correct."""
    write_user('[linters.ruff]\npath = "/no/such/ruff"\n')
    cli("trust")
    _, report = of(cli("review", "--format", "json"))
    assert report["verdict"]["status"] == "INCOMPLETE"
    assert any(
        "linters.ruff.path is /no/such/ruff, where no program is" in each for each in report["stats"]["failures"]
    )
    status = {line["item"]: line["status"] for line in report["checklists"]}
    assert status["python/bare-except"] == "not-checked"
    assert "linters.ruff.path is /no/such/ruff" in cli("doctor").out
