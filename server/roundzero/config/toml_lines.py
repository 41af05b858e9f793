"""Where a TOML text sets a key, for messages with a line.

A scan, because tomllib keeps no positions and a parser that does would be loaded on every start. Invariant: the text is
known to be valid TOML; at worst the line is that of the enclosing table.
"""

from __future__ import annotations

from typing import Final

from roundzero.core.regex import regex

_HEADER: Final = regex(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$")
_KEY: Final = regex(r"\s*((?:\"[^\"]*\"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:\"[^\"]*\"|'[^']*'|[\w-]+))*)\s*=")
_PART: Final = regex(r"\"([^\"]*)\"|'([^']*)'|([\w-]+)")


def line_of(text: str, keys: tuple[str, ...]) -> int:
    """The line (from 1) where a TOML text sets ``keys``, or the nearest table around it; 0 when it names none of it."""
    table: tuple[str, ...] = ()
    best, depth = 0, 0
    for number, line in enumerate(text.split("\n"), start=1):
        if (header := _HEADER.match(line)) is not None:
            table = here = _parts(header[1])
        elif (key := _KEY.match(line)) is not None:
            here = table + _parts(key[1])
        else:
            continue
        if len(here) > depth and keys[: len(here)] == here:
            best, depth = number, len(here)
    return best


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(next(part for part in match.groups() if part is not None) for match in _PART.finditer(dotted))
