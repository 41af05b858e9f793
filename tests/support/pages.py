"""Reads what the documents tell people to type, so that a test can type the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def first_block(page: Path, language: str) -> str:
    """The first fenced block of that language in a Markdown page."""
    found = re.search(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None, f"{page} has no block of {language}"
    return found[1]
