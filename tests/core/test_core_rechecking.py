"""A finding leaves as fixed only with a proof."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from roundzero.core.advance import Listened, Occasion, Recheck, advance
from roundzero.core.anatomy import ClaimVerdict
from roundzero.core.change import Side
from roundzero.core.finding import State
from roundzero.core.item import Severity
from roundzero.core.ledger import Proof, Round, fold
from roundzero.core.recheck_candidates import candidates, is_touched, removed, text_of_then
from roundzero.core.recheck_question import question
from roundzero.core.rechecking import NO_PROOF, RecheckDraft, Stand, Subject, judged
from roundzero.core.remembered import Remembered
from roundzero.core.report import VerdictStatus
from roundzero.core.text import RelPath
from support.earlier import APP, CLAIM, MENDED, NAME, POPS, RULES, THEN, Earlier, hunks, quote, source

if TYPE_CHECKING:
    from collections.abc import Collection

    from roundzero.core.finding import FindingId
    from roundzero.core.model_values import Quote

ELSEWHERE = THEN.replace("    return value", "    if value > 3:\n        raise ValueError(value)\n    return value")
LONG = "step_0 = compute(shelf, 0)\n" + "".join(f"    step_{at} = compute(shelf, {at})\n" for at in range(1, 10))
GONE = "def give(box):\n    yield from box\n\n\ndef other(value):\n    return value\n"


def subjects(earlier: Earlier, *, delta: Collection[str] = (), said: Collection[FindingId] = ()) -> list[Subject]:
    """What has to be looked at again, with the text of then."""
    found = candidates(
        earlier.ledger, earlier.change, earlier.texts, {}, RULES, covers=lambda _: True, said=said,
        delta=[RelPath(path) for path in delta],
    )  # fmt: skip
    olds = {each.blob: each for each in (source(earlier.then),)}
    made = []
    for each in found:
        then = text_of_then(each, olds)
        known = hunks(then.text, each.again.text.text) if then is not None else None
        made.append(replace(each, then=then, hunks=known))
    return [each for each in made if is_touched(each, earlier.change)]


def answer(stand: Stand, *quotes: Quote, because: str = "count is checked first") -> RecheckDraft:
    """An answer."""
    return RecheckDraft(stand=stand, because=because, quotes=quotes)


def result(earlier: Earlier, said: RecheckDraft, **more: Collection[FindingId]) -> Recheck | Remembered | None:
    """What an answer about the one subject makes of it."""
    (subject,) = subjects(earlier, **more)
    return judged(subject, said, earlier.sources, earlier.change)


def test_fixed_is_what_a_new_line_at_the_symbol_proves() -> None:
    """The proof is the line, what it reads, the commit, and in words why the claim is false."""
    found = result(Earlier({APP: MENDED}), answer(Stand.FALSE, quote("if count > len(shelf):", 2)))
    proof = Proof(text="count is checked first", path=APP, line=2, commit="c" * 40, quote="if count > len(shelf):")
    assert found == Recheck(outcome="negated", proof=proof)


@pytest.mark.parametrize(
    ("now", "quotes"),
    [
        (MENDED, ()),
        (MENDED, (quote("if count > 3000 and shelf.empty():", 2),)),
        (MENDED, (quote(POPS, 4),)),
        (MENDED, (quote("if count > len(shelf):", 2, side=Side.BASE),)),
        (ELSEWHERE.replace("for _ in", "for i in"), (quote("raise ValueError(value)", 7),)),
        (THEN.replace("count)]", "count)]  # fine"), (quote("def take(shelf, count):", 1),)),
        (
            MENDED.replace("    if count", "    # the count is checked by every caller\n    if count"),
            (quote("# the count is checked by every caller", 2),),
        ),
        (THEN.replace(POPS, f"{LONG}    return shelf"), (quote("step_1 = compute(shelf, 1)", 2),)),
    ],
)
def test_without_proof_nothing_is_fixed(now: str, quotes: tuple[Quote, ...]) -> None:
    """No quote, one that is nowhere, the finding's own, the base, elsewhere, old, a comment, far from the edit."""
    then = THEN.replace(POPS, f"{LONG}    {POPS}") if LONG in now else THEN
    earlier = Earlier(
        {APP: now}, then=then, line=12 if LONG in now else 2, quotes=(quote(POPS, 12 if LONG in now else 2),)
    )
    found = result(earlier, answer(Stand.FALSE, *quotes))
    assert isinstance(found, Recheck)
    assert found.outcome == "failed"
    assert found.proof.text == f"{NO_PROOF}: count is checked first"


