"""The argued case of a finding: trigger, mechanism, consequence, claims, open questions, suggestions.

Values only. Checks have no need of it; what a model says is nothing without it. Invariant: numbers of evidence are
0-based places in the evidence of the observation that the anatomy belongs to.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Literal

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from roundzero.core.change import Side


class FailureClass(Enum):
    """What goes wrong, at worst."""

    SECURITY = "security"
    DATA_LOSS = "data-loss"
    CRASH = "crash"
    HANG = "hang"
    WRONG_RESULT = "wrong-result"
    LOAD_FAILURE = "load-failure"
    LEAK = "leak"
    PERFORMANCE = "performance"
    TEST_GAP = "test-gap"
    CI_GAP = "ci-gap"
    MAINTAINABILITY = "maintainability"
    STYLE = "style"


class ClaimVerdict(Enum):
    """What checking a claim gave."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    UNVERIFIABLE = "unverifiable"


class Decides(Enum):
    """What the answer to an open question would settle."""

    EXISTENCE = "existence"
    SEVERITY = "severity"
    REACHABILITY = "reachability"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a mechanism, with the numbers of the evidence it rests on."""

    text: str
    evidence: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows, and of which class it is."""

    text: str
    failure: FailureClass


@dataclass(frozen=True, slots=True, kw_only=True)
class NegativeEvidence:
    """A search that found, or did not find, something: ``hits`` may be 0."""

    query: str
    scope: str
    side: Side
    hits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A check a machine can make of a claim, as a draft proposes it; engine/probes has the kinds."""

    kind: str
    subject: str
    path: str = ""
    expect: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One checkable sentence. A finding stands or falls with its one ``decisive`` claim.

    ``probe`` says in words what checked it, ``blobs`` are the texts it was checked against; ``proposed`` checks that
    whoever made the claim thought of.
    """

    text: str
    verdict: ClaimVerdict = ClaimVerdict.UNVERIFIABLE
    decisive: bool = False
    probe: str | None = None
    blobs: tuple[str, ...] = ()
    proposed: tuple[Probe, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """What the snapshot cannot settle. ``answer`` is what a person said to it."""

    text: str
    decides: Decides
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Votes:
    """In how many drafts a finding was raised, of how many that could be read."""

    given: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """What could be done, and how to see that it worked."""

    text: str
    kind: Literal["fix", "mitigation", "test", "doc", "split"] = "fix"
    verify: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Anatomy:
    """The whole case. ``trigger`` names flags, roles and input; ``base_to_head`` why it is newly reachable.

    Of a deep review: ``confirmed`` says how a second look at it ended (None: there was none), ``contradictions`` what
    other drafts, that look and a fact check said against it, ``reverses`` which earlier advice it takes back, both in
    words.
    """

    trigger: str | None = None
    base_to_head: str | None = None
    mechanism: tuple[Step, ...] = ()
    consequence: Consequence | None = None
    severity_reason: str | None = None
    negative_evidence: tuple[NegativeEvidence, ...] = ()
    claims: tuple[Claim, ...] = ()
    open_questions: tuple[OpenQuestion, ...] = ()
    votes: Votes | None = None
    suggestions: tuple[Suggestion, ...] = ()
    confirmed: bool | None = None
    contradictions: tuple[str, ...] = ()
    reverses: tuple[str, ...] = ()
