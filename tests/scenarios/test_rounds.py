"""One branch over its rounds, by the command line: defects come, move, leave, return, and are put aside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from support.command import Cli
    from support.repo import Repo

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
