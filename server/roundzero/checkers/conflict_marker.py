"""conflict-marker: a merge was committed half resolved.

Exact: the opening, the dividing and the closing marker of git must stand in this order in one file. A row of equals
signs alone is a heading in reStructuredText and Markdown and says nothing. Invariant: no hit without all three.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker
from roundzero.core.finding import Hit
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Source

_MARKER: Final = regex(r"^(?:(<{7})(?: [^\r\n]*)?|(={7})|(>{7})(?: [^\r\n]*)?)\r?$", re.MULTILINE)


class ConflictMarker(TextChecker):
    """Finds the first marker of every unresolved conflict."""

    name = "conflict-marker"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look for the three markers in order."""
        if "<<<<<<<" not in source.text or ">>>>>>>" not in source.text:
            return
        opened: re.Match[str] | None = None
        divided = False
        for marker in _MARKER.finditer(source.text):
            if marker.group(1):
                opened, divided = marker, False
            elif marker.group(2):
                divided = opened is not None
            elif opened is not None and divided:
                index = source.index
                span = index.span(opened.start(), opened.start() + len(opened.group().removesuffix("\r")))
                yield Hit(path=source.path, span=span)
                opened, divided = None, False


CHECKER: Final = ConflictMarker
