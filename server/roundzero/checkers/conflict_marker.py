"""conflict-marker: a merge was committed half resolved.

Exact: the opening, the dividing and the closing marker of git must stand in this order in one file, or an opening or
closing one with the name behind it, in code and in no string or comment, where somebody took out the others. A row of
equals signs alone is a heading in reStructuredText and Markdown and says nothing. Invariant: one hit for each conflict.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker
from roundzero.checkers._paths import is_test_data
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.lexical import comments_and_strings
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Source

_MARKER: Final = regex(r"^(?:(<{7})(?: [^\r\n]*)?|(={7})|(>{7})(?: [^\r\n]*)?)\r?$", re.MULTILINE)


class ConflictMarker(TextChecker):
    """Finds the first marker of every unresolved conflict."""

    name = "conflict-marker"
    version = "2"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look for the three markers in order, and for what is left of them."""
        if "<<<<<<<" not in source.text and ">>>>>>>" not in source.text:
            return
        alone: list[re.Match[str]] = []
        opened: re.Match[str] | None = None
        divided = False
        for marker in _MARKER.finditer(source.text):
            if marker[1]:
                alone += [opened] if opened is not None else []
                opened, divided = marker, False
            elif marker[2]:
                divided = opened is not None
            elif opened is not None and divided:
                yield _hit(source, opened)
                opened, divided = None, False
            else:
                alone += [opened, marker] if opened is not None else [marker]
                opened = None
        alone += [opened] if opened is not None else []
        yield from _left_over(source, alone)


def _left_over(source: Source, alone: Iterable[re.Match[str]]) -> Iterable[Hit]:
    """The first marker without its others that is code, by the name behind it."""
    named = [marker for marker in alone if " " in marker[0]]
    if not named or language_of(source.path) in {None, "markdown", "rst"} or is_test_data(source.path):
        return
    told = [match.span() for match in comments_and_strings(source)]
    for marker in named:
        if not any(start <= marker.start() < end for start, end in told):
            yield _hit(source, marker)
            return


def _hit(source: Source, marker: re.Match[str]) -> Hit:
    end = marker.start() + len(marker.group().removesuffix("\r"))
    return Hit(path=source.path, span=source.index.span(marker.start(), end))


CHECKER: Final = ConflictMarker
