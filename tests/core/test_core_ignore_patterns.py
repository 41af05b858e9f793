"""Patterns as ``.gitignore`` has them."""

from __future__ import annotations

import pytest

from roundzero.core.ignore_patterns import ignore_patterns


def test_a_broken_pattern_costs_itself_alone() -> None:
    """Those around it count, in whatever way their lines end."""
    spec = ignore_patterns(["*.log\r", "!", "/made/", "!kept.log"])
    assert spec is not None
    said = [spec.match_file(path) for path in ("a/b.log", "made/x", "a/made", "kept.log", "x")]
    assert said == [True, True, False, False, False]


@pytest.mark.parametrize("text", ["", "# nothing\n\n", " \r\n"])
def test_a_file_that_says_nothing_leaves_nothing_out(text: str) -> None:
    """Comments and blank lines are no patterns."""
    assert ignore_patterns(text.split("\n")) is None


def test_a_strangers_pattern_takes_no_longer_than_its_text() -> None:
    """Many stars and a long name."""
    spec = ignore_patterns(["*a" * 30 + "b"])
    assert spec is not None
    assert not spec.match_file("a" * 5_000)
