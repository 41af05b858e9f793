"""Carries what was seen in one version of a head text over to another.

Used where a new result is not to be had: the text does not parse just now, or edits keep outrunning the checks. It
never guesses: what touches an edited line is left behind. Invariant: a carried observation has the same item, symbol,
anchor text and, line for line, the same text under its span. What a model said is carried with all its evidence, since
its steps count it by number; evidence whose line was edited is marked as missing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.ascending import ascending
from roundzero.core.change import Side
from roundzero.core.finding import Verified
from roundzero.core.linemap import Hunk, LineMap
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.core.finding import Evidence, Fix, Observation
    from roundzero.core.suppress import Directive
    from roundzero.core.text import RelPath


_MOST_LINES: Final = 12_000
"""Lines, of both texts together, up to which an edited region is searched for what was kept in it: 10 ms at most."""


def edit_map(old: str, new: str) -> LineMap:
    """The line map between two texts of a file, by what both begin and end with and unique lines in between.

    Lines that both texts hold once, in the same order, are the same lines, and so are equal ones that touch them;
    where none is unique, a region counts as edited. Coarser than a diff then, and it only carries less. Without a
    process: it runs on the loop (0.2 ms for 10,000 lines edited in one place, 10 ms at most where thousands lie
    between two edits).
    """
    if old == new:
        return LineMap(())
    start = _common(old, new)
    start = old.rfind("\n", 0, start) + 1
    tail = min(_common(old[::-1], new[::-1]), min(len(old), len(new)) - start)
    if not all(_at_line_start(text, len(text) - tail, start) for text in (old, new)):
        at = old.find("\n", len(old) - tail)
        tail = len(old) - at - 1 if at >= 0 else 0
    first = old.count("\n", 0, start)
    gone, came = old[start : len(old) - tail], new[start : len(new) - tail]
    lines = _lines(gone), _lines(came)
    if not any(lines):
        return LineMap(())
    if not all(lines) or sum(lines) > _MOST_LINES:
        return LineMap((Hunk.between(first, first + lines[0], first, first + lines[1]),))
    return LineMap(tuple(_edited(_split(gone), _split(came), first)))


def _split(text: str) -> list[str]:
    """The lines with their ends: a last one without is another line than one with it."""
    *lines, last = text.split("\n")
    return [*(line + "\n" for line in lines), *([last] if last else [])]


def _edited(old: list[str], new: list[str], first: int) -> Iterator[Hunk]:
    """What was edited in a region after ``first`` lines that both texts share, in order.

    Anchors are lines unique on both sides (as in a patience diff, one level deep); equal lines after and before one
    belong to it.
    """
    at = to = 0
    for here, there in [*_anchors(old, new), (len(old), len(new))]:
        if here < at:
            continue
        from_old, from_new = here, there
        while from_old > at and from_new > to and old[from_old - 1] == new[from_new - 1]:
            from_old, from_new = from_old - 1, from_new - 1
        if from_old > at or from_new > to:
            yield Hunk.between(first + at, first + from_old, first + to, first + from_new)
        at, to = here, there
        while at < len(old) and to < len(new) and old[at] == new[to]:
            at, to = at + 1, to + 1


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """The most lines that both sides hold once and in the same order, as indexes on both sides."""
    places = _once(new)
    return ascending([(at, to) for line, at in _once(old).items() if (to := places.get(line)) is not None])


def _once(lines: list[str]) -> dict[str, int]:
    """Where the lines are that are there once, in their order."""
    places = {line: at for at, line in enumerate(lines)}
    if len(places) == len(lines):
        return places
    counts = Counter(lines)
    return {line: at for at, line in enumerate(lines) if counts[line] == 1}


def _common(one: str, other: str) -> int:
    """Length of the common beginning, by halving: each comparison runs at the speed of memory."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _at_line_start(text: str, offset: int, start: int) -> bool:
    return offset == start or text[offset - 1] == "\n"


