"""Shows where a function, class or variable is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.engine.tools._arguments import SIDE, Parameter
from roundzero.engine.tools._defining import blocks, definitions
from roundzero.engine.tools._view import ROOT, Found, first_of, last_part

if TYPE_CHECKING:
    from roundzero.engine.tools._arguments import Arguments
    from roundzero.engine.tools._view import ToolView

_MOST: Final = 4
_MOST_LINES: Final = 40


class DefinitionTool:
    """Definitions by name."""

    name = "definition"
    description = (
        "The definitions of a function, class or variable by its name, with their first lines. A dotted name as in "
        "Class.method narrows it down. Exact for Python, by the looks of the line for other languages."
    )
    parameters = (
        Parameter(name="name", description="the name", required=True),
        Parameter(name="path", description="only in this file or folder", most=1000),
        SIDE,
    )

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer."""
        name = asked.text("name").removesuffix("()")
        under = view.path(asked.text("path")) if asked.text("path") else ROOT
        found = definitions(view, last_part(name), asked.side, under)
        owned = [each for each in found if f".{each.qualified}".endswith(f".{name}")]
        chosen = owned or found
        head = f"{len(chosen)} definitions at the {asked.side.value}" if len(chosen) != 1 else "1 definition"
        if not owned and found and "." in name:
            head = f"none of that dotted name; {len(found)} of its last part"
        rest = first_of(_MOST, len(chosen))
        return Found(head, blocks(view, chosen[:_MOST], asked.side, _MOST_LINES), rest)


TOOL: Final = DefinitionTool()
