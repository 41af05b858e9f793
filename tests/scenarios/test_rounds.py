"""One branch over its rounds, by command line and editor: defects come, move, leave, return, and are put aside."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

from roundzero.core.dismissal import DismissalScope
from roundzero.core.finding import FindingId
from roundzero.engine.review import ReviewRequest
from roundzero.store.ledger_db import LedgerDb
from support.engine import live
from support.loop import run
from support.repo import Repo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.command import Cli

ONE = "def load(path):\n    x = eval(path)\n    return x\n"
TWO = "def save(it):\n    if it == None:\n        return 0\n    return it\n"


def _round(cli: Cli) -> dict[str, Any]:
    ran = cli("review", "--base", "main", "--format", "json")
    assert ran.err == ""
    document = json.loads(ran.out)
    assert isinstance(document, dict)
    return document


def _states(document: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {each["id"]: (each["path"], each["state"]) for each in document["findings"]}


def test_a_branch_over_its_rounds(cli: Cli, house: Repo) -> None:
    """Each defect keeps one id from its first round to its last, and changes state for a stated reason only."""
    house.branch("topic")
    house.commit("1", {"one.py": ONE, "two.py": TWO})
    first = _round(cli)
    by_item = {each["item"]: each["id"] for each in first["findings"]}
    run, compare = by_item["house/eval"], by_item["house/none"]
    assert _states(first) == {run: ("one.py", "open"), compare: ("two.py", "open")}

    house.commit("2", {"one.py": "import os\n\n\n" + ONE, "new.py": "y = 1  # MARK\n"})
    second = _round(cli)
    (mark,) = set(_states(second)) - {run, compare}
    assert {each["id"]: each["first_seen"] for each in second["findings"]} == {run: 1, compare: 1, mark: 2}

    house.rename("two.py", "moved.py")
    house.commit("3: renamed with its file")
    assert _states(_round(cli))[compare] == ("moved.py", "open")

    house.commit("4: fixed", {"one.py": "import os\n\n\n" + ONE.replace("eval(path)", "path")})
    fourth = _round(cli)
    assert _states(fourth) == {run: ("one.py", "fixed"), compare: ("moved.py", "open"), mark: ("new.py", "open")}
    assert cli("ledger", "dismiss", mark, "--reason", "it stays").status == 0

    house.commit("5: back again", {"one.py": "import os\n\n\n" + ONE})
    fifth = _round(cli)
    assert _states(fifth) == {run: ("one.py", "open"), compare: ("moved.py", "open"), mark: ("new.py", "dismissed")}
    assert {each["id"]: each["regressions"] for each in fifth["findings"]} == {run: 1, compare: 0, mark: 0}
    assert fifth["counts"]["P2"] == 2

    house.checkout("main")
    house.commit("the same, by somebody else", {"moved.py": TWO})
    house.checkout("topic")
    house.git("rebase", "--quiet", "main")
    house.write("new.py", "# a line\ny = 1  # MARK\n")
    sixth = _round(cli)
    assert _states(sixth) == {run: ("one.py", "open"), mark: ("new.py", "dismissed")}
    assert f"{compare}  P2  open" in cli("ledger", "list").out, "a rebase changes the origin, never the state"

    house.git("reset", "--quiet", "--soft", "main")
    house.commit("7: squashed")
    seventh = _round(cli)
    assert (_states(seventh), seventh["round"]) == (_states(sixth), sixth["round"]), "the same text is no new round"
    assert [line.split()[0] for line in cli("ledger", "rounds").out.splitlines()] == list("123456")


def _six_rounds(repo: Repo) -> Iterator[str]:
    """What somebody does on a branch; after each step comes a round. What is said is dismissed then, by its item."""
    repo.branch("topic")
    repo.commit("1", {"one.py": ONE, "two.py": TWO})
    yield ""
    repo.commit("2", {"one.py": "import os\n\n\n" + ONE, "new.py": "y = 1  # MARK\n"})
    yield "house/mark"
    repo.rename("two.py", "moved.py")
    repo.write("one.py", "import os\n\n\n" + ONE.replace("eval(path)", "path"))
    yield ""
    repo.commit("4: back again", {"one.py": "import os\n\n\n" + ONE})
    repo.write("new.py", "# a line\ny = 1  # MARK\nz = 2  # MARK too\n")
    yield ""
    repo.commit("5")
    repo.checkout("main")
    repo.commit("the same, by somebody else", {"moved.py": TWO})
    repo.checkout("topic")
    repo.git("rebase", "--quiet", "main")
    yield "house/eval"
    repo.git("reset", "--quiet", "--soft", "main")
    repo.commit("squashed", {"more.py": "w = eval(v)\n"})
    yield ""


def _by_command_line(cli: Cli, repo: Repo, dismissed: str) -> None:
    ran = cli("review", "--repo", str(repo.root), "--base", "main", "--format", "json")
    for each in json.loads(ran.out)["findings"]:
        if each["item"] == dismissed and each["state"] == "open":
            options = ("--reason", "false-positive", "--repo", str(repo.root))
            assert cli("ledger", "dismiss", each["id"], *options).status == 0


def _by_editor(_cli: Cli, repo: Repo, dismissed: str) -> None:
    async def scenario() -> None:
        async with live(repo.root, base="main") as it:
            await it.idle()
            report = await it.engine.review(ReviewRequest(base="main"))
            for each in report.findings:
                if each.seen.item == dismissed and each.state.value == "open":
                    name = FindingId(each.id)
                    await it.engine.by_id.dismiss(name, scope=DismissalScope.FINDING, reason="false-positive")

    run(scenario())


def _remembered(repo: Repo) -> list[tuple[object, ...]]:
    """The branch's ledger without its times."""
    ledgers = LedgerDb(repo.root / ".git")
    branch = ledgers.find("refs/heads/topic")
    entries = ledgers.load(branch).entries.values()
    seen = [
        (each.id, each.state, each.sighting, each.first_seen, each.last_seen, each.regressions, each.family,
         each.dismissal.reason if each.dismissal is not None else None, each.proof)
        for each in sorted(entries, key=lambda each: each.id)
    ]  # fmt: skip
    rounds = ((each.index, each.snapshot, each.verdict, each.counts, each.delta) for each in ledgers.rounds(branch))
    return [*seen, *rounds]


@pytest.mark.parametrize("turns", [(_by_editor,), (_by_command_line, _by_editor), (_by_editor, _by_command_line)])
def test_editor_and_command_line_keep_one_ledger(
    cli: Cli, house: Repo, tmp_path: Path, turns: tuple[Callable[[Cli, Repo, str], None], ...]
) -> None:
    """Whoever makes a round, and whoever dismisses: the ledger is what the command line alone would have made it."""
    other = Repo(tmp_path / "other")
    rules = (".roundzero/checklists/house.yaml", ".roundzero.toml")
    other.commit("first", {path: house.read(path) for path in rules})
    for repo, front_ends in ((house, (_by_command_line,)), (other, turns)):
        for dismissed, front_end in zip(_six_rounds(repo), itertools.cycle(front_ends), strict=False):
            front_end(cli, repo, dismissed)
    assert _remembered(other) == _remembered(house)
    assert len({each[1] for each in _remembered(house)[:6]}) > 1
