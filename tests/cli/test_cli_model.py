"""``roundzero review`` with a model: what it finds, what it costs, what is sent, and what goes wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from roundzero.render.shapes import ReportWire
from support.deep_host import AFTER, BEFORE, LINE, LOST
from support.drafts import drafted, quote, reply, script
from support.model_server import ModelServer, aside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.command import Cli
    from support.repo import Repo

USER = "from shop import take\n\n\ndef buy(shelf):\n    return take(shelf, 3)\n"
RULES = 'packs = ["general"]\n'
OPEN_WORDS = "INCOMPLETE (model: quick): 1 finding of a model waits for a deep review"
TOKEN = "ghp_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"


@dataclass
class Lane:
    """A repository whose branch loses a guard, the command line in it, and a script of answers."""

    cli: Cli
    repo: Repo
    script: Path
    patch: pytest.MonkeyPatch
    said: list[tuple[str, object]] = field(default_factory=list)

    def says(self, *findings: dict[str, object], clean: tuple[str, ...] = (), of: str = "Part of shop.py") -> None:
        """From now on the model answers this to questions about ``of``."""
        self.said = [each for each in self.said if each[0] != of]
        self.said.append((of, reply(*findings, clean=clean)))
        script(self.script, *self.said)

    def wire(self, *options: str) -> dict[str, Any]:
        """The JSON report of a review, proved against the schema."""
        ran = self.cli("review", "--format", "json", *options)
        assert ran.err == ""
        document = json.loads(ran.out)
        TypeAdapter(ReportWire).validate_python(document, strict=True, extra="forbid")
        assert isinstance(document, dict)
        return document


@pytest.fixture
def lane(cli: Cli, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lane:
    """As above; the model says nothing yet."""
    repo.commit("first", {"shop.py": BEFORE, "user.py": USER, ".roundzero.toml": RULES})
    repo.branch("topic")
    repo.write("shop.py", AFTER)
    monkeypatch.setenv("ROUNDZERO_MODEL_PROVIDER", "scripted")
    monkeypatch.setenv("ROUNDZERO_MODEL_SCRIPT", str(tmp_path / "script.jsonl"))
    made = Lane(cli, repo, tmp_path / "script.jsonl", monkeypatch)
    made.says()
    return made


def of_model(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The model's findings."""
    return [each for each in document["findings"] if each["source"] == "model"]


def without_time(document: dict[str, Any]) -> dict[str, Any]:
    """All but what differs between equal reviews."""
    return document | {"reviewed_at": "", "stats": document["stats"] | {"seconds": {}}}


def test_a_true_finding_stands_on_its_line_and_waits(lane: Lane) -> None:
    """What is proved is shown where it is, argued in full, never blocks, and leaves the verdict open."""
    lane.says(LOST)
    document = lane.wire("--model", "quick")
    (found,) = of_model(document)
    assert (found["path"], found["range"]["start"]["line"], found["severity"]) == ("shop.py", 2, "P1")
    assert (found["origin"], found["in_diff"], found["blocking"]) == ("introduced", True, False)
    assert found["trigger"] == "a count that is too large"
    assert found["base_to_head"] == "The guard was removed."
    assert found["mechanism"] == [{"text": "it goes wrong", "evidence": [0]}]
    assert found["consequence"] == {"text": "Articles are lost.", "class": "data-loss"}
    assert found["claims"][0]["decisive"]
    assert found["evidence"][0]["verified"] == "exact"
    assert found["producer"] == "scripted"
    assert document["verdict"] == {
        "status": "INCOMPLETE",
        "stale": False,
        "depth": "quick",
        "blocking": 0,
        "reasons": ["1 finding of a model waits for a deep review"],
    }


