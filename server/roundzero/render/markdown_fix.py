"""A fix as the lines of a unified diff, as a person reads it under a finding.

Not for programs: a secret on a line that the fix touches is masked. Invariant: without a secret, the lines applied to
the reviewed text give what the fix gives.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from roundzero.core.finding import Edit, Fix
    from roundzero.core.text import LineIndex, RelPath

    Find = Callable[[RelPath, Side], LineIndex | None]

NEAR: Final = 2
"""Edits at most this many lines apart share a hunk."""
LONG: Final = 400
"""Lines on both sides from which on a hunk is not compared: the cost grows with their square."""


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Whole lines of the old text with their ends, ``first`` counted from 1, and what stands there afterwards."""

    first: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def diff(fix: Fix, path: RelPath | None, lines_of: Find) -> list[str]:
    """The lines; files other than ``path`` are named. ``lines_of`` gives the lines of a reviewed text, if there."""
    result: list[str] = []
    by_path: dict[RelPath, list[Edit]] = {}
    for edit in fix.edits:
        by_path.setdefault(edit.path, []).append(edit)
    for place, edits in by_path.items():
        if place != path:
            result += [f"--- a/{place}", f"+++ b/{place}"]
        index = lines_of(place, Side.HEAD)
        if index is None or any(index.slice(edit.span) != edit.old_text for edit in edits):
            result += _bare(edits)
        else:
            result += _hunks(index, sorted(edits, key=lambda edit: edit.span))
    return result


def _bare(edits: Sequence[Edit]) -> Iterator[str]:
    """Only the replaced texts, where the lines around them are not known."""
    for edit in edits:
        yield f"@@ line {edit.span.start.line} @@"
        yield from (f"-{line.rstrip()}" for line in _lines(edit.old_text))
        yield from (f"+{line.rstrip()}" for line in _lines(edit.new_text))


def _hunks(index: LineIndex, edits: Sequence[Edit]) -> Iterator[str]:
    shift = 0
    for group in _groups(edits):
        hunk = _hunk(index, group)
        yield f"@@ -{_range(hunk.first, len(hunk.old))} +{_range(hunk.first + shift, len(hunk.new))} @@"
        shift += len(hunk.new) - len(hunk.old)
        yield from _compared(hunk)


def _compared(hunk: _Hunk) -> Iterator[str]:
    if len(hunk.old) + len(hunk.new) > LONG:
        yield from _marked("-", hunk.old)
        yield from _marked("+", hunk.new)
        return
    for what, start, end, new_start, new_end in SequenceMatcher(None, hunk.old, hunk.new, autojunk=False).get_opcodes():
        if what == "equal":
            yield from _marked(" ", hunk.old[start:end])
        else:
            yield from _marked("-", hunk.old[start:end])
            yield from _marked("+", hunk.new[new_start:new_end])


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line.removesuffix("\n").removesuffix("\r")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _groups(edits: Sequence[Edit]) -> list[list[Edit]]:
    groups: list[list[Edit]] = []
    for edit in edits:
        if groups and edit.span.start.line - groups[-1][-1].span.end.line <= NEAR:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups


def _hunk(index: LineIndex, edits: Sequence[Edit]) -> _Hunk:
    """The whole lines that the edits touch, before and after."""
    first, last = edits[0].span.start.line, max(edit.span.end.line for edit in edits)
    start, end = index.line_start(first), index.line_start(last + 1)
    parts: list[str] = []
    at = start
    for edit in edits:
        parts += [index.text[at : index.offset(edit.span.start)], edit.new_text]
        at = index.offset(edit.span.end)
    after = "".join([*parts, index.text[at:end]])
    return _Hunk(first, tuple(_lines(index.text[start:end])), tuple(_lines(after)))


def _range(first: int, count: int) -> str:
    """As in a unified diff: a stretch without lines is named by the line before it."""
    if count == 1:
        return str(first)
    return f"{first if count else first - 1},{count}"


def _lines(text: str) -> list[str]:
    r"""The lines of a text with their ends; a final ``\n`` opens no further one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]
