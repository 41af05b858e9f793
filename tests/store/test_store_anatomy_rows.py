"""What a model argued, as rows of the ledger."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from roundzero.core.anatomy import (
    Anatomy,
    Claim,
    ClaimVerdict,
    Consequence,
    Decides,
    FailureClass,
    NegativeEvidence,
    OpenQuestion,
    Probe,
    Step,
    Suggestion,
    Votes,
)
from roundzero.core.change import Side
from roundzero.core.sighting import Sighting
from roundzero.store._anatomy_rows import anatomy_of, anatomy_row
from roundzero.store._ledger_rows import sighting_of, sighting_row
from support.rounds import observations, source

WHOLE = Anatomy(
    trigger="t",
    base_to_head="b",
    mechanism=(Step("one", (0, 2)), Step("two")),
    consequence=Consequence("it stops", FailureClass.CRASH),
    severity_reason="r",
    negative_evidence=(NegativeEvidence(query="q", scope="s", side=Side.BASE, hits=0),),
    claims=(
        Claim(text="c", verdict=ClaimVerdict.VERIFIED, decisive=True, probe="p", blobs=("1", "2")),
        Claim(text="d", proposed=(Probe(kind="grep-count", subject="f", path="a.py", expect="0"),)),
        Claim(text="e"),
    ),
    open_questions=(OpenQuestion(text="why", decides=Decides.SEVERITY, answer="because"),),
    votes=Votes(3, 5),
    suggestions=(Suggestion(text="do", kind="test", verify="run it"),),
    confirmed=True,
    contradictions=("draft 4 found nothing",),
    reverses=("rz-1", "praised"),
)


@pytest.mark.parametrize("case", [WHOLE, Anatomy(), Anatomy(trigger="t"), Anatomy(confirmed=False)])
def test_a_case_comes_back(case: Anatomy) -> None:
    """Through JSON, all of it and nothing else; what says nothing takes no room."""
    row = json.loads(json.dumps(anatomy_row(case)))
    assert anatomy_of(row) == case
    assert len(row) == sum(getattr(case, name) not in (None, ()) for name in Anatomy.__slots__)


def test_a_claim_from_before_is_read() -> None:
    """Rows of earlier versions have no word on what a claim was checked against."""
    assert anatomy_of({"l": [["c", "verified", True, None]]}).claims == (
        Claim(text="c", verdict=ClaimVerdict.VERIFIED, decisive=True),
    )


def test_a_sighting_keeps_its_case() -> None:
    """Whole, and as what differs from the sighting before."""
    seen = replace(observations(source("a.py", "bad()\n"))[0], source="model", anatomy=WHOLE)
    kept = Sighting.of(seen, "blob")
    assert sighting_of(json.loads(json.dumps(sighting_row(kept, None))), None) == kept
    before = replace(kept, anatomy=None)
    assert sighting_of(json.loads(json.dumps(sighting_row(kept, before))), before) == kept
    assert sighting_of(json.loads(json.dumps(sighting_row(before, kept))), kept) == before
