"""The argued case of a model's finding as a row, and back; absent where a field says nothing.

Invariant: decoding what was encoded gives an equal value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def anatomy_row(case: Anatomy) -> dict[str, object]:
    """An anatomy."""
    follows, votes = case.consequence, case.votes
    row: dict[str, object] = {
        "t": case.trigger,
        "b": case.base_to_head,
        "m": [[each.text, list(each.evidence)] for each in case.mechanism],
        "c": [follows.text, follows.failure.value] if follows is not None else None,
        "r": case.severity_reason,
        "n": [[each.query, each.scope, each.side.value, each.hits] for each in case.negative_evidence],
        "l": [_claim_row(each) for each in case.claims],
        "o": [[each.text, each.decides.value, each.answer] for each in case.open_questions],
        "v": [votes.given, votes.of] if votes is not None else None,
        "s": [[each.text, each.kind, each.verify] for each in case.suggestions],
        "d": list(case.contradictions),
        "e": list(case.reverses),
    }
    return {name: value for name, value in row.items() if value} | (
        {"h": case.confirmed} if case.confirmed is not None else {}
    )


def anatomy_of(row: Mapping[str, Any]) -> Anatomy:
    """The anatomy of a row."""
    follows, votes = row.get("c"), row.get("v")
    return Anatomy(
        trigger=row.get("t"),
        base_to_head=row.get("b"),
        mechanism=tuple(Step(text, tuple(evidence)) for text, evidence in row.get("m", ())),
        consequence=Consequence(follows[0], FailureClass(follows[1])) if follows is not None else None,
        severity_reason=row.get("r"),
        negative_evidence=tuple(
            NegativeEvidence(query=query, scope=scope, side=Side(side), hits=hits)
            for query, scope, side, hits in row.get("n", ())
        ),
        claims=tuple(_claim_of(*each) for each in row.get("l", ())),
        open_questions=tuple(
            OpenQuestion(text=text, decides=Decides(decides), answer=answer)
            for text, decides, answer in row.get("o", ())
        ),
        votes=Votes(votes[0], votes[1]) if votes is not None else None,
        suggestions=tuple(Suggestion(text=text, kind=kind, verify=verify) for text, kind, verify in row.get("s", ())),
        confirmed=row.get("h"),
        contradictions=tuple(row.get("d", ())),
        reverses=tuple(row.get("e", ())),
    )


def _claim_row(claim: Claim) -> list[object]:
    """A claim. What it was checked against, and by what it could be, stand at the end where there is such."""
    row: list[object] = [claim.text, claim.verdict.value, claim.decisive, claim.probe]
    if claim.blobs or claim.proposed:
        row.append(list(claim.blobs))
    if claim.proposed:
        row.append([[each.kind, each.subject, each.path, each.expect] for each in claim.proposed])
    return row


def _claim_of(
    text: str,
    verdict: str,
    decisive: bool,  # noqa: FBT001  a column of a row
    probe: str | None,
    blobs: Sequence[str] = (),
    proposed: Sequence[Sequence[str]] = (),
) -> Claim:
    return Claim(
        text=text,
        verdict=ClaimVerdict(verdict),
        decisive=decisive,
        probe=probe,
        blobs=tuple(blobs),
        proposed=tuple(
            Probe(kind=kind, subject=subject, path=path, expect=expect) for kind, subject, path, expect in proposed
        ),
    )
