"""Brackets of blanked texts find their others."""

from __future__ import annotations

import pytest

from roundzero.checkers._pairs import closing, opening


@pytest.mark.parametrize(
    ("text", "at", "closes"),
    [("a(b(c)d)e", 1, 7), ("a(b(c)d)e", 3, 5), ("f({)}", 2, 4), ("f(a", 1, 3)],
)
def test_a_bracket_is_closed_by_the_one_of_its_kind_and_depth(text: str, at: int, closes: int) -> None:
    """Other kinds between do not count; what nothing closes lasts to the end."""
    assert closing(text, at) == closes


@pytest.mark.parametrize(
    ("kinds", "opens"),
    [("{", 1), ("({[", 9), ("(", 9), ("[", None)],
)
def test_the_bracket_around_a_place_is_the_nearest_that_is_open(kinds: str, opens: int | None) -> None:
    """Of the kinds that are asked for; pairs that are closed before the place lie beside it."""
    assert opening("a{(b){c}f(d, x", 13, kinds) == opens


def test_a_place_outside_of_all_brackets_has_none_around_it() -> None:
    """However many are closed before it."""
    assert opening("{a}(b) x", 7, "({") is None
