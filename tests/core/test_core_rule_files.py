"""Which files of a repository decide how it is reviewed."""

from __future__ import annotations

import pytest

from roundzero import config
from roundzero.core.rule_files import SETTINGS_FILES, SHARED_FILE, decides_about_reviews, holds_packs
from roundzero.packs.loader import REPOSITORY_FOLDER


@pytest.mark.parametrize(
    "path",
    [
        ".roundzero.toml", ".roundzeroignore", ".gitattributes", "a/b/.gitattributes", ".roundzero",
        config.REPOSITORY_FILE, SHARED_FILE, f"{REPOSITORY_FOLDER}/house.yaml",
    ],
)  # fmt: skip
def test_every_file_that_rules_are_taken_from_decides(path: str) -> None:
    """Whatever it says."""
    assert decides_about_reviews(path, ())


@pytest.mark.parametrize(
    "path", ["a/.roundzero.toml", "a/.roundzeroignore", "x.gitattributes", ".roundzero2/a", "a/.roundzero/b"]
)
def test_what_only_looks_like_one_does_not(path: str) -> None:
    """Names count at the root, but for git's own."""
    assert not decides_about_reviews(path, ("[tool.roundzero]\n",))


def test_a_project_file_decides_by_our_table() -> None:
    """Also by one that was there before."""
    assert decides_about_reviews("pyproject.toml", ("[project]\n", "[tool.roundzero.items]\n"))
    assert not decides_about_reviews("pyproject.toml", ("[project]\n", ""))
    assert not decides_about_reviews("a/pyproject.toml", ("[tool.roundzero]\n",))


def test_packs_and_settings_are_told_apart() -> None:
    """Packs are compiled anew when something of theirs changes, settings are read anew."""
    assert holds_packs(f"{REPOSITORY_FOLDER}/house.yaml")
    assert not any(map(holds_packs, SETTINGS_FILES))
