"""A model's findings over several reviews: what stays, what is asked again, and which reviews are rounds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from support.drafts import drafted, quote, reply, script

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Cli
    from support.repo import Repo

ONE = "def one(n):\n    return n + 1\n"
GAP = "".join(f"\n\nX{number} = {number}\n" for number in range(12))
TWO = "\n\ndef two(n):\n    return n + 2\n"
USER = "from shop import one\n\n\ndef use():\n    return one(3)\n"
RULES = 'packs = ["general"]\n'
NEW_ONE = ONE.replace("n + 1", "n - 1")
NEW_TWO = TWO.replace("n + 2", "n - 2")
LINE = "return n - 1"
WRONG = drafted("one() subtracts", [quote("shop.py", 2, LINE, decisive=True)])


@dataclass
class Branch:
    """A branch with two hunks far apart, and a model that says something of the first."""

    cli: Cli
    repo: Repo
    script: Path
    patch: pytest.MonkeyPatch
    said: list[tuple[str, object]] = field(default_factory=list)

    def review(self, *options: str) -> dict[str, Any]:
        """The JSON report of a review."""
        ran = self.cli("review", "--format", "json", *options)
        assert ran.err == ""
        document = json.loads(ran.out)
        assert isinstance(document, dict)
        return document

    def write(self, one: str = NEW_ONE, two: str = NEW_TWO) -> None:
        """Give the file these halves."""
        self.repo.write("shop.py", one + GAP + two)


@pytest.fixture
def branch(cli: Cli, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Branch:
    """As above."""
    repo.commit("first", {"shop.py": ONE + GAP + TWO, "user.py": USER, ".roundzero.toml": RULES})
    repo.branch("topic")
    monkeypatch.setenv("ROUNDZERO_MODEL_PROVIDER", "scripted")
    monkeypatch.setenv("ROUNDZERO_MODEL_SCRIPT", str(tmp_path / "script.jsonl"))
    made = Branch(cli, repo, tmp_path / "script.jsonl", monkeypatch)
    made.write()
    script(made.script, ("n - 1", reply(WRONG)), ("", reply()))
    return made


def asked(document: dict[str, Any]) -> int:
    """How many requests a review took."""
    number = document["stats"]["drafts"]["requests"]
    assert isinstance(number, int)
    return number


def standing(document: dict[str, Any]) -> tuple[str, list[str]]:
    """The verdict, and the states of the model's findings."""
    states = [each["state"] for each in document["findings"] if each["source"] == "model"]
    return document["verdict"]["status"], states


OPEN = ("INCOMPLETE", ["open"])


def test_what_a_model_said_stays_when_none_is_asked(branch: Branch) -> None:
    """In reviews of everything, of a path, of the index and of a commit, until somebody has settled it."""
    assert standing(branch.review("--model", "quick")) == OPEN
    assert standing(branch.review("--model", "off")) == OPEN
    assert standing(branch.review("--model", "off", "shop.py")) == OPEN
    assert standing(branch.review("--model", "off", "user.py")) == ("LGTM", [])
    branch.repo.stage()
    assert standing(branch.review("--model", "off", "--scope", "staged")) == OPEN
    branch.repo.commit("more")
    assert standing(branch.review("--model", "off", "--scope", "committed")) == OPEN
    (found,) = (each for each in branch.review("--model", "off")["findings"] if each["source"] == "model")
    assert found["evidence"][0]["verified"] == "exact"
    branch.cli("ledger", "dismiss", found["id"], "--reason", "meant")
    assert standing(branch.review("--model", "off")) == ("LGTM", ["dismissed"])


def test_it_moves_with_its_lines(branch: Branch) -> None:
    """Lines above it and edits elsewhere leave it open, also where the old text is in no object of git's."""
    branch.review("--model", "quick")
    branch.write(one='"""The shop."""\n\n' + NEW_ONE, two=TWO)
    document = branch.review("--model", "off")
    assert standing(document) == OPEN
    (found,) = (each for each in document["findings"] if each["source"] == "model")
    assert found["range"]["start"]["line"] == 4