def test_a_terminal_shows_the_case_in_order(lane: Lane) -> None:
    """Trigger, base and head, mechanism, consequence, why, evidence with its mark, suggestion; the status is 0."""
    lane.says(LOST)
    ran = lane.cli("review", "--model", "quick")
    assert ran.status == 0
    labels = ("trigger", "base → head", "mechanism", "consequence", "why P1", "evidence", "suggestion")
    places = [ran.out.index(f"    {label} ") for label in labels]
    assert places == sorted(places)
    assert f"E1 shop.py:2 ✓ {LINE}" in ran.out
    assert "it goes wrong [E1]" in ran.out
    assert ran.out.splitlines()[-1] == OPEN_WORDS


def test_a_milder_finding_leaves_the_verdict(lane: Lane) -> None:
    """Only a P0 or P1 waits for anything."""
    lane.says(LOST | {"severity": "P2"})
    document = lane.wire("--model", "quick")
    assert (document["verdict"]["status"], document["counts"]["P2"]) == ("LGTM", 1)


@pytest.mark.parametrize("form", ["markdown", "sarif", "ndjson"])
def test_every_format_takes_a_models_finding(lane: Lane, form: str) -> None:
    """The title and its evidence are in each."""
    lane.says(LOST)
    ran = lane.cli("review", "--model", "quick", "--format", form)
    assert ran.status == 0
    assert str(LOST["title"]) in ran.out.replace("&#8203;", "")


def test_a_wrong_quote_is_dropped_and_counted(lane: Lane) -> None:
    """What cannot be found in the text is not shown; the numbers say so."""
    lane.says(drafted("a ghost", [quote("shop.py", 2, "this line is nowhere in the file", decisive=True)]))
    document = lane.wire("--model", "quick")
    assert of_model(document) == []
    assert document["stats"]["drafts"]["gates"] == {"no quote could be found in the text": 1}
    assert document["verdict"]["status"] == "LGTM"


def test_a_finding_beside_the_change_is_tied_to_it(lane: Lane) -> None:
    """One that lies in another file, shown to the model as a use, hangs on the changed line it quotes."""
    far = quote("user.py", 5, "return take(shelf, 3)", decisive=True)
    lane.says(drafted("buy() relies on the check in take()", [far, quote("shop.py", 2, LINE)]))
    (found,) = of_model(lane.wire("--model", "quick"))
    assert (found["path"], found["range"]["start"]["line"], found["in_diff"]) == ("user.py", 5, False)
    assert found["anchor"] == {"path": "shop.py", "line": 2}
    assert found["origin"] == "introduced"


def test_a_finding_unrelated_to_the_change_is_dropped(lane: Lane) -> None:
    """What no changed line has to do with is none of this branch's."""
    lane.says(drafted("user.py is dull", [quote("user.py", 1, "from shop import take", decisive=True)]))
    document = lane.wire("--model", "quick")
    assert of_model(document) == []
    assert document["stats"]["drafts"]["gates"] == {"not about a changed line": 1}


def test_an_untrusted_repository_sends_nothing(lane: Lane) -> None:
    """With a provider but without trust the model is off, a notice says so, and nothing is recorded or counted."""
    lane.says(LOST)
    document = lane.wire()
    assert of_model(document) == []
    assert document["verdict"]["depth"] == "off"
    assert document["stats"]["model"] is None
    assert any("not trusted" in notice for notice in document["notices"])


def test_a_trusted_repository_is_asked_about(lane: Lane) -> None:
    """Provider and trust together are enough, unless model reviews are switched off."""
    lane.says(LOST)
    lane.cli("trust")
    assert lane.wire()["verdict"]["depth"] == "quick"
    lane.patch.setenv("ROUNDZERO_MODEL_MODE", "off")
    assert lane.wire()["verdict"]["depth"] == "off"


