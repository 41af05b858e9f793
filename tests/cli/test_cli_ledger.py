"""``roundzero ledger``: what is remembered, dismissed and reopened."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Cli
    from support.repo import Repo


@pytest.fixture
def branch(cli: Cli, house: Repo) -> Repo:
    """A branch with two findings, reviewed once."""
    house.branch("topic")
    house.config("user.name", "Ann")
    house.commit("one", {"a.py": "# MARK\n", "b.py": "x = 1\n# MARK too\n"})
    cli("review")
    return house


def findings(cli: Cli, *options: str) -> dict[str, dict[str, Any]]:
    """What a review lists, by path."""
    return {each["path"]: each for each in json.loads(cli("review", "--format", "json", *options).out)["findings"]}


def test_list_show_and_rounds(cli: Cli, branch: Repo) -> None:
    """All findings, the history of one, and the rounds."""
    first, second = cli("ledger", "list").out.splitlines()
    assert first.split()[1:4] == ["P2", "open", "a.py:1"]
    assert second.split()[1:4] == ["P2", "open", "b.py:2"]
    branch.commit("two", {"b.py": "x = 1\n"})
    cli("review")
    name = second.split()[0]
    shown = cli("ledger", "show", name).out
    assert f"{name}: a mark" in shown
    assert "P2, fixed, b.py:2" in shown
    assert "seen in round 1 at b.py:2" in shown
    assert "negated in round 2 because" in shown
    assert [line.split()[0] for line in cli("ledger", "rounds").out.splitlines()] == ["1", "2"]
    assert "P0/0 · P1/0 · P2/1 · P3/0  1 of 2 files new" in cli("ledger", "rounds").out


def test_what_the_branch_does_not_answer_for_is_told_apart(cli: Cli, repo: Repo) -> None:
    """What only a round with all origins saw, by the last report, also when rounds have come since."""
    old = "def f(a=[]):\n    return a\n"
    repo.commit("first", {"a.py": old})
    repo.branch("topic")
    repo.commit("one", {"a.py": f"{old}\n\ndef g(a=[]):\n    return a\n"})
    cli("review", "--all-origins")
    told = {line.split()[3]: line for line in cli("ledger", "list").out.splitlines()}
    assert told["a.py:1"].endswith("  (there before this branch)")
    assert told["a.py:5"].endswith("[python/mutable-default]")
    repo.commit("two", {"b.py": "x = 1\n"})
    cli("review")
    told = {line.split()[3]: line for line in cli("ledger", "list").out.splitlines()}
    assert told["a.py:1"].endswith("  (not in the last round's report)")
    assert told["a.py:5"].endswith("[python/mutable-default]")


def test_a_dismissed_finding_stays_dismissed_until_it_is_reopened(cli: Cli, branch: Repo) -> None:
    """Over edits and moves; it no longer counts, and says who dismissed it, why and until when."""
    name = findings(cli)["a.py"]["id"]
    ran = cli("ledger", "dismiss", name, "--reason", "it is meant", "--expires", "2999-01-01")
    assert (ran.status, ran.err) == (0, "")
    branch.commit("two", {"a.py": "x = 1\ny = 2\n# MARK\n"})
    moved = findings(cli)["a.py"]
    assert (moved["id"], moved["state"]) == (name, "dismissed")
    reason = moved["state_reason"]
    assert (reason["text"], reason["by"], reason["expires"]) == ("it is meant", "Ann", "2999-01-01")
    assert "dismissed" in cli("ledger", "list").out
    assert cli("ledger", "reopen", name).status == 0
    assert findings(cli)["a.py"]["state"] == "open"
    again = cli("ledger", "reopen", name)
    assert (again.status, again.out) == (2, "")
    assert "is not dismissed" in again.err


@pytest.mark.parametrize(("scope", "states"), [("file", ("dismissed", "open")), ("item", ("dismissed", "dismissed"))])
def test_wider_scopes(cli: Cli, branch: Repo, scope: str, states: tuple[str, str]) -> None:
    """An item in its file, or everywhere."""
    name = findings(cli)["a.py"]["id"]
    assert cli("ledger", "dismiss", name, "--reason", "known", "--scope", scope).status == 0
    found = findings(cli)
    assert (found["a.py"]["state"], found["b.py"]["state"]) == states
    assert f"dismissed ({scope}): house/mark" in cli("ledger", "list").out
    assert cli("ledger", "reopen", name).status == 0
    assert {each["state"] for each in findings(cli).values()} == {"open"}
    assert branch.git("status", "--porcelain") == ""


def test_a_shared_dismissal_reaches_a_clone(cli: Cli, branch: Repo, tmp_path: Path) -> None:
    """It is a file of the branch; reopening takes it out of there."""
    name = findings(cli)["a.py"]["id"]
    assert cli("ledger", "dismiss", name, "--reason", "known", "--shared").status == 0
    branch.commit("share")
    clone = branch.clone(tmp_path / "clone")
    ran = cli("review", "--base", "origin/main", "--format", "json", here=clone.root)
    assert {each["path"]: each["state"] for each in json.loads(ran.out)["findings"]} == {
        "a.py": "dismissed", "b.py": "open",
    }  # fmt: skip
    assert cli("ledger", "reopen", name).status == 0
    assert not branch.path(".roundzero/dismissals.toml").exists()


def test_a_broken_shared_file_is_not_overwritten(cli: Cli, branch: Repo) -> None:
    """A person's text is never lost."""
    name = findings(cli)["a.py"]["id"]
    branch.write(".roundzero/dismissals.toml", "[[dismissal]\n")
    ran = cli("ledger", "dismiss", name, "--reason", "known", "--shared")
    assert ran.status == 2
    assert branch.read(".roundzero/dismissals.toml") == "[[dismissal]\n"


