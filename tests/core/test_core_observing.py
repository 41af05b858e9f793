"""What joining a hit with its item gives it: its own line as evidence, and what that line must not bring along."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundzero.core.change import Side, Source, blob_id
from roundzero.core.families import families
from roundzero.core.finding import (
    PLACE,
    QUOTE_LENGTH,
    Evidence,
    FindingId,
    Hit,
    Observation,
    Verified,
    evidence_at,
    observe,
)
from roundzero.core.item import Item, ItemId, Prose, Severity
from roundzero.core.regrading import regrade_reason
from roundzero.core.sighting import Sighting
from roundzero.core.text import Position, RelPath, Span
from support.rounds import finding

ITEM = Item(id=ItemId("t/item"), title=Prose("title"), why=Prose("why"), severity=Severity.P1)
VALUE = "Xk3!9fQz#21p"


def source(text: str, path: str = "a.py") -> Source:
    """A source of a text."""
    return Source(RelPath(path), text, blob_id(text.encode()))


def seen(text: str, line: int = 1, column: int = 1, **more: object) -> Observation:
    """A hit at a place of a text, joined with its item."""
    here = source(text)
    hit = Hit(path=here.path, span=Span(Position(line, column), Position(line, column + 1)))
    return observe(ITEM, replace(hit, **more), here, producer="p", version="1")  # type: ignore[arg-type]


@pytest.mark.parametrize("side", list(Side))
def test_a_hit_without_evidence_has_its_own_line(side: Side) -> None:
    """Exactly as it stands in the text, with the blob it was read from."""
    text = "x = 1\n    y  = 2\r\n"
    (proof,) = seen(text, 2, 5, side=side).evidence
    assert proof == Evidence(
        path=RelPath("a.py"), side=side, line=2, quote="    y  = 2", role=PLACE, blob=blob_id(text.encode()),
        verified=Verified.EXACT,
    )  # fmt: skip


def test_evidence_that_was_brought_stays_alone() -> None:
    """Who says what supports a hit is not corrected."""
    other = evidence_at(source("old\n", "b.py"), 1, "definition", Side.BASE)
    assert seen("x\n", evidence=(other,)).evidence == (other,)


def test_what_lies_on_no_line_has_none() -> None:
    """A file or a change as a whole has no line to quote, and a text that is not at hand neither."""
    assert seen("x\n", span=None).evidence == ()
    hit = Hit(path=RelPath("a.py"), span=Span(Position(1, 1), Position(1, 2)))
    assert observe(ITEM, hit, None, producer="p", version="1").evidence == ()


def test_a_quote_holds_no_secret() -> None:
    """Whatever item is found on the line of a password."""
    (proof,) = seen(f'import os; password = "{VALUE}"\n').evidence
    assert proof.quote == 'import os; password = "[redacted]"'


@pytest.mark.parametrize("column", [1, 39, 500, 2999, 3000])
def test_a_long_line_is_quoted_around_the_place(column: int) -> None:
    """The stretch holds the place, is a part of the line as it stands, and is no longer than the limit."""
    text = "".join(f"{number:05d};" for number in range(500))
    (proof,) = seen(text + "\n", column=column).evidence
    assert len(proof.quote) == QUOTE_LENGTH
    start = text.index(proof.quote)
    assert start <= column - 1 < start + QUOTE_LENGTH


@pytest.mark.parametrize("length", [1000, 10_000])
@pytest.mark.parametrize("away", range(-60, 260, 20))
def test_no_part_of_a_secret_is_left_where_a_long_line_is_cut(length: int, away: int) -> None:
    """A quote that begins or ends inside a value shows nothing of it."""
    secret = f'password = "{VALUE * 4}"'
    text = "y = 1\n" + "a;" * (length // 2) + secret + ";b" * (length // 2) + "\n"
    (proof,) = seen(text, 2, length + away + 1).evidence
    assert len(proof.quote) <= QUOTE_LENGTH + len("[redacted]")
    assert not any(VALUE[at : at + 4] in proof.quote for at in range(len(VALUE) - 4))


def test_findings_of_one_long_line_share_its_text() -> None:
    """A thousand findings on a generated line do not hold a thousand copies of it."""
    text = "a = 1; " * 1000
    here = source(text + "\n")
    spans = [Span(Position(1, column), Position(1, column + 1)) for column in (1, 8)]
    one, two = (observe(ITEM, Hit(path=here.path, span=at), here, producer="p", version="1") for at in spans)
    assert one.anchor_text == text.strip()
    assert one.anchor_text is two.anchor_text


def test_two_defects_of_one_line_are_no_family() -> None:
    """Standing on the same line is no common cause; one blocker must not hide the other."""
    one, two = seen("bad(bad)\n"), replace(seen("bad(bad)\n", column=5), item=ItemId("t/other"))
    assert families([finding(FindingId("rz-1"), one), finding(FindingId("rz-2"), two)]) == {}


def test_an_indented_line_is_no_new_evidence() -> None:
    """A severity that was given to the same code stays, wherever the code stands now."""
    old, new = Sighting.of(seen("bad()\n"), "1"), Sighting.of(seen("if x:\n    bad()\n", 2, 5), "2")
    graver = replace(new, severity=Severity.P0)
    assert regrade_reason(old, graver, settings_changed=False) is None
