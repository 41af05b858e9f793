"""What becomes of a finding when its claims are checked: probes to ask, verdicts, and the texts they were read in.

A claim is settled by a probe that its own words ask for; a probe that a draft merely proposes can refute it and never
prove it, since the drafter chose it. Nothing is asked or read here. Invariants: only a whole answer verifies; where two
answers differ nothing is settled; what is verified or refuted names the texts that say so, and holds for no others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.anatomy import ClaimVerdict
from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.core.gate import shortfall
from roundzero.core.item import Severity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from roundzero.core.anatomy import Anatomy, Claim, Probe
    from roundzero.core.change import Change
    from roundzero.core.finding import Observation
    from roundzero.core.gate import GatePolicy
    from roundzero.core.text import RelPath

_NO: Final = frozenset(
    {"absent", "missing", "no", "false", "none", "not", "fails", "gone", "undefined", "不存在", "否"}
)
_YES: Final = frozenset({"", "present", "exists", "yes", "true", "resolves", "collected", "存在", "是"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a probe found: a verdict on what was expected, in words what was looked at, and the texts it was read in."""

    verdict: ClaimVerdict
    words: str
    blobs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A probe with the finding it is asked for. ``claim`` is the number of the claim, ``text`` what it says.

    ``settles``: the claim says just this; ``more``: and something else. ``places`` are the head lines, from 1, that the
    finding stands on and quotes, ``symbol`` the function or class it stands in.
    """

    probe: Probe
    claim: int
    text: str
    settles: bool
    more: bool
    path: RelPath | None
    line: int
    symbol: str | None
    places: tuple[tuple[RelPath, int], ...] = ()

    @property
    def negative(self) -> bool:
        """Whether it is expected not to be there."""
        expected = self.probe.expect.strip().lower()
        return expected in _NO or expected.startswith("no ")

    @property
    def positive(self) -> bool:
        """Whether it is expected to be there, perhaps at a line that is named."""
        expected = self.probe.expect.strip().lower()
        return expected in _YES or expected.isdecimal()

    def found(self, *, there: bool, words: str, blobs: tuple[str, ...]) -> Outcome:
        """What it means that something is, or is not, there; nothing where neither was expected."""
        if not self.negative and not self.positive:
            return Outcome(verdict=ClaimVerdict.UNVERIFIABLE, words=words, blobs=blobs)
        holds = there is self.positive
        return Outcome(verdict=ClaimVerdict.VERIFIED if holds else ClaimVerdict.REFUTED, words=words, blobs=blobs)


def unsure(words: str) -> Outcome:
    """Nothing can be told, and why."""
    return Outcome(verdict=ClaimVerdict.UNVERIFIABLE, words=words)


def asked_of(seen: Observation) -> tuple[Asked, ...]:
    """The probes that a finding's claims ask for, and those its drafter proposed."""
    case = seen.anatomy
    if case is None:
        return ()
    places = tuple(
        dict.fromkeys((each.path, each.line) for each in seen.evidence if each.side is Side.HEAD and each.is_found)
    )
    found: list[Asked] = []
    for number, claim in enumerate(case.claims):
        for probe, settles, more in _probes(claim):
            found.append(
                Asked(
                    probe=probe,
                    claim=number,
                    text=claim.text,
                    settles=settles,
                    more=more,
                    path=seen.path,
                    line=seen.line,
                    symbol=seen.symbol,
                    places=places,
                )
            )
    return tuple(found)


def _probes(claim: Claim) -> Iterable[tuple[Probe, bool, bool]]:
    from roundzero.core.claim_words import settling  # noqa: PLC0415  its patterns are not needed for a start

    own = settling(claim.text)
    known = {(each.probe.kind, _bare(each.probe.subject)) for each in own}
    for each in own:
        path = each.probe.path or next(
            (other.path for other in claim.proposed if (other.kind, _bare(other.subject)) in known), ""
        )
        yield replace(each.probe, path=path), True, each.more
    for probe in claim.proposed:
        if (probe.kind, _bare(probe.subject)) not in known and _bare(probe.subject) in claim.text:
            yield probe, False, False


def _bare(subject: str) -> str:
    return subject.strip().strip("`'\"").removesuffix("()")


def checked(seen: Observation, results: Iterable[tuple[Asked, Outcome]]) -> Observation:
    """The finding with what probes said of its claims.

    A claim that none settles stays as it was settled before, or keeps what they saw, in words.
    """
    case = seen.anatomy
    by_claim: dict[int, list[tuple[Asked, Outcome]]] = {}
    for asked, outcome in results:
        by_claim.setdefault(asked.claim, []).append((asked, outcome))
    if case is None or not by_claim:
        return seen
    claims = tuple(
        _checked(claim, by_claim[number]) if number in by_claim else claim for number, claim in enumerate(case.claims)
    )
    return replace(seen, anatomy=replace(case, claims=claims))


