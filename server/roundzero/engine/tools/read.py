"""Reads lines of a file, or lists a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.engine.tools._arguments import SIDE, Parameter, RefusedError
from roundzero.engine.tools._view import MOST_PATHS, Found, unsecret

if TYPE_CHECKING:
    from roundzero.core.change import Side
    from roundzero.core.text import RelPath
    from roundzero.engine.tools._arguments import Arguments
    from roundzero.engine.tools._view import ToolView

_MOST_LINES: Final = 200
_MOST_CHARACTERS: Final = 12_000
_MOST_NAMES: Final = 150


class Read:
    """A part of a file, with line numbers."""

    name = "read"
    description = (
        f"Lines of a file with their numbers, {_MOST_LINES} at most, or the names in a folder. Long lines are cut."
    )
    parameters = (
        Parameter(
            name="path", description="a file or folder, from the root of the repository", required=True, most=1000
        ),
        Parameter(name="first", kind="number", description="the first line, from 1; 1 if left out"),
        Parameter(name="last", kind="number", description="the last line; as many as may be if left out"),
        SIDE,
    )

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer."""
        path = view.path(asked.text("path"))
        listed = view.repository.paths(asked.side)
        if path not in listed and (inside := [each for each in listed if not path or each.startswith(f"{path}/")]):
            return _folder(path, inside, asked.side, view)
        lines = view.lines(path, asked.side)
        count = len(lines) - (len(lines) > 1 and not lines[-1])
        first = asked.number("first", 1)
        last = min(asked.number("last", count), count, first + _MOST_LINES - 1)
        if first > count:
            raise RefusedError(f"it has {count} lines, so there is no line {first}")
        if last < first:
            raise RefusedError("the last line is before the first")
        body: list[str] = []
        size = 0
        for row in view.block(path, asked.side, range(first, last + 1), _MOST_LINES):
            size += len(row)
            if size > _MOST_CHARACTERS and body:
                break
            body.append(row)
        end = first + len(body) - 1
        rest = f"ask for more from line {end + 1}" if end < count and end < asked.number("last", count) else ""
        return Found(f"lines {first} to {end} of {count}, at the {asked.side.value}", body, rest)


def _folder(path: RelPath, inside: list[RelPath], side: Side, view: ToolView) -> Found:
    start = len(path) + 1 if path else 0
    names = sorted({each[start:].partition("/")[0] + "/" * ("/" in each[start:]) for each in inside})
    here = [each for each in sorted(inside) if "/" not in each[start:]]
    allowed = {each[start:] for each in view.allowed(here[:MOST_PATHS], side)}
    deeper = {each[start:].partition("/")[0] for each in view.allowed(_one_each(inside, start), side)}
    shown = [name for name in names if name in allowed or (name.endswith("/") and name[:-1] in deeper)]
    rest = f"{len(shown) - _MOST_NAMES} more are not listed" if len(shown) > _MOST_NAMES else ""
    return Found(f"a folder of {len(shown)} names", [unsecret(name) for name in shown[:_MOST_NAMES]], rest)


def _one_each(inside: list[RelPath], start: int) -> list[RelPath]:
    """Some files of each folder below: one of them that may be shown shows the folder."""
    seen: dict[str, int] = {}
    chosen: list[RelPath] = []
    for each in sorted(inside):
        name, slash, _ = each[start:].partition("/")
        seen[name] = seen.get(name, 0) + 1
        if slash and seen[name] <= _SAMPLE and len(chosen) < MOST_PATHS:
            chosen.append(each)
    return chosen


_SAMPLE: Final = 5

TOOL: Final = Read()
