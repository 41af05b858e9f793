"""kill-on-shared-machine: a kill without a chance to end reaches processes that are not the script's own.

Two cases are certain: a job on a machine that outlives it kills what a listing names, and a script looks for a
process's number as a piece of text, which is in other numbers too. Invariant: a job on a hosted machine is no hit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._killing import by_number, kills_in
from roundzero.core.finding import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Source


class KillOnSharedMachine(TextChecker):
    """Finds kills that others' processes are in the way of."""

    name = "kill-on-shared-machine"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at the scripts of a file."""
        for script, kill in kills_in(source):
            match = by_number(script.shell, kill)
            if match is not None:
                start, end = match.span("pid")
            elif script.job is not None and script.job.is_shared:
                start, end = kill.listed
            else:
                continue
            subject = code(script.shell.text[kill.start : kill.end])
            yield Hit(path=source.path, span=script.span(start, end), subject=subject)


CHECKER: Final = KillOnSharedMachine
