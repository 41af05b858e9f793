"""The documents name things that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")
PLACES = ("server", "tests", "tools", "bench", "docs", "checklists", "neovim", "requirements")
TARGETS = {"demo", "test", "e2e", "check", "fix", "bench", "wheel"}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_in_a_document_exists(document: str) -> None:
    """A path in backticks or behind a link leads to a file or folder of this repository."""
    text = (ROOT / document).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./-]+)`", text)) | set(re.findall(r"\]\(([\w./-]+)\)", text))
    paths = {name for name in named if name.split("/")[0] in PLACES or name.endswith(".md")}
    missing = sorted(name for name in paths if not _exists(name) and "*" not in name)
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_target_in_a_document_exists(document: str) -> None:
    """``make x`` is only ever said of a target."""
    text = (ROOT / document).read_text(encoding="utf-8")
    assert set(re.findall(r"(?:`|    )make ([a-z0-9]+)", text)) <= TARGETS


def test_make_has_the_targets_it_promises_and_no_others() -> None:
    """The Makefile's public targets."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert set(re.findall(r"^([a-z0-9]+):", text, flags=re.MULTILINE)) == TARGETS


def _exists(name: str) -> bool:
    """Generated documents count as there: they appear with the first ``make bench``."""
    return (ROOT / name).exists() or name == "docs/benchmarks.md"
