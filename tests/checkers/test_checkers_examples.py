"""Every checker against the examples of its item in the packs: bad fires exactly where marked, good is silent."""

from __future__ import annotations

from typing import Final

import pytest

from roundzero.checkers import discover, is_wide, names
from roundzero.checkers._base import ChangeChecker, SymbolChecker
from roundzero.core.item import CheckerCheck
from support.checking import built_in, check, checker_examples

EXAMPLES: Final = checker_examples()


@pytest.mark.parametrize(("item", "text"), EXAMPLES, ids=[f"{item}-{at}" for at, (item, _) in enumerate(EXAMPLES)])
def test_example(item: str, text: str) -> None:
    """An example of a pack gives what it says."""
    check(text, item)


def test_a_checker_is_named_like_its_module() -> None:
    """So that it is found by its name without importing the others."""
    assert {name: checker.name for name, checker in discover().items()} == {name: name for name in names()}


def test_what_looks_at_the_whole_change_is_known_without_importing_it() -> None:
    """The text of every module says the kind that its checker is of; an unknown name is of neither."""
    wide = {name for name, checker in discover().items() if issubclass(checker, ChangeChecker | SymbolChecker)}
    assert {name for name in names() if is_wide(name)} == wide
    assert not is_wide("no-such-checker")


def test_every_checker_has_an_item_and_an_example() -> None:
    """No checker is unused, and none is without an example."""
    used = {check.name for item in built_in().items for check in item.checks if isinstance(check, CheckerCheck)}
    assert used == set(discover())
    assert {item for item, _ in EXAMPLES} == {
        item.id for item in built_in().items for check in item.checks if isinstance(check, CheckerCheck)
    }