def _checked(claim: Claim, results: Sequence[tuple[Asked, Outcome]]) -> Claim:
    refuting = [outcome for _, outcome in results if outcome.verdict is ClaimVerdict.REFUTED]
    proving = [
        outcome
        for asked, outcome in results
        if outcome.verdict is ClaimVerdict.VERIFIED and asked.settles and not asked.more
    ]
    deciding = proving if not refuting else refuting if not proving else []
    said = deciding or [outcome for _, outcome in results]
    words = "; ".join(dict.fromkeys(outcome.words for outcome in said))
    if not deciding and claim.verdict is not ClaimVerdict.UNVERIFIABLE:
        return claim
    if not deciding:
        return replace(claim, probe=words or None, blobs=())
    blobs = tuple(sorted({blob for outcome in deciding for blob in outcome.blobs}))
    return replace(claim, verdict=deciding[0].verdict, probe=words, blobs=blobs)


def whole(change: Change) -> str:
    """What stands for every text of the head and the base, among the blob ids a claim is bound to."""
    return f"{change.base.merge_base or ''}:{change.snapshot}"


def bound(change: Change, reads: Iterable[tuple[RelPath, Side]], *, wide: bool = False) -> tuple[str, ...]:
    """The ids of texts that were read, by path and side. ``wide``: and of everything that might have been there.

    A text that the change does not touch is bound to the change as a whole: nothing else tells when it does.
    """
    ids: set[str] = set()
    for path, side in reads:
        file = change.file(path)
        if side is Side.BASE:
            ids.add(change.base.merge_base or whole(change))
        elif file is not None and file.head is not None:
            ids.add(file.head.blob)
        else:
            wide = True
    return tuple(sorted(ids | ({whole(change)} if wide or not ids else set())))


def texts_of(change: Change) -> frozenset[str]:
    """All ids that a claim may be bound to and hold for a change."""
    heads = {file.head.blob for file in change.files if file.head is not None}
    return frozenset({whole(change), *heads} | ({change.base.merge_base} if change.base.merge_base else set()))


def is_outdated(case: Anatomy | None, current: Collection[str]) -> bool:
    """Whether a decisive claim was settled in texts that are no more. ``current``: as ``texts_of`` gives them."""
    return any(_is_gone(claim, current) for claim in decisive(case))


def renewed(seen: Observation, current: Collection[str]) -> Observation:
    """A finding without what was settled about it in texts that are no more, so that it is looked at again."""
    case = seen.anatomy
    if case is None or not any(_is_gone(claim, current) for claim in case.claims):
        return seen
    claims = tuple(
        replace(claim, verdict=ClaimVerdict.UNVERIFIABLE, probe=None, blobs=()) if _is_gone(claim, current) else claim
        for claim in case.claims
    )
    confirmed = None if is_outdated(case, current) else case.confirmed
    return replace(seen, anatomy=replace(case, claims=claims, confirmed=confirmed))


def _is_gone(claim: Claim, current: Collection[str]) -> bool:
    """Whether a claim was settled in a text that is no more, or in none that is named."""
    settled = claim.verdict is not ClaimVerdict.UNVERIFIABLE
    return settled and (not claim.blobs or not set(claim.blobs) <= set(current))


def decisive(case: Anatomy | None) -> tuple[Claim, ...]:
    """The claims a finding stands or falls with: there should be one."""
    return tuple(claim for claim in case.claims if claim.decisive) if case is not None else ()


def refutation(case: Anatomy | None) -> str | None:
    """Why a finding does not stand, where a decisive claim of it is refuted; however many drafts raised it."""
    gone = next((claim for claim in decisive(case) if claim.verdict is ClaimVerdict.REFUTED), None)
    if gone is None:
        return None
    return f"its decisive claim is refuted: {gone.probe}" if gone.probe else "its decisive claim is refuted"


def settled(seen: Observation, policy: GatePolicy) -> Observation:
    """A finding of a deep review as grave as its gates let it be, with the reason where that is milder.

    What was not looked at is left: it is not known to be milder.
    """
    case, said = seen.anatomy, seen.severity
    if case is None or case.votes is None or said > Severity.P1 or refutation(case) is not None:
        return seen
    short = shortfall(seen, policy)
    if short is None or short.open:
        return seen
    return milder(seen, short.words)


def unchecked(seen: Observation) -> Observation:
    """A finding whose decisive claims nobody could be asked about: what probes saw of them settles nothing."""
    case = seen.anatomy
    if case is None:
        return seen
    claims = tuple(
        replace(claim, probe=None) if claim.decisive and claim.verdict is ClaimVerdict.UNVERIFIABLE else claim
        for claim in case.claims
    )
    return replace(seen, anatomy=replace(case, claims=claims))


def milder(seen: Observation, why: str) -> Observation:
    """A P0 or P1 as a P2, with the reason; anything else as it is."""
    case, said = seen.anatomy, seen.severity
    if case is None or said > Severity.P1:
        return seen
    reason = f"P2 and not {said.name}, because {why}"
    return replace(seen, severity=Severity.P2, anatomy=replace(case, severity_reason=reason))


__all__ = [
    "Asked", "Outcome", "asked_of", "bound", "checked", "decisive", "is_outdated", "milder",
    "refutation", "renewed", "settled", "texts_of", "unchecked", "unsure", "whole",
]  # fmt: skip
