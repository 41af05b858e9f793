"""The command line as a person meets it: the demonstration's repository, reviewed by the command under test."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import demo

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.e2e

SHOWN = {
    ("NOTES.md", "general/conflict-marker"),
    ("scripts/release.sh", "general/deleted-file-still-named"),
    ("shop/checkout.py", "python/bare-except"),
    ("shop/checkout.py", "python/mutable-default"),
    ("shop/labels.py", "python/shell-true"),
    ("shop/orders.py", "python/guard-removed"),
    ("shop/orders.py", "python/required-key-relaxed"),
    ("shop/settings.py", "general/plain-http"),
    ("shop/settings.py", "general/secret-added"),
    ("tests/test_checkout.py", "python/assertless-test"),
    ("tests/test_checkout.py", "python/patch-at-definition"),
    ("web/basket.js", "general/debug-left"),
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The demonstration's repository."""
    demo.build(tmp_path / "shop")
    return tmp_path / "shop"


def test_every_defect_of_the_demonstration_is_shown_and_nothing_else(roundzero: Path, shop: Path) -> None:
    """Each defect of the branch is found where it is, and the defect that was there before is not shown."""
    report = _review(roundzero, shop)
    found = {(finding["path"], finding["item"]) for finding in report["findings"]}
    assert found == SHOWN
    assert report["verdict"]["status"] == "BLOCKED"
    assert report["base"]["ref"] == "main"


def test_the_old_defect_is_listed_when_asked_for(roundzero: Path, shop: Path) -> None:
    """``--all-origins`` also lists what was there before the branch, as pre-existing."""
    (shop / "shop" / "prices.py").write_text(
        (shop / "shop" / "prices.py").read_text(encoding="utf-8") + "\n\nLATEST = 3\n", encoding="utf-8"
    )
    report = _review(roundzero, shop, "--all-origins")
    old = [finding for finding in report["findings"] if finding["path"] == "shop/prices.py"]
    assert [(finding["item"], finding["origin"]) for finding in old] == [("python/mutable-default", "pre-existing")]


def test_the_installed_command_brings_its_checklists(roundzero: Path, tmp_path: Path) -> None:
    """Every built-in pack is found and sound, wherever the command runs."""
    listed = _run(roundzero, tmp_path, "packs", "list")
    assert listed.returncode == 0, listed.stderr
    assert "python" in listed.stdout
    assert "general" in listed.stdout


def test_a_folder_that_is_no_repository_is_refused_in_words(roundzero: Path, tmp_path: Path) -> None:
    """Exit status 2 and a sentence that says what is wrong."""
    done = _run(roundzero, tmp_path, "review")
    assert done.returncode == 2
    assert "git" in done.stderr
    assert "Traceback" not in done.stderr


def _review(roundzero: Path, root: Path, *options: str) -> dict[str, Any]:
    done = _run(roundzero, root, "review", "--format", "json", *options)
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _run(roundzero: Path, root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([roundzero, *arguments], cwd=root, capture_output=True, text=True, check=False)
