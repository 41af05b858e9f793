"""The files of a repository that decide how it is reviewed: the one list, and the questions that are asked of it.

Names and places only; what stands in the files is read by config, packs and git. Invariant: a file that some part of
Round Zero takes its rules from is known here, so that a branch which changes it is told of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Iterable

SETTINGS_FILE: Final = ".roundzero.toml"
PROJECT_FILE: Final = "pyproject.toml"
IGNORE_FILE: Final = ".roundzeroignore"
FOLDER: Final = ".roundzero"
"""Packs and shared dismissals."""

SHARED_FILE: Final = RelPath(f"{FOLDER}/dismissals.toml")
"""Where dismissals lie that everyone shares."""

ATTRIBUTES_FILE: Final = ".gitattributes"
"""git's own; it counts in every folder."""

LEDGER_FILE: Final = "roundzero/ledger.sqlite3"
"""The ledger, under the git common directory and so no file of the repository's: said here for all who look for it."""

SETTINGS_FILES: Final = frozenset({SETTINGS_FILE, PROJECT_FILE})
"""Files at the root that may hold settings."""

_TABLE: Final = "[tool.roundzero"


def holds_packs(path: str) -> bool:
    """Whether checklists may have changed with a path of the repository (with ``/``, from the root)."""
    return path == FOLDER or path.startswith(f"{FOLDER}/")


def decides_about_reviews(path: str, texts: Iterable[str]) -> bool:
    """Whether a change of a path changes what is reviewed and how; ``texts`` are its two sides, as far as there are.

    Of a project file, which holds more than our settings, only one that has a table of ours on either side.
    """
    if path == PROJECT_FILE:
        return any(_TABLE in text for text in texts)
    named = path in (SETTINGS_FILE, IGNORE_FILE) or path.rsplit("/", 1)[-1] == ATTRIBUTES_FILE
    return named or holds_packs(path)
