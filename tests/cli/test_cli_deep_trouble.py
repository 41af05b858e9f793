"""A deep review that is stopped, starved or misled: what it says then, and that nothing is asked twice."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from roundzero import config
from roundzero.core import budget
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.workspace import Workspace
from support.deep_host import AFTER, ALL_AGREE, BEFORE, LINE, checks, choose_model, deep_host, looks
from support.drafts import drafted, quote, reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.report import Report
    from support.command import Cli
    from support.deep_host import DeepHost
    from support.repo import Repo

FEW = {"DRAFT": reply(), "BLANKED": reply()}
"""Replies with which only the drafts with tools find something."""
STOPPED = "the deep review stopped before its end, and goes on from there when it is asked for again: "
KEY = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7H8"


@pytest.fixture
def host() -> Iterator[DeepHost]:
    """A host whose model finds the lost articles in every draft."""
    with deep_host(ALL_AGREE) as made:
        yield made


@pytest.fixture
def deep(repo: Repo, host: DeepHost, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line on a branch that loses a guard, with that host."""
    repo.commit("first", {"shop.py": BEFORE, ".roundzero.toml": 'packs = ["general"]\n'})
    repo.branch("topic")
    repo.commit("Take faster", {"shop.py": AFTER})
    choose_model(monkeypatch, PROVIDER="openai", BASE_URL=host.url, NAME="m")
    return cli


def run(cli: Cli, *options: str, depth: str = "deep", status: int | None = None) -> dict[str, Any]:
    """The JSON report of a review."""
    ran = cli("review", "--model", depth, "--format", "json", *options)
    assert ran.err == ""
    assert status is None or ran.status == status
    document = json.loads(ran.out)
    assert isinstance(document, dict)
    return document


