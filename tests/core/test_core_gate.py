"""The verdict follows from findings, coverage and failures alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundzero.core.anatomy import Anatomy, Claim, ClaimVerdict, Votes
from roundzero.core.change import Skip, SkipKind, Source
from roundzero.core.finding import Finding, FindingId, Hit, Origin, State, Verified, observe
from roundzero.core.gate import GatePolicy, evaluate, gate, gravest
from roundzero.core.item import Item, ItemId, Prose, Severity
from roundzero.core.report import Coverage, VerdictStatus, count
from roundzero.core.text import RelPath

TEXT = Source(RelPath("a.py"), "x\n", "0" * 40)


def finding(
    severity: Severity,
    *,
    origin: Origin = Origin.INTRODUCED,
    state: State = State.OPEN,
    hidden: str | None = None,
    model: bool = False,
    case: Anatomy | None = None,
    outdated: bool = False,
) -> Finding:
    """A gated finding, of a check or of a model. ``case``: what a deep review made of it."""
    item = Item(id=ItemId("p/i"), title=Prose("t"), why=Prose("w"), severity=severity)
    seen = observe(item, Hit(path=TEXT.path, span=TEXT.index.line_span(1)), TEXT, producer="t", version="1")
    seen = replace(seen, source="model", anatomy=case) if model or case is not None else seen
    made = Finding(
        id=FindingId("rz-1"), group="g", seen=seen, origin=origin, in_diff=True, anchor=None, state=state, hidden=hidden
    )
    counts = hidden is None and state is State.OPEN and origin is not Origin.PRE_EXISTING
    return gate(made.but(counts=counts, outdated=outdated), GatePolicy())


def deep(
    given: int = 3, *, confirmed: bool | None = None, verdict: ClaimVerdict = ClaimVerdict.VERIFIED, probe: str = "p"
) -> Anatomy:
    """A case of so many votes of five, whose one claim was checked."""
    claim = Claim(text="c", decisive=True, verdict=verdict, probe=probe or None, blobs=("h",))
    return Anatomy(claims=(claim,), votes=Votes(given, 5), confirmed=confirmed)


def coverage(*skips: Skip) -> Coverage:
    """Coverage of one file with the given skips."""
    return Coverage(files=1, reviewed=1, added_lines=1, skipped=skips)


GAP = Skip(path=RelPath("b"), kind=SkipKind.NOT_CHECKED, reason="not UTF-8")
RULE = Skip(path=RelPath("c"), kind=SkipKind.BY_RULE, reason="binary")


@pytest.mark.parametrize(
    ("made", "blocking"),
    [
        (finding(Severity.P0), True),
        (finding(Severity.P1), True),
        (finding(Severity.P1, origin=Origin.EXPOSED), True),
        (finding(Severity.P2), False),
        (finding(Severity.P0, origin=Origin.PRE_EXISTING), False),
        (finding(Severity.P0, state=State.DISMISSED), False),
        (finding(Severity.P0, state=State.STALE), False),
        (finding(Severity.P0, hidden="excluded"), False),
    ],
)
def test_only_open_grave_findings_of_this_branch_block(made: Finding, blocking: bool) -> None:
    """Whatever does not block says why, and whatever blocks says nothing."""
    assert made.blocking is blocking
    assert (made.not_blocking_because is None) is blocking


@pytest.mark.parametrize(
    ("findings", "cover", "failures", "status"),
    [
        ((), coverage(), (), VerdictStatus.LGTM),
        ((finding(Severity.P3),), coverage(RULE), (), VerdictStatus.LGTM),
        ((), coverage(GAP), (), VerdictStatus.INCOMPLETE),
        ((), coverage(), ("ruff did not run",), VerdictStatus.INCOMPLETE),
        ((finding(Severity.P1),), coverage(GAP), ("ruff did not run",), VerdictStatus.BLOCKED),
    ],
)
def test_blocked_then_incomplete_then_lgtm(
    findings: tuple[Finding, ...], cover: Coverage, failures: tuple[str, ...], status: VerdictStatus
) -> None:
    """A blocker outweighs a gap; a gap outweighs LGTM; what is skipped by rule is no gap."""
    verdict = evaluate(findings, cover, failures, depth="off")
    assert verdict.status is status
    assert (verdict.blocking > 0) == (status is VerdictStatus.BLOCKED)
    assert bool(verdict.reasons) == (status is not VerdictStatus.LGTM)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([finding(Severity.P1)], Severity.P1),
        ([finding(Severity.P3), finding(Severity.P2)], Severity.P2),
        ([], None),
        ([finding(Severity.P2, origin=Origin.PRE_EXISTING)], None),
        ([finding(Severity.P0, hidden="out of scope")], None),
        ([finding(Severity.P2).but(hidden="milder than P1")], Severity.P2),
        ([finding(Severity.P1).but(blocking=False)], None),
    ],
)
def test_the_exit_status_follows_the_gravest_that_counts(found: list[Finding], expected: Severity | None) -> None:
    """What is displayed does not matter; a P0 or P1 has to block, the rest has to be this branch's."""
    assert gravest(found) is expected


