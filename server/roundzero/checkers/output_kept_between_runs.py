"""output-kept-between-runs: a script appends to files in a folder of logs or results that it never empties.

A hint: what an earlier run left there may be taken for this run's. A folder that is new each time (a date, a process's
number, ``mktemp``), or that the script removes or empties, is left alone. Invariant: one hit for each folder.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._scripts import is_shell_script
from roundzero.checkers._shell import VARIABLE, parse_shell
from roundzero.core.finding import Hit
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Source

_FOLDER: Final = regex(r"(?:^|[/_.${-])(?:logs?|results?|reports?|output|artifacts?)(?:$|[/_.}-])", re.IGNORECASE)
_RUNS: Final = regex(r"test|e2e|bench|regress|(?:^|[/_-])ci(?:$|[/_.-])", re.IGNORECASE)
_NEW: Final = regex(r"mktemp|date|\$\$|\$\{?(?:RANDOM|BUILD_ID|BUILD_NUMBER|GITHUB_RUN_ID|TIMESTAMP)", re.IGNORECASE)


class OutputKeptBetweenRuns(TextChecker):
    """Finds folders of output that collect what every run leaves."""

    name = "output-kept-between-runs"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at the folders that a script makes."""
        text = source.text
        if "mkdir" not in text or not is_shell_script(source) or _RUNS.search(source.path) is None:
            return
        if ">>" not in text and "tee -a" not in text:
            return
        shell = parse_shell(text)
        set_to = {name: value for command in shell.commands for name, value, _ in command.settings}
        emptied = sorted(
            word.plain for command in shell.commands if command.name in {"rm", "rmdir"} for word in command.arguments
        )
        seen: set[str] = set()
        for command in shell.commands:
            if command.name != "mkdir" or not (
                any(word.plain in {"-p", "--parents"} for word in command.arguments) or command.before in {"&&", "||"}
            ):
                continue
            for word in command.arguments:
                folder = word.plain.rstrip("/")
                whole = folder + "".join(set_to.get(name, "") for name in VARIABLE.findall(folder))
                if folder.startswith("-") or folder in seen or _FOLDER.search(folder) is None or _NEW.search(whole):
                    continue
                seen.add(folder)
                if not any(each.startswith(folder) for each in emptied[bisect_left(emptied, folder) :][:1]):
                    yield Hit(path=source.path, span=source.index.span(word.start, word.end), subject=code(word.plain))


CHECKER: Final = OutputKeptBetweenRuns
