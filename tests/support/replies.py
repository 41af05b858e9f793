"""Whole replies of a model for tests, in the form the product asks for, and scripts of them.

Knows the form only, from our slow host, which replies so too. Invariant: what it makes validates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from model_host import draft, found
from support import drafts

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["draft", "found", "script"]


def script(path: Path, **replies: str) -> Path:
    """A script of the scripted provider: a reply by a text that occurs in the question; nothing found otherwise."""
    return drafts.script(path, *replies.items(), ("", draft()))
