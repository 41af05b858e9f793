"""The verdict, with its reasons.

BLOCKED: an open, introduced or exposed P0 or P1 past its gates. A check's is past them; a model's is where a deep
review raised it in enough drafts or confirmed it, verified the claim it stands on, and did so in the very texts under
review. INCOMPLETE: not blocked, and something that should have been looked at was not, or a model's P0 or P1 waits for
a deep review. LGTM otherwise, at its depth; a model that is switched off is no gap. What is skipped by rule never
hinders LGTM. Invariant: the verdict does not depend on what is displayed or on ``--fail-on``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import SkipKind
from roundzero.core.finding import Finding, Origin, State
from roundzero.core.frozen import dataclass
from roundzero.core.item import Severity
from roundzero.core.report import Coverage, Depth, Verdict, VerdictStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roundzero.core.anatomy import Claim
    from roundzero.core.finding import Observation

QUICK: Final = "a model's finding blocks only after a deep review"
UNCONFIRMED: Final = "too few drafts raised it, and no second look was taken"
UNCHECKED: Final = "its decisive claim was not checked"
OUTDATED: Final = "its decisive claim was checked in a text that has changed since"
_WAITING: Final = frozenset({QUICK, UNCONFIRMED, UNCHECKED, OUTDATED})
"""Reasons that a deep review may take away."""

_NAMED: Final = 3
"""Most gaps, and most failures, that a verdict names; all of them are elsewhere in the report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """``blocks_from``: the mildest severity that blocks. ``support``: votes of five a model's finding needs."""

    blocks_from: Severity = Severity.P1
    support: int = 3


def gate(finding: Finding, policy: GatePolicy) -> Finding:
    """The finding with ``blocking`` set, or the reason why it does not block."""
    reason = _why_not(finding, policy)
    return finding.but(blocking=reason is None, not_blocking_because=reason)


def _why_not(finding: Finding, policy: GatePolicy) -> str | None:
    if finding.seen.severity > policy.blocks_from:
        return f"{finding.seen.severity.name} never blocks"
    if finding.origin is Origin.PRE_EXISTING:
        return "it was there before this branch"
    if finding.state is not State.OPEN:
        return f"it is {finding.state.value}"
    if finding.hidden is not None:
        return finding.hidden
    return _model_lacks(finding, policy) if finding.seen.source == "model" else None


def _model_lacks(finding: Finding, policy: GatePolicy) -> str | None:
    short = shortfall(finding.seen, policy)
    if short is not None:
        return short.words
    return OUTDATED if finding.outdated else None


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What a model's finding lacks to block, in words. ``open``: nobody has looked yet."""

    words: str
    open: bool


def shortfall(seen: Observation, policy: GatePolicy) -> Shortfall | None:
    """What a model's finding lacks; None where it is past its gates (its state and its texts aside)."""
    case = seen.anatomy
    if case is None or case.votes is None:
        return Shortfall(QUICK, open=True)
    if case.confirmed is False:
        return Shortfall("a second look did not confirm it", open=False)
    if case.confirmed is None and case.votes.given < policy.support:
        return Shortfall(UNCONFIRMED, open=True)
    if not any(each.is_found for each in seen.evidence):
        return Shortfall("no quote of it was found in the text", open=False)
    return _undecided([claim for claim in case.claims if claim.decisive])


def _undecided(deciding: Sequence[Claim]) -> Shortfall | None:
    """What the claims lack that a finding stands or falls with."""
    from roundzero.core.anatomy import ClaimVerdict  # noqa: PLC0415  only models make claims

    verdicts = {claim.verdict for claim in deciding}
    if not deciding:
        return Shortfall("no claim of it is decisive", open=False)
    if ClaimVerdict.REFUTED in verdicts:
        return Shortfall("its decisive claim is refuted", open=False)
    if verdicts == {ClaimVerdict.VERIFIED}:
        return None
    if any(claim.verdict is ClaimVerdict.UNVERIFIABLE and claim.probe is None for claim in deciding):
        return Shortfall(UNCHECKED, open=True)
    return Shortfall("its decisive claim could not be verified", open=False)


def waiting(finding: Finding) -> bool:
    """Whether it might block after a deep review: none has looked at it, or not at all of it, or at another text."""
    return finding.seen.source == "model" and finding.counts and finding.not_blocking_because in _WAITING


def evaluate(
    findings: Sequence[Finding],
    coverage: Coverage,
    failures: Sequence[str],
    *,
    depth: Depth,
    unasked: Sequence[str] = (),
) -> Verdict:
    """The verdict over gated findings. ``failures`` are stages of the depth asked for that failed, in words.

    ``unasked`` says what of the change a model should have looked at and did not.
    """
    blocking = [finding for finding in findings if finding.blocking]
    gaps = [skip for skip in coverage.skipped if skip.kind is SkipKind.NOT_CHECKED]
    candidates = sum(waiting(finding) and not finding.blocking for finding in findings)
    reasons: list[str] = []
    if blocking:
        reasons.append(_counted(len(blocking), "blocking finding"))
    if candidates and not (depth == "deep" and unasked):  # then that says what they wait for
        waits = "waits" if candidates == 1 else "wait"
        reasons.append(f"{_counted(candidates, 'finding')} of a model {waits} for a deep review")
    reasons.extend(unasked)
    if gaps:
        named = ", ".join(f"{skip.path} ({skip.reason})" for skip in gaps[:_NAMED])
        more = f" and {len(gaps) - _NAMED} more" if len(gaps) > _NAMED else ""
        reasons.append(f"{_counted(len(gaps), 'file')} not checked: {named}{more}")
    reasons.extend(failures[:_NAMED])
    if len(failures) > _NAMED:
        reasons.append(f"{len(failures) - _NAMED} more failures")
    if blocking:
        status = VerdictStatus.BLOCKED
    elif gaps or failures or candidates or unasked:
        status = VerdictStatus.INCOMPLETE
    else:
        status = VerdictStatus.LGTM
    return Verdict(status=status, depth=depth, blocking=len(blocking), reasons=tuple(reasons))


def gravest(findings: Iterable[Finding]) -> Severity | None:
    """The gravest finding past its gates, which decides the exit status; None without any.

    P0 and P1 are past them when they block, the rest when they count. What is displayed does not matter.
    """
    past = (finding for finding in findings if finding.counts)
    return min((each.seen.severity for each in past if each.blocking or each.seen.severity > Severity.P1), default=None)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
