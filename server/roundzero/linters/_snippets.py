"""Python text that is shown to a program or a person rather than run: ruff's rules say nothing of it.

Told from what is in it, below tests, examples and documentation only: it imports and defines nothing, or several
of its names are defined nowhere. Invariant: a module that a test runner collects is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.core.samples import TEST_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Collection

    from roundzero.core.change import Source

UNDEFINED: Final = 4
"""Distinct names that are defined nowhere, from which a text is no program: fewer may be slips."""
_FOLDERS: Final = TEST_FOLDERS | {"examples", "example", "samples", "sample", "docs", "doc"}
_PROGRAM: Final = regex(r"^[ \t]*(?:import|from|def|class|async[ ]def)[ ]", re.MULTILINE)


def is_snippet(source: Source, undefined: Collection[str]) -> bool:
    """Whether a text is one; ``undefined`` are the distinct names in it that nothing defines."""
    *folders, name = source.path.split("/")
    stem = name.partition(".")[0]
    if stem.startswith("test_") or stem.endswith("_test") or name == "conftest.py":
        return False
    if not any(folder in _FOLDERS for folder in folders):
        return False
    return len(undefined) >= UNDEFINED or _PROGRAM.search(source.text) is None
