"""The forms of a second look and of a fact check."""

from __future__ import annotations

import json

import pytest

from roundzero.core.anatomy import ClaimVerdict
from roundzero.core.confirming import FactAnswer, SecondLook
from roundzero.providers.reply import Fault, fits, forms

QUOTED = {"path": "a.py", "side": "head", "line": 3, "quote": "x = 1", "role": "shows it"}
LOOK = {"answer": "holds", "reason": "it is so", "evidence": [QUOTED]}
FACT = {"claims": [{"claim": 0, "verdict": "verified", "reason": "r", "evidence": [QUOTED]}]}


def test_a_second_look_is_read() -> None:
    """The answer, the reason on one line, and the quotes."""
    found = forms()["confirmation"].read(json.dumps(LOOK | {"reason": "it\nis\u202e so"}))
    assert isinstance(found, SecondLook)
    assert (found.answer, found.reason, found.quotes[0].text, found.quotes[0].line) == ("holds", "it is so", "x = 1", 3)


def test_a_fact_check_is_read_and_an_answer_counts_once() -> None:
    """A claim that is answered twice alike is answered so; what two verdicts mean is in test_providers_deep_forms."""
    twice = {"claims": [*FACT["claims"], FACT["claims"][0] | {"reason": "again"}]}
    found = forms()["fact-check"].read(json.dumps(twice))
    assert isinstance(found, FactAnswer)
    assert [(each.claim, each.verdict) for each in found.claims] == [(0, ClaimVerdict.VERIFIED)]


@pytest.mark.parametrize("form", ["confirmation", "fact-check"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "{}",
        "[]",
        '{"answer": "maybe"}',
        json.dumps(LOOK | {"more": 1}),
        json.dumps({"claims": 3}),
        "{" * 9000,
    ],
)
def test_what_is_not_of_the_form_is_a_fault(form: str, text: str) -> None:
    """In words, and nothing is raised."""
    found = forms()[form].read(text)
    assert isinstance(found, Fault)
    assert found.message
    assert not fits(form, text)


@pytest.mark.parametrize("form", ["confirmation", "fact-check"])
def test_a_schema_is_in_one_piece(form: str) -> None:
    """Without references, and closed."""
    made = json.dumps(forms()[form].schema())
    assert "$ref" not in made
    assert '"additionalProperties": false' in made
