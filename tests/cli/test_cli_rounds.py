"""``roundzero review`` over rounds: what it remembers, what it writes, and what it does when it cannot."""

from __future__ import annotations

import json
import re
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from roundzero.store.ledger_db import LedgerDb

if TYPE_CHECKING:
    from pathlib import Path

    from roundzero.core.ledger import Round
    from support.command import Cli
    from support.repo import Repo


@pytest.fixture
def branch(house: Repo) -> Repo:
    """A branch from main."""
    house.branch("topic")
    return house


def report(cli: Cli, *options: str) -> dict[str, Any]:
    """The report of a review."""
    ran = cli("review", "--format", "json", *options)
    assert ran.err == ""
    document = json.loads(ran.out)
    assert isinstance(document, dict)
    return document


def states(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Path and state of what is listed."""
    return [(each["path"], each["state"]) for each in document["findings"]]


def rounds(repo: Repo) -> tuple[Round, ...]:
    """The rounds of the branch."""
    ledgers = LedgerDb(repo.root / ".git")
    return ledgers.rounds(ledgers.find("refs/heads/topic"))


def timeless(text: str) -> str:
    """A JSON report without its times."""
    return re.sub(r'"reviewed_at": "[^"]*"|"seconds": \{[^}]*\}', "", text)


def test_a_round_remembers_the_one_before(cli: Cli, branch: Repo) -> None:
    """Rounds are counted, a finding keeps its id when it moves, and one that was fixed is listed once, with proof."""
    branch.commit("one", {"a.py": "# MARK\nx = 1\n", "b.py": "# MARK here\n"})
    first = report(cli)
    assert first["round"] == {"index": 1, "previous": None, "delta_files": 2, "full_files": 2}
    assert [each["first_seen"] for each in first["findings"]] == [1, 1]
    branch.commit("two", {"a.py": "x = 0\ny = 1\n# MARK\nx = 1\n", "b.py": "y = 1\n"})
    second = report(cli)
    assert second["round"] == {"index": 2, "previous": 1, "delta_files": 2, "full_files": 2}
    assert states(second) == [("a.py", "open"), ("b.py", "fixed")]
    kept, fixed = second["findings"]
    assert (kept["id"], kept["first_seen"], kept["last_seen"]) == (first["findings"][0]["id"], 1, 2)
    assert fixed["state_reason"]["text"] == "checked again, and no longer there"
    assert (fixed["state_reason"]["path"], fixed["state_reason"]["commit"]) == ("b.py", branch.head())
    assert second["counts"] == {"P0": 0, "P1": 0, "P2": 1, "P3": 0}
    branch.commit("three", {"c.py": "x = 1\n"})
    third = report(cli)
    assert third["round"] == {"index": 3, "previous": 2, "delta_files": 1, "full_files": 3}
    assert states(third) == [("a.py", "open")]
    branch.commit("four", {"b.py": "# MARK here\n"})
    back = next(each for each in report(cli)["findings"] if each["path"] == "b.py")
    assert (back["id"], back["state"], back["regressions"], back["first_seen"]) == (fixed["id"], "open", 1, 1)


def test_an_unchanged_snapshot_is_no_new_round(cli: Cli, branch: Repo) -> None:
    """The same bytes again, also when what was uncommitted is committed."""
    branch.commit("one", {"a.py": "# MARK\n", "b.py": "# MARK here\n"})
    report(cli)
    branch.commit("two", {"b.py": "y = 1\n"})
    texts = [cli("review", "--format", "json").out for _ in range(3)]
    assert len(set(map(timeless, texts))) == 1
    assert [each.index for each in rounds(branch)] == [1, 2]
    branch.write("b.py", "y = 2\n")
    assert report(cli)["round"]["index"] == 3
    branch.commit("three")
    assert report(cli)["round"]["index"] == 3


@pytest.mark.parametrize("option", ["a.py", "--scope=staged", "--head=topic"])
def test_a_restricted_review_reads_only(cli: Cli, branch: Repo, option: str) -> None:
    """It knows since when a finding is there, and is no round."""
    branch.commit("one", {"a.py": "# MARK\n"})
    report(cli)
    branch.write("a.py", "# MARK\n# MARK too\n")
    branch.stage()
    found = report(cli, option)
    assert found["round"]["index"] is None
    if option != "--scope=staged":
        assert found["findings"][0]["first_seen"] == 1
    assert len(rounds(branch)) == 1


def test_without_the_ledger_nothing_is_read_or_written(cli: Cli, branch: Repo) -> None:
    """``--no-ledger``: no file, no round, no memory."""
    branch.commit("one", {"a.py": "# MARK\n"})
    assert report(cli, "--no-ledger")["round"]["index"] is None
    assert not (branch.root / ".git" / "roundzero" / "ledger.sqlite3").exists()
    report(cli)
    branch.commit("two", {"a.py": "x = 1\n"})
    blind = report(cli, "--no-ledger")
    assert (blind["findings"], blind["round"]["index"], len(rounds(branch))) == ([], None, 1)


def test_a_detached_head_and_a_merge_only_read(cli: Cli, branch: Repo) -> None:
    """No round is written on nobody's branch, nor while a merge waits for its commit."""
    branch.commit("one", {"a.py": "# MARK\n"})
    report(cli)
    branch.git("checkout", "--quiet", "--detach")
    assert report(cli, "--base", "main")["findings"][0]["first_seen"] == 1
    branch.checkout("main")
    branch.branch("other")
    branch.commit("other", {"o.py": "x = 1\n"})
    branch.checkout("topic")
    branch.git("merge", "--quiet", "--no-ff", "--no-commit", "other")
    found = report(cli)
    assert (found["round"]["index"], found["findings"][0]["first_seen"]) == (None, 1)
    assert len(rounds(branch)) == 1


def test_a_damaged_ledger_costs_a_notice(cli: Cli, branch: Repo) -> None:
    """The review is made, the file is kept under another name, and the next review starts anew."""
    branch.commit("one", {"a.py": "# MARK\n"})
    report(cli)
    file = branch.root / ".git" / "roundzero" / "ledger.sqlite3"
    for extra in file.parent.glob("ledger.sqlite3-*"):
        extra.unlink()
    file.write_bytes(b"no database at all, and long enough to be looked at" * 50)
    found = report(cli)
    assert (states(found), found["round"]["index"]) == ([("a.py", "open")], None)
    assert len(found["notices"]) == 1
    assert "reviews go on without a ledger" in found["notices"][0]
    assert list(file.parent.glob("ledger-damaged-*.sqlite3"))
    assert report(cli)["round"]["index"] == 1


def test_a_ledger_in_use_costs_a_notice(cli: Cli, branch: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered still counts."""
    branch.commit("one", {"a.py": "# MARK\n"})
    report(cli)
    branch.commit("two", {"b.py": "# MARK\n"})
    monkeypatch.setattr("roundzero.store._ledger_file.BUSY_SECONDS", 0.1)
    with sqlite3.connect(branch.root / ".git" / "roundzero" / "ledger.sqlite3", isolation_level=None) as lock:
        lock.execute("BEGIN IMMEDIATE")
        found = report(cli)
        lock.execute("ROLLBACK")
    assert (found["round"]["index"], len(found["notices"])) == (None, 1)
    assert [each["first_seen"] for each in found["findings"]] == [1, None]
    assert len(rounds(branch)) == 1


def test_the_ledger_follows_a_branch(cli: Cli, branch: Repo) -> None:
    """Amended, renamed, and not mistaken for a merged branch or for a new one of the same name."""
    branch.commit("one", {"a.py": "# MARK\n"})
    report(cli)
    branch.git("commit", "--quiet", "--amend", "-m", "better")
    branch.write("b.py", "x = 1\n")
    assert report(cli)["round"]["index"] == 2
    branch.git("branch", "-m", "topic", "renamed")
    branch.write("b.py", "x = 2\n")
    assert report(cli)["round"]["index"] == 3
    branch.commit("two")
    report(cli)
    branch.checkout("main")
    branch.git("merge", "--quiet", "--ff-only", "renamed")
    branch.git("branch", "-D", "renamed")
    branch.branch("next")
    branch.commit("three", {"c.py": "x = 1\n"})
    assert report(cli)["round"]["index"] == 1


@pytest.mark.parametrize("first", ["renamed", "topic"])
def test_a_renamed_branch_keeps_its_ledger_though_its_name_is_used_again(cli: Cli, branch: Repo, first: str) -> None:
    """Whichever of the two is reviewed first: what was dismissed stays so, and the new branch begins with nothing."""
    branch.commit("one", {"a.py": "# MARK\n"})
    name = report(cli)["findings"][0]["id"]
    assert cli("ledger", "dismiss", name, "--reason", "known").status == 0
    branch.git("branch", "-m", "topic", "renamed")
    branch.git("branch", "topic", "main")
    branch.checkout("topic")
    branch.commit("other", {"b.py": "# MARK\n"})
    for each in (first, *{"renamed", "topic"} - {first}):
        branch.checkout(each)
        found = report(cli)
        expected = [("a.py", "dismissed")] if each == "renamed" else [("b.py", "open")]
        assert (each, states(found)) == (each, expected)
        assert found["round"]["index"] == 1


def test_what_the_branch_takes_back_is_fixed(cli: Cli, branch: Repo) -> None:
    """A file that is gone, or again as it was, leaves the change and takes its findings along."""
    branch.checkout("main")
    branch.commit("base", {"old.py": "x = 1\ny = 2\n"})
    branch.checkout("topic")
    branch.git("rebase", "--quiet", "main")
    branch.commit("one", {"old.py": "x = 1\ny = 2  # MARK\n", "new.py": "# MARK\n"})
    report(cli)
    branch.remove("new.py")
    branch.commit("two", {"old.py": "x = 1\ny = 2\n"})
    found = report(cli)
    assert {each["path"]: (each["state"], each["state_reason"]["text"]) for each in found["findings"]} == {
        "new.py": ("fixed", "the file was deleted"),
        "old.py": ("fixed", "the file is again as it was before this branch"),
    }


def test_a_shared_dismissal_counts_everywhere(cli: Cli, branch: Repo) -> None:
    """Also without the ledger; a broken table is told of."""
    table = '[[dismissal]]\nscope = "item"\nitem = "house/mark"\nanchor = ""\nreason = "known"\nby = "ann"\n'
    branch.commit("one", {"a.py": "# MARK\n", ".roundzero/dismissals.toml": table + "\n[[dismissal]]\n"})
    for options in ([], ["--no-ledger"], ["--head", "topic"]):
        found = report(cli, *options)
        assert states(found) == [("a.py", "dismissed")]
        assert found["findings"][0]["state_reason"]["text"] == "known"
        assert found["counts"]["P2"] == 0
        assert any("dismissals.toml:8: " in notice for notice in found["notices"])


@pytest.mark.parametrize("setting", ['exclude = ["a.py"]', "max_file_bytes = 3"])
def test_what_a_person_leaves_out_makes_another_review(cli: Cli, branch: Repo, home: Path, setting: str) -> None:
    """A file that was left out was not found good: reviewed after all, it is a round, and no hook takes the old one."""
    commit = branch.commit("one", {"a.py": "# MARK\n"})
    config = home / "config/roundzero/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f"{setting}\n", "utf-8")
    assert states(report(cli)) == []
    config.write_text('[gate]\nfail_on = "P0"\n', "utf-8")
    pushed = f"refs/heads/topic {commit} refs/heads/topic {'0' * 40}\n".encode()
    assert "as round 1 found" not in cli("hook", "run", stdin=pushed).err
    assert report(cli)["round"]["index"] == 2
    assert "P2  open" in cli("ledger", "list").out


def test_reviewing_the_commit_says_nothing_of_uncommitted_edits(cli: Cli, branch: Repo) -> None:
    """Work tree and commit in turn: what only edits bring is not fixed, what only edits fixed is not back."""
    branch.commit("one", {"a.py": "# MARK one\n", "b.py": "# MARK two\n", "c.py": "# MARK three\n"})
    report(cli)
    branch.write("a.py", "x = 1\n")
    branch.write("d.py", "# MARK four\n")
    for _ in range(2):
        assert states(report(cli)) in (
            [("a.py", "fixed"), ("b.py", "open"), ("c.py", "open"), ("d.py", "open")],
            [("b.py", "open"), ("c.py", "open"), ("d.py", "open")],
        )
        committed = report(cli, "--scope", "committed")
        assert states(committed) == [("a.py", "open"), ("b.py", "open"), ("c.py", "open")]
        assert [each["regressions"] for each in committed["findings"]] == [0, 0, 0]
    branch.write("b.py", "y = 1\n")
    branch.commit("two", {"a.py": "x = 1\n"})
    fixed = report(cli, "--scope", "committed")
    assert states(fixed) == [("b.py", "fixed"), ("c.py", "open"), ("d.py", "open")]
    assert fixed["round"]["index"] == 6
    listed = cli("ledger", "list").out
    assert (listed.count("P2  fixed"), listed.count("P2  open")) == (2, 2)


@pytest.mark.parametrize("options", [("--no-untracked",), ("--scope", "committed", "--no-untracked")])
def test_a_review_without_untracked_files_says_nothing_of_them(
    cli: Cli, branch: Repo, options: tuple[str, ...]
) -> None:
    """What only they bring is not fixed, neither in their lines nor in the change as a whole, so it is never back."""
    branch.write(".roundzero.toml", 'packs = ["house", "general"]\n')
    branch.write("b.py", "# MARK\n")
    branch.commit_staged("one")
    branch.write("a.bin", b"\0")
    seen = states(report(cli))
    assert ("a.bin", "open") in seen
    assert report(cli, *options)["findings"] == []
    again = report(cli)
    assert states(again) == seen
    assert {each["regressions"] for each in again["findings"]} == {0}


@pytest.mark.parametrize("rules", [
    (".roundzero.toml", 'packs = ["house", "general"]\nexclude = ["a.*"]\n'),
    (".roundzero.toml", 'packs = ["house", "general"]\nmax_file_bytes = 10\n'),
    (".roundzeroignore", "a.*\n"),
])  # fmt: skip
def test_what_nobody_looked_at_is_not_fixed(cli: Cli, house: Repo, rules: tuple[str, str]) -> None:
    """Neither by items of a file nor by those of the change: what was left out for a while comes back as it was."""
    name, text = rules
    house.write(".roundzero.toml", 'packs = ["house", "general"]\n')
    house.commit("one", {"tools/convert.py": "x = 1\n"})
    house.branch("topic")
    house.write("a.py", "# MARK\n# and more of it\n")
    house.write("a.sh", "python3 tools/convert.py --all\n")
    house.remove("tools/convert.py")
    house.commit("gone")
    seen = states(report(cli))
    assert seen == [("a.sh", "open"), ("a.py", "open")]
    before = house.read(name) if house.path(name).exists() else None
    house.write(name, text)
    assert report(cli)["findings"] == []
    house.write(name, before) if before is not None else house.remove(name)
    again = report(cli)
    assert states(again) == seen
    assert {each["regressions"] for each in again["findings"]} == {0}


def test_a_new_finding_of_the_commit_is_remembered_though_the_tree_is_dirty(cli: Cli, branch: Repo) -> None:
    """A review of the commit is a round."""
    branch.commit("one", {"a.py": "# MARK\n"})
    branch.write("a.py", "# MARK\ny = 1\n")
    committed = report(cli, "--scope", "committed")
    assert (committed["round"]["index"], states(committed)) == (1, [("a.py", "open")])
    found = report(cli)["findings"]
    assert [(each["id"], each["first_seen"]) for each in found] == [(committed["findings"][0]["id"], 1)]


def test_a_report_says_what_only_this_clone_dismisses(cli: Cli, branch: Repo) -> None:
    """Each dismissal once; shared ones and comments are for everyone."""
    branch.commit("one", {"a.py": "# MARK one\n", "b.py": "# MARK two\n# MARK three\n"})
    ids = [each["id"] for each in report(cli)["findings"]]
    assert "only in this clone" not in cli("review").out
    assert cli("ledger", "dismiss", ids[0], "--reason", "fine").status == 0
    assert "1 dismissal is only in this clone; roundzero ledger dismiss --shared writes it" in cli("review").out
    assert cli("ledger", "dismiss", ids[1], "--reason", "fine", "--scope", "file").status == 0
    assert "2 dismissals are only in this clone" in cli("review").out
    assert cli("ledger", "dismiss", ids[0], "--reason", "fine", "--shared").status == 0
    assert "1 dismissal is only in this clone" in cli("review").out


def test_a_branch_of_the_same_name_starts_anew(cli: Cli, branch: Repo) -> None:
    """Deleted and made again from elsewhere: what was dismissed on the old one is not on the new one."""
    branch.commit("one", {"a.py": "# MARK\n"})
    (finding,) = report(cli)["findings"]
    assert cli("ledger", "dismiss", finding["id"], "--reason", "fine").status == 0
    branch.checkout("main")
    branch.git("branch", "-D", "topic")
    branch.branch("topic")
    branch.commit("two", {"a.py": "# MARK\n", "b.py": "x = 1\n"})
    again = report(cli)
    assert (again["round"]["index"], states(again)) == (1, [("a.py", "open")])


def test_a_rebase_keeps_the_ledger_while_it_stops_and_when_it_is_done(cli: Cli, branch: Repo) -> None:
    """Stopped at a conflict, the branch's ledger is read; afterwards its rounds go on."""
    branch.commit("one", {"a.py": "# MARK\n"})
    branch.commit("two", {"b.py": "x = 1\n"})
    (finding,) = report(cli)["findings"]
    branch.checkout("main")
    branch.commit("other", {"b.py": "x = 2\n"})
    branch.checkout("topic")
    branch.git("rebase", "--quiet", "main", check=False)
    stopped = report(cli, "--base", "main")
    assert (stopped["round"]["index"], stopped["findings"][0]["id"]) == (None, finding["id"])
    assert stopped["findings"][0]["first_seen"] == 1
    branch.write("b.py", "x = 3\n")
    branch.stage()
    branch.git("-c", "core.editor=true", "rebase", "--continue")
    after = report(cli)
    assert (after["round"]["index"], after["findings"][0]["id"]) == (2, finding["id"])
    branch.git("reset", "--quiet", "--soft", "main")
    branch.commit("squashed")
    assert report(cli)["round"]["index"] == 2, "the same text is no new round"


def test_linked_work_trees_share_the_ledger_and_keep_their_branches_apart(
    cli: Cli, branch: Repo, tmp_path: Path
) -> None:
    """One file for all; a round belongs to the branch of its work tree, a dismissed item to the repository."""
    branch.commit("one", {"a.py": "# MARK\n"})
    (finding,) = report(cli)["findings"]
    linked = tmp_path / "linked"
    branch.git("worktree", "add", "--quiet", "-b", "second", str(linked), "topic")
    there = report(cli, "--repo", str(linked), "--base", "main")
    assert (there["round"]["index"], states(there)) == (1, [("a.py", "open")])
    assert cli("ledger", "dismiss", finding["id"], "--reason", "fine").status == 0
    assert states(report(cli, "--repo", str(linked), "--base", "main")) == [("a.py", "open")]
    assert cli("ledger", "dismiss", finding["id"], "--reason", "fine", "--scope", "item").status == 0
    assert states(report(cli, "--repo", str(linked), "--base", "main")) == [("a.py", "dismissed")]
    assert list((branch.root / ".git" / "roundzero").glob("ledger*"))
    assert len(rounds(branch)) == 1


def test_a_comment_behind_a_line_makes_no_other_finding_of_it(cli: Cli, branch: Repo) -> None:
    """However long the comment: the id follows, committed or not, and nothing is called fixed that is there."""
    branch.write("a.py", "import json  # MARK\n\n\ndef f(x):\n    g(x)  # MARK\n    return x\n")
    before = {each["range"]["start"]["line"]: each["id"] for each in report(cli)["findings"]}
    long = "roundzero: ignore[python/nonsense] because of something that takes quite some words to say"
    branch.write("a.py", f"import json  # MARK {long}\n\n\ndef f(x):\n    g(x)  # MARK {long}\n    return x\n")
    after = report(cli)["findings"]
    assert [each["state"] for each in after] == ["open", "open"]
    assert {each["range"]["start"]["line"]: each["id"] for each in after} == before


@pytest.mark.parametrize("name", [".git/roundzero", ".git/roundzero/ledger.sqlite3"])
def test_a_link_in_gits_directory_is_not_followed(cli: Cli, branch: Repo, tmp_path: Path, name: str) -> None:
    """Whoever packed the repository chose where it leads: nothing is read or written there, and the review goes on."""
    branch.write("a.py", "# MARK\n")
    report(cli)
    link = branch.path(name)
    target = link.rename(tmp_path / "theirs")
    link.symlink_to(target)
    files = [target] if target.is_file() else sorted(each for each in target.iterdir() if each.is_file())
    before = [(each, each.read_bytes()) for each in files]
    branch.write("a.py", "# MARK\nx = 1\n")
    found = report(cli)
    assert found["round"]["index"] is None
    assert any(f"{link} is a link" in notice for notice in found["notices"])
    assert cli("ledger", "list").status == 2
    assert cli("base").status == 0
    assert [(each, each.read_bytes()) for each in files] == before
    assert target.is_file() or sorted(target.iterdir()) == files
