"""Who uses a name: how often, and the first places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.item import language_of
from roundzero.engine.tools._arguments import SIDE, Parameter
from roundzero.engine.tools._view import Found, Places, first_of, last_part

if TYPE_CHECKING:
    from roundzero.engine.tools._arguments import Arguments
    from roundzero.engine.tools._view import ToolView

_MOST: Final = 40


class References:
    """Uses of a name."""

    name = "references"
    description = (
        "The places in Python code that read a name, definitions and comments left out, and the lines of other files "
        "that mention it. Dotted names are looked for by their last part."
    )
    parameters = (Parameter(name="name", description="the name", required=True), SIDE)

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer."""
        name = last_part(asked.text("name"))
        sites = view.symbols.uses_of((name,), asked.side).get(name, ())
        used = view.places(((site.path, site.use.line) for site in sites), asked.side)
        named = view.mentions(name, asked.side).lines
        others = Places({path: lines for path, lines in named.items() if language_of(path) != "python"})
        body = view.quoted(used, asked.side, _MOST, name)
        body += view.quoted(others, asked.side, max(0, _MOST - len(body)), name)
        rest = first_of(len(body), used.count + others.count)
        head = f"used in {used} of Python, mentioned in {others} of other kinds, at the {asked.side.value}"
        return Found(head, body, rest)


TOOL: Final = References()
