"""What a setting, flag, variable or parameter is unless somebody says otherwise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.engine.tools._arguments import SIDE, Parameter, RefusedError
from roundzero.engine.tools._view import Found, Places, first_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.change import Side
    from roundzero.core.text import RelPath
    from roundzero.engine.tools._arguments import Arguments
    from roundzero.engine.tools._view import ToolView

_MOST: Final = 25
_MOST_FILES: Final = 60
_MOST_WIDTH: Final = 500
"""Characters of a line that are looked at: what takes longer to read is no setting."""

_NEAR: Final = 4
"""Lines after a name in which a ``default=`` belongs to it: the arguments of one call."""

_DEFAULT: Final = regex(r"\bdefault\w*[\"']?\s*[=:(]", re.IGNORECASE)


class DefaultOf:
    """Where a name gets a value."""

    name = "default_of"
    description = (
        "The lines that give a setting, a command line flag, an environment variable or a parameter its value or its "
        "default, in code of any language and in files of settings, and how many lines mention it otherwise."
    )
    parameters = (
        Parameter(name="name", description="as it is written in code, settings or on the command line", required=True),
        SIDE,
    )

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer."""
        name = asked.text("name").strip("`'\"").lstrip("-").partition("=")[0]
        if not name:
            raise RefusedError("that is no name")
        named = 0
        given: list[tuple[RelPath, int]] = []
        for word in dict.fromkeys((name, name.replace("-", "_"), name.replace("_", "-"))):
            places = view.mentions(word, asked.side)
            named += places.count
            given += _given(view, places, word, asked.side)
        found = view.places(given, asked.side)
        body = view.quoted(found, asked.side, _MOST)
        rest = first_of(len(body), found.count)
        head = f"given a value or a default in {found}, mentioned in {named} lines in all, at the {asked.side.value}"
        return Found(head, body, rest)


def _given(view: ToolView, places: Places, word: str, side: Side) -> Iterator[tuple[RelPath, int]]:
    name = re.escape(word)
    assigned = re.compile(rf"(?<![\w.-]){name}[\"']?\]?\s*(?::(?!:)[^=\n]*)?(?:\?\?=|\|\|=|=(?![=>])|:(?![:=]))\s*\S")
    fallback = re.compile(rf"(?:get|env|var)\w*\s*[(\[]\s*[\"'][\w.-]*{name}[\"']\s*,\s*\S", re.IGNORECASE)
    shell = re.compile(rf"\$\{{{name}:?[-=]")
    for number, (path, lines) in enumerate(places.lines.items()):
        if number >= _MOST_FILES:
            return
        try:
            texts = view.lines(path, side)
        except RefusedError:
            continue
        for line in lines:
            if line > len(texts):
                continue
            view.limit.check()
            text = texts[line - 1][:_MOST_WIDTH]
            if any(pattern.search(text) for pattern in (assigned, fallback, shell)):
                yield path, line
            for near in range(line, min(len(texts), line + _NEAR) + 1):
                if _DEFAULT.search(texts[near - 1][:_MOST_WIDTH]):
                    yield path, near
                    break


TOOL: Final = DefaultOf()
