"""How others of its kind do what a function does: the idiom to copy, or the one it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.engine.tools._arguments import SIDE, Parameter, RefusedError
from roundzero.engine.tools._defining import Defined, blocks, definitions
from roundzero.engine.tools._view import ROOT, Found, first_of, last_part

if TYPE_CHECKING:
    from roundzero.core.change import Side
    from roundzero.core.text import RelPath
    from roundzero.engine.tools._arguments import Arguments
    from roundzero.engine.tools._view import ToolView

_MOST: Final = 4
_MOST_LINES: Final = 30
_MOST_FILES: Final = 30
_SHORTEST: Final = 3


class SiblingIdiom:
    """Functions like one."""

    name = "sibling_idiom"
    description = (
        "Functions of the same kind as one: of the same name in other classes and files, nearest first, then those "
        "beside it whose names share a word. Python only. To see how siblings guard, clean up or report."
    )
    parameters = (
        Parameter(name="path", description="the file the function is in", required=True, most=1000),
        Parameter(name="name", description="the function, as in Class.method", required=True),
        SIDE,
    )

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer."""
        path, name = view.path(asked.text("path")), last_part(asked.text("name"))
        view.source(path, asked.side)
        whole = asked.text("name").removesuffix("()")
        same = [
            each
            for each in definitions(view, name, asked.side, ROOT)
            if each.path != path or not f".{each.qualified}".endswith(f".{whole}")
        ]
        same.sort(key=lambda each: (-_shared(path, each.path), each))
        beside = [each for each in _beside(view, path, name, asked.side) if each not in same]
        chosen = [*same, *beside]
        rest = first_of(_MOST, len(chosen))
        head = f"{len(same)} of the same name, {len(beside)} beside it with a like name, at the {asked.side.value}"
        return Found(head, blocks(view, chosen[:_MOST], asked.side, _MOST_LINES), rest)


def _beside(view: ToolView, path: RelPath, name: str, side: Side) -> list[Defined]:
    """Functions of the same file, then of its folder, that share a word of their name."""
    words = _words(name)
    folder = path.rpartition("/")[0]
    near = sorted(each for each in view.repository.paths(side) if each.rpartition("/")[0] == folder and each != path)
    allowed = view.allowed(near[: _MOST_FILES * 4], side)
    found: list[tuple[int, int, Defined]] = []
    for number, each in enumerate([path, *(one for one in near if one in allowed)][:_MOST_FILES]):
        try:
            facts = view.symbols.facts(view.source(each, side).path, side)
        except RefusedError:
            continue
        for row in facts.definitions if facts is not None else ():
            alike = len(words & _words(row.name))
            if row.name != name and row.kind != "class" and alike:
                defined = Defined(each, row.first_line, row.last_line, row.qualified)
                found.append((min(number, 1), -alike, defined))
    return [defined for _, _, defined in sorted(found)]


def _words(name: str) -> frozenset[str]:
    """The words of a name that say something; "get" and "is" begin half of all names."""
    said = {"get", "set", "the", "test", "new", "add"}
    return frozenset(word for word in name.lower().split("_") if len(word) >= _SHORTEST) - said


def _shared(one: RelPath, other: RelPath) -> int:
    """How many folders two paths have in common, from the root."""
    count = 0
    for mine, theirs in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if mine != theirs:
            break
        count += 1
    return count


TOOL: Final = SiblingIdiom()
