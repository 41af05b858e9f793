"""Replies of rechecks and overviews: what is read, what costs itself, what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from roundzero.core.confirming import FactAnswer
from roundzero.core.overview import OverviewDraft
from roundzero.core.rechecking import RecheckDraft, Stand
from roundzero.providers.reply import Fault, Form, forms

QUOTE = {"path": "a.py", "side": "head", "line": 2, "quote": "if x:"}
RECHECK = {"claim": "false", "because": "x is\u202e checked\n", "quotes": [{**QUOTE, "role": "", "decisive": True}]}
OVERVIEW = {
    "summary": "what\nfor",
    "themes": ["one"],
    "files": [{"path": "a.py", "text": "does"}],
    "strengths": [{"text": "good", "quotes": [QUOTE]}],
    "description": [{"said": "s", "text": "t", "quotes": []}],
}


def form(name: str) -> Form[object]:
    """A form by its name."""
    return forms()[name]


def test_a_recheck_is_read() -> None:
    """Stand, reason and quotes, harmless; prose around the JSON is forgiven."""
    said = form("recheck").read(f"Here you are:\n{json.dumps(RECHECK)}")
    assert isinstance(said, RecheckDraft)
    assert (said.stand, said.because) == (Stand.FALSE, "x is checked")
    assert (said.quotes[0].text, said.quotes[0].decisive) == ("if x:", True)


@pytest.mark.parametrize("order", [("verified", "refuted"), ("refuted", "verified"), ("verified", "unverifiable")])
def test_who_gives_two_verdicts_on_a_claim_could_not_tell(order: tuple[str, str]) -> None:
    """Whichever comes first; the same verdict twice is one."""
    proof = {**QUOTE, "role": ""}
    rows = [{"claim": 0, "verdict": each, "reason": "", "evidence": [proof]} for each in order]
    rows += [{"claim": 1, "verdict": "verified", "reason": "", "evidence": [proof]}] * 2
    said = form("fact-check").read(json.dumps({"claims": rows}))
    assert isinstance(said, FactAnswer)
    assert [(each.claim, each.verdict.value, len(each.quotes)) for each in said.claims] == [
        (0, "unverifiable", 0), (1, "verified", 1),
    ]  # fmt: skip


def test_an_overview_is_read_and_a_broken_part_costs_itself() -> None:
    """What is left stands, and what was wrong is told of."""
    said = form("overview").read(json.dumps(OVERVIEW))
    assert isinstance(said, OverviewDraft)
    assert (said.summary, said.files, len(said.strengths), len(said.mismatches)) == (
        "what for", (("a.py", "does"),), 1, 1,
    )  # fmt: skip
    broken = OVERVIEW | {"strengths": [{"text": "x" * 1000, "quotes": []}, *OVERVIEW["strengths"]], "files": ["a.py"]}
    said = form("overview").read(json.dumps(broken))
    assert isinstance(said, OverviewDraft)
    assert (len(said.strengths), said.files) == (1, ())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("recheck", "{}"),
        ("recheck", json.dumps(RECHECK | {"claim": "fixed"})),
        ("recheck", json.dumps(RECHECK | {"more": 1})),
        ("overview", json.dumps(OVERVIEW | {"files": "none"})),
        ("overview", json.dumps({name: each for name, each in OVERVIEW.items() if name != "summary"})),
        ("overview", "no JSON"),
    ],
)
def test_what_is_of_another_form_is_a_fault(name: str, text: str) -> None:
    """In words a model can act on."""
    said = form(name).read(text)
    assert isinstance(said, Fault)
    assert said.message


@pytest.mark.parametrize("name", ["recheck", "overview"])
def test_a_schema_is_in_one_piece(name: str) -> None:
    """Without references, with every property required and no other allowed."""
    schema = form(name).schema()
    assert "$ref" not in json.dumps(schema)
    assert schema["additionalProperties"] is False


@given(some.text(max_size=200), some.sampled_from(["recheck", "overview"]))
def test_no_reply_breaks_the_reading(text: str, name: str) -> None:
    """Whatever it is."""
    assert isinstance(form(name).read("{" + text + "}"), Fault | RecheckDraft | OverviewDraft)