def test_without_a_provider_there_is_no_model(lane: Lane) -> None:
    """Off is no gap; asking for one says what to set; deep says that it does not exist."""
    lane.patch.delenv("ROUNDZERO_MODEL_PROVIDER")
    document = lane.wire()
    assert (document["verdict"]["status"], document["verdict"]["depth"], document["notices"]) == ("LGTM", "off", [])
    ran = lane.cli("review", "--model", "quick")
    assert ran.status == 2
    assert "set model.provider" in ran.err
    ran = lane.cli("review", "--model", "deep")
    assert ran.status == 2
    assert "--model deep: no model provider is configured" in ran.err
    lane.patch.setenv("ROUNDZERO_MODEL_PROVIDER", "opnai")
    assert 'ROUNDZERO_MODEL_PROVIDER must be "openai" or' in lane.cli("review", "--model", "quick").err
    assert 'ROUNDZERO_MODEL_PROVIDER must be "openai" or' in lane.cli("doctor", "--what-is-sent").out


def test_the_second_review_costs_nothing(lane: Lane) -> None:
    """The same change is not asked about twice, and the round is not written twice."""
    lane.says(LOST)
    first = lane.wire("--model", "quick")
    assert (first["stats"]["drafts"]["requests"], first["round"]["index"]) == (1, 1)
    assert first["stats"]["tokens"]["sent"] > 0
    second = lane.wire("--model", "quick")
    assert (second["stats"]["drafts"]["requests"], second["stats"]["drafts"]["cached"]) == (0, 1)
    assert (second["stats"]["tokens"], second["round"]["index"]) == ({"sent": 0, "received": 0}, 1)
    assert of_model(second) == of_model(first)
    ran = lane.cli("review", "--model", "quick")
    assert "Model scripted looked at hunks: 1 of 1, nothing sent, 1 from the cache" in ran.out


def test_only_what_was_spent_tells_a_cached_review_from_the_first(lane: Lane) -> None:
    """With every reply kept and the ledger unchanged, reviews are the same document; the first one also spent."""
    lane.says(LOST)
    lane.patch.setenv("ROUNDZERO_MODEL_PRICE_INPUT", "3")
    lane.wire("--model", "quick")  # the round that brings the finding
    lane.says(LOST, clean=("general/error-semantics",))
    first, second, third = (without_time(lane.wire("--model", "quick")) for _ in range(3))
    assert second == third
    assert first["stats"]["cost"] > second["stats"]["cost"] == 0
    assert first["stats"]["tokens"] != second["stats"]["tokens"]
    for document in (first, second):
        spent = document["stats"] | {"tokens": None, "cost": None}
        spent["drafts"] = spent["drafts"] | {"requests": None, "cached": None}
        document["stats"] = spent
    assert first == second


def test_a_price_gives_a_cost(lane: Lane) -> None:
    """Cost is known where prices are, and null elsewhere."""
    assert lane.wire("--model", "quick")["stats"]["cost"] is None
    lane.patch.setenv("ROUNDZERO_MODEL_PRICE_INPUT", "1000000")
    lane.patch.setenv("ROUNDZERO_MODEL_CACHE", "false")
    document = lane.wire("--model", "quick")
    assert document["stats"]["cost"] == document["stats"]["tokens"]["sent"]


def test_dismissed_stays_dismissed_in_other_words(lane: Lane) -> None:
    """After more edits the model says it otherwise, under another item: it is the same finding, and put aside."""
    lane.says(LOST)
    (found,) = of_model(lane.wire("--model", "quick"))
    assert lane.cli("ledger", "dismiss", found["id"], "--reason", "callers check").status == 0
    lane.repo.write("shop.py", '"""The shop."""\n\n' + AFTER)
    lane.says(
        drafted(
            "articles are lost by take() for a count that is too large",
            [quote("shop.py", 4, LINE, decisive=True)],
            item="general/error-semantics",
        )
    )
    (again,) = of_model(lane.wire("--model", "quick"))
    assert (again["id"], again["state"]) == (found["id"], "dismissed")
    assert again["item"] == "general/error-semantics"


