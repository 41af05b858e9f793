"""What derives from a class, and what is registered under a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.engine.tools._arguments import SIDE, Parameter
from roundzero.engine.tools._view import Found, last_part

if TYPE_CHECKING:
    from roundzero.core.text import RelPath
    from roundzero.engine.tools._arguments import Arguments
    from roundzero.engine.tools._view import ToolView

_MOST: Final = 40
_MOST_NAMES: Final = 60
"""Classes whose own subclasses are looked for: a base of everything is cut there."""


class Subclasses:
    """Subclasses, and members of a registry."""

    name = "subclasses"
    description = (
        "The Python classes that derive from a class, directly or not; and for a registry (a decorator, a dict, an "
        "object with a register method) what is registered with it. By name; what is made while a program runs is not "
        "found."
    )
    parameters = (Parameter(name="name", description="the class or the registry", required=True), SIDE)

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer."""
        name = last_part(asked.text("name"))
        derived, cut = self._derived(name, asked, view)
        registered = view.places(self._registered(name, asked, view), asked.side)
        below = view.places(derived, asked.side)
        body = view.quoted(below, asked.side, _MOST)
        if registered.count:
            body += ["registered:", *view.quoted(registered, asked.side, _MOST)]
        head = f"subclasses: {below}; registered: {registered}; at the {asked.side.value}"
        return Found(head, body, f"only the first {_MOST_NAMES} classes were followed" if cut else "")

    @staticmethod
    def _derived(name: str, asked: Arguments, view: ToolView) -> tuple[set[tuple[RelPath, int]], bool]:
        found: set[tuple[RelPath, int]] = set()
        seen, waiting = {name}, [name]
        while waiting and len(seen) <= _MOST_NAMES:
            base = waiting.pop(0)
            for path in view.mentions(base, asked.side).lines:
                facts = view.symbols.facts(path, asked.side)
                for each in facts.definitions if facts is not None else ():
                    if each.kind == "class" and any(known.rpartition(".")[2] == base for known in each.bases):
                        found.add((path, each.line))
                        if each.name not in seen:
                            seen.add(each.name)
                            waiting.append(each.name)
        return found, bool(waiting)

    @staticmethod
    def _registered(name: str, asked: Arguments, view: ToolView) -> set[tuple[RelPath, int]]:
        """Decorated by it, put into it, or given to a method of it."""
        found: set[tuple[RelPath, int]] = set()
        for path in view.mentions(name, asked.side).lines:
            facts, uses = view.symbols.facts(path, asked.side), view.symbols.uses(path, asked.side)
            for each in facts.definitions if facts is not None else ():
                if any(name in decorator.split(".") for decorator in each.decorators):
                    found.add((path, each.line))
            for text in uses.strings if uses is not None else ():
                if text.role in {"key", "index", "argument"} and name in text.owner.split("."):
                    found.add((path, text.line))
            for call in uses.calls if uses is not None else ():
                owner, _, method = call.callee.rpartition(".")
                if name in owner.split(".") and method in {"register", "add", "append", "setdefault", "update"}:
                    found.add((path, call.line))
        return found


TOOL: Final = Subclasses()