def test_where_what_was_quoted_is_gone_any_line_of_the_symbol_may_prove_it() -> None:
    """What was removed leaves nothing new to quote."""
    now = THEN.replace(f"    {POPS}\n", "    return shelf\n")
    found = result(Earlier({APP: now}), answer(Stand.FALSE, quote("def take(shelf, count):", 1)))
    assert isinstance(found, Recheck)
    assert found.outcome == "negated"


def test_what_holds_is_seen_again_in_the_texts_of_now() -> None:
    """With the lines quoted for it, and its claim bound to the text it was judged in."""
    found = result(Earlier({APP: MENDED}), answer(Stand.HOLDS, quote(POPS, 4)))
    assert isinstance(found, Remembered)
    assert (found.id, found.holds, found.seen.line) == (NAME, True, 4)
    (claim,) = found.seen.anatomy.claims if found.seen.anatomy is not None else ()
    assert (claim.verdict, claim.blobs) == (ClaimVerdict.VERIFIED, (source(MENDED).blob,))
    assert claim.probe == "read by the model: app.py:4"


def test_what_was_never_verified_is_not_so_by_a_recheck() -> None:
    """That it still holds says nothing about whether it did."""
    earlier = Earlier({APP: MENDED}, verdict=ClaimVerdict.UNVERIFIABLE)
    found = result(earlier, answer(Stand.HOLDS, quote(POPS, 4)))
    assert isinstance(found, Remembered)
    assert found.seen.anatomy is not None
    assert found.seen.anatomy.claims[0].verdict is ClaimVerdict.UNVERIFIABLE


def test_what_moved_within_its_symbol_is_seen_where_it_is_quoted() -> None:
    """Its own line is gone; the line that shows it now is its place."""
    now = THEN.replace(POPS, "taken = list(map(lambda _: shelf.pop(), range(count)))\n    return taken")
    found = result(
        Earlier({APP: now}), answer(Stand.HOLDS, quote("taken = list(map(lambda _: shelf.pop(), range(count)))", 2))
    )
    assert isinstance(found, Remembered)
    assert (found.holds, found.seen.line, found.seen.symbol) == (True, 2, "take")
    assert found.seen.anchor_text.startswith("taken = list")


@pytest.mark.parametrize("stand", [Stand.UNCLEAR, Stand.HOLDS])
def test_what_cannot_be_substantiated_is_no_more_than_that(stand: Stand) -> None:
    """Undecided, or said to hold by a line that is not there, after its own line went."""
    now = THEN.replace(POPS, "return shelf")
    found = result(Earlier({APP: now}), answer(stand, quote("nothing_like(this, at, all)", 2)))
    assert isinstance(found, Recheck)
    assert found.outcome == "failed"


def test_only_what_the_change_touches_is_looked_at_again() -> None:
    """Not for an unchanged text, nor for an edit of another function, nor where it was raised again anyhow."""
    unsure = ClaimVerdict.UNVERIFIABLE
    assert subjects(Earlier({APP: THEN})) == []
    assert subjects(Earlier({APP: ELSEWHERE}, verdict=unsure)) == []
    assert len(subjects(Earlier({APP: MENDED}, verdict=unsure))) == 1
    assert subjects(Earlier({APP: MENDED}), said=[NAME]) == []


def test_what_may_block_is_looked_at_whenever_its_file_is_another() -> None:
    """A claim that was read in a text that is no more lets nothing block; a milder finding can wait."""
    earlier = Earlier({APP: ELSEWHERE})
    (subject,) = subjects(earlier)
    mild = replace(subject.entry, sighting=replace(subject.entry.sighting, severity=Severity.P2))
    assert not is_touched(replace(subject, entry=mild), earlier.change)


def test_what_was_looked_for_everywhere_is_not_settled_by_reading_here() -> None:
    """The claim stays bound to the change it was checked in, for the probe that can check it again."""
    earlier = Earlier({APP: MENDED})
    (subject,) = subjects(earlier)
    case = subject.again.seen.anatomy
    assert case is not None
    claims = tuple(replace(each, blobs=("base:snapshot",)) for each in case.claims)
    seen = replace(subject.again.seen, anatomy=replace(case, claims=claims))
    wide = replace(subject, again=replace(subject.again, seen=seen))
    found = judged(wide, answer(Stand.HOLDS, quote(POPS, 4)), earlier.sources, earlier.change)
    assert isinstance(found, Remembered)
    assert found.seen.anatomy is not None
    assert found.seen.anatomy.claims == claims


