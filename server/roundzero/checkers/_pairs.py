"""Pairs of brackets in a text of any language whose comments and strings are blanked (core/lexical).

No grammar: where a text is not well formed, the answer is a guess. Invariant: offsets are those of the text given.
"""

from __future__ import annotations

import re
from typing import Final

_BRACKETS: Final = {"(": ")", "{": "}", "[": "]"}
_FAR: Final = 20_000
"""Code points before a place in which the bracket around it is looked for."""


def closing(text: str, opening: int) -> int:
    """The offset of the bracket that closes the one at ``opening``; the end of the text where none does."""
    first = text[opening]
    last = _BRACKETS[first]
    depth = 0
    for match in re.compile(rf"[{re.escape(first + last)}]").finditer(text, opening):
        depth += 1 if match.group() == first else -1
        if depth == 0:
            return match.start()
    return len(text)


def opening(text: str, at: int, kinds: str = "{") -> int | None:
    """The offset of the nearest bracket of some kinds that is open at a place; None where there is none near it."""
    signs = re.escape(kinds + "".join(_BRACKETS[kind] for kind in kinds))
    depth = 0
    for match in re.finditer(f"[{signs}]", text[max(0, at - _FAR) : at][::-1]):
        depth += -1 if match.group() in kinds else 1
        if depth < 0:
            return at - match.start() - 1
    return None