def test_what_was_said_before_goes_along(lane: Lane, tmp_path: Path) -> None:
    """A dismissal is in the next question about its lines, and no reason to ask one again."""
    lane.says(LOST)
    (found,) = of_model(lane.wire("--model", "quick"))
    lane.cli("ledger", "dismiss", found["id"], "--reason", "callers check")
    assert lane.wire("--model", "quick")["stats"]["drafts"]["requests"] == 0
    lane.repo.write("shop.py", AFTER + "\n\nSIZE = 3\n")
    lane.wire("--record", str(tmp_path / "next"), "--model", "quick")
    after = "".join(path.read_text() for path in (tmp_path / "next").iterdir())
    assert f"general/other-defect at {LINE} (dismissed: callers check)" in after


def test_the_ledger_keeps_the_case(lane: Lane) -> None:
    """``ledger show`` and ``report`` tell what was argued, without asking again."""
    lane.says(LOST)
    (found,) = of_model(lane.wire("--model", "quick"))
    shown = lane.cli("ledger", "show", found["id"]).out
    assert "trigger: a count that is too large" in shown
    assert f"E1: shop.py:2 (head) ✓ {LINE}" in shown
    kept = json.loads(lane.cli("report", "--format", "json").out)
    assert of_model(kept)[0]["mechanism"] == found["mechanism"]
    assert kept["stats"]["drafts"]["asked"] == 1


def test_a_replay_gives_the_same_report(lane: Lane, tmp_path: Path) -> None:
    """What was recorded replays without a provider, byte for byte but for the time, and writes no key."""
    folder = str(tmp_path / "kept")
    lane.patch.setenv("ROUNDZERO_API_KEY", "sk-key-of-a-person-0123456789")
    lane.says(LOST)
    first = lane.wire("--model", "quick", "--record", folder, "--no-ledger")
    lane.patch.delenv("ROUNDZERO_MODEL_PROVIDER")
    lane.script.unlink()
    again = lane.wire("--replay", folder, "--no-ledger")
    assert json.dumps(without_time(again)) == json.dumps(without_time(first))
    assert "sk-key" not in "".join(path.read_text() for path in (tmp_path / "kept").iterdir())


def test_a_replay_of_another_change_says_what_is_missing(lane: Lane, tmp_path: Path) -> None:
    """A question that was not recorded is a gap."""
    lane.wire("--model", "quick", "--record", str(tmp_path / "kept"), "--no-ledger")
    lane.repo.write("shop.py", AFTER + "\n\nSIZE = 3\n")
    document = lane.wire("--replay", str(tmp_path / "kept"), "--no-ledger")
    assert document["verdict"]["status"] == "INCOMPLETE"
    assert "this question was not recorded" in document["verdict"]["reasons"][0]


@pytest.mark.parametrize(
    "options",
    [
        ("--record", "a", "--replay", "b"),
        ("--record", "a", "--model", "off"),
        ("--replay", "none-such"),
        ("--record", "a"),
    ],
)
def test_options_that_make_no_sense_are_refused(lane: Lane, options: tuple[str, ...]) -> None:
    """Status 2, with what to do; a recording is no consent."""
    ran = lane.cli("review", *options)
    assert ran.status == 2
    assert ran.err.startswith("roundzero: ")


def test_secrets_are_in_no_request_and_no_report(lane: Lane, tmp_path: Path) -> None:
    """The value stays here; a model that guesses it does not show it either."""
    lane.repo.write("shop.py", AFTER + f'\n\nTOKEN = "{TOKEN}"\n')
    lane.says(LOST | {"title": f"take() logs {TOKEN}", "trigger": TOKEN})
    document = lane.wire("--model", "quick", "--record", str(tmp_path / "kept"))
    requests = [json.loads(path.read_text())["request"] for path in (tmp_path / "kept").iterdir()]
    assert TOKEN not in json.dumps(requests)
    assert "TOKEN = " in json.dumps(requests)
    (found,) = of_model(document)
    assert TOKEN not in json.dumps(document)
    assert TOKEN not in lane.cli("ledger", "show", found["id"]).out
    for form in ("terminal", "markdown", "sarif"):
        assert TOKEN not in lane.cli("review", "--model", "quick", "--format", form).out


