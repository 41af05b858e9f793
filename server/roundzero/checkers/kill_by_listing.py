"""kill-by-listing: a script kills whatever a listing of processes names.

A hint: whether others share the machine is not in the text. Where it is, kill-on-shared-machine speaks. Invariant: what
the script started and remembered itself is no hit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._killing import kills_in
from roundzero.core.finding import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Source


class KillByListing(TextChecker):
    """Finds kills of what a listing names."""

    name = "kill-by-listing"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at the scripts of a file."""
        for script, kill in kills_in(source):
            text = script.shell.text[kill.start : kill.end]
            yield Hit(path=source.path, span=script.span(*kill.listed), subject=code(text))


CHECKER: Final = KillByListing
