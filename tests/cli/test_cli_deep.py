"""``roundzero review --model deep``: votes, second looks, fact checks, the change as a whole, and later rounds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from roundzero.core import budget
from roundzero.render.shapes import ReportWire
from support.deep_host import AFTER, BEFORE, LINE, LOST, NOTHING, OVERVIEW, STAGES, WHOLE, checks, choose_model, looks
from support.drafts import drafted, quote, reply, script

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Cli
    from support.repo import Repo

DRAFT = "Part of shop.py"
MATCHES = STAGES | {"DRAFT": DRAFT}


@dataclass
class Deep:
    """A repository whose branch loses a guard, the command line in it, and what a model says to which question."""

    cli: Cli
    repo: Repo
    path: Path
    said: dict[str, object] = field(default_factory=dict)

    def says(self, **answers: object) -> None:
        """From now on the model answers so, by the name of a question."""
        self.said |= answers
        script(self.path, *((mark, self.said[name]) for name, mark in MATCHES.items() if name in self.said))

    def review(self, *options: str, status: int | None = None) -> dict[str, Any]:
        """The JSON report of a deep review, proved against the schema."""
        ran = self.cli("review", "--model", "deep", "--format", "json", *options)
        assert ran.err == ""
        if status is not None:
            assert ran.status == status
        document = json.loads(ran.out)
        TypeAdapter(ReportWire).validate_python(document, strict=True, extra="forbid")
        assert isinstance(document, dict)
        return document


@pytest.fixture
def deep(cli: Cli, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deep:
    """As above; every draft finds the lost articles, and nothing is said against it."""
    repo.commit("first", {"shop.py": BEFORE, ".roundzero.toml": 'packs = ["general"]\n'})
    repo.branch("topic")
    repo.commit("Take faster", {"shop.py": AFTER})
    choose_model(monkeypatch, PROVIDER="scripted", SCRIPT=str(tmp_path / "script.jsonl"))
    made = Deep(cli, repo, tmp_path / "script.jsonl")
    made.says(DRAFT=reply(LOST), CHECK=checks("verified"), LOOK=looks("holds"), OVERVIEW=NOTHING, WHOLE=reply())
    return made


def of_model(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The model's findings."""
    return [each for each in document["findings"] if each["source"] == "model"]


def test_what_all_drafts_raise_and_the_code_bears_out_blocks(deep: Deep) -> None:
    """Five votes and a verified decisive claim: one finding, on its line, and the branch is blocked."""
    document = deep.review(status=1)
    (found,) = of_model(document)
    assert (found["path"], found["range"]["start"]["line"], found["severity"]) == ("shop.py", 2, "P1")
    assert (found["blocking"], found["votes"]) == (True, {"for": 5, "of": 5})
    assert [(each["verdict"], each["decisive"]) for each in found["claims"]] == [("verified", True)]
    assert document["verdict"]["status"] == "BLOCKED"
    assert document["verdict"]["depth"] == "deep"


def test_a_claim_that_cannot_be_verified_never_blocks(deep: Deep) -> None:
    """However many drafts raise it, it is a P2 then, and says why."""
    deep.says(CHECK=checks("unverifiable"))
    document = deep.review(status=0)
    (found,) = of_model(document)
    assert (found["severity"], found["blocking"], found["votes"]["for"]) == ("P2", False, 5)
    assert "could not be verified" in found["severity_reason"]
    assert (document["verdict"]["status"], document["verdict"]["reasons"]) == ("LGTM", [])


def test_a_claim_that_is_false_refutes_the_finding(deep: Deep) -> None:
    """All drafts say that a function does not exist; it does, so a probe ends it and nobody is asked."""
    line = "    return drop(shelf, count)"
    deep.repo.commit("Share it", {"shop.py": f"from tools import drop\n\n\ndef take(shelf, count):\n{line}\n"})
    deep.repo.commit("Tools", {"tools.py": "def drop(shelf, count):\n    return shelf[:count]\n"})
    wrong = drafted(
        "take() calls drop(), which does not exist",
        [quote("shop.py", 5, line, decisive=True)],
        claims=[{"text": "`drop` does not exist", "decisive": True}],
    )
    script(deep.path, (OVERVIEW, NOTHING), (WHOLE, reply()), ("Part of tools.py", reply()), (DRAFT, reply(wrong)))
    document = deep.review(status=0)
    assert document["counts"]["P1"] == 0
    assert {each["state"] for each in of_model(document)} == {"refuted"}
    assert (document["verdict"]["status"], document["verdict"]["reasons"]) == ("LGTM", [])
    assert document["stats"]["fact_checks"]["refuted"] == 1