def test_an_ignored_file_is_not_asked_about(lane: Lane, tmp_path: Path) -> None:
    """What .roundzeroignore names is in no request."""
    lane.repo.write(".roundzeroignore", "private.py\n")
    lane.repo.write("private.py", "def private_thing():\n    return 1\n")
    lane.wire("--model", "quick", "--record", str(tmp_path / "kept"))
    sent = "".join(path.read_text() for path in (tmp_path / "kept").iterdir())
    assert "Part of shop.py" in sent
    assert "private_thing" not in sent


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"ROUNDZERO_MODEL_BASE_URL": "http://127.0.0.1:9/v1"}, "offline"),
        ({"ROUNDZERO_MODEL_BASE_URL": "https://models.example.com/v1"}, "no key for openai"),
        ({"ROUNDZERO_MODEL_BASE_URL": "http://models.example.com/v1"}, "the model was not asked: "),
        ({"ROUNDZERO_MODEL_BASE_URL": "http://127.0.0.1:9/v1", "ROUNDZERO_MODEL_NAME": ""}, "no model is named"),
        ({"ROUNDZERO_MODEL_BASE_URL": "http://127.0.0.1:9/v1", "ROUNDZERO_MODEL_TOKENS_PER_HOUR": "10"}, "budget"),
    ],
)
def test_a_failure_of_the_model_costs_only_the_model(lane: Lane, variables: dict[str, str], words: str) -> None:
    """One sentence in the verdict; what checks found stands, and so does the exit status."""
    lane.repo.write("user.py", USER + "\n<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n")
    before = lane.wire("--model", "off", "--no-ledger")
    lane.patch.setenv("ROUNDZERO_MODEL_PROVIDER", "openai")
    lane.patch.setenv("ROUNDZERO_MODEL_NAME", "m")
    for name, value in variables.items():
        lane.patch.setenv(name, value)
    document = lane.wire("--model", "quick", "--no-ledger")
    assert document["findings"] == before["findings"]
    reasons = [reason for reason in document["verdict"]["reasons"] if words in reason]
    assert len(reasons) == 1
    assert document["verdict"]["status"] in {"INCOMPLETE", "BLOCKED"}
    assert (
        lane.cli("review", "--model", "quick", "--no-ledger").status
        == lane.cli("review", "--model", "off", "--no-ledger").status
    )


@pytest.fixture
def host() -> Iterator[ModelServer]:
    """A host on this machine that does what the model's name says, in a thread of its own."""
    with aside(lambda _: ModelServer()) as server:
        yield server


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("401", "1 without a valid key"),
        ("quota", "1 waiting for budget"),
        ("redirect", "1 "),
        ("truncated", "1 with an answer that was cut off"),
        ("refused", "1 refused"),
        ("empty", "1 without an answer"),
        ("html", "1 "),
        ("echo", "1 "),
    ],
)
def test_a_host_that_does_not_answer_is_a_gap(lane: Lane, host: ModelServer, name: str, words: str) -> None:
    """One sentence, status 0, a key in no output, and no second request where another would not help."""
    for variable, value in (("PROVIDER", "openai"), ("NAME", name), ("BASE_URL", host.url)):
        lane.patch.setenv(f"ROUNDZERO_MODEL_{variable}", value)
    lane.patch.setenv("ROUNDZERO_API_KEY", "sk-key-of-a-person-0123456789")
    ran = lane.cli("review", "--model", "quick")
    assert (ran.status, ran.err) == (0, "")
    last = ran.out.splitlines()[-1]
    assert last.startswith(f"INCOMPLETE (model: quick): 0 of 1 hunk was looked at by the model: {words}")
    assert "sk-key" not in ran.out
    assert len(host.requests) == 1
    assert b"sk-key" in host.requests[0].split(b"\r\n\r\n")[0]


