"""Versions and ranges of PEP 440."""

from __future__ import annotations

import pytest

from roundzero.core.versions import Version, exact, normalized, parse_version, satisfies


def version(text: str) -> Version:
    """A version that has to parse."""
    found = parse_version(text)
    assert found is not None, text
    return found


def test_versions_are_ordered_as_the_standard_says() -> None:
    """Development, pre-releases, release, post-release; zeros at the end and spelling do not count."""
    texts = ["1.0.dev1", "1.0a1.dev2", "1.0a1", "1.0b1", "1.0-rc.1", "1.0", "1.0.post1", "1.1", "1.10", "1!0.1"]
    keys = [version(text).key for text in texts]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    assert version("v1.0.0").key == version("1").key
    assert version("1.0-1").post == 1


@pytest.mark.parametrize("text", ["", "latest", "1.0-", "==1.0", "1.0 beta x", "main"])
def test_what_is_no_version_is_none(text: str) -> None:
    """Words, ranges and rests are no versions."""
    assert parse_version(text) is None


@pytest.mark.parametrize(
    ("text", "specifier", "answer"),
    [
        ("2.6.0+cu126", "==2.6.0", True),
        ("2.6.0+cu126", "==2.6.0+cu129", False),
        ("1.4.5", "~=1.4.2", True),
        ("1.5.0", "~=1.4.2", False),
        ("1.4.9", "==1.4.*", True),
        ("1.4.9", "!=1.4.*", False),
        ("1.26", ">=1.25,<2.0a0", True),
        ("2.0", "<2.0a0, >=1.25", False),
        ("3", ">2", True),
        ("2", "<=2.0", True),
        ("2", "!=2.0.0", False),
        ("2", "", True),
        ("2", "^2.0", None),
        ("2", "~=2", None),
        ("2", ">=x", None),
    ],
)
def test_a_version_lies_in_a_range_or_not_or_nobody_knows(text: str, specifier: str, answer: bool | None) -> None:
    """Every operator, and what is not understood is no answer."""
    assert satisfies(version(text), specifier) is answer


def test_an_exact_range_allows_one_version() -> None:
    """Only ``==`` without a star is exact."""
    assert exact("== 1.2") == version("1.2")
    assert exact("==1.*") is None
    assert exact(">=1.2") is None
    assert exact("==1.2,!=1.3") is None


def test_ranges_that_are_written_alike_are_equal() -> None:
    """Order and white space do not count."""
    assert normalized(">= 1.0 , <2") == normalized("<2,>=1.0")


def test_pre_releases_are_known() -> None:
    """Local versions and post-releases are none."""
    assert version("1.19rc5+ali").is_prerelease
    assert version("0.1.dev0").is_prerelease
    assert not version("2.8.0+cu129").is_prerelease
    assert not version("1.0.post1").is_prerelease
