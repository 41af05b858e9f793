"""A deep review while other things happen: edits beside it, another review, an end at each stage."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from roundzero.store.budget_db import BudgetDb
from support.deep_host import AFTER, ALL_AGREE, BEFORE, LINE, choose_model, deep_host
from support.drafts import drafted, quote, reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.deep_host import DeepHost
    from support.repo import Repo

IMPORT = "from other import drop"
GONE = drafted(
    "take() imports what does not exist",
    [quote("shop.py", 1, IMPORT, decisive=True)],
    claims=[{"text": f"`{IMPORT}` fails", "decisive": True}],
)
STANDS = {
    "claim": "holds",
    "because": "it reads so",
    "quotes": [{"path": "shop.py", "side": "head", "line": 4, "quote": LINE, "role": "", "decisive": True}],
}
"""A recheck that finds the defect still there."""
FEW = {"DRAFT": reply(), "BLANKED": reply()}


@pytest.fixture
def host() -> Iterator[DeepHost]:
    """A host whose model finds the lost articles in every draft."""
    with deep_host(ALL_AGREE) as made:
        yield made


@pytest.fixture
def shop(repo: Repo, host: DeepHost, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A branch that loses a guard, and that host."""
    repo.commit("first", {"shop.py": BEFORE, "other.py": "x = 1\n", ".roundzero.toml": 'packs = ["general"]\n'})
    repo.branch("topic")
    repo.commit("Take faster", {"shop.py": AFTER})
    choose_model(monkeypatch, PROVIDER="openai", BASE_URL=host.url, NAME="m")
    return repo


def begin(root: Path, *options: str) -> subprocess.Popen[str]:
    """A deep review in a process of its own."""
    argv = [sys.executable, "-m", "roundzero", "review", "--model", "deep", "--format", "json", *options]
    return subprocess.Popen(argv, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Its report."""
    out, err = process.communicate(timeout=120)
    assert process.returncode in {0, 1}, err
    document: dict[str, Any] = json.loads(out)
    return document


def test_what_was_told_of_a_text_edited_meanwhile_settles_nothing(shop: Repo, host: DeepHost) -> None:
    """A file beside the change was saved while drafts came: what depends on all files waits, and it is said why."""
    shop.commit("Share", {"shop.py": f"{IMPORT}\n\n\ndef take(shelf, count):\n    return drop(shelf, count)\n"})
    host.says |= {"DRAFT": reply(GONE), "BLANKED": reply(GONE), "TOOLS": reply(GONE)}
    host.stops = {"TOOLS": "wait"}
    with begin(shop.root) as process:
        assert host.reached("TOOLS")
        shop.write("other.py", "x = 2\n")
        host.release()
        document = end(process)
    (found,) = (each for each in document["findings"] if each["source"] == "model")
    assert (found["blocking"], found["not_blocking_because"]) == (False, "its decisive claim was not checked")
    assert document["verdict"]["status"] == "INCOMPLETE"
    assert any(each.endswith("it may have read two texts: other.py") for each in document["verdict"]["reasons"])
    host.stops = {}
    shop.git("checkout", "other.py")
    with begin(shop.root) as process:
        document = end(process)
    assert document["verdict"]["reasons"] == ["1 blocking finding"]


def test_an_edit_of_what_is_reviewed_is_for_the_next_review(shop: Repo, host: DeepHost) -> None:
    """The report is about the text it began with, and no round of another text is written."""
    host.stops = {"TOOLS": "wait"}
    with begin(shop.root) as process:
        assert host.reached("TOOLS")
        shop.write("shop.py", f"# sold\n{AFTER}")
        host.release()
        first = end(process)
    assert first["verdict"]["reasons"] == ["1 blocking finding"]
    with begin(shop.root) as process:
        second = end(process)
    (was, now) = (each["findings"][0]["range"]["start"]["line"] for each in (first, second))
    assert (was, now) == (2, 3)
    assert first["head"]["snapshot"] != second["head"]["snapshot"]


def test_two_at_once_ask_each_question_once_and_agree(shop: Repo, host: DeepHost) -> None:
    """Whichever has the answer, both use it; they are one round."""
    host.stops = {"DRAFT": "wait"}
    with begin(shop.root) as one, begin(shop.root) as other:
        assert host.reached("DRAFT")
        host.release()
        first, second = end(one), end(other)
    assert host.twice == []
    assert first["verdict"] == second["verdict"]
    assert [each["id"] for each in first["findings"]] == [each["id"] for each in second["findings"]]
    assert {first["round"]["index"], second["round"]["index"]} == {1}


@pytest.mark.parametrize("stage", ["DRAFT", "BLANKED", "TOOLS", "WHOLE", "LOOK", "CHECK", "OVERVIEW"])
def test_one_that_is_ended_at_any_stage_leaves_nothing_behind(shop: Repo, host: DeepHost, stage: str) -> None:
    """No right to ask stays taken, no round is written; the next one has all the answers there were."""
    host.says |= FEW if stage == "LOOK" else {}
    host.stops = {stage: "hang"}
    with begin(shop.root) as process:
        assert host.reached(stage)
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert BudgetDb().tally(0.0).running == 0
    host.stops = {}
    with begin(shop.root) as process:
        document = end(process)
    assert (document["verdict"]["status"], document["round"]["index"]) == ("BLOCKED", 1)
    assert host.twice == []


def test_one_that_was_killed_while_it_looked_again_goes_on(shop: Repo, host: DeepHost) -> None:
    """The finding of the round before stays as it was until somebody could be asked about it."""
    with begin(shop.root) as process:
        (before,) = end(process)["findings"]
    guarded = AFTER.replace("    taken", "    if count > len(shelf):\n        raise ValueError(count)\n    taken")
    shop.commit("Guard again", {"shop.py": guarded})
    host.says |= {"DRAFT": reply(), "BLANKED": reply(), "TOOLS": reply(), "RECHECK": STANDS}
    host.stops = {"RECHECK": "hang"}
    with begin(shop.root) as process:
        assert host.reached("RECHECK")
        process.kill()
    host.stops = {}
    with begin(shop.root) as process:
        document = end(process)
    assert document["stats"]["rechecks"] == {"asked": 1, "fixed": 0, "open": 1, "failed": 0, "unanswered": 0}
    (after,) = document["findings"]
    assert (after["id"], after["first_seen"], after["last_seen"]) == (before["id"], 1, 2)
    assert host.twice == []