def test_a_shared_file_that_is_no_file_is_neither_read_nor_written(cli: Cli, branch: Repo, tmp_path: Path) -> None:
    """A pipe that nobody writes to is not waited for, and a link is not followed; each is named."""
    name = findings(cli)["a.py"]["id"]
    branch.path(".roundzero").mkdir(exist_ok=True)
    place, elsewhere = branch.path(".roundzero/dismissals.toml"), tmp_path / "elsewhere.toml"
    elsewhere.write_text("# theirs\n")
    for make, why in ((os.mkfifo, "not a regular file"), (lambda at: at.symlink_to(elsewhere), "symbolic link")):
        make(place)
        ran = cli("ledger", "dismiss", name, "--reason", "known", "--shared")
        assert (ran.status, why in ran.err) == (2, True), ran.err
        assert "rz-" in cli("ledger", "list").out
        place.unlink()
    assert elsewhere.read_text() == "# theirs\n"


def test_what_a_person_wrote_into_the_shared_file_stays(cli: Cli, branch: Repo) -> None:
    """Comments, form, and an entry that is broken; the file stays when the last entry of ours is gone."""
    found = findings(cli)
    name, other = found["a.py"]["id"], found["b.py"]["id"]
    written = "# Ours.\r\n\r\n[[dismissal]]   # by hand\r\nscope = 'item'\r\n"
    branch.path(".roundzero").mkdir(exist_ok=True)
    branch.path(".roundzero/dismissals.toml").write_bytes(b"\xef\xbb\xbf" + written.encode())
    for each in (name, other):
        assert cli("ledger", "dismiss", each, "--reason", "known", "--shared").status == 0
    assert {each["state"] for each in findings(cli).values()} == {"dismissed"}
    for each in (name, other):
        assert cli("ledger", "reopen", each).status == 0
    assert branch.path(".roundzero/dismissals.toml").read_bytes() == b"\xef\xbb\xbf" + written.encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"# caf\xe9\n", "dismissals.toml was not read"),
        (b"\n[[dismissal]]\nitem = 'house/merk'\nscope = 'item'\nreason = 'known'\n", "toml:2: there is no item"),
        (b"\n[[dismissal]]\nitem = 'house/mark'\nscope = 'item'\n", "toml:2: reason is missing"),
        (b"x = 1\n\n[dismissal\n", "toml:3: "),
    ],
)
def test_what_is_wrong_with_the_shared_file_is_said_with_its_line(
    cli: Cli, branch: Repo, content: bytes, said: str
) -> None:
    """On disk and at a commit; nothing is passed over in silence."""
    branch.path(".roundzero").mkdir(exist_ok=True)
    branch.path(".roundzero/dismissals.toml").write_bytes(content)
    for options in ((), ("--scope", "committed")):
        if options:
            branch.commit("share")
        report = json.loads(cli("review", *options, "--format", "json").out)
        assert len([each for each in report["notices"] if said in each]) == 1, report["notices"]
        assert {each["state"] for each in report["findings"] if each["path"] in {"a.py", "b.py"}} == {"open"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["show"], "takes one finding"),
        (["list", "rz-1"], "takes no finding"),
        (["show", "rz-1"], "is not remembered"),
        (["dismiss", "rz-1"], "needs --reason"),
        (["dismiss", "rz-1", "--reason", " "], "needs --reason"),
        (["dismiss", "rz-1", "--reason", "x", "--expires", "soon"], "is no date"),
        (["list", "--shared"], "is for ledger dismiss"),
    ],
)
@pytest.mark.usefixtures("branch")
def test_what_does_not_go_together_is_refused(cli: Cli, options: list[str], message: str) -> None:
    """With status 2 and what to do."""
    ran = cli("ledger", *options)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_a_fixed_finding_cannot_be_dismissed(cli: Cli, branch: Repo) -> None:
    """There is nothing to put aside."""
    name = findings(cli)["a.py"]["id"]
    branch.commit("two", {"a.py": "x = 1\n"})
    cli("review")
    ran = cli("ledger", "dismiss", name, "--reason", "x")
    assert (ran.status, ran.err.count("is fixed")) == (2, 1)


