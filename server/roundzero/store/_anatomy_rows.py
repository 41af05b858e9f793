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
    Step,
    Suggestion,
    Votes,
)
from roundzero.core.change import Side

if TYPE_CHECKING:
    from collections.abc import Mapping


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
        "l": [[each.text, each.verdict.value, each.decisive, each.probe] for each in case.claims],
        "o": [[each.text, each.decides.value, each.answer] for each in case.open_questions],
        "v": [votes.given, votes.of] if votes is not None else None,
        "s": [[each.text, each.kind, each.verify] for each in case.suggestions],
    }
    return {name: value for name, value in row.items() if value}


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
        claims=tuple(
            Claim(text=text, verdict=ClaimVerdict(verdict), decisive=decisive, probe=probe)
            for text, verdict, decisive, probe in row.get("l", ())
        ),
        open_questions=tuple(
            OpenQuestion(text=text, decides=Decides(decides), answer=answer)
            for text, decides, answer in row.get("o", ())
        ),
        votes=Votes(votes[0], votes[1]) if votes is not None else None,
        suggestions=tuple(Suggestion(text=text, kind=kind, verify=verify) for text, kind, verify in row.get("s", ())),
    )
