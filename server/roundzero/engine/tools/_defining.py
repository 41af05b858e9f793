"""Definitions of a name, for the tools that show some: Python by its facts, other languages by the looks of a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.engine.tools._arguments import RefusedError
from roundzero.engine.tools._view import unsecret

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.core.change import Side
    from roundzero.core.text import RelPath
    from roundzero.engine.tools._view import ToolView

_MOST_FILES: Final = 60
_BLOCK: Final = 25
"""Lines shown of a definition whose end is not known."""

_DEFINES: Final = regex(
    r"\b(?:function|func|fn|def|class|struct|enum|trait|interface|type|module|macro_rules!|const|let|var|val|static"
    r"|object|protocol|extension|namespace|define)\b"
)


@dataclass(frozen=True, slots=True, order=True)
class Defined:
    """One definition: its lines, decorators too, and its qualified name."""

    path: RelPath
    first: int
    last: int
    qualified: str

    @property
    def lines(self) -> range:
        """Its lines."""
        return range(self.first, self.last + 1)


def definitions(view: ToolView, name: str, side: Side, under: RelPath) -> list[Defined]:
    """What defines a name and may be shown, in order of path and line. Raises OutsideError."""
    found: set[Defined] = set()
    places = view.mentions(name, side, under)
    for number, (path, lines) in enumerate(places.lines.items()):
        if number >= _MOST_FILES and found:
            break
        found.update(_in_python(view, path, name, side) if language_of(path) == "python" else ())
        if language_of(path) != "python":
            found.update(_by_looks(view, path, name, lines, side))
    return sorted(found)


def _in_python(view: ToolView, path: RelPath, name: str, side: Side) -> Iterator[Defined]:
    facts = view.symbols.facts(path, side)
    if facts is None:
        return
    starts = set()
    for each in facts.definitions:
        if each.name == name:
            starts.add(each.line)
            yield Defined(path, each.first_line, each.last_line, each.qualified)
    for binding in facts.bound(name):
        if binding.kind in {"assign", "annotate", "augment"} and binding.line not in starts:
            yield Defined(path, binding.line, binding.end_line, name)
    for member in facts.members:
        if member.name == name and member.kind != "method" and member.line not in starts:
            yield Defined(path, member.line, member.end_line, f"{member.owner}.{name}")


def _by_looks(view: ToolView, path: RelPath, name: str, lines: Sequence[int], side: Side) -> Iterator[Defined]:
    try:
        texts = view.lines(path, side)
    except RefusedError:
        return
    for number in lines:
        text = texts[number - 1] if number <= len(texts) else ""
        before = text[: text.find(name)]
        if _DEFINES.search(before) is not None and not re.search(r"[=(]", before):
            yield Defined(path, number, min(len(texts), number + _BLOCK), name)


def blocks(view: ToolView, found: Sequence[Defined], side: Side, most: int) -> list[str]:
    """The first lines of each definition under its place."""
    body: list[str] = []
    for each in found:
        try:
            lines = view.block(each.path, side, each.lines, most)
        except RefusedError:
            continue
        cut = f", the first {most} lines" if len(each.lines) > most else ""
        body += [f"{unsecret(each.path)}:{each.first}: {each.qualified}{cut}", *lines]
    return body