def test_units_that_are_not_covered_are_counted(lane: Lane) -> None:
    """The verdict says how many hunks were looked at, and why others were not."""
    lane.patch.setenv("ROUNDZERO_MODEL_MAX_UNIT_LINES", "10")
    lane.repo.write("large.py", "".join(f"x{number} = {number}\n" for number in range(200)))
    document = lane.wire("--model", "quick")
    assert document["verdict"]["status"] == "INCOMPLETE"
    hunks = document["stats"]["hunks"]
    assert hunks == {"total": 2, "covered": 1}
    assert document["verdict"]["reasons"] == ["1 of 2 hunks were looked at by the model: 1 too large"]
    lane.patch.setenv("ROUNDZERO_LANGUAGE", "zh")
    last = lane.cli("review", "--model", "quick").out.splitlines()[-1]
    assert last == "INCOMPLETE (模型：quick)：模型看了 2 个改动块中的 1 个：1 个过大"


def test_an_answer_that_fits_no_question_is_a_gap(lane: Lane) -> None:
    """A hunk without an answer is not covered."""
    script(lane.script, ("nothing like this", reply()))
    document = lane.wire("--model", "quick")
    assert document["verdict"]["reasons"] == [
        "0 of 1 hunk was looked at by the model: 1 without an answer (no scripted answer fits the question)"
    ]
    assert document["stats"]["drafts"]["outcomes"] == {"empty": 1}


def test_items_a_model_answered_pass(lane: Lane) -> None:
    """An item without a check passes where the model says that it looked and found nothing, and only there."""
    lane.says(clean=("general/error-semantics",))
    statuses = {each["item"]: each["status"] for each in lane.wire("--model", "quick")["checklists"]}
    assert statuses["general/error-semantics"] == "pass"
    assert statuses["general/other-defect"] == "not-checked"
    statuses = {each["item"]: each["status"] for each in lane.wire("--model", "off")["checklists"]}
    assert statuses["general/error-semantics"] == "not-checked"


def test_what_is_sent_is_shown_and_not_sent(lane: Lane, tmp_path: Path) -> None:
    """``doctor --what-is-sent`` prints the very body a review records, and no key, and leaves no round."""
    lane.wire("--model", "quick", "--record", str(tmp_path / "kept"), "--no-ledger")
    (path,) = (tmp_path / "kept").iterdir()
    recorded = json.loads(path.read_text())["request"]
    shown = lane.cli("doctor", "--what-is-sent").out
    assert json.loads(shown.split("\n\n", 1)[1]) == recorded
    assert "not trusted" in shown
    assert "A deep review (--model deep, or on command in an editor) sends more, to the same address" in shown
    assert shown.startswith("The only request about this change; it is sent ")
    assert lane.cli("ledger", "rounds").out.count("\n") <= 1
    assert lane.cli("doctor", "--what-is-sent", "shop.py").out.split("\n\n", 1)[1] == shown.split("\n\n", 1)[1]
    assert lane.cli("doctor", "--what-is-sent", "user.py").out.startswith("Nothing is sent about user.py")


def test_what_is_sent_names_the_address_without_the_key(lane: Lane) -> None:
    """Of a host the address and the body as they are; a key is nowhere."""
    lane.patch.setenv("ROUNDZERO_MODEL_PROVIDER", "anthropic")
    lane.patch.setenv("ROUNDZERO_MODEL_NAME", "some-model")
    lane.patch.setenv("ROUNDZERO_API_KEY", "sk-key-of-a-person-0123456789")
    shown = lane.cli("doctor", "--what-is-sent").out
    head, body = shown.split("\n\n", 1)
    assert head.splitlines()[-1].startswith("POST https://api.anthropic.com/")
    assert json.loads(body)["model"] == "some-model"
    assert "sk-key" not in shown


