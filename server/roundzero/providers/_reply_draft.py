"""The form of a draft: what a model found in a unit.

Knows form only; whether a quote is true is asked elsewhere. Invariants: a finding that cannot be read costs itself, and
is told of; a probe that is none costs itself, and is counted.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field

from roundzero.core.anatomy import (
    Anatomy,
    Claim,
    Consequence,
    Decides,
    FailureClass,
    OpenQuestion,
    Probe,
    Step,
    Suggestion,
)
from roundzero.core.harmless import clean, line, prose
from roundzero.core.item import Severity
from roundzero.core.model_values import Draft, DraftFinding
from roundzero.providers._reply_base import (
    Fault,
    Form,
    Line,
    Strict,
    Text,
    WeighedProof,
    Word,
    each_of,
    parsed,
    quotes,
    schema_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_FINDINGS: Final = 8
MOST_PROBES: Final = 2


class _Step(Strict):
    text: Line
    evidence: list[int] = Field(max_length=8)


class _Consequence(Strict):
    text: Line
    failure: FailureClass


class _Probe(Strict):
    kind: Literal[
        "symbol-exists", "grep-count", "import-resolves", "value-equals", "test-collected", "file-names", "quote-at"
    ]
    subject: Annotated[str, Field(min_length=1, max_length=200)]
    path: Line
    expect: Word


class _Claim(Strict):
    text: Line
    decisive: bool
    probes: list[_Probe] = Field(max_length=MOST_PROBES)


class _Question(Strict):
    text: Line
    decides: Decides


class _Suggestion(Strict):
    text: Text
    kind: Literal["fix", "mitigation", "test", "doc", "split"]


class _Finding(Strict):
    item: Word
    severity: Literal["P0", "P1", "P2", "P3"]
    title: Line
    path: Line
    line: int = Field(ge=1, le=10_000_000)
    end_line: int = Field(ge=1, le=10_000_000)
    trigger: Line
    base_to_head: Line
    mechanism: list[_Step] = Field(max_length=8)
    consequence: _Consequence
    severity_reason: Line
    evidence: list[WeighedProof] = Field(max_length=12)
    claims: list[_Claim] = Field(max_length=6)
    open_questions: list[_Question] = Field(max_length=4)
    suggestions: list[_Suggestion] = Field(max_length=3)
    replacement: Annotated[str, Field(max_length=2000)] | None


class _Reply(Strict):
    findings: list[_Finding] = Field(max_length=MOST_FINDINGS)
    clean: list[Word] = Field(max_length=60)


class _Loose(Strict):
    """A reply whose findings are still to be read one by one: a broken one costs itself."""

    findings: list[Any] = Field(max_length=MOST_FINDINGS)
    clean: list[Word] = Field(max_length=60)


@cache
def schema() -> Mapping[str, object]:
    """The JSON schema of a draft, in one piece."""
    return schema_of(_Reply)


def read(text: str) -> Draft | Fault:
    """The draft in a reply, or why there is none. Fences and prose around the JSON are forgiven, nothing within."""
    reply = parsed(text, _Loose)
    if isinstance(reply, Fault):
        return reply
    faults: list[str] = []
    dropped = sum(_drop_probes(each) for each in reply.findings)
    rows = each_of(reply.findings, _Finding, lambda at, why: faults.append(f"findings.{at}: {why}"))
    findings = tuple(_finding(each) for each in rows)
    if faults and not findings:
        return Fault("; ".join(faults))
    return Draft(
        findings=findings,
        faults=tuple(faults),
        answered=tuple(line(each) for each in reply.clean),
        dropped_probes=dropped,
    )


def _drop_probes(finding: Any) -> int:  # noqa: ANN401  any JSON
    """Leave of the probes of a finding's claims what are probes, in place; how many are none, or too many."""
    claims = finding.get("claims") if isinstance(finding, dict) else None
    dropped = 0
    for claim in claims if isinstance(claims, list) else ():
        if not isinstance(claim, dict):
            continue
        said = claim.get("probes", [])
        given = said if isinstance(said, list) else [said]
        claim["probes"] = [each for each in given if _is_probe(each)][:MOST_PROBES]
        dropped += len(given) - len(claim["probes"])
    return dropped


def _is_probe(said: object) -> bool:
    try:
        _Probe.model_validate(said)
    except (ValueError, RecursionError):
        return False
    return True


def _finding(said: _Finding) -> DraftFinding:
    evidence = quotes(said.evidence)
    return DraftFinding(
        item=line(said.item),
        title=line(prose(said.title)) or line(prose(said.consequence.text)) or line(said.item) or "?",
        why=prose(said.consequence.text),
        severity=Severity[said.severity],
        path=line(said.path),
        line=said.line,
        end_line=max(said.line, said.end_line),
        quotes=evidence,
        anatomy=Anatomy(
            trigger=prose(said.trigger) or None,
            base_to_head=prose(said.base_to_head) or None,
            mechanism=tuple(
                Step(prose(each.text), tuple(at for at in each.evidence if 0 <= at < len(evidence)))
                for each in said.mechanism
            ),
            consequence=Consequence(prose(said.consequence.text), said.consequence.failure),
            severity_reason=prose(said.severity_reason) or None,
            claims=tuple(
                Claim(text=prose(each.text), decisive=each.decisive, proposed=tuple(map(_probe, each.probes)))
                for each in said.claims
            ),
            open_questions=tuple(
                OpenQuestion(text=prose(each.text), decides=each.decides) for each in said.open_questions
            ),
            suggestions=tuple(Suggestion(text=prose(each.text), kind=each.kind) for each in said.suggestions),
        ),
        replacement=None if said.replacement is None else clean(said.replacement),
    )


def _probe(said: _Probe) -> Probe:
    return Probe(kind=said.kind, subject=clean(said.subject), path=line(said.path), expect=line(said.expect))


FORM: Final = Form("draft", read, schema)
