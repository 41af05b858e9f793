"""``roundzero base``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from roundzero.render.shapes import BaseWire
from roundzero.store.branch_db import BranchDb

if TYPE_CHECKING:
    from support.command import Cli
    from support.repo import Repo


def test_it_explains_the_choice(cli: Cli, repo: Repo) -> None:
    """The ref, the merge base and how it was chosen are told, as text and as JSON."""
    first = repo.commit("first", {"a": ""})
    repo.branch("topic")
    repo.commit("second", {"a": "x"})
    assert cli("base").out == f"Base main at {first[:12]}, the latest merge base with a main branch\n"
    ran = cli("base", "--format", "json")
    wire = json.loads(ran.out)
    TypeAdapter(BaseWire).validate_python(wire, strict=True, extra="forbid")
    assert (ran.status, ran.err) == (0, "")
    assert wire == {"ref": "main", "merge_base": first, "how": "latest-merge-base", "doubts": []}


def test_a_selected_base_is_honoured(cli: Cli, repo: Repo) -> None:
    """What was selected for the branch in an editor is the base here too, and only for that branch."""
    first = repo.commit("first", {"a": ""})
    repo.branch("other")
    repo.branch("topic")
    repo.commit("second", {"a": "x"})
    BranchDb(repo.root / ".git").select_base("refs/heads/topic", "other")
    wire = json.loads(cli("base", "--format", "json").out)
    assert wire == {"ref": "other", "merge_base": first, "how": "explicit", "doubts": []}


def test_doubts_are_told(cli: Cli, repo: Repo) -> None:
    """A branch that is merged already says so."""
    repo.commit("first", {"a": ""})
    repo.branch("topic")
    repo.commit("second", {"a": "x"})
    repo.checkout("main")
    repo.merge("topic")
    repo.checkout("topic")
    wire = json.loads(cli("base", "--format", "json").out)
    assert wire["doubts"]
    assert f"doubt: {wire['doubts'][0]}" in cli("base").out


def test_a_setting_that_names_nothing_exits_with_2(cli: Cli, repo: Repo) -> None:
    """A base that does not exist is the person's to put right."""
    repo.commit("first", {"a": "", ".roundzero.toml": 'base = "nowhere"\n'})
    ran = cli("base")
    assert ran.status == 2
    assert "nowhere" in ran.err


def test_it_speaks_chinese(cli: Cli, repo: Repo) -> None:
    """With ``language`` zh the explanation is Chinese."""
    repo.commit("first", {"a": "", ".roundzero.toml": 'language = "zh"\n'})
    assert cli("base").out.startswith("基准 ")


def test_what_is_wrong_with_the_settings_goes_to_standard_error(cli: Cli, repo: Repo) -> None:
    """One line for each problem; the base is told all the same."""
    repo.commit("first", {"a": "", ".roundzero.toml": "rubbish = 1\nuntracked = false\n"})
    ran = cli("base", "--format", "json")
    assert (ran.status, "merge_base" in json.loads(ran.out)) == (0, True)
    assert [line.split(" ")[:2] for line in ran.err.splitlines()] == [
        ["roundzero:", ".roundzero.toml:1:"],
        ["roundzero:", ".roundzero.toml:2:"],
    ]
