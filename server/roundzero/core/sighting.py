"""What the ledger keeps of an observation, so that it is recognised and can be told of when nobody sees it any more.

Knows neither entries nor states. Invariant: no secret's value is kept, and texts that are equal are equal as they are
kept.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from roundzero.core.finding import Evidence, Observation
from roundzero.core.frozen import dataclass
from roundzero.core.secrets import redact
from roundzero.core.text import collapse

if TYPE_CHECKING:
    from roundzero.core.anatomy import Anatomy, Claim
    from roundzero.core.change import Side
    from roundzero.core.item import ItemId, Severity
    from roundzero.core.text import LineIndex, RelPath, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What an observation looked like when it was last seen: what matching needs, and no secret's value.

    ``blob`` is the object id of the text it was seen in ("" for the change as a whole). ``why`` is kept for findings of
    a model only, as is the ``anatomy``; a check's why is in its item.
    """

    item: ItemId
    producer: str
    producer_version: str
    source: Literal["check", "model"]
    severity: Severity
    title: str
    path: RelPath | None
    side: Side
    span: Span | None
    symbol: str | None
    anchor_text: str
    blob: str
    why: str = ""
    evidence: tuple[Evidence, ...] = ()
    anatomy: Anatomy | None = None

    @property
    def line(self) -> int:
        """The line it starts on; 0 when it is about a whole file or change."""
        return self.span.start.line if self.span is not None else 0

    @staticmethod
    def of(seen: Observation, blob: str) -> Sighting:
        """What is kept of an observation."""
        return Sighting(
            item=seen.item,
            producer=seen.producer,
            producer_version=seen.producer_version,
            source=seen.source,
            severity=seen.severity,
            title=redacted(seen.title),
            path=seen.path,
            side=seen.side,
            span=seen.span,
            symbol=seen.symbol,
            anchor_text=redacted(seen.anchor_text),
            blob=blob,
            why=redact(seen.why) if seen.source == "model" else "",
            evidence=tuple(replace(each, quote=redacted(each.quote)) for each in seen.beyond),
            anatomy=without_secrets(seen.anatomy) if seen.anatomy is not None else None,
        )

    def observation(self) -> Observation:
        """As an observation again, for reports on what is no longer seen."""
        return Observation(
            item=self.item,
            producer=self.producer,
            producer_version=self.producer_version,
            source=self.source,
            severity=self.severity,
            title=self.title,
            why=self.why,
            path=self.path,
            side=self.side,
            span=self.span,
            symbol=self.symbol,
            anchor_text=self.anchor_text,
            evidence=self.evidence,
            anatomy=self.anatomy,
        )


def without_secrets(case: Anatomy) -> Anatomy:
    """An anatomy as the ledger keeps it."""

    def or_none(text: str | None) -> str | None:
        return None if text is None else redact(text)

    return replace(
        case,
        trigger=or_none(case.trigger),
        base_to_head=or_none(case.base_to_head),
        mechanism=tuple(replace(each, text=redact(each.text)) for each in case.mechanism),
        consequence=replace(case.consequence, text=redact(case.consequence.text)) if case.consequence else None,
        severity_reason=or_none(case.severity_reason),
        negative_evidence=tuple(
            replace(each, query=redact(each.query), scope=redact(each.scope)) for each in case.negative_evidence
        ),
        claims=tuple(_claim_without_secrets(each) for each in case.claims),
        open_questions=tuple(
            replace(each, text=redact(each.text), answer=or_none(each.answer)) for each in case.open_questions
        ),
        suggestions=tuple(
            replace(each, text=redact(each.text), verify=or_none(each.verify)) for each in case.suggestions
        ),
        contradictions=tuple(redact(each) for each in case.contradictions),
        reverses=tuple(redact(each) for each in case.reverses),
    )


def _claim_without_secrets(claim: Claim) -> Claim:
    proposed = tuple(replace(each, subject=redact(each.subject), expect=redact(each.expect)) for each in claim.proposed)
    probe = None if claim.probe is None else redact(claim.probe)
    return replace(claim, text=redact(claim.text), probe=probe, proposed=proposed)


@lru_cache(maxsize=8192)
def redacted(text: str) -> str:
    """A line as the ledger keeps it. Remembered, because the same lines are asked for at each keystroke."""
    return redact(text)


def line_reading(anchor_text: str, index: LineIndex, near: int) -> int | None:
    """The line nearest to ``near`` (from 1) that reads as the ledger keeps ``anchor_text``; None where none does."""
    lines = range(1, index.line_count + 1)
    same = (line for line in lines if redacted(collapse(index.line(line))) == anchor_text)
    return min(same, key=lambda line: abs(line - near), default=None)
