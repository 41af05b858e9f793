"""A refuted claim from the judge to the ledger and back: listed, not open, and remembered for its text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundzero.core.advance import Listened, Occasion, advance
from roundzero.core.anatomy import Anatomy, Claim, ClaimVerdict, Votes
from roundzero.core.change import Change, FileChange, Side, Source, Status
from roundzero.core.claims import whole
from roundzero.core.finding import Evidence, Finding, Observation, State
from roundzero.core.gate import OUTDATED, GatePolicy
from roundzero.core.item import Item, ItemId, LooksAt, Prose, Severity
from roundzero.core.judge import Sight, View, judge, listed, shown
from roundzero.core.known_texts import Texts
from roundzero.core.ledger import Ledger, Round, fold
from roundzero.core.linemap import Hunk
from roundzero.core.recalled import recalled
from roundzero.core.recognition import recognise
from roundzero.core.regrading import LOOKED_DEEPLY, regrade_reason
from roundzero.core.report import VerdictStatus
from roundzero.core.ruleset import Ruleset
from roundzero.core.sighting import Sighting
from roundzero.core.text import RelPath
from support.changes import change_of

PATH = RelPath("a.py")
RULES = Ruleset(
    (Item(id=ItemId("p/a"), title=Prose("t"), why=Prose("w"), severity=Severity.P1, looks_at=LooksAt.HUNK),), "d"
)
V, R, U = ClaimVerdict.VERIFIED, ClaimVerdict.REFUTED, ClaimVerdict.UNVERIFIABLE


def a_change(text: str = "bad()\n", blob: str = "h", snapshot: str = "s") -> Change:
    """One added file of one line."""
    head = Source(PATH, text, blob)
    return change_of(
        FileChange(path=PATH, status=Status.ADDED, base=None, head=head, hunks=(Hunk(0, 0, 1, 1),)),
        commit=None,
        snapshot=snapshot,
    )


def seen(change: Change, verdict: ClaimVerdict, *, blobs: tuple[str, ...] = ("h",), given: int = 5) -> Observation:
    """What a deep review says of the one line, by the verdict on its decisive claim."""
    head = change.files[0].head
    assert head is not None
    claim = Claim(text="c", decisive=True, verdict=verdict, probe="a.py:1 defines it", blobs=blobs)
    return Observation(
        item=ItemId("p/a"),
        producer="m",
        producer_version="1",
        source="model",
        severity=Severity.P1,
        title="t",
        why="w",
        path=PATH,
        side=Side.HEAD,
        span=head.index.line_span(1),
        symbol=None,
        anchor_text=head.text.strip(),
        evidence=(Evidence(path=PATH, side=Side.HEAD, line=1, quote=head.text.strip(), role="r", blob=head.blob),),
        anatomy=Anatomy(claims=(claim,), votes=Votes(given, 5)),
    )


def judged(change: Change, what: Observation, ledger: Ledger | None = None) -> Finding:
    """The one finding of a change, in the light of a ledger."""
    texts = texts_of(change)
    (found,) = judge(
        change,
        Sight(head=(what,)),
        RULES,
        view=View(),
        policy=GatePolicy(),
        identify=lambda rows: recognise(ledger or Ledger(), rows, texts),
    )
    return recalled(found, ledger, texts, settings="s") if ledger is not None else found


def texts_of(change: Change) -> Texts:
    """The texts of now, and no way from any other."""
    return Texts(heads=change.head_texts)


def after(change: Change, found: Finding, ledger: Ledger, at: int = 1) -> Ledger:
    """The ledger after a round with one finding."""
    this = Round(
        index=ledger.next_index,
        at=f"2026-01-0{at}T00:00:00+00:00",
        merge_base="m",
        snapshot=f"{change.snapshot}{at}",
        settings="s",
        verdict=VerdictStatus.LGTM,
        counts=(0, 0, 0, 0),
    )
    result = advance(ledger, [found], texts_of(change), Listened(), Occasion(round=this))
    return fold([*result.events, *([result.round] if result.round is not None else [])], ledger)


def test_five_votes_for_a_refuted_claim_are_listed_and_not_open() -> None:
    """With the reason; it neither counts nor blocks nor shows in an editor."""
    change = a_change()
    found = judged(change, seen(change, R))
    assert (found.state, found.state_text) == (State.REFUTED, "its decisive claim is refuted: a.py:1 defines it")
    assert (found.blocking, found.counts, found.not_blocking_because) == (False, False, "it is refuted")
    assert (listed(found), shown(found)) == (True, False)


def test_a_verified_claim_blocks_on_the_texts_it_was_checked_in_and_no_others() -> None:
    """The file's own blob, or the change as a whole; an older snapshot's five votes block nothing."""
    change = a_change()
    for blobs in (("h",), (whole(change),), ("h", "m")):
        assert judged(change, seen(change, V, blobs=blobs)).blocking
    for others in (("older",), ("h", "older"), (), ("m:older",)):
        found = judged(change, seen(change, V, blobs=others))
        assert (found.blocking, found.not_blocking_because) == (False, OUTDATED)


def test_a_refutation_of_another_text_refutes_nothing() -> None:
    """It was read in a text that is no more."""
    change = a_change()
    found = judged(change, seen(change, R, blobs=("older",)))
    assert (found.state, found.blocking) == (State.OPEN, False)


def test_a_refutation_is_remembered_for_its_text() -> None:
    """Raised again on the same bytes it stays refuted; on others it is open again, and may be refuted again."""
    change = a_change()
    ledger = after(change, judged(change, seen(change, R)), Ledger())
    (entry,) = ledger.entries.values()
    assert (entry.state, entry.sighting.blob) == (State.REFUTED, "h")
    assert entry.proof is not None
    assert entry.proof.text == "its decisive claim is refuted: a.py:1 defines it"
    again = judged(change, seen(change, U, given=1), ledger)
    assert (again.id, again.state, again.blocking) == (entry.id, State.REFUTED, False)
    assert after(change, again, ledger, 2).entries[entry.id].state is State.REFUTED
    moved = a_change(blob="h2", snapshot="s2")
    back = judged(moved, seen(moved, V, blobs=("h2",)), ledger)
    assert (back.id, back.state) == (entry.id, State.OPEN)
    ledger = after(moved, back, ledger, 3)
    assert ledger.entries[entry.id].state is State.OPEN
    ledger = after(moved, judged(moved, seen(moved, R, blobs=("h2",)), ledger), ledger, 4)
    assert (ledger.entries[entry.id].state, ledger.entries[entry.id].sighting.blob) == (State.REFUTED, "h2")


def test_an_open_finding_is_refuted_by_a_deep_review() -> None:
    """A quick one raised it; the ledger says why it is gone."""
    change = a_change()
    quick = replace(seen(change, U), anatomy=Anatomy(claims=(Claim(text="c", decisive=True),)))
    ledger = after(change, judged(change, quick), Ledger())
    (name,) = ledger.entries
    assert ledger.entries[name].state is State.OPEN
    ledger = after(change, judged(change, seen(change, R), ledger), ledger, 2)
    assert (list(ledger.entries), ledger.entries[name].state) == ([name], State.REFUTED)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (None, Votes(3, 5), LOOKED_DEEPLY),
        (Votes(3, 5), Votes(3, 5), None),
        (Votes(3, 5), Votes(1, 5), None),
        (Votes(3, 5), None, None),
        (None, None, None),
    ],
)
def test_a_severity_of_a_model_changes_on_the_same_text_only_by_what_a_deep_review_finds_out(
    old: Votes | None, new: Votes | None, reason: str | None
) -> None:
    """Another number of drafts is no reason, and neither is a quick look after a deep one."""
    change = a_change()

    def sighted(votes: Votes | None, severity: Severity) -> Sighting:
        what = seen(change, U)
        assert what.anatomy is not None
        return Sighting.of(replace(what, severity=severity, anatomy=replace(what.anatomy, votes=votes)), "h")

    got = regrade_reason(sighted(old, Severity.P1), sighted(new, Severity.P2), settings_changed=False)
    assert got == reason
