"""Why an entry is in its state, as a row of the ledger."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from roundzero.core.anatomy import Anatomy, Claim, Probe
from roundzero.core.finding import FindingId, State
from roundzero.core.ledger import Entry, Proof
from roundzero.core.sighting import Sighting, without_secrets
from roundzero.core.text import RelPath
from roundzero.store._ledger_rows import entry_of, entry_row
from support.rounds import observations, source

SEEN = Sighting.of(observations(source("a.py", "bad()\n"))[0], "blob")
PLAIN = Proof(text="checked again", path=RelPath("a.py"), line=3, commit="c")
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"


@pytest.mark.parametrize("proof", [PLAIN, replace(PLAIN, quote="if x:"), Proof(text="t"), None])
def test_a_proof_comes_back(proof: Proof | None) -> None:
    """With the line that shows it, where there is one; without, its row is what it was before there were any."""
    entry = Entry(id=FindingId("rz-1"), state=State.FIXED, sighting=SEEN, first_seen=1, last_seen=1, proof=proof)
    row = json.loads(entry_row(entry))
    assert entry_of("rz-1", row) == entry
    assert len(row.get("p", ())) == (0 if proof is None else 5 if proof.quote is not None else 4)


def test_no_secret_of_a_deep_review_is_kept() -> None:
    """Neither in what other drafts said, nor in earlier advice, nor in what a probe was to look for."""
    claim = Claim(text=TOKEN, probe=TOKEN, proposed=(Probe(kind="k", subject=TOKEN, expect=TOKEN),))
    case = Anatomy(contradictions=(TOKEN,), reverses=(TOKEN,), claims=(claim,))
    assert TOKEN not in repr(without_secrets(case))