def test_a_round_without_findings_is_told(cli: Cli, house: Repo) -> None:
    """After a clean review it does not ask for a first one."""
    house.branch("clean")
    cli("review")
    assert "round 1 was its last" in cli("ledger", "list").out


def test_nothing_is_remembered_before_the_first_review(cli: Cli, house: Repo) -> None:
    """It says so, and writes nothing."""
    assert "nothing is remembered" in cli("ledger", "list").out
    assert "no round" in cli("ledger", "rounds").out
    assert not (house.root / ".git" / "roundzero" / "ledger.sqlite3").exists()


def test_on_a_detached_head_the_branch_is_only_looked_at(cli: Cli, branch: Repo) -> None:
    """Its findings are listed; what belongs to a branch is refused, what belongs to the repository is not."""
    branch.commit("one", {"a.py": "# MARK\n"})
    cli("review")
    branch.git("checkout", "--quiet", "--detach")
    name = cli("ledger", "list").out.split()[0]
    refused = cli("ledger", "dismiss", name, "--reason", "fine")
    assert (refused.status, "HEAD is detached" in refused.err) == (2, True)
    assert cli("ledger", "dismiss", name, "--reason", "fine", "--scope", "similar").status == 0
    assert cli("ledger", "reopen", name).status == 0


def listed_states(cli: Cli) -> list[str]:
    """The states that ``ledger list`` gives, by place."""
    rows = [line.split() for line in cli("ledger", "list").out.splitlines()]
    return [row[2] for row in sorted(rows, key=lambda row: row[3]) if row[1].startswith("P")]


@pytest.mark.parametrize("options", [("--shared",), ("--scope", "item"), ("--scope", "file"), ("--scope", "similar")])
def test_the_ledger_gives_the_state_the_review_gives(cli: Cli, branch: Repo, options: tuple[str, ...]) -> None:
    """What a dismissal beside the entry puts aside is dismissed for ``list`` and ``show`` too, and open again after."""
    name = findings(cli)["a.py"]["id"]
    cli("ledger", "dismiss", name, "--reason", "known", *options)
    states = {path: each["state"] for path, each in findings(cli).items()}
    assert listed_states(cli) == [states["a.py"], states["b.py"]]
    assert states["a.py"] == "dismissed"
    assert "P2, dismissed, a.py:1" in cli("ledger", "show", name).out
    cli("ledger", "reopen", name)
    assert listed_states(cli) == ["open", "open"]
    assert not branch.path(".roundzero/dismissals.toml").exists()


def test_an_id_may_be_shortened(cli: Cli, branch: Repo) -> None:
    """With or without ``rz-``, as long as one finding is meant; where several are, they are named."""
    rows = findings(cli)
    name, other = rows["a.py"]["id"], rows["b.py"]["id"]
    short = name[3:10]
    assert f"{name}: a mark" in cli("ledger", "show", short).out
    assert cli("ledger", "dismiss", name[:10], "--reason", "known").status == 0
    assert cli("ledger", "reopen", short).status == 0
    ran = cli("ledger", "show", "rz-")
    assert (ran.status, name in ran.err, other in ran.err) == (2, True, True)
    assert f"[house/mark] {name[:10]}\n" in cli("review").out
    assert branch.git("status", "--porcelain") == ""