def _lines(text: str) -> int:
    return text.count("\n") + (0 if not text or text.endswith("\n") else 1)


def carry(seen: Iterable[Observation], path: RelPath, moved: LineMap) -> tuple[Observation, ...]:
    """The observations in head text ``path`` that survive an edit, at their new lines."""
    return tuple(there for observation in seen if (there := _carried(observation, path, moved)) is not None)


def carry_foreign(found: Iterable[Directive], moved: LineMap) -> tuple[Directive, ...]:
    """The comments in a linter's own language that survive an edit together with the line they cover."""
    carried = []
    for each in found:
        only, span = _span(each.only, moved) if each.only is not None else None, _span(each.span, moved)
        if only is not None and span is not None:
            carried.append(replace(each, span=span, only=only, target=only.start.line))
    return tuple(carried)


def aged(seen: Observation, path: RelPath, moved: LineMap) -> Observation | None:
    """An observation whose own lines were edited, where they were; None when they were deleted."""
    span = seen.span
    if span is None or seen.path != path or seen.side is not Side.HEAD:
        return seen
    hunk = moved.hunk_of(span.start.line)
    if hunk is not None and not hunk.head_count:
        return None
    line = moved.nearest(span.start.line)
    width = span.end.column if span.end.line == span.start.line else span.start.column + 1
    there = Span(Position(line, span.start.column), Position(line, max(width, span.start.column)))
    evidence = tuple(_marked(each, path, moved) for each in seen.evidence)
    cause = seen.cause
    if cause is not None and cause.path == path:
        cause = replace(cause, line=moved.nearest(cause.line))
    return replace(seen, span=there, cause=cause, evidence=evidence, fixes=())


def _carried(seen: Observation, path: RelPath, moved: LineMap) -> Observation | None:
    span = seen.span
    if span is not None and seen.path == path and seen.side is Side.HEAD:
        span = _span(span, moved)
        if span is None:
            return None
    cause = seen.cause
    if cause is not None and cause.path == path:
        line = moved.new(cause.line) if seen.anatomy is None else moved.nearest(cause.line)
        if line is None:
            return None
        cause = replace(cause, line=line)
    if seen.anatomy is not None:
        evidence = tuple(_marked(each, path, moved) for each in seen.evidence)
    else:
        evidence = tuple(there for each in seen.evidence if (there := _evidence(each, path, moved)) is not None)
    fixes = tuple(fixed for each in seen.fixes if (fixed := _fix(each, path, moved)) is not None)
    return replace(seen, span=span, cause=cause, evidence=evidence, fixes=fixes)


def _span(span: Span, moved: LineMap) -> Span | None:
    """The span on its new lines; None when one of its lines was edited or something came between them."""
    lines = [moved.new(line) for line in span.lines]
    first = lines[0]
    if first is None or lines != list(range(first, first + len(lines))):
        return None
    shift = first - span.start.line
    if not shift:
        return span
    return Span(Position(span.start.line + shift, span.start.column), Position(span.end.line + shift, span.end.column))


def _evidence(evidence: Evidence, path: RelPath, moved: LineMap) -> Evidence | None:
    if evidence.path != path or evidence.side is not Side.HEAD:
        return evidence
    line = moved.new(evidence.line)
    return None if line is None else replace(evidence, line=line)


def _marked(evidence: Evidence, path: RelPath, moved: LineMap) -> Evidence:
    """Evidence at its new line; where that was edited, at the nearest one and marked as missing."""
    there = _evidence(evidence, path, moved)
    if there is None:
        return replace(evidence, line=moved.nearest(evidence.line), verified=Verified.MISSING)
    return there


def _fix(fix: Fix, path: RelPath, moved: LineMap) -> Fix | None:
    edits = []
    for edit in fix.edits:
        span = _span(edit.span, moved) if edit.path == path else edit.span
        if span is None:
            return None
        edits.append(replace(edit, span=span))
    return replace(fix, edits=tuple(edits))
