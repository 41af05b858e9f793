"""What a formatter would change in a text, as hits: one for each run of lines, with the edit that lays it out.

Runs nothing. Invariant: the edits of all hits together turn the text into the formatted one.
"""

from __future__ import annotations

import asyncio
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from roundzero.core.finding import Edit, Fix, Hit
from roundzero.core.text import Span
from roundzero.linters import LinterResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.core.item import Item, ItemId

MOST_LINES: Final = 4_000
"""Of lines between the first and the last that differ; more take too long to compare."""


class TooDifferentError(Exception):
    """The two texts have too little in common to say what differs."""


async def laid_out_anew(
    sources: Sequence[Source], items: Sequence[Item], texts: Mapping[int, str], title: str
) -> LinterResult:
    """What differs, for the items that apply. ``texts``: what the formatter made of sources, by their numbers."""
    hits: list[tuple[int, ItemId, Hit]] = []
    failures: list[tuple[int | None, str]] = []
    for at, text in texts.items():
        names = [item.id for item in items if item.applies.matches(sources[at].path)]
        try:
            found = await asyncio.to_thread(list, layout_hits(sources[at], text, title))
        except TooDifferentError:
            failures.append((at, "its layout differs in too many lines to say in which"))
            continue
        hits += [(at, name, hit) for hit in found for name in names]
    return LinterResult(hits=tuple(hits), failures=tuple(failures))


def layout_hits(source: Source, formatted: str, title: str) -> Iterator[Hit]:
    """What differs. ``title`` is the fix's. Raises TooDifferentError."""
    from difflib import SequenceMatcher  # noqa: PLC0415  only where something is laid out anew

    old, new = source.text.split("\n"), formatted.split("\n")
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    tail = 0
    while tail < min(len(old), len(new)) - first and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle, other = old[first : len(old) - tail], new[first : len(new) - tail]
    if len(middle) + len(other) > 2 * MOST_LINES:
        raise TooDifferentError
    starts = [*accumulate((len(line) + 1 for line in old), initial=0)]
    for tag, start, end, new_start, new_end in SequenceMatcher(None, middle, other, autojunk=False).get_opcodes():
        if tag != "equal":
            lines = range(first + start, first + end)
            place, offsets, text = _edit(old, starts, lines, other[new_start:new_end])
            offsets, text = _off_breaks(source.text, offsets, text)
            span = source.index.span(*offsets)
            before = source.text[slice(*offsets)]
            safe = "".join(before.split()) == "".join(text.split())
            edit = Edit(source.path, span, before, text)
            yield Hit(
                path=source.path,
                span=Span(source.index.line_span(place[0] + 1).start, source.index.line_span(place[1] + 1).end),
                fixes=(Fix(title, safe=safe, edits=(edit,)),),
            )


def _edit(
    old: Sequence[str], starts: Sequence[int], lines: range, new: Sequence[str]
) -> tuple[tuple[int, int], tuple[int, int], str]:
    """The first and last line (from 0) a hit stands on, the stretch to replace, and by what."""
    if not lines:  # lines come in: after the one before, or before the first
        at = max(lines.start - 1, 0)
        if lines.start == 0:
            return (at, at), (0, 0), "\n".join(new) + "\n"
        ends = "\r" if old[at].endswith("\r") and new[-1].endswith("\r") else ""
        end = starts[at] + len(old[at]) - len(ends)
        return (at, at), (end, end), ends + "\n".join(("", *new)).removesuffix(ends)
    place = (lines.start, lines.stop - 1)
    start, end = starts[lines.start], starts[lines.stop - 1] + len(old[lines.stop - 1])
    if new:
        ends = "\r" if old[lines.stop - 1].endswith("\r") and new[-1].endswith("\r") else ""
        return place, (start, end - len(ends)), "\n".join(new).removesuffix(ends)
    if lines.stop < len(old):  # whole lines go, with the break after them
        return place, (start, starts[lines.stop]), ""
    return place, (max(start - 1, 0), end), ""


def _off_breaks(whole: str, offsets: tuple[int, int], text: str) -> tuple[tuple[int, int], str]:
    """The edit with neither end inside a line break of two characters, where no position is."""
    start, end = offsets
    if whole[max(start - 1, 0) : start + 1] == "\r\n":
        start, text = start - 1, f"\r{text}"
    if whole[max(end - 1, 0) : end + 1] == "\r\n":
        end, text = end + 1, f"{text}\n"
    return (start, end), text
