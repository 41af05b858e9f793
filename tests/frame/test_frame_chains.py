"""Findings without anchors, followed over rounds by path, line and title: what bench/identity.py measures."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from chains import Listing, same_defect

ROUNDS = [
    Listing(1, "app/loader.py", 40, "load_config() runs before the environment is normalised"),
    Listing(1, "app/loader.py", 90, "The retry loop swallows KeyboardInterrupt"),
    Listing(2, "app/loader.py", 43, "load_config() is called before normalising the environment"),
    Listing(2, "app/cache.py", 7, "The cache key ignores the locale"),
    Listing(3, "app/boot/loader.py", 41, "load_config() runs before the environment is normalised"),
    Listing(3, "app/cache.py", 9, "Cache key without locale"),
]


def test_rewording_moving_and_renaming_keep_a_defect_together() -> None:
    """The same words in other order, some lines on, in the file's new folder."""
    assert same_defect(ROUNDS) == {(0, 2), (0, 4), (2, 4), (3, 5)}


def test_one_place_may_hold_two_defects() -> None:
    """Equal path and line join nothing when the titles share nothing."""
    here = [Listing(1, "a.py", 5, "unchecked index of the queue"), Listing(2, "a.py", 5, "secret written into a log")]
    assert same_defect(here) == set()


def test_chinese_titles_are_compared_by_neighbouring_characters() -> None:
    """No spaces, and still the rewording is found beside two others of its file."""
    rounds = [
        Listing(1, "a.py", 10, "显存预算无下界，异常上报会使闸门失效"),
        Listing(1, "a.py", 80, "测试未隔离环境变量"),
        Listing(2, "a.py", 14, "显存预算缺正值下界，异常上报使闸门失效"),
        Listing(2, "a.py", 60, "文档遗漏默认行为"),
    ]
    assert same_defect(rounds) == {(0, 2)}


def test_names_are_compared_by_their_parts() -> None:
    """Joined, hyphenated, in snake case or in camel case, a name is the same; the rest of the titles is not."""
    spellings = ("copyout_filter drops keys", "wrong keys in CopyoutFilter", "a copy-out filter too eager")
    rounds = [Listing(at, "a.py", 10 * at, title) for at, title in enumerate(spellings, 1)]
    others = [Listing(at, "b.py", 50, title) for at, title in enumerate(("no test", "late import", "long line"), 1)]
    assert same_defect([*rounds, *others]) == {(0, 1), (0, 2), (1, 2)}


def test_of_two_that_fit_the_better_one_continues_and_the_other_is_new() -> None:
    """One round lists two defects, each its own; the round before had only one of them."""
    rounds = [
        Listing(1, "app/loader.py", 40, "the retry loop swallows KeyboardInterrupt"),
        Listing(1, "app/cache.py", 7, "cache key ignores the locale"),
        Listing(2, "app/loader.py", 44, "retry loop: KeyboardInterrupt is swallowed"),
        Listing(2, "app/loader.py", 90, "the retry loop sleeps without a limit"),
    ]
    assert same_defect(rounds) == {(0, 2)}


def test_lines_move_as_those_did_whose_title_stayed() -> None:
    """Two hundred lines came in above; of two reworded defects of one file each is found where it went."""
    rounds = [
        Listing(1, "a.py", 10, "the queue is never closed"),
        Listing(1, "a.py", 20, "test lacks an assertion"),
        Listing(1, "a.py", 60, "test shares its folder"),
        Listing(2, "a.py", 210, "the queue is never closed"),
        Listing(2, "a.py", 220, "nothing is checked by the test"),
        Listing(2, "a.py", 260, "another test may delete its files"),
    ]
    assert same_defect(rounds) == {(0, 3), (1, 4), (2, 5)}


@given(st.permutations(range(len(ROUNDS))))
def test_the_order_of_the_listings_decides_nothing(order: list[int]) -> None:
    """Shuffled, the same listings are joined."""
    pairs = same_defect([ROUNDS[at] for at in order])
    assert {frozenset((order[one], order[other])) for one, other in pairs} == {
        frozenset(pair) for pair in same_defect(ROUNDS)
    }


def test_no_listing_is_joined_with_another_of_its_round() -> None:
    """Within a round every listing is a defect of its own, even with equal words."""
    twice = [Listing(1, "a.py", line, "bare except") for line in (1, 2)]
    assert all(one != other for one, other in itertools.combinations(twice, 2))
    assert same_defect(twice) == set()


def test_nothing_gives_nothing() -> None:
    """No listings, no pairs."""
    assert same_defect([]) == set()