def test_a_check_that_a_draft_proposes_is_made_before_a_model_is_asked(deep: Deep) -> None:
    """A claim in words no machine reads falls with the check that its own draft thought of; what is none is counted."""
    line = "    return drop(shelf, count)"
    deep.repo.commit("Share it", {"shop.py": f"from tools import drop\n\n\ndef take(shelf, count):\n{line}\n"})
    deep.repo.commit("Tools", {"tools.py": "def drop(shelf, count):\n    return shelf[:count]\n"})
    probes: list[object] = [
        {"kind": "magic", "subject": "drop", "path": "", "expect": "absent"},
        {"kind": "symbol-exists", "subject": "drop", "path": "tools.py", "expect": "absent"},
    ]
    claim = {"text": "whoever looks for `drop` looks in vain", "decisive": True, "probes": probes}
    wrong = drafted("take() calls what is not there", [quote("shop.py", 5, line, decisive=True)], claims=[claim])
    script(deep.path, (OVERVIEW, NOTHING), (WHOLE, reply()), ("Part of tools.py", reply()), (DRAFT, reply(wrong)))
    document = deep.review(status=0)
    (found,) = of_model(document)
    assert (found["state"], found["claims"][0]["verdict"]) == ("refuted", "refuted")
    assert found["claims"][0]["probe"] == "tools.py:1 defines drop"
    facts = document["stats"]["fact_checks"]
    assert (facts["refuted"], facts["proposed"], facts["dropped"]) == (1, 5, 5)


@pytest.mark.parametrize(("answer", "status", "severity"), [("holds", 1, "P1"), ("does-not-hold", 0, "P2")])
def test_a_second_look_decides_where_few_drafts_agree(deep: Deep, answer: str, status: int, severity: str) -> None:
    """Two votes of five do not block by themselves: a confirmed finding does, another is demoted and kept."""
    deep.says(DRAFT=reply(), BLANKED=reply(), TOOLS=reply(LOST), LOOK=looks(answer))
    document = deep.review(status=status)
    (found,) = of_model(document)
    assert (found["votes"], found["severity"]) == ({"for": 2, "of": 5}, severity)
    assert found["blocking"] is (status == 1)
    assert document["stats"]["confirmations"]["asked"] == 1


def test_what_a_draft_says_that_saw_no_comments_stands_on_the_line_as_it_is(deep: Deep) -> None:
    """The neutral draft quotes a blanked line; the evidence shows the real one."""
    commented = AFTER.replace("(count)]", "(count)]  # the caller has checked the count")
    deep.repo.commit("Explain", {"shop.py": commented})
    seen = drafted("take() loses articles", [quote("shop.py", 2, f"{LINE}  # ...", decisive=True)], severity="P2")
    deep.says(DRAFT=reply(), TOOLS=reply(), BLANKED=reply(seen))
    (found,) = of_model(deep.review(status=0))
    assert found["evidence"][0]["quote"].endswith("# the caller has checked the count")
    assert found["votes"] == {"for": 1, "of": 5}


UNTESTED = drafted(
    "no test of take() is ever collected", [quote("shop.py", 2, LINE, decisive=True)], item="general/tests-really-run"
)


def of_item(document: dict[str, Any], name: str) -> str:
    """How an item of the checklists came out."""
    (line,) = (each for each in document["checklists"] if each["item"] == name)
    return str(line["status"])


def test_what_no_part_can_answer_is_asked_of_the_whole_change(deep: Deep) -> None:
    """Once; what is found has one vote, so that a second look and a check of its claim decide whether it blocks."""
    deep.says(DRAFT=reply(), WHOLE=reply(UNTESTED))
    document = deep.review(status=1)
    (found,) = of_model(document)
    assert (found["item"], found["votes"], found["confirmed"]) == (UNTESTED["item"], {"for": 1, "of": 1}, True)
    assert [each["verdict"] for each in found["claims"]] == ["verified"]
    assert document["stats"]["confirmations"]["asked"] == 1
    assert of_item(document, "general/tests-really-run") == "fail"


@pytest.mark.parametrize(("clean", "status"), [(["general/tests-really-run"], "pass"), ([], "not-checked")])
def test_an_item_about_the_whole_change_passes_where_it_was_looked_for(
    deep: Deep, clean: list[str], status: str
) -> None:
    """By name; and of a change of a few lines what cannot block is not asked."""
    deep.says(DRAFT=reply(), WHOLE=reply(clean=clean))
    document = deep.review(status=0)
    assert document["verdict"]["status"] == "LGTM"
    assert of_item(document, "general/tests-really-run") == status
    assert of_item(document, "general/commit-atomic") == "not-applicable"


def test_a_whole_change_that_nobody_answered_for_is_a_gap(deep: Deep) -> None:
    """The points are not checked, and nothing else is lost."""
    deep.says(DRAFT=reply(), WHOLE="no JSON")
    document = deep.review(status=0)
    assert (document["verdict"]["status"], len(document["verdict"]["reasons"])) == ("INCOMPLETE", 1)
    assert document["verdict"]["reasons"][0].startswith("1 check was not made of the change as a whole: ")
    assert of_item(document, "general/tests-really-run") == "not-checked"


def test_a_part_of_a_change_is_not_asked_about_as_the_whole(deep: Deep) -> None:
    """Who reviews one file gets no answer about all of them, and no complaint either."""
    deep.repo.commit("More", {"more.py": "x = 1\n"})
    deep.says(DRAFT=reply(), WHOLE="no JSON")
    document = deep.review("shop.py", status=0)
    assert not any("as a whole" in each for each in document["verdict"]["reasons"])
    assert of_item(document, "general/tests-really-run") == "not-checked"


