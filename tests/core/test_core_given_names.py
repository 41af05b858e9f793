"""Names that a file is given from outside are no news where its base lives with them."""

from __future__ import annotations

import pytest

from roundzero.core.change import FileChange, Side, Source, Status
from roundzero.core.finding import Hit, Observation, observe
from roundzero.core.gate import GatePolicy
from roundzero.core.given_names import MANY, REASON
from roundzero.core.item import Item, ItemId, LooksAt, Prose, RuffCheck, Severity
from roundzero.core.judge import Sight, View, judge
from roundzero.core.linemap import Hunk
from roundzero.core.ruleset import Ruleset
from roundzero.core.text import Position, RelPath, Span
from support.changes import change_of

PATH = RelPath("controllers/index.py")


def item(code: str) -> Item:
    """An item that asks ruff for one code."""
    return Item(
        id=ItemId("p/name"),
        title=Prose("name"),
        why=Prose("w"),
        severity=Severity.P3,
        looks_at=LooksAt.FILE,
        checks=(RuffCheck((code,)),),
    )


def judged(old: str, new: str, code: str = "F821") -> list[tuple[str, str | None]]:
    """Titles of the findings on new lines, with why each is hidden; every word of both texts is a name that is told."""
    base, head = Source(PATH, old, "b" * 40), Source(PATH, old + new, "h" * 40)
    lines, more = old.count("\n"), new.count("\n")
    file = FileChange(path=PATH, status=Status.MODIFIED, base=base, head=head, hunks=(Hunk(lines, 0, lines + 1, more),))
    asked = item(code)

    def seen(source: Source, side: Side) -> tuple[Observation, ...]:
        rows = [(at, name) for at in range(1, source.index.line_count + 1) for name in source.index.line(at).split()]
        hits = [
            Hit(path=PATH, span=Span(Position(at, 1), Position(at, 2)), side=side, subject=f"`{name}`")
            for at, name in rows
        ]
        return tuple(observe(asked, hit, source, producer="ruff", version="1") for hit in hits)

    sight = Sight(head=seen(head, Side.HEAD), base=seen(base, Side.HEAD), based=frozenset({(PATH, asked.id)}))
    found = judge(change_of(file), sight, Ruleset((asked,), "d"), view=View(), policy=GatePolicy())
    return [(each.seen.title, each.hidden) for each in found if each.seen.line > lines]


@pytest.mark.parametrize(
    ("old", "new", "hidden"),
    [
        ("request\n", "request\n", REASON),
        ("request\n", "URL\n", None),
        ("request\nURL\nDIV\n", "SPAN\n", None),
        ("request\nURL\nDIV\nUL\n", "SPAN\n", REASON),
        ("request\nURL\nDIV\nDIV\n", "SPAN\n", None),
    ],
)
def test_a_name_is_given_where_the_base_uses_it_or_many_others(old: str, new: str, hidden: str | None) -> None:
    """Up to three other names may be slips, and the same name twice is one."""
    assert MANY == 4
    assert judged(old, new) == [(f"name: `{new.strip()}`", hidden)]


def test_what_other_items_say_of_the_base_hides_nothing() -> None:
    """An import that was unused before does not excuse another."""
    assert judged("request\n", "request\n", "F401") == [("name: `request`", None)]
