"""Advice that takes back earlier advice says so."""

from __future__ import annotations

from dataclasses import replace

from roundzero.core.change import Side
from roundzero.core.finding import Evidence, FindingId, Observation, State
from roundzero.core.item import ItemId, Severity
from roundzero.core.ledger import Ledger, Proof
from roundzero.core.outline import symbol_at
from roundzero.core.reversal import advice, lines_that_came, named_in, with_reversals
from roundzero.core.strengths import KeptStrength
from roundzero.core.text import RelPath, collapse
from support.earlier import APP, MENDED, NAME, Earlier, source

HEAD = source(MENDED)
PROOF = Proof(text="checked", path=APP, line=2, quote="if count > len(shelf):")
SAID = "rz-000000000001, fixed in round 2: take() empties the shelf"


def seen(line: int, *, item: str = "general/other-defect") -> Observation:
    """A finding of now, about a line."""
    return Observation(
        item=ItemId(item), producer="m", producer_version="1", source="model", severity=Severity.P1, title="t", why="",
        path=APP, side=Side.HEAD, span=HEAD.index.line_span(line), symbol=symbol_at(APP, HEAD.index, line),
        anchor_text=collapse(HEAD.index.line(line)),
    )  # fmt: skip


def fixed(proof: Proof | None = PROOF, state: State = State.FIXED) -> Ledger:
    """A ledger with a finding that was fixed in round 2."""
    return Earlier({APP: MENDED}, state=state, proof=proof, left=2).ledger


def taken(
    ledger: Ledger,
    *found: Observation,
    came: dict[FindingId, tuple[RelPath, frozenset[int]]] | None = None,
    strengths: tuple[KeptStrength, ...] = (),
) -> list[tuple[str, ...]]:
    """What each finding takes back."""
    known = advice(ledger, strengths, came=came or {})
    return [each.anatomy.reverses if each.anatomy is not None else () for each in with_reversals(found, known)]


def test_a_finding_on_the_line_that_proved_a_fix_takes_it_back() -> None:
    """It names the earlier finding, its round and its words; a finding beside it does not."""
    assert taken(fixed(), seen(2), seen(4), seen(7)) == [(SAID,), (), ()]
    assert named_in(SAID) == NAME


def test_so_does_one_on_lines_that_took_a_defects_place() -> None:
    """Also where a check saw the fix, and nothing is quoted; not in another symbol."""
    came = {NAME: (APP, lines_that_came({APP: HEAD}, APP, range(2, 4)))}
    assert taken(fixed(None), seen(2), seen(3), seen(4), came=came) == [(SAID,), (SAID,), ()]
    elsewhere = replace(seen(2), symbol="other")
    assert taken(fixed(None), elsewhere, came=came) == [()]
    assert lines_that_came({APP: HEAD}, APP, range(5, 7)) == frozenset()


def test_a_defect_that_came_back_is_no_reversal() -> None:
    """The same item on the same text is the finding itself."""
    came = {NAME: (APP, frozenset({4}))}
    assert taken(fixed(None), seen(4), came=came) == [()]
    assert taken(fixed(None), seen(4, item="p/other"), came=came) == [(SAID,)]


def test_only_what_was_fixed_was_advised() -> None:
    """An open finding is no advice that was taken."""
    assert taken(fixed(PROOF, State.OPEN), seen(2)) == [()]


def test_praise_of_what_is_now_found_wrong_is_named() -> None:
    """By its words and the round that gave it."""
    proof = Evidence(path=APP, side=Side.HEAD, line=2, quote="if count > len(shelf):", role="", blob="b")
    kept = KeptStrength(text="refuses too large a count", evidence=(proof,), symbols=("take",), round=1)
    assert taken(Ledger(), seen(2), seen(3), strengths=(kept,)) == [
        ("praised in round 1: refuses too large a count",), (),
    ]  # fmt: skip
    assert named_in("praised in round 1: refuses too large a count") is None