def test_a_changed_caller_is_a_reason_to_look() -> None:
    """An edit of another file that names the function; only of files that differ from the round before."""
    earlier = Earlier({APP: THEN, "use.py": "take(shelf, min(count, len(shelf)))\n"})
    assert len(subjects(earlier, delta=["use.py"])) == 1
    assert subjects(earlier) == []


def test_a_round_in_between_does_not_hide_a_change() -> None:
    """Seen again by nobody but us, its claim is still the one that was checked in the text of then."""
    earlier = Earlier({APP: MENDED})
    entry = earlier.ledger.entries[NAME]
    later = replace(entry, sighting=replace(entry.sighting, blob=source(MENDED).blob))
    found = candidates(
        replace(earlier.ledger, entries={NAME: later}), earlier.change, earlier.texts, {}, RULES, covers=lambda _: True
    )
    assert [each.entry.id for each in found] == [NAME]


def test_a_function_that_was_deleted_is_the_proof_itself() -> None:
    """Nobody is asked; a function that moved, was renamed, or lives on elsewhere is no such proof."""
    (subject,) = subjects(Earlier({APP: GONE}))
    found = removed(subject, Earlier({APP: GONE}).change)
    assert found is not None
    assert (found.outcome, found.proof.text) == ("negated", "take is gone, and the code it was about with it")
    others: tuple[dict[str, str], ...] = (
        {APP: GONE + "\n\ndef take(shelf):\n    return shelf\n"},
        {APP: GONE, "b.py": "def take(shelf):\n    return 1\n"},
        {APP: THEN.replace("def take", "def grab").replace("for _", "for i")},
    )
    for now in others:
        earlier = Earlier(now)
        assert [removed(each, earlier.change) for each in subjects(earlier)] == [None]


def test_a_fixed_finding_is_looked_at_again_where_it_reads_as_before() -> None:
    """With its proof gone and its own lines there; said to hold with a quote it is back, otherwise it stays fixed."""
    proof = Proof(text="checked", path=APP, line=2, quote="if count > len(shelf):")
    fixed = Earlier({APP: THEN}, then=MENDED, line=4, quotes=(quote(POPS, 4),), state=State.FIXED, proof=proof)
    back = result(fixed, answer(Stand.HOLDS, quote(POPS, 2)))
    assert isinstance(back, Remembered)
    assert result(fixed, answer(Stand.HOLDS)) is None
    assert result(fixed, answer(Stand.UNCLEAR)) is None
    assert result(fixed, answer(Stand.FALSE)) is None
    still = Earlier({APP: MENDED}, then=MENDED, line=4, quotes=(quote(POPS, 4),), state=State.FIXED, proof=proof)
    assert subjects(still) == []


def test_rounds_tell_fixed_from_silent() -> None:
    """The ledger says fixed after a proof, unconfirmed after a failed recheck, and open after silence."""
    earlier = Earlier({APP: MENDED})
    found = result(earlier, answer(Stand.FALSE, quote("if count > len(shelf):", 2)))
    lost = result(earlier, answer(Stand.UNCLEAR))
    assert isinstance(found, Recheck)
    assert isinstance(lost, Recheck)
    for rechecks, state in (({NAME: found}, State.FIXED), ({NAME: lost}, State.UNCONFIRMED), ({}, State.STALE)):
        this = Round(
            index=2,
            at="2026-01-02",
            merge_base="b",
            snapshot="s2",
            settings="s",
            verdict=VerdictStatus.LGTM,
            counts=(0, 0, 0, 0),
        )
        given = advance(earlier.ledger, [], earlier.texts, Listened(), Occasion(round=this, rechecks=rechecks))
        assert fold(given.events, earlier.ledger).entries[NAME].state is state


def test_the_question_shows_the_claim_what_changed_and_the_code_of_now() -> None:
    """In fences, without secrets; nothing of a file that may not be shown."""
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
    now = MENDED.replace("raise ValueError(count)", f'raise ValueError("{token}")')
    earlier = Earlier({APP: now}, quotes=(quote(POPS, 2), quote("raise ValueError(count)", 3, side=Side.BASE)))
    (subject,) = subjects(earlier)
    asked = question(subject, earlier.sources, language="en", schema={})
    assert asked is not None
    text = asked.turns[0].text
    assert CLAIM in text
    assert "+    2     if count > len(shelf):" in text
    assert "Quoted by the finding, base: app.py" in text
    assert token not in text
    hidden = {key: each for key, each in earlier.sources.items() if key[1] is Side.HEAD}
    fewer = question(subject, hidden, language="en", schema={})
    assert fewer is not None
    assert "Quoted by the finding, base" not in fewer.turns[0].text
    assert question(subject, {}, language="en", schema={}) is None
