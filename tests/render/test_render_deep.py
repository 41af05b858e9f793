"""What a deep review found out, in every format: each text once, all numbers, both languages."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from roundzero.core.drafting import Gate
from roundzero.core.model_part import Mismatch, Strength
from roundzero.lsp.hover_text import hover_text
from roundzero.render import json as json_format
from roundzero.render import markdown, ndjson, sarif, terminal
from roundzero.render.kept import pack, unpack
from roundzero.render.look import Look
from roundzero.render.reasons import reason
from roundzero.render.shapes import Event, ReportWire
from roundzero.render.words import ADMITTED
from support.deep import TEXTS, TOOLS, argued, deep_report, proof

if TYPE_CHECKING:
    from roundzero.core.item import Language
    from roundzero.core.report import Report

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
FORMATS = (terminal.render, markdown.render)


def wire(made: Report) -> dict[str, Any]:
    """The report as JSON."""
    found: dict[str, Any] = json.loads(json_format.render(made, Look()))
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_text_is_read_once(language: Language) -> None:
    """In the report of a pull request all of them, and none twice; at a terminal none twice."""
    made = deep_report(language)
    marked = markdown.render(made, Look()).replace("\\", "")
    assert {text: marked.count(text) for text in TEXTS} == dict.fromkeys(TEXTS, 1)
    shown = terminal.render(made, Look(width=300))
    left = {text for text in TEXTS if shown.count(text) != 1}
    assert left == {"a line on this file"}
    assert left.isdisjoint(text for text in TEXTS if shown.count(text) > 1)


def test_a_claim_that_repeats_a_step_names_it() -> None:
    """With its verdict, that it decides, and what checked it."""
    for text in (markdown.render(deep_report(), Look()), terminal.render(deep_report(), Look(width=300))):
        plain = text.replace("\\", "")
        assert "step 1 (decisive, verified, grep -w guard: 0 hits)" in plain
        assert "callers never check (refuted, read by the model: use.py:3)" in plain
        assert "nobody catches it (cannot be verified, nothing to look at)" in plain
        assert "in 4 of 5 drafts, a second look confirmed it" in plain
    zh = markdown.render(deep_report("zh"), Look()).replace("\\", "")
    assert "第 1 步 (决定性, 已证实, grep -w guard：0 处)" in zh
    assert "模型已读：use.py:3" in zh
    assert "4 / 5 份草稿提出，复看证实" in zh


def test_what_a_second_look_said_is_read_once() -> None:
    """Where it made the finding milder, that tells; it is not said again as what speaks against it."""
    made = argued()
    case = made.seen.anatomy
    assert case is not None
    fell = replace(
        case,
        confirmed=False,
        severity_reason="P2 and not P1, because a second look found that it does not hold: there is a guard",
        contradictions=("a second look: there is a guard", "draft 4 graded it P3"),
    )
    text = hover_text(made.but(seen=replace(made.seen, anatomy=fell)), "en", markdown=False)
    assert text.count("there is a guard") == 1
    assert "draft 4 graded it P3" in text


def test_a_reversal_says_so_in_the_readers_language() -> None:
    """And programs find the earlier finding by its id."""
    marked = markdown.render(deep_report(), Look())
    assert "takes back** rz-00000000000a, fixed in round 1: count is checked twice" in marked
    assert "推翻先前** rz-00000000000a，第 1 轮已修复：count is checked twice" in markdown.render(
        deep_report("zh"), Look()
    )
    (found,) = [each for each in wire(deep_report())["findings"] if each["blocking"]]
    assert found["related"] == [{"id": "rz-00000000000a", "kind": "contradicts"}]
    assert len(found["reverses"]) == 2


def test_the_proof_of_a_fix_is_shown_with_its_line() -> None:
    """Place, what stands there, and why that makes the claim false."""
    marked = markdown.render(deep_report(), Look())
    assert "the guard is there again @ `app.py:1` `if count > stock:`" in marked
    assert "app.py:1: if count > stock:" in terminal.render(deep_report(), Look(width=300))
    (left,) = [each for each in wire(deep_report())["findings"] if each["state"] == "fixed"]
    assert left["state_reason"]["quote"] == "if count > stock:"


def test_a_strength_tells_since_when_unless_it_is_new() -> None:
    """The round that saw it first."""
    made = deep_report()
    assert "it says what it takes (since round 2)" in markdown.render(made, Look())
    new = replace(made, strengths=tuple(replace(each, since=3) for each in made.strengths))
    assert "since round 3" not in markdown.render(new, Look())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_models_did_not_see_is_told(language: Language) -> None:
    """Calls that gave nothing, results in part, conversations that ended early: how many, and why."""
    for render in FORMATS:
        text = render(deep_report(language), Look(width=300))
        for why, number in (*TOOLS.unanswered, *TOOLS.ended):
            assert re.search(rf"{re.escape(reason(why, language))} ?[(（]{number}[)）]", text), why
        assert re.search(r"(only a part: |只显示了一部分的工具结果：)4", text)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_was_drafted_and_not_let_in_is_told_apart(language: Language) -> None:
    """What was let in is said to be that; the rest has its reasons."""
    made = deep_report(language)
    assert made.stats.model is not None
    gates = (("admitted", 12), ("no quote could be found in the text", 3), ("not about a changed line", 1))
    made = replace(made, stats=replace(made.stats, model=replace(made.stats.model, gates=gates)))
    text = terminal.render(made, Look(width=300))
    assert ("let in: 12, distinct: 7" if language == "en" else "采纳的发现：12，合并后：7") in text
    (line,) = (line for line in text.splitlines() if reason(gates[1][0], language) in line)
    assert reason(gates[2][0], language) in line
    assert "12" not in line
    assert Gate.ADMITTED.value == ADMITTED
    for each in (text, markdown.render(made, Look())):
        assert each.count(reason(gates[1][0], language)) == 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_all_numbers_of_the_round_are_there(language: Language) -> None:
    """Drafts by voice, clusters, second looks, fact checks, rechecks, tools."""
    for render in FORMATS:
        text = render(deep_report(language), Look(width=300))
        lines = [set(re.findall(r"[0-9]+", line)) for line in text.replace(",", "").splitlines()]
        for numbers in ({"2", "1"}, {"12", "7"}, {"3", "1"}, {"7", "4", "2"}, {"5", "2"}, {"31", "8100"}):
            assert any(numbers <= line for line in lines), numbers
    stats = wire(deep_report())["stats"]
    assert stats["voices"] == [
        {"number": 1, "asked": 2, "ok": 2, "failed": 0}, {"number": 4, "asked": 2, "ok": 1, "failed": 1},
    ]  # fmt: skip
    assert stats["clusters"] == {"drafted": 12, "distinct": 7, "merged": 5}
    assert stats["confirmations"] == {"asked": 3, "held": 1, "fell": 1, "open": 1}
    assert stats["fact_checks"] == {
        "checked": 7, "hold": 4, "refuted": 1, "unparsable": 0, "unverifiable": 2, "proposed": 9, "dropped": 1,
    }  # fmt: skip
    assert stats["rechecks"] == {"asked": 5, "fixed": 2, "open": 1, "failed": 1, "unanswered": 1}
    assert stats["tools"] == {
        "calls": 31, "bytes": 8100, "unanswered": {"may be shown to nobody": 2, "past a limit": 1}, "cut": 4,
        "ended": {"16 calls": 1, "a reply that was truncated": 2},
    }  # fmt: skip
    assert stats["drafts"]["outcomes"] == {"truncated": 1}


def test_the_published_schema_holds_all_of_it() -> None:
    """JSON and its events have exactly the fields they are said to have."""
    TypeAdapter(ReportWire).validate_python(wire(deep_report()), strict=True, extra="forbid")
    for line in ndjson.render(deep_report(), Look()).splitlines():
        TypeAdapter(Event).validate_python(json.loads(line), strict=True, extra="forbid")
    schemas = Path(json_format.__file__).parent / "schema"
    assert '"reverses"' in (schemas / "report-1.json").read_text()


def test_a_kept_report_has_all_of_it() -> None:
    """It renders as it was."""
    made = deep_report()
    back = unpack(pack(made, scope="worktree", base=None, untracked=True)).report
    for render in (json_format.render, markdown.render, sarif.render):
        assert render(back, Look()) == render(made, Look())


def test_sarif_carries_votes_claims_and_disagreements() -> None:
    """As properties of the result, and as a note with its place."""
    (run,) = json.loads(sarif.render(deep_report(), Look()))["runs"]
    (result,) = [each for each in run["results"] if each["properties"]["blocking"]]
    assert result["properties"]["votes"] == {"for": 4, "of": 5}
    assert [each["verdict"] for each in result["properties"]["claims"]] == ["verified", "refuted", "unverifiable"]
    notes = [each["message"]["text"] for each in run["invocations"][0]["toolExecutionNotifications"]]
    assert 'the description says "all is as safe as before": checks are gone though' in notes
    assert run["properties"]["strengths"] == ["it says what it takes"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_hover_says_what_speaks_for_and_against(language: Language) -> None:
    """Votes and second look, claims with what checked them, other drafts, earlier advice; each once."""
    text = hover_text(argued(), language, markdown=False)
    for said in (
        "4",
        "grep -w guard",
        "draft 4 was of another mind",
        "count is checked twice",
        "it asks first",
    ):
        assert said in text
    assert text.count("othing guards it") == 1
    assert text.count("draft 4") == 1


def test_no_secret_is_in_what_was_said_of_the_whole() -> None:
    """Overview, themes, disagreements, strengths, proofs."""
    made = deep_report()
    leaky = replace(
        made,
        summary=f"uses {TOKEN}",
        themes=(TOKEN,),
        overview=tuple(replace(row, summary=TOKEN) for row in made.overview),
        mismatches=(Mismatch(said=TOKEN, text=TOKEN, evidence=(proof(1, TOKEN),)),),
        strengths=(Strength(TOKEN, (proof(1, TOKEN),)),),
        findings=tuple(
            each.but(grounds=replace(each.grounds, quote=TOKEN)) if each.grounds is not None else each
            for each in made.findings
        ),
    )
    for render in (terminal.render, markdown.render, json_format.render, sarif.render):
        assert TOKEN not in render(leaky, Look(width=300))


def test_what_is_said_of_the_whole_does_nothing() -> None:
    """No markup, mention or escape sequence comes out of a model's overview."""
    made = deep_report()
    hostile = "\x1b[31m<b>x</b> @ada [l](http://e.example)\u202e\n# top"
    odd = replace(
        made,
        summary=hostile,
        themes=(hostile,),
        mismatches=(Mismatch(said=hostile, text=hostile, evidence=()),),
        strengths=(Strength(hostile, ()),),
    )
    for render in FORMATS:
        text = render(odd, Look(width=300))
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\n# top" not in text
    outside = "".join(markdown.render(odd, Look()).split("`")[::2])
    assert "<b>" not in outside
    assert "@ada" not in outside


@pytest.mark.parametrize(
    "text",
    [
        "the question about the change as a whole ended offline",
        "2 of 7 earlier findings were not rechecked: waiting for budget",
        "round 3 praised what is gone from app.py: it asks first",
        "said to be fixed, but no new line there shows it: it moved",
        "looked at again, and not decided",
        "take is gone, and the code it was about with it",
        "too few drafts raised it, and no second look was taken",
        "its decisive claim was checked in a text that has changed since",
        "its decisive claim is refuted: grep -w take: 2 hits",
        "P2 and not P0, because its decisive claim could not be verified",
        "P2 and not P1, because an open question decides whether it exists and no claim of it is decisive",
        "P1, because drafts graded it P1, P1, P2; P2 and not P1, because a second look could not confirm it",
        "draft 4 looked for this and found nothing",
        "read by the model: app.py:3",
        "the model could not tell",
        "2 findings of a model were not fact-checked: offline",
    ],
)
def test_sentences_of_a_deep_review_have_their_chinese(text: str) -> None:
    """With the reason inside them."""
    said = reason(text, "zh")
    assert said != text
    assert not {"offline", "because", "decisive", "model"} & {*said.replace("：", " ").split()}
    assert "waiting" not in said
