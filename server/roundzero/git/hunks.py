"""Turns git's diff text into hunks, and makes sure that they fit the two texts.

Pure but for unidiff, which it imports when first needed. Works on section bodies; which file a section belongs to is
diff.py's business. Invariant: hunks that leave this module fit: outside them the two texts have equal lines but for
terminators and what git writes into ``$Id$``, and no hunk begins or ends with such a pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.linemap import Hunk
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence


_IDENT: Final = regex(r"\$Id: [0-9a-f]{40}(?:[0-9a-f]{24})? \$")
"""Only what git itself writes there: any other text is somebody's work."""


def as_committed(text: str) -> str:
    """The text as git compares it: the name of a blob that the attribute ``ident`` put into ``$Id$`` is nobody's work.

    As many lines as before. Whether the attribute is set does not matter: what stands there is no change to review.
    """
    return _IDENT.sub("$Id$", text) if "$Id:" in text else text


def split_lines(text: str) -> list[str]:
    r"""The lines of a text without terminators (``\n`` or ``\r\n``); a final terminator opens no further line."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def parse_hunks(body: bytes) -> list[Hunk] | None:
    """The hunks of one file's section of a zero-context diff, from its first ``@@`` line on; None if unreadable.

    The section gets a neutral header first, because unidiff 1.0.1 refuses some paths and takes an insertion at line 1
    for a new file.
    """
    from unidiff.errors import UnidiffParseError  # noqa: PLC0415  10 ms that start-up does not pay
    from unidiff.patch import PatchSet  # noqa: PLC0415  as above

    try:
        patch = PatchSet.from_string("--- a/file\n+++ b/file\n" + body.decode("latin-1"))
        (file,) = patch
    except (UnidiffParseError, ValueError):
        return None
    return [Hunk(hunk.source_start, hunk.source_length, hunk.target_start, hunk.target_length) for hunk in file]


def settle(hunks: Sequence[Hunk], base: Sequence[str], head: Sequence[str]) -> tuple[Hunk, ...] | None:
    """The hunks without lines that differ only in their terminator; None when they do not fit the texts."""
    settled: list[Hunk] = []
    base_at = head_at = 0
    for hunk in hunks:
        base_from, head_from = hunk.base_gap, hunk.head_gap
        if base_from < base_at or base[base_at:base_from] != head[head_at:head_from]:
            return None
        base_at, head_at = base_from + hunk.base_count, head_from + hunk.head_count
        if base_at > len(base) or head_at > len(head):
            return None
        trimmed = _trim(base, base_from, base_at, head, head_from, head_at)
        if trimmed is not None:
            settled.append(trimmed)
    return tuple(settled) if base[base_at:] == head[head_at:] else None


def _trim(
    base: Sequence[str], base_from: int, base_to: int, head: Sequence[str], head_from: int, head_to: int
) -> Hunk | None:
    while base_from < base_to and head_from < head_to and base[base_from] == head[head_from]:
        base_from += 1
        head_from += 1
    while base_from < base_to and head_from < head_to and base[base_to - 1] == head[head_to - 1]:
        base_to -= 1
        head_to -= 1
    return hunk_between(base_from, base_to, head_from, head_to)


def hunk_between(base_from: int, base_to: int, head_from: int, head_to: int) -> Hunk | None:
    """The hunk that replaces one half-open range of lines, counted from 0, by another; None when both are empty."""
    if base_from == base_to and head_from == head_to:
        return None
    return Hunk.between(base_from, base_to, head_from, head_to)


def whole(base_lines: int, head_lines: int) -> tuple[Hunk, ...]:
    """The hunks between two texts of which one is empty."""
    hunk = hunk_between(0, base_lines, 0, head_lines)
    return (hunk,) if hunk is not None else ()
