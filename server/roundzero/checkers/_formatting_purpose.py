"""Whether a change configures a formatter or linter, or is called layout: then new layout is its purpose.

Looks at names of files and, where a file configures other things too, at the changed lines and their sections; of
commits at the first lines of their messages. Runs no formatter. Invariant: a pure function of the change and its
commits.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection

    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import Commit

_CONFIGURES: Final = frozenset(
    {".pre-commit-config.yaml", "ruff.toml", ".ruff.toml", ".flake8", ".style.yapf", ".isort.cfg", ".editorconfig",
     ".pylintrc", "pylintrc", "pycodestyle.cfg", ".pycodestyle", ".pep8"}
)  # fmt: skip
_SHARED: Final = regex(
    r"(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|noxfile\.py|[\w./-]*requirements[\w./-]*\.(?:txt|in)"
    r"|[\w.-]+\.lock|Makefile)$"
)
"""Files that configure formatters among other things."""

_TOOL: Final = regex(
    r"(?<![\w/-])(?:ruff|black|blue|yapf|autopep8|isort|flake8[\w-]*|pyupgrade|pycodestyle|pep8|pylint|docformatter|usort)"
    r"(?![\w/])"
)
_CALLED: Final = regex(
    r"\b(?:pep-?[ ]?8|reformat\w*|formatting|format(?:ted)?[ ](?:the[ ])?(?:code|files?|sources?)|cod(?:e|ing)[ ]style|"
    r"lint(?:s|ed|er|ers|ing)?|flake8|yapf|autopep8|(?:with|run|apply|use)[ ]black|isort|white[ -]?space|indentation|"
    r"cosmetics?)\b",
    re.IGNORECASE,
)
_SECTION: Final = regex(r"[ \t]*\[+[ \t]*(?P<name>[^\]]+)\]")


def configures_formatting(change: Change) -> bool:
    """Whether some file of the change, also a new or deleted one, says how code has to be laid out."""
    return any(
        file.path.rpartition("/")[2] in _CONFIGURES or (_SHARED.search(file.path) is not None and _speaks(file))
        for file in change.files
    )


def is_called_formatting(commits: Collection[Commit]) -> bool:
    """Whether each of a branch's commits says that it is about layout."""
    return bool(commits) and all(
        _CALLED.search(commit.text.lstrip().partition("\n")[0]) is not None for commit in commits
    )


def _speaks(file: FileChange) -> bool:
    return (file.head is not None and _is_about(file.head, file.added)) or (
        file.base is not None and _is_about(file.base, file.removed)
    )


def _is_about(source: Source, lines: Collection[int]) -> bool:
    """Whether one of the lines names a formatter, or stands in a section that does."""
    inside = False
    for number in range(1, max(lines, default=0) + 1):
        text = source.index.line(number)
        if (section := _SECTION.match(text)) is not None:
            inside = _TOOL.search(section["name"]) is not None
        if number in lines and (inside or _TOOL.search(text) is not None):
            return True
    return False