@pytest.mark.parametrize(
    ("made", "status", "reasons"),
    [
        ([finding(Severity.P0, model=True)], "INCOMPLETE", ("1 finding of a model waits for a deep review",)),
        ([finding(Severity.P1, model=True)] * 2, "INCOMPLETE", ("2 findings of a model wait for a deep review",)),
        ([finding(Severity.P2, model=True)], "LGTM", ()),
        ([finding(Severity.P1, model=True, origin=Origin.PRE_EXISTING)], "LGTM", ()),
        ([finding(Severity.P1, model=True, state=State.DISMISSED)], "LGTM", ()),
        (
            [finding(Severity.P1), finding(Severity.P1, model=True)],
            "BLOCKED",
            ("1 blocking finding", "1 finding of a model waits for a deep review"),
        ),
    ],
)
def test_a_grave_finding_of_a_model_waits(made: list[Finding], status: str, reasons: tuple[str, ...]) -> None:
    """It never blocks, and while it is open and this branch's the verdict is open too."""
    verdict = evaluate(made, coverage(), (), depth="quick")
    assert (verdict.status.value, verdict.reasons) == (status, reasons)
    assert not any(each.blocking for each in made if each.seen.source == "model")


UNVERIFIABLE = ClaimVerdict.UNVERIFIABLE


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (deep(), None),
        (deep(5), None),
        (deep(1, confirmed=True), None),
        (deep(2), "too few drafts raised it, and no second look was taken"),
        (deep(1, confirmed=False), "a second look did not confirm it"),
        (deep(5, confirmed=False), "a second look did not confirm it"),
        (deep(5, verdict=UNVERIFIABLE), "its decisive claim could not be verified"),
        (deep(1, confirmed=True, verdict=UNVERIFIABLE), "its decisive claim could not be verified"),
        (deep(5, verdict=UNVERIFIABLE, probe=""), "its decisive claim was not checked"),
        (deep(5, verdict=ClaimVerdict.REFUTED), "its decisive claim is refuted"),
        (replace(deep(5), claims=()), "no claim of it is decisive"),
        (replace(deep(2), votes=Votes(2, 2)), "too few drafts raised it, and no second look was taken"),
        (replace(deep(5), votes=None), "a model's finding blocks only after a deep review"),
    ],
)
def test_a_models_finding_blocks_past_all_its_gates_and_else_says_which_it_lacks(
    case: Anatomy, reason: str | None
) -> None:
    """Enough drafts or a second look, and the decisive claim verified. Fewer drafts lower nothing."""
    made = finding(Severity.P1, case=case)
    assert (made.blocking, made.not_blocking_because) == (reason is None, reason)


def test_what_was_checked_in_another_text_never_blocks() -> None:
    """Five votes and a verified claim say nothing of a text nobody read."""
    made = finding(Severity.P0, case=deep(5), outdated=True)
    assert not made.blocking
    assert made.not_blocking_because == "its decisive claim was checked in a text that has changed since"


def test_a_finding_without_a_quote_in_the_text_never_blocks() -> None:
    """What it quotes has to be there."""
    made = finding(Severity.P1, case=deep(5))
    lost = tuple(replace(each, verified=Verified.MISSING) for each in made.seen.evidence)
    made = gate(made.but(seen=replace(made.seen, evidence=lost)), GatePolicy())
    assert made.not_blocking_because == "no quote of it was found in the text"


@pytest.mark.parametrize(
    ("case", "outdated", "waits"),
    [
        (None, False, True),
        (deep(2), False, True),
        (deep(5, verdict=UNVERIFIABLE, probe=""), False, True),
        (deep(5), True, True),
        (deep(5), False, False),
        (deep(1, confirmed=False), False, False),
        (deep(5, verdict=UNVERIFIABLE), False, False),
    ],
)
def test_what_failed_its_gate_waits_for_nothing(case: Anatomy | None, outdated: bool, waits: bool) -> None:
    """Only what a deep review has not looked at, not at all of it, or in another text, keeps a verdict open."""
    made = finding(Severity.P1, model=True, case=case, outdated=outdated)
    verdict = evaluate((made,), coverage(), (), depth="deep")
    assert (verdict.reasons == ("1 finding of a model waits for a deep review",)) is waits
    status = VerdictStatus.BLOCKED if made.blocking else VerdictStatus.INCOMPLETE if waits else VerdictStatus.LGTM
    assert verdict.status is status


def test_what_a_model_did_not_look_at_is_a_gap() -> None:
    """Its sentence is a reason, and the verdict is open."""
    verdict = evaluate(
        (), coverage(), (), depth="quick", unasked=("14 of 16 hunks were looked at by the model: 2 offline",)
    )
    assert verdict.status is VerdictStatus.INCOMPLETE
    assert verdict.reasons == ("14 of 16 hunks were looked at by the model: 2 offline",)


def test_counts_are_of_shown_open_findings_of_this_branch() -> None:
    """Four numbers, P0 to P3; hidden, dismissed and old ones are not in them."""
    found = (
        finding(Severity.P0),
        finding(Severity.P2),
        finding(Severity.P2, hidden="x"),
        finding(Severity.P3, origin=Origin.PRE_EXISTING),
        finding(Severity.P3, state=State.DISMISSED),
    )
    assert count(found) == (1, 0, 1, 0)
