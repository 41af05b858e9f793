"""``roundzero report``: the last round again."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from typing import TYPE_CHECKING

import pytest

from roundzero.store.ledger_db import LedgerDb
from roundzero.store.report_db import ReportDb

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Cli
    from support.repo import Repo

FORMATS = ("json", "markdown", "sarif")


@pytest.fixture
def branch(house: Repo) -> Repo:
    """A branch from main with two rounds: one finding moved, one was fixed, one put aside."""
    house.branch("topic")
    return house


def ledger_file(repo: Repo) -> Path:
    """The ledger of a repository."""
    return repo.root / ".git" / "roundzero" / "ledger.sqlite3"


def two_rounds(cli: Cli, branch: Repo) -> None:
    """One finding that stays, one that is fixed, one that is dismissed, and one in the second round."""
    branch.commit("one", {"a.py": "# MARK\nx = 1\n", "b.py": "# MARK here\n", "c.py": "# MARK too\n"})
    found = json.loads(cli("review", "--format", "json").out)["findings"]
    put_aside = next(each["id"] for each in found if each["path"] == "c.py")
    assert cli("ledger", "dismiss", put_aside, "--reason", "a | `known` one").status == 0
    branch.commit("two", {"a.py": "x = 0\n# MARK\nx = 1\n", "b.py": "y = 1\n", "d \udce9.py": "# MARK\n"})


def without_times(text: str) -> str:
    """A report in any format without what differs from review to review."""
    timed = r'"reviewed_at": "[^"]*"|"seconds": \{[^}]*\}|"endTimeUtc": "[^"]*"|- \*\*Reviewed.*|- Seconds.*'
    return re.sub(timed, "", text)


@pytest.mark.parametrize("form", FORMATS)
def test_it_is_what_the_review_said(cli: Cli, branch: Repo, form: str) -> None:
    """The same bytes as the review gave, in its format and in every other, again and again."""
    two_rounds(cli, branch)
    said = cli("review", "--format", form).out
    again = [cli("report", "--format", form) for _ in range(2)]
    assert [(each.status, each.err, each.out) for each in again] == [(0, "", said)] * 2
    for other in FORMATS:
        told = cli("report", "--format", other).out
        assert without_times(told) == without_times(cli("review", "--format", other).out)


def test_markdown_is_what_it_prints_unasked(cli: Cli, branch: Repo) -> None:
    """Without a format it is the report of a pull request, whatever the verdict, with exit status 0."""
    branch.commit("one", {".roundzero/checklists/house.yaml": branch.read(".roundzero/checklists/house.yaml")
                          .replace("P2", "P1"), "a.py": "# MARK\n"})  # fmt: skip
    assert cli("review").status == 1
    shown = cli("report")
    assert (shown.status, shown.out.startswith("<!-- roundzero:report -->\n")) == (0, True)
    assert "**BLOCKED**" in shown.out


def test_a_verdict_on_another_text_is_stale(cli: Cli, branch: Repo) -> None:
    """Stale when the text is another one, fresh again when it is back, and after committing the same text."""

    def stale() -> bool:
        verdict = json.loads(cli("report", "--format", "json").out)["verdict"]
        assert isinstance(verdict["stale"], bool)
        return verdict["stale"]

    branch.commit("one", {"a.py": "# MARK\n"})
    branch.write("b.py", "x = 1\n")
    cli("review")
    assert not stale()
    branch.write("b.py", "x = 2\n")
    assert stale()
    assert "(for an older version of the change)" in cli("report").out
    branch.write("b.py", "x = 1\n")
    assert not stale()
    branch.commit("two")
    assert not stale()
    branch.checkout("main")
    branch.commit("on", {"m.py": "x = 1\n"})
    branch.checkout("topic")
    branch.git("rebase", "--quiet", "main")
    assert stale(), "the merge base is another one"


def test_it_is_asked_as_the_review_was(cli: Cli, branch: Repo) -> None:
    """Scope, base and untracked files of the review decide what fresh means."""
    branch.commit("one", {"a.py": "# MARK\n"})
    branch.write("b.py", "x = 1\n")
    cli("review", "--scope", "committed")
    assert json.loads(cli("report", "--format", "json").out)["verdict"]["stale"] is False
    cli("review", "--no-untracked")
    branch.write("b.py", "x = 2\n")
    assert json.loads(cli("report", "--format", "json").out)["verdict"]["stale"] is False
    branch.git("branch", "other", "main")
    cli("review", "--base", "other")
    branch.git("branch", "-D", "other")
    shown = json.loads(cli("report", "--format", "json").out)
    assert (shown["base"]["ref"], shown["verdict"]["stale"]) == ("other", True)


def test_only_rounds_are_kept(cli: Cli, branch: Repo) -> None:
    """A review of a part, or without the ledger, leaves the report of the last round."""
    branch.commit("one", {"a.py": "# MARK\n", "b.py": "# MARK\n"})
    cli("review")
    first = cli("report").out
    for options in (["a.py"], ["--no-ledger"], ["--scope", "staged"], ["--head", "topic"]):
        cli("review", *options)
    assert cli("report").out == first


def test_without_a_round_it_says_what_to_do(cli: Cli, branch: Repo) -> None:
    """Exit 2, and nothing is created; another branch's report is not shown."""
    ran = cli("report")
    assert (ran.status, ran.out) == (2, "")
    assert "roundzero review makes one" in ran.err
    assert not ledger_file(branch).exists()
    branch.commit("one", {"a.py": "# MARK\n"})
    cli("review")
    branch.branch("next")
    branch.commit("two", {"b.py": "x = 1\n"})
    assert "roundzero review makes one" in cli("report").err