def test_a_second_run_asks_nobody(deep: Deep) -> None:
    """Everything that was answered is in the cache, looks and checks too; the report is the same."""
    first, second = deep.review(), deep.review()
    assert first["stats"]["tokens"]["sent"] > 0
    assert second["stats"]["tokens"]["sent"] == 0
    assert [each["id"] for each in first["findings"]] == [each["id"] for each in second["findings"]]
    assert first["verdict"] == second["verdict"]


def test_the_change_as_a_whole_is_described_and_praise_is_kept(deep: Deep) -> None:
    """Summary, strengths with a true quote, and what the commit message says against the change; none made up."""
    line = {"path": "shop.py", "side": "head", "line": 3, "quote": "return taken"}
    deep.says(
        DRAFT=reply(),
        OVERVIEW={
            "summary": "Takes articles faster.",
            "themes": ["sales"],
            "files": [{"path": "shop.py", "text": "take() asks no more."}, {"path": "no.py", "text": "made up"}],
            "strengths": [
                {"text": "It returns what it took.", "quotes": [line]},
                {"text": "Made up.", "quotes": [line | {"quote": "return everything_else()"}]},
            ],
            "description": [],
        },
    )
    document = deep.review(status=0)
    assert document["overview"]["summary"] == "Takes articles faster."
    assert [each["summary"] for each in document["overview"]["files"]] == ["take() asks no more."]
    assert [each["text"] for each in document["strengths"]] == ["It returns what it took."]
    deep.repo.commit("Change the result", {"shop.py": AFTER.replace("return taken", "return None")})
    ran = deep.cli("review", "--format", "json", "--model", "off")
    assert any("It returns what it took." in each for each in json.loads(ran.out)["notices"])


def test_a_finding_leaves_only_with_the_line_that_proves_it(deep: Deep) -> None:
    """A fix is believed when the claim is false now and a line of the function says so; silence proves nothing."""
    deep.review(status=1)
    guarded = AFTER.replace("    taken", "    if count > len(shelf):\n        raise ValueError(count)\n    taken")
    deep.repo.commit("Guard again", {"shop.py": guarded})
    proof = quote("shop.py", 2, "if count > len(shelf):", decisive=True)
    deep.says(DRAFT=reply(), TOOLS=reply(), BLANKED=reply(), RECHECK=FALSE_NOW | {"quotes": [proof]})
    document = deep.review(status=0)
    (found,) = of_model(document)
    assert found["state"] == "fixed"
    assert (found["state_reason"]["path"], found["state_reason"]["line"]) == ("shop.py", 2)
    assert (document["verdict"]["status"], document["verdict"]["reasons"]) == ("LGTM", [])


def test_a_finding_that_could_not_be_looked_at_again_waits(deep: Deep) -> None:
    """Its code has changed and nobody said what came of it: nothing blocks on an older text, and nothing is clean."""
    deep.review(status=1)
    guarded = AFTER.replace("    taken", "    if count > len(shelf):\n        raise ValueError(count)\n    taken")
    deep.repo.commit("Guard again", {"shop.py": guarded})
    deep.says(DRAFT=reply(), TOOLS=reply(), BLANKED=reply(), RECHECK="no answer", CHECK="no answer")
    document = deep.review(status=0)
    (found,) = of_model(document)
    assert (found["state"], found["blocking"]) == ("open", False)
    assert document["verdict"]["status"] == "INCOMPLETE"


def test_a_finding_that_nobody_raises_again_stays(deep: Deep) -> None:
    """The code is as it was: however silent later drafts are, it is open, and blocks."""
    deep.review(status=1)
    deep.repo.commit("More", {"other.py": "x = 1\n"})
    deep.says(DRAFT=reply(), TOOLS=reply(), BLANKED=reply())
    document = deep.review(status=1)
    (found,) = of_model(document)
    assert (found["state"], found["blocking"]) == ("open", True)
    assert document["verdict"]["status"] == "BLOCKED"


FALSE_NOW: dict[str, object] = {"claim": "false", "because": "the guard is back"}


def test_waiting_for_the_budget_is_seen(deep: Deep, monkeypatch: pytest.MonkeyPatch) -> None:
    """A review that may ask nothing for now says that it waits, and that it no longer does."""
    monkeypatch.setenv("ROUNDZERO_MODEL_DRAFTS", "2")
    monkeypatch.setenv("ROUNDZERO_MODEL_PARALLEL", "2")
    monkeypatch.setenv("ROUNDZERO_MODEL_REQUESTS_PER_MINUTE", "1")
    monkeypatch.setattr(budget, "MINUTE", 1.0)
    ran = deep.cli("review", "--model", "deep", "--format", "ndjson")
    rows = [json.loads(row) for row in ran.out.splitlines()]
    waits = [(row["done"], row["total"]) for row in rows if row.get("stage") == "wait"]
    assert waits[0] == (0, None)
    assert waits[-1] == (1, 1)