def of_model(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The model's findings."""
    return [each for each in document["findings"] if each["source"] == "model"]


def later() -> None:
    """An hour passes: what a host asked for is over."""
    (Path(os.environ["XDG_STATE_HOME"]) / "roundzero" / "budget.sqlite3").unlink()


@pytest.mark.parametrize("stage", ["DRAFT", "BLANKED", "TOOLS", "WHOLE", "LOOK", "CHECK", "OVERVIEW"])
def test_a_spent_quota_stops_it_with_one_reason_and_it_goes_on_later(deep: Cli, host: DeepHost, stage: str) -> None:
    """Whichever stage it hits; what was answered before is not asked again, and the end is the same."""
    host.says |= FEW if stage == "LOOK" else {}
    host.stops = {stage: "quota"}
    first = run(deep)
    (reason, *rest) = (each for each in first["verdict"]["reasons"] if "blocking" not in each)
    assert rest == []
    assert "waiting for budget" in reason
    assert first["verdict"]["status"] == ("INCOMPLETE" if stage != "OVERVIEW" else "BLOCKED")
    before = host.asked.total()
    assert run(deep)["verdict"]["status"] == first["verdict"]["status"]
    assert host.asked.total() == before
    host.stops = {}
    later()
    last = run(deep, status=1)
    assert (last["verdict"]["status"], last["verdict"]["reasons"]) == ("BLOCKED", ["1 blocking finding"])
    assert host.twice == []


def test_a_limit_of_ones_own_stops_it_as_well(deep: Cli, host: DeepHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens an hour: some drafts are missing, which is said; with more, it goes on."""
    monkeypatch.setenv("ROUNDZERO_MODEL_TOKENS_PER_HOUR", "14000")
    document = run(deep, status=0)
    assert document["verdict"]["status"] == "INCOMPLETE"
    (reason,) = document["verdict"]["reasons"]
    assert reason.startswith(STOPPED)
    monkeypatch.setenv("ROUNDZERO_MODEL_TOKENS_PER_HOUR", "10000000")
    run(deep, status=1)
    assert host.twice == []


@pytest.mark.parametrize("stage", ["DRAFT", "BLANKED", "TOOLS", "WHOLE", "LOOK", "CHECK", "OVERVIEW"])
def test_one_that_was_killed_goes_on_where_it_was(deep: Cli, host: DeepHost, stage: str) -> None:
    """What was answered is in the cache, however suddenly the process ended."""
    host.says |= FEW if stage == "LOOK" else {}
    host.stops = {stage: "hang"}
    argv = [sys.executable, "-m", "roundzero", "review", "--model", "deep"]
    with subprocess.Popen(argv, cwd=deep.here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as killed:
        assert host.reached(stage)
        killed.kill()
    host.stops = {}
    document = run(deep, status=1)
    assert document["verdict"]["status"] == "BLOCKED"
    assert host.twice == []


@pytest.mark.parametrize("more", [(), ("--record", "kept")])
def test_one_that_is_interrupted_says_how_to_go_on(deep: Cli, host: DeepHost, more: tuple[str, ...]) -> None:
    """A person who stops it learns that nothing of what was answered is lost, recorded or not."""
    host.stops = {"TOOLS": "hang"}
    argv = [sys.executable, "-m", "roundzero", "review", "--model", "deep", *more]
    with subprocess.Popen(argv, cwd=deep.here, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert host.reached("TOOLS")
        process.terminate()
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"the same command goes on from there" in said


@pytest.mark.parametrize("stage", ["BLANKED", "TOOLS", "LOOK", "CHECK", "OVERVIEW"])
def test_a_recording_that_was_killed_goes_on_where_it_was(
    deep: Cli, host: DeepHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    """What the folder has an answer for is not asked again, though no cache is; and it plays the whole review back."""
    monkeypatch.setenv("ROUNDZERO_MODEL_CACHE", "false")
    host.says |= FEW if stage == "LOOK" else {}
    host.stops = {stage: "hang"}
    kept = ("--record", str(tmp_path / "kept"))
    argv = [sys.executable, "-m", "roundzero", "review", "--model", "deep", *kept]
    with subprocess.Popen(argv, cwd=deep.here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as killed:
        assert host.reached(stage)
        killed.kill()
    host.stops = {}
    first = run(deep, *kept, status=1)
    assert first["stats"]["drafts"]["cached"] > 0
    assert host.twice == []
    asked = host.asked.total()
    again = run(deep, "--replay", str(tmp_path / "kept"), status=1)
    assert again["verdict"] == first["verdict"]
    assert [each["claims"] for each in of_model(again)] == [each["claims"] for each in of_model(first)]
    assert run(deep, *kept, status=1)["stats"]["drafts"]["requests"] == 0
    assert host.asked.total() == asked


def test_a_recording_of_another_model_answers_nothing(
    deep: Cli, host: DeepHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does a file that is broken, or none of ours."""
    kept = ("--record", str(tmp_path / "kept"))
    run(deep, *kept, status=1)
    asked = host.asked.total()
    (tmp_path / "kept" / "0.json").write_text("[1]")
    (tmp_path / "kept" / "1.json").write_text('{"reply": {"outcome": "ok", "text": "{}"}, "answers": []}')
    monkeypatch.setenv("ROUNDZERO_MODEL_NAME", "another")
    monkeypatch.setenv("ROUNDZERO_MODEL_CACHE", "false")
    assert run(deep, *kept, status=1)["stats"]["drafts"]["cached"] == 0
    assert host.asked.total() == 2 * asked


@pytest.mark.parametrize("drafts", range(1, 6))
def test_fewer_drafts_confirm_what_they_cannot_outvote(
    deep: Cli, host: DeepHost, monkeypatch: pytest.MonkeyPatch, drafts: int
) -> None:
    """With fewer drafts than it takes, a second look decides; with enough, none is asked for."""
    monkeypatch.setenv("ROUNDZERO_MODEL_DRAFTS", str(drafts))
    document = run(deep, status=1)
    (found,) = of_model(document)
    assert found["votes"] == {"for": drafts, "of": drafts}
    assert found["confirmed"] is (True if drafts < 3 else None)
    assert host.asked["LOOK"] == (1 if drafts < 3 else 0)
    assert len(document["stats"]["voices"]) == drafts


def test_drafts_that_never_agree_block_nothing(deep: Cli, host: DeepHost) -> None:
    """Each finding has the votes of its own drafts, a second look that could not tell, and is kept as a P2."""
    other = drafted(
        "buyers wait while the shelf is sorted",
        [quote("shop.py", 2, LINE, decisive=True)],
        claims=[{"text": "sorting takes a second for each article", "decisive": True}],
    )
    third = drafted(
        "the caller writes into the stock of the shop",
        [quote("shop.py", 3, "return taken", decisive=True)],
        claims=[{"text": "what is returned is the stock itself", "decisive": True}],
    )
    host.says |= {"BLANKED": reply(other), "TOOLS": reply(third), "LOOK": looks("cannot-tell")}
    document = run(deep, status=0)
    found = {each["title"]: each for each in of_model(document)}
    assert sorted(each["votes"]["for"] for each in found.values()) == [1, 2, 2]
    assert {(each["severity"], each["blocking"], each["confirmed"]) for each in found.values()} == {
        ("P2", False, False)
    }
    assert document["stats"]["confirmations"] == {"asked": 3, "held": 0, "fell": 0, "open": 3}
    assert document["verdict"]["status"] == "LGTM"


def test_a_voice_nobody_can_read_costs_its_vote(deep: Cli, host: DeepHost) -> None:
    """The others decide, and it is counted; when none can be read, nothing is clean."""
    host.stops = {"BLANKED": "no JSON"}
    document = run(deep, status=1)
    assert of_model(document)[0]["votes"] == {"for": 4, "of": 4}
    failed = {each["number"]: each["failed"] for each in document["stats"]["voices"]}
    assert failed == {1: 0, 2: 0, 3: 1, 4: 0, 5: 0}


def test_without_any_draft_nothing_is_clean(deep: Cli, host: DeepHost) -> None:
    """No reply can be read: that says why, and blocks nothing."""
    host.stops = {"*": "no JSON"}
    document = run(deep, status=0)
    assert (document["verdict"]["status"], of_model(document)) == ("INCOMPLETE", [])
    assert "could not be read" in document["verdict"]["reasons"][0]


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long before another attempt."""
    monkeypatch.setattr(budget, "_FIRST_PAUSE", 0.01)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("how", ["500", "cut"])
@pytest.mark.parametrize(
    ("stage", "words", "status"),
    [
        ("DRAFT", "1 of 5 drafts were not made: failed", "BLOCKED"),
        ("BLANKED", "1 of 5 drafts were not made: failed", "BLOCKED"),
        ("TOOLS", "", "BLOCKED"),
        ("WHOLE", "", "BLOCKED"),
        ("LOOK", "1 finding of a model was not looked at again: ", "INCOMPLETE"),
        ("CHECK", "", "BLOCKED"),
        ("OVERVIEW", "the question about the change as a whole ended failed", "BLOCKED"),
    ],
)
def test_a_host_that_fails_at_one_question_costs_that_one(
    deep: Cli, host: DeepHost, stage: str, words: str, status: str, how: str
) -> None:
    """Every other stage is done; the one has its reason, and a step with tools is asked again without."""
    host.says |= FEW if stage == "LOOK" else {}
    host.stops, host.one = {stage: how}, True
    document = run(deep)
    reasons = [each for each in document["verdict"]["reasons"] if "blocking" not in each]
    assert [each.partition(words)[1] for each in reasons] == ([words] if words else [])
    assert all(("500" if how == "500" else "cut off") in each for each in reasons)
    assert document["verdict"]["status"] == status
    stages = {"DRAFT", "BLANKED", "TOOLS", "OVERVIEW", "LOOK" if stage == "LOOK" else "CHECK"}
    assert stages <= host.asked.keys()
    assert host.asked[stage] >= 4
    host.stops = {}
    assert run(deep, status=1)["verdict"]["reasons"] == ["1 blocking finding"]
    assert host.twice == []


@pytest.mark.usefixtures("hasty")
def test_a_host_that_fails_at_one_recheck_costs_that_one(deep: Cli, repo: Repo, host: DeepHost) -> None:
    """The finding stays as its other stages leave it, with the reason; everything else is asked."""
    run(deep, status=1)
    guarded = AFTER.replace("    taken", "    if count > len(shelf):\n        raise ValueError(count)\n    taken")
    repo.commit("Guard again", {"shop.py": guarded})
    host.says |= {"DRAFT": reply(), "BLANKED": reply(), "TOOLS": reply()}
    host.stops, before = {"RECHECK": "500"}, host.asked["OVERVIEW"]
    document = run(deep)
    assert document["stats"]["rechecks"]["unanswered"] == 1
    assert any(
        each.startswith("1 of 1 earlier findings were not rechecked: failed (")
        for each in document["verdict"]["reasons"]
    )
    assert host.asked["OVERVIEW"] == before + 1


@pytest.mark.usefixtures("hasty")
def test_a_host_that_answers_nothing_is_one_reason_after_a_few_questions(deep: Cli, host: DeepHost) -> None:
    """It is not asked the rest."""
    host.stops = {"*": "500"}
    document = run(deep, status=0)
    (reason,) = document["verdict"]["reasons"]
    assert reason.startswith(STOPPED)
    assert "3 questions in a row: " in reason
    assert "500" in reason
    assert host.asked.total() <= 12


@pytest.mark.usefixtures("hasty")
def test_a_claim_that_nobody_could_check_waits(deep: Cli, host: DeepHost) -> None:
    """It neither blocks nor is called milder, with tools or without."""
    host.stops = {"CHECK": "500"}
    document = run(deep, status=0)
    (reason,) = document["verdict"]["reasons"]
    assert reason.startswith("1 finding of a model was not fact-checked: ")
    assert "500" in reason
    assert of_model(document)[0]["not_blocking_because"] == "its decisive claim was not checked"
    assert host.asked["OVERVIEW"] == 1


def test_a_recording_is_the_whole_review(deep: Cli, host: DeepHost, tmp_path: Path) -> None:
    """Played back without cache or host: the same findings and verdict, every stage answered."""
    host.says |= FEW
    first = run(deep, "--record", str(tmp_path / "kept"), status=1)
    asked = host.asked.total()
    again = run(deep, "--replay", str(tmp_path / "kept"), status=1)
    assert host.asked.total() == asked
    assert again["verdict"] == first["verdict"]
    assert [each["claims"] for each in of_model(again)] == [each["claims"] for each in of_model(first)]


def deeply(deep: Cli, seconds: float) -> Report:
    """A review in the work tree with so much time for the model."""

    async def reviewed() -> Report:
        settings, _ = config.load(root=deep.here, environ=os.environ)
        workspace = await Workspace.open(deep.here, settings=settings)
        try:
            request = ReviewRequest(depth="deep", consent=True, remember=True, model_seconds=seconds)
            return await review(workspace, request)
        finally:
            await workspace.git.close()

    return asyncio.run(reviewed())


@pytest.mark.parametrize(("stage", "votes"), [("TOOLS", 3), ("CHECK", 5), ("OVERVIEW", 5)])
def test_what_is_answered_in_time_is_kept(deep: Cli, host: DeepHost, stage: str, votes: int) -> None:
    """The rest is a gap, and blocks nothing by itself."""
    host.stops = {stage: "hang"}
    report = deeply(deep, 3.0)
    (found,) = (each for each in report.findings if each.seen.source == "model")
    assert found.seen.anatomy is not None
    assert found.seen.anatomy.votes is not None
    assert found.seen.anatomy.votes.given == votes
    assert found.blocking is (stage == "OVERVIEW")
    assert any("not answered in time" in each for each in report.verdict.reasons)


def test_rechecks_that_were_answered_in_time_are_kept(deep: Cli, repo: Repo, host: DeepHost) -> None:
    """One earlier finding has an answer, the other has none: that one is stale at most, and told of."""
    run(deep, status=1)
    guarded = AFTER.replace("    taken", "    if count > len(shelf):\n        raise ValueError(count)\n    taken")
    repo.commit("Guard again", {"shop.py": guarded})
    host.says |= {"DRAFT": reply(), "BLANKED": reply(), "TOOLS": reply()}
    host.stops = {"RECHECK": "hang"}
    report = deeply(deep, 3.0)
    (found,) = (each for each in report.findings if each.seen.source == "model")
    assert (found.state.value, found.blocking) == ("open", False)
    assert report.verdict.status.value == "INCOMPLETE"
    assert any("not answered in time" in each for each in report.verdict.reasons)


def test_a_later_quick_review_takes_nothing_back(deep: Cli) -> None:
    """A deep review after a quick one is a round of its own; its votes and claims stand until their texts change."""
    (first,) = of_model(run(deep, depth="quick"))
    for depth in ("deep", "quick", "off"):
        document = run(deep, depth=depth, status=1)
        (found,) = of_model(document)
        assert (found["id"], found["blocking"], found["votes"]) == (first["id"], True, {"for": 5, "of": 5})
        assert document["verdict"]["status"] == "BLOCKED"


@pytest.mark.parametrize("depth", ["deep", "quick", "off"])
def test_what_was_refuted_is_not_raised_anew_on_the_same_text(deep: Cli, host: DeepHost, depth: str) -> None:
    """At any depth; on another text it may be."""
    host.says |= {"CHECK": checks("refuted")}
    run(deep, status=0)
    document = run(deep, depth=depth, status=0)
    assert [each["state"] for each in of_model(document)] == ["refuted"]
    assert document["verdict"]["status"] == "LGTM"


def test_what_a_person_dismissed_stays_dismissed(deep: Cli, repo: Repo) -> None:
    """However deep it is found again."""
    (found,) = of_model(run(deep))
    assert deep("ledger", "dismiss", found["id"], "--reason", "wont-fix").status == 0
    repo.commit("More", {"more.py": "x = 1\n"})
    document = run(deep, status=0)
    assert [(each["id"], each["state"]) for each in of_model(document)] == [(found["id"], "dismissed")]
    assert document["verdict"]["status"] == "LGTM"


def test_an_empty_change_asks_nobody(deep: Cli, repo: Repo, host: DeepHost) -> None:
    """There is nothing to describe either."""
    repo.commit("Back", {"shop.py": BEFORE})
    document = run(deep, status=0)
    assert (document["verdict"]["status"], host.asked.total()) == ("LGTM", 0)


def test_a_detached_head_is_reviewed_and_asks_nothing_twice(deep: Cli, repo: Repo, host: DeepHost) -> None:
    """It is no round, and what it found is the same each time."""
    repo.git("checkout", "--detach")
    first, second = run(deep, status=1), run(deep, status=1)
    assert [each["id"] for each in of_model(first)] == [each["id"] for each in of_model(second)]
    assert host.twice == []


def test_no_stage_sends_a_secret(deep: Cli, repo: Repo, host: DeepHost) -> None:
    """Neither drafts nor looks, checks, rechecks or the overview; nor does an answer bring one in."""
    repo.commit(f"Use {KEY}", {"shop.py": f'TOKEN = "{KEY}"\n{AFTER}', "use.py": f'KEY = "{KEY}"\n'})
    host.says |= FEW
    run(deep)
    repo.commit("Edit", {"shop.py": f'TOKEN = "{KEY}"\n{AFTER.replace("return taken", "return list(taken)")}'})
    run(deep)
    assert {"DRAFT", "BLANKED", "TOOLS", "LOOK", "OVERVIEW"} <= host.asked.keys()
    assert all(KEY.encode() not in request for request in host.requests)


def test_without_trust_nothing_is_asked_by_itself(deep: Cli, host: DeepHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that ask for depth send nothing from a repository that is not trusted."""
    monkeypatch.setenv("ROUNDZERO_MODEL_DEPTH", "deep")
    ran = deep("review", "--format", "json")
    assert json.loads(ran.out)["verdict"]["depth"] == "off"
    assert host.requests == []


def test_a_hundred_files(deep: Cli, repo: Repo, host: DeepHost) -> None:
    """Each is drafted five times, each question once; numbers add up."""
    repo.commit("Many", {f"p/m{number}.py": f"x = {number}\n" for number in range(99)})
    document = run(deep, status=1)
    stats = document["stats"]
    assert (stats["drafts"]["asked"], stats["drafts"]["ok"], stats["drafts"]["failed"]) == (500, 500, 0)
    assert stats["hunks"] == {"total": 100, "covered": 100}
    assert [each["asked"] for each in stats["voices"]] == [100] * 5
    assert stats["drafts"]["gates"]["admitted"] == stats["clusters"]["drafted"]
    assert stats["clusters"]["drafted"] == stats["clusters"]["distinct"] + stats["clusters"]["merged"]
    assert host.twice == []
    assert Counter(host.asked)["OVERVIEW"] == 1


def test_the_numbers_add_up(deep: Cli, host: DeepHost) -> None:
    """Of every stage: what was asked is what came of it, in each format."""
    host.says |= FEW
    host.stops = {"BLANKED": "no JSON"}
    document = run(deep, status=1)
    stats = document["stats"]
    assert stats["drafts"]["asked"] == sum(each["asked"] for each in stats["voices"]) == 5
    assert stats["drafts"]["failed"] == sum(each["failed"] for each in stats["voices"]) == 1
    assert stats["drafts"]["failed"] == sum(stats["drafts"]["outcomes"].values())
    looked = stats["confirmations"]
    assert looked["asked"] == looked["held"] + looked["fell"] + looked["open"] == 1
    checked = stats["fact_checks"]
    assert checked["checked"] == checked["hold"] + checked["refuted"] + checked["unverifiable"] == 1
    for form in ("terminal", "markdown"):
        assert "2 of 4" in deep("review", "--model", "deep", "--format", form).out
