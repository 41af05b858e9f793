"""A small change is asked less."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from roundzero.core.asked_items import MIDDLING, SMALL, asked_of
from roundzero.core.item import Item, ItemId, Prose, Severity
from roundzero.core.prompt import OTHER
from roundzero.packs import loader


def an_item(name: str, severity: Severity, origin: str = "") -> Item:
    """An item that asks."""
    return Item(id=ItemId(name), title=Prose("t"), why=Prose("w"), severity=severity, ask="Is it?", origin_file=origin)


OWN = ".roundzero/checklists/own.yaml"
ITEMS = (
    *(an_item(f"p/{severity.name}", severity) for severity in Severity),
    an_item(OTHER, Severity.P2),
    an_item("own/style", Severity.P3, OWN),
)


def test_what_may_block_is_asked_of_one_line_and_form_of_many() -> None:
    """A line is asked what is grave, everything else, and what the repository added; many lines are asked all."""
    assert asked_of(ITEMS, 1) == ("p/P0", "p/P1", OTHER, "own/style")
    assert asked_of(ITEMS, SMALL + 1) == ("p/P0", "p/P1", "p/P2", OTHER, "own/style")
    assert asked_of(ITEMS, MIDDLING + 1) == tuple(item.id for item in ITEMS)


@given(some.integers(0, 200), some.integers(0, 200))
def test_more_lines_are_never_asked_less(few: int, more: int) -> None:
    """Whatever the number."""
    fewest, most = sorted((few, more))
    assert {*asked_of(ITEMS, fewest)} <= {*asked_of(ITEMS, most)}


def test_the_built_in_packs_get_shorter() -> None:
    """Five lines of Python are asked less than half of what fifty are."""
    items = [item for item in loader.load(repository=None, overrides={}, packs=None, cache_dir=None).items if item.ask]
    assert 0 < 2 * len(asked_of(items, SMALL)) < len(asked_of(items, 50)) == len(items)
