"""How alike titles are."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.cluster import ALIKE, likeness, rarity, words

TITLES = st.text("abcDE_ .-显存预", max_size=20)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("load_config() runs before the environment is normalised", "the environment is normalised after load_config"),
        ("copyout_filter drops keys", "wrong keys in CopyoutFilter"),
        ("a copy-out filter too eager", "CopyoutFilter"),
        ("显存预算无下界，异常上报会使闸门失效", "显存预算缺正值下界，异常上报使闸门失效"),
    ],
    ids=["order", "case", "hyphen", "chinese"],
)
def test_rewording_and_spelling_leave_titles_alike(one: str, other: str) -> None:
    """Words in another order, parts of names joined in another way, and Chinese by neighbouring characters."""
    assert likeness(one, other) >= ALIKE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("unchecked index of the queue", "secret written into a log"),
        ("显存预算无下界", "测试未隔离环境变量"),
        ("", "a"),
    ],
)
def test_titles_with_nothing_in_common_are_not(one: str, other: str) -> None:
    """Also where one says nothing."""
    assert likeness(one, other) == 0.0


@given(TITLES, TITLES)
def test_likeness_has_two_equal_sides_and_a_greatest_value(one: str, other: str) -> None:
    """Either way round it is the same, and nothing is more alike than a title is to itself."""
    assert likeness(one, other) == likeness(other, one)
    assert 0.0 <= likeness(one, other) <= 1.0 + 1e-9
    assert math.isclose(likeness(one, one), 1.0 if words(one) else 0.0)


def test_what_many_titles_of_a_round_say_tells_little() -> None:
    """A word counts by the round that has it most, not by how many rounds have it."""
    said = [words(title) for title in ("queue leaks", "queue hangs", "queue leaks", "cache leaks")]
    telling = rarity((1, 1, 2, 3), said)
    assert telling["queue"] < telling["leak"] == telling["cache"] == telling["hang"]