def test_what_it_quotes_is_gone_and_it_is_stale(branch: Branch) -> None:
    """Visible and no blocker; undone it is open again; asked again and not said again it is unconfirmed."""
    far = drafted(
        "use() relies on one()",
        [quote("shop.py", 2, LINE, decisive=True), quote("user.py", 5, "return one(3)")],
    )
    script(branch.script, ("n - 1", reply(far)), ("", reply()))
    assert standing(branch.review("--model", "quick")) == OPEN
    branch.repo.write("user.py", USER.replace("one(3)", "one(4)"))
    assert standing(branch.review("--model", "off", "shop.py")) == ("LGTM", ["stale"])
    assert standing(branch.review("--model", "off")) == ("LGTM", ["stale"])
    branch.repo.write("user.py", USER)
    assert standing(branch.review("--model", "off")) == OPEN
    branch.write(one=NEW_ONE.replace("n - 1", "n * 1"))
    assert standing(branch.review("--model", "off")) == ("LGTM", ["stale"])
    assert standing(branch.review("--model", "quick")) == ("LGTM", ["unconfirmed"])
    assert "unconfirmed" in branch.cli("ledger", "list").out


def test_a_part_is_asked_about_once(branch: Branch) -> None:
    """An edit of another part, a dismissal, undo and another review send nothing about it."""
    assert asked(branch.review("--model", "quick")) == 2
    assert asked(branch.review("--model", "quick")) == 0
    branch.write(two=TWO.replace("n + 2", "n - 3"))
    assert asked(branch.review("--model", "quick")) == 1
    branch.write()
    document = branch.review("--model", "quick")
    assert asked(document) == 0
    (found,) = (each for each in document["findings"] if each["source"] == "model")
    branch.cli("ledger", "dismiss", found["id"], "--reason", "meant")
    assert asked(branch.review("--model", "quick")) == 0
    branch.repo.write("user.py", "# above\n" + USER)
    assert asked(branch.review("--model", "quick", "shop.py")) == 0


def test_what_cannot_be_read_is_asked_again(branch: Branch) -> None:
    """Neither it nor a vain repair is kept; a repair that can be read answers for the question."""
    script(branch.script, ("", "no JSON"))
    first = branch.review("--model", "quick", "shop.py")
    assert (first["verdict"]["status"], asked(first)) == ("INCOMPLETE", 4)
    script(branch.script, ("could not be read", reply()), ("", "no JSON"))
    assert branch.review("--model", "quick", "shop.py")["verdict"]["status"] == "LGTM"
    third = branch.review("--model", "quick", "shop.py")
    assert (third["verdict"]["status"], asked(third)) == ("LGTM", 0)


def test_the_same_change_is_one_round_at_each_depth(branch: Branch) -> None:
    """Off, quick, off, quick: a deeper look is a round once, and a host that fails adds none."""
    rounds = [branch.review("--model", depth)["round"]["index"] for depth in ("off", "quick", "off", "quick")]
    assert rounds == [1, 2, 2, 2]
    branch.patch.setenv("ROUNDZERO_MODEL_CACHE", "false")
    script(branch.script, ("", "no JSON"))
    document = branch.review("--model", "quick")
    assert (document["round"]["index"], standing(document)) == (2, OPEN)
    (found,) = (each for each in document["findings"] if each["source"] == "model")
    branch.cli("ledger", "dismiss", found["id"], "--reason", "meant")
    assert branch.review("--model", "off")["round"]["index"] == 2
    branch.write(two=TWO)
    assert branch.review("--model", "off")["round"]["index"] == 3


def test_a_person_may_ask_where_the_mode_is_off(branch: Branch) -> None:
    """It rules what happens by itself."""
    branch.patch.setenv("ROUNDZERO_MODEL_MODE", "off")
    assert branch.review("--model", "quick")["verdict"]["depth"] == "quick"