@pytest.mark.parametrize(
    "damage", ["DELETE FROM reports", "UPDATE reports SET data = x'00'", "UPDATE reports SET round = 0"]
)
def test_a_report_that_cannot_be_read_is_made_again(cli: Cli, branch: Repo, damage: str) -> None:
    """Lost, of another version or of an older round: it says so, and the next review keeps it without a new round."""
    branch.commit("one", {"a.py": "# MARK\n"})
    cli("review")
    with sqlite3.connect(ledger_file(branch)) as connection:
        connection.execute(damage)
    ran = cli("report")
    assert (ran.status, ran.out) == (2, "")
    assert "roundzero review makes it again" in ran.err
    cli("review")
    assert cli("report").status == 0
    assert len(cli("ledger", "rounds").out.splitlines()) == 1


def test_a_damaged_ledger_is_told_of(cli: Cli, branch: Repo) -> None:
    """Exit 2 with the name it was kept under, and no stack."""
    branch.commit("one", {"a.py": "# MARK\n"})
    cli("review")
    file = ledger_file(branch)
    for extra in file.parent.glob("ledger.sqlite3-*"):
        extra.unlink()
    file.write_bytes(b"no database at all, and long enough to be looked at" * 50)
    ran = cli("report")
    assert (ran.status, ran.out) == (2, "")
    assert "ledger-damaged-1.sqlite3" in ran.err


def test_no_secret_is_kept(cli: Cli, branch: Repo) -> None:
    """Neither the file of the ledger nor any format holds a credential of the reviewed text."""
    key = "AKIAIOSFODNN7QWERTYU"
    branch.commit("one", {"a.py": f'key = "{key}"  # MARK\nx = f(y == None)  # MARK {key}\n'})
    for form in FORMATS:
        assert key not in cli("review", "--format", form).out
    with sqlite3.connect(ledger_file(branch)) as connection:
        assert connection.execute("SELECT count(*) FROM reports").fetchone() == (1,)
    branch_row = LedgerDb(branch.root / ".git").find("refs/heads/topic")
    assert branch_row is not None
    row = ReportDb(branch.root / ".git").kept(branch_row)
    assert row is not None
    assert key.encode() not in zlib.decompress(row[1])
    assert ledger_file(branch).stat().st_mode & 0o077 == 0


def test_the_report_is_shown_in_the_terminal_too(cli: Cli, branch: Repo) -> None:
    """As a review shows it, and without a word on an exit status that does not follow from it."""
    said = cli("review").out
    shown = cli("report", "--format", "terminal")
    assert shown.status == 0
    assert shown.out == said
