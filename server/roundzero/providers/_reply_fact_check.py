"""The form of a fact check: what became of each claim of a finding, and the lines that bear it out.

Knows form only; whether a quote is true is asked elsewhere. Invariant: a claim is answered once; who gives two verdicts
on it could not tell.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from pydantic import Field

from roundzero.core.anatomy import ClaimVerdict
from roundzero.core.confirming import ClaimAnswer, FactAnswer
from roundzero.core.harmless import line
from roundzero.providers._reply_base import Fault, Form, Line, Proof, Strict, parsed, quotes, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_CLAIMS: Final = 12


class _Claim(Strict):
    claim: int = Field(ge=0, le=99)
    verdict: ClaimVerdict
    reason: Line
    evidence: list[Proof] = Field(max_length=6)


class _Reply(Strict):
    claims: list[_Claim] = Field(max_length=_MOST_CLAIMS)


@cache
def schema() -> Mapping[str, object]:
    """The JSON schema of a fact check, in one piece."""
    return schema_of(_Reply)


def read(text: str) -> FactAnswer | Fault:
    """The answers in a reply, or why there are none."""
    reply = parsed(text, _Reply)
    if isinstance(reply, Fault):
        return reply
    answers: dict[int, ClaimAnswer] = {}
    for each in reply.claims:
        said = ClaimAnswer(
            claim=each.claim, verdict=each.verdict, reason=line(each.reason), quotes=quotes(each.evidence)
        )
        before = answers.setdefault(each.claim, said)
        if before.verdict is not said.verdict:
            answers[each.claim] = replace(before, verdict=ClaimVerdict.UNVERIFIABLE, quotes=())
    return FactAnswer(tuple(answers.values()))


FORM: Final = Form("fact-check", read, schema)