def test_a_hook_asks_where_it_is_configured(lane: Lane) -> None:
    """hook.model counts in a trusted repository; a waiting candidate does not stop the commit."""
    lane.says(LOST)
    lane.repo.stage()
    lane.patch.setenv("ROUNDZERO_HOOK_MODEL", "quick")
    hook = ("hook", "run", "--stage", "pre-commit")
    ran = lane.cli(*hook)
    assert (ran.status, "hook.model quick has no effect" in ran.err) == (0, True)
    lane.patch.setenv("ROUNDZERO_LANGUAGE", "zh")
    assert "hook.model quick 不起作用：未询问模型，因为此仓库未受信任" in lane.cli(*hook).err
    lane.patch.setenv("ROUNDZERO_LANGUAGE", "en")
    lane.cli("trust")
    ran = lane.cli(*hook)
    assert ran.status == 0
    assert OPEN_WORDS in ran.err


def test_a_repository_cannot_switch_the_model_on(lane: Lane) -> None:
    """Settings of the repository about a model are refused, also in hooks."""
    lane.patch.delenv("ROUNDZERO_MODEL_PROVIDER")
    lane.repo.write(".roundzero.toml", RULES + '[model]\nprovider = "scripted"\n[hook]\nmodel = "quick"\n')
    document = lane.wire()
    assert document["verdict"]["depth"] == "off"
    assert sum("cannot be set by a repository" in notice for notice in document["notices"]) == 2


def test_safe_fixes_are_applied_before_a_model_looks(lane: Lane, tmp_path: Path) -> None:
    """With --fix a model is asked about the result only."""
    lane.repo.write(".roundzero.toml", 'packs = ["general", "python"]\n')
    test = "from unittest import mock\n\nfrom user import buy\n\n\ndef test_buy():\n"
    lane.repo.write("test_user.py", test + '    with mock.patch("shop.take"):\n        assert buy([]) is None\n')
    lane.wire("--model", "quick", "--fix", "--record", str(tmp_path / "kept"))
    sent = "".join(path.read_text() for path in (tmp_path / "kept").iterdir())
    assert "user.take" in lane.repo.read("test_user.py")
    assert sent.count("Part of test_user.py") == 1
    assert "shop.take" not in sent


def test_a_finding_does_not_vanish_from_unchanged_code(lane: Lane) -> None:
    """Not said again, or a model out of reach, is no reason to go while text and evidence are the same."""
    lane.says(LOST)
    (found,) = of_model(lane.wire("--model", "quick"))
    lane.says()
    document = lane.wire("--model", "quick")
    assert [each["id"] for each in of_model(document)] == [found["id"]]
    assert document["verdict"]["status"] == "INCOMPLETE"
    lane.patch.delenv("ROUNDZERO_MODEL_SCRIPT")
    assert [each["id"] for each in of_model(lane.wire("--model", "quick"))] == [found["id"]]
    lane.patch.setenv("ROUNDZERO_MODEL_SCRIPT", str(lane.script))
    lane.repo.write("shop.py", BEFORE)
    assert [each["state"] for each in of_model(lane.wire("--model", "quick"))] == ["stale"]


def test_progress_counts_the_questions(lane: Lane) -> None:
    """The stage "model" tells how many questions are answered, of how many."""
    ran = lane.cli("review", "--model", "quick", "--format", "ndjson")
    events = [json.loads(line) for line in ran.out.splitlines()]
    stages = [
        (each["done"], each["total"]) for each in events if each["event"] == "progress" and each["stage"] == "model"
    ]
    assert stages == [(0, 1), (1, 1)]


def test_the_limits_of_the_environment_hold(lane: Lane) -> None:
    """Requests a minute and parallel are read from the environment, and a wrong one is named."""
    lane.patch.setenv("ROUNDZERO_MODEL_REQUESTS_PER_MINUTE", "100")
    lane.patch.setenv("ROUNDZERO_MODEL_PARALLEL", "2")
    assert lane.wire("--model", "quick")["notices"] == []
    lane.patch.setenv("ROUNDZERO_MODEL_PARALLEL", "none")
    assert any("ROUNDZERO_MODEL_PARALLEL" in notice for notice in lane.wire("--model", "quick")["notices"])
