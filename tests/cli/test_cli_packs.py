"""``roundzero packs``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Cli
    from support.repo import Repo

PACK = """\
pack: house
title: {en: House rules}
items:
  - id: no-todo
    title: {en: a note to do something is left}
    severity: P3
    why: {en: It is forgotten.}
    looks_at: added
    check:
      text: {regex: "TODO"}
    examples:
      bad:
        - |
          //- a.py
          +x = 1  # TODO
          ^         ^^^^ house/no-todo
      good:
        - |
          //- a.py
          +x = 1
"""

EXAMPLES = """
bad:
    //- a.py
    +x = 1  # TODO
    ^         ^^^^ house/no-todo

good:
    //- a.py
    +x = 1
"""


def test_list_shows_every_item_with_its_state(cli: Cli, repo: Repo) -> None:
    """Built-in and repository packs are listed with the severity in force, or off."""
    repo.write(".roundzero/checklists/house.yaml", PACK)
    repo.write(".roundzero.toml", '[items]\n"general/conflict-marker" = "off"\n"house/no-todo" = "P1"\n')
    ran = cli("packs", "list")
    assert (ran.status, ran.err) == (0, "")
    rows = {line.split()[1]: line.split()[0] for line in ran.out.splitlines() if line.startswith("  ")}
    assert rows["general/conflict-marker"] == "off"
    assert rows["house/no-todo"] == "P1"
    assert "general: " in ran.out


def test_list_works_outside_a_repository(cli: Cli, tmp_path: Path) -> None:
    """Without a repository the built-in packs are listed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    ran = cli("packs", "list", here=outside)
    assert ran.status == 0
    assert "general/conflict-marker" in ran.out


@pytest.mark.parametrize("name", ["house/no-todo", "no-todo"])
def test_show_tells_all_about_an_item(cli: Cli, repo: Repo, name: str) -> None:
    """An item is found by its full name or by the part only it has."""
    repo.write(".roundzero/checklists/house.yaml", PACK)
    ran = cli("packs", "show", name)
    assert ran.status == 0
    assert ran.out == (
        "house/no-todo: a note to do something is left\n"
        "P3, on, looks at added\n"
        "checked by the text rule TODO\n"
        "defined in .roundzero/checklists/house.yaml:4\n"
        "\n"
        "It is forgotten.\n" + EXAMPLES
    )


def test_an_unknown_item_exits_with_2_and_names_near_ones(cli: Cli) -> None:
    """A misspelt item leads to the right one."""
    ran = cli("packs", "show", "general/conflict-markers")
    assert ran.status == 2
    assert "did you mean general/conflict-marker" in ran.err
    assert cli("packs", "show").status == 2
    assert cli("packs", "list", "x").status == 2


def test_check_passes_a_good_pack(cli: Cli, repo: Repo) -> None:
    """A pack whose rules compile and whose examples hold has no problems."""
    path = repo.write("house.yaml", PACK)
    ran = cli("packs", "check", str(path))
    assert (ran.status, ran.out, ran.err) == (0, "no problems\n", "")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("+x = 1  # TODO", "+x = 1  # DONE", 16, "missing"),
        ("+x = 1\n", "+x = 1  # TODO\n", 18, "not expected"),
        ('regex: "TODO"', 'regex: "TO(DO"', 10, ""),
        ("severity: P3", "severity: P9", 6, ""),
    ],
)
def test_check_names_each_problem_with_its_line(
    cli: Cli, repo: Repo, old: str, new: str, line: int, message: str
) -> None:
    """A wrong example, rule or field makes it exit with 1 and name file and line."""
    path = repo.write("house.yaml", PACK.replace(old, new))
    ran = cli("packs", "check", str(path))
    assert ran.status == 1
    assert ran.out.startswith(f"{path}:{line}: ")
    assert message in ran.out


def test_the_examples_of_a_convention_are_proved_without_it(cli: Cli, repo: Repo) -> None:
    """An example is too small to have conventions of its own; the rule for the cases is proved like any other."""
    check = """      ast-grep: {language: python, rule: {kind: comment, regex: TODO}}
    convention: {at_least: 0.9, cases: {language: python, rule: {kind: CASES}}}"""
    text = PACK.replace('      text: {regex: "TODO"}', check)
    text = text.replace("          ^         ^^^^ ", "          ^       ^^^^^^ ")
    path = repo.write("house.yaml", text.replace("CASES", "comment"))
    assert (cli("packs", "check", str(path)).out, cli("packs", "check", str(path)).status) == ("no problems\n", 0)
    path.write_text(text.replace("CASES", "no_such_kind"))
    assert "house/no-todo: ast-grep does not accept the rule" in cli("packs", "check", str(path)).out
    repo.write(".roundzero/checklists/house.yaml", text.replace("CASES", "comment"))
    shown = cli("packs", "show", "no-todo").out
    assert "a convention: silent unless 90 % of at least 5 cases in the repository obey it" in shown


def test_check_without_a_file_proves_all_packs_in_force(cli: Cli, repo: Repo) -> None:
    """The built-in packs and the repository's own are all proved."""
    repo.write(".roundzero/checklists/house.yaml", PACK.replace("# TODO", "# DONE"))
    ran = cli("packs", "check")
    assert ran.status == 1
    assert [line.split(":")[0] for line in ran.out.splitlines()[:-1]] == [
        str(repo.root / ".roundzero/checklists/house.yaml")
    ]


def test_what_is_wrong_with_the_settings_goes_to_standard_error(cli: Cli, repo: Repo) -> None:
    """A problem of the settings is told beside the list, not in it."""
    repo.write(".roundzero.toml", "rubbish = 1\n")
    ran = cli("packs", "list")
    assert (ran.status, "rubbish" in ran.out) == (0, False)
    assert ran.err == "roundzero: .roundzero.toml:1: rubbish is not a setting; it was ignored\n"


@pytest.mark.parametrize(("name", "why"), [("nowhere.yaml", "No such file or directory"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read_exits_with_2(cli: Cli, name: str, why: str) -> None:
    """The message says which and why."""
    ran = cli("packs", "check", name)
    assert (ran.status, ran.out, ran.err) == (2, "", f"roundzero: {name} cannot be read: {why}\n")


def test_without_an_action_only_the_action_is_asked_for(cli: Cli) -> None:
    """Names are not required, so the message does not ask for them."""
    ran = cli("packs")
    assert ran.status == 2
    assert ran.err.endswith("required: list|show|check\nroundzero packs --help says more\n")


def test_an_item_is_shown_with_its_file_and_examples(cli: Cli, repo: Repo) -> None:
    """Where it is defined, by a path that can be opened, and what it fires on and what not."""
    repo.commit("first", {"a": ""})
    out = cli("packs", "show", "bare-except").out
    place = next(line for line in out.split("\n") if line.startswith("defined in ")).removeprefix("defined in ")
    assert Path(place.rpartition(":")[0]).is_file()
    assert "\nbad:\n    //- " in out
    assert "python/bare-except" in out.partition("\nbad:\n")[2]
    assert "\ngood:\n    //- " in out
