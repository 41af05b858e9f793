"""How items come out that only a model can answer."""

from __future__ import annotations

import pytest

from roundzero.core.checklist import checklist
from roundzero.core.item import Item, ItemId, LooksAt, Prose, Severity, TextCheck
from roundzero.core.report import ItemStatus
from roundzero.core.ruleset import Ruleset
from support.earlier import APP, THEN, Earlier

ASKED = Item(
    id=ItemId("p/form"),
    title=Prose("t"),
    why=Prose("w"),
    severity=Severity.P3,
    looks_at=LooksAt.HUNK,
    ask="Is it?",
)
BOTH = Item(
    id=ItemId("p/both"),
    title=Prose("t"),
    why=Prose("w"),
    severity=Severity.P3,
    looks_at=LooksAt.HUNK,
    ask="Is it?",
    checks=(TextCheck("x"),),
)


@pytest.mark.parametrize(
    ("answered", "spared", "status"),
    [
        ((), (), ItemStatus.NOT_CHECKED),
        (("p/form",), (), ItemStatus.PASS),
        ((), ("p/form", "p/both"), ItemStatus.NOT_APPLICABLE),
    ],
)
def test_what_a_change_is_too_small_for_does_not_apply(
    answered: tuple[ItemId, ...], spared: tuple[ItemId, ...], status: ItemStatus
) -> None:
    """It is no gap that nobody was asked; what a check answers as well passes."""
    change = Earlier({APP: THEN}).change
    rows = checklist(Ruleset((ASKED, BOTH), "d"), change, (), (), answered=answered, spared=spared)
    assert [row.status for row in rows] == [status, ItemStatus.PASS]
