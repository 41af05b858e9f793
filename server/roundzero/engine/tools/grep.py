"""Counts and shows the lines that hold a word; none is an answer, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.engine.tools._arguments import SIDE, Parameter, RefusedError
from roundzero.engine.tools._view import ROOT, Found, first_of

if TYPE_CHECKING:
    from roundzero.engine.tools._arguments import Arguments
    from roundzero.engine.tools._view import ToolView

_MOST: Final = 40
_LEAST: Final = 2


class Grep:
    """Where a fixed text stands as a whole word."""

    name = "grep"
    description = (
        "How many lines hold a text, and the first of them. The text is taken literally, not as a pattern, as a whole "
        "word, with upper and lower case. 0 means that no file that may be shown holds it."
    )
    parameters = (
        Parameter(name="word", description="the text to look for", required=True),
        Parameter(name="path", description="only in this file or folder", most=1000),
        SIDE,
    )

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer."""
        word = asked.text("word")
        if len(word) < _LEAST:
            raise RefusedError("one character is on too many lines; give more")
        under = view.path(asked.text("path")) if asked.text("path") else ROOT
        places = view.mentions(word, asked.side, under)
        body = view.quoted(places, asked.side, _MOST, word)
        rest = first_of(len(body), places.count)
        return Found(f"grep -w: {places} at the {asked.side.value}", body, rest)


TOOL: Final = Grep()
