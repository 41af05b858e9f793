"""Who calls a function, from inside which function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.engine.tools._arguments import SIDE, Parameter, RefusedError
from roundzero.engine.tools._view import MOST_WIDTH, Found, first_of, last_part, unsecret

if TYPE_CHECKING:
    from roundzero.core.text import RelPath
    from roundzero.engine.tools._arguments import Arguments
    from roundzero.engine.tools._view import ToolView

_MOST: Final = 40


class Callers:
    """Calls of a function."""

    name = "callers"
    description = (
        "The calls of a function, method or class in Python code by the last part of its name, each with the function "
        "it is made in. Calls through a variable, getattr or a registry are not found, so 0 does not prove that nobody "
        "calls it."
    )
    parameters = (
        Parameter(name="name", description="what is called", required=True),
        SIDE,
    )

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer."""
        name = last_part(asked.text("name"))
        sites = view.symbols.uses_of((name,), asked.side).get(name, ())
        calls: dict[tuple[RelPath, int], str] = {}
        for uses, path in {id(site.uses): (site.uses, site.path) for site in sites}.values():
            for call in uses.calls:
                if call.callee.rpartition(".")[2] == name:
                    calls.setdefault((path, call.line), uses.scopes[call.scope])
        places = view.places(calls, asked.side)
        body: list[str] = []
        for path, lines in places.lines.items():
            for line in lines[: _MOST - len(body)]:
                try:
                    text = view.lines(path, asked.side)[line - 1].strip()[:MOST_WIDTH]
                except (RefusedError, IndexError):
                    continue
                inside = calls[path, line] or "the module"
                body.append(f"{unsecret(path)}:{line}: in {inside}: {text}")
        rest = first_of(len(body), places.count)
        return Found(f"called in {places}, at the {asked.side.value}", body, rest)


TOOL: Final = Callers()
