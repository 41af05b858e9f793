"""Words from outside, of a model or its host, without what could disturb a display or a file.

For texts that are kept or shown; what comes from a repository is spelled out by render instead. Invariant: what comes
back can be written as UTF-8, and ``clean`` and ``line`` leave no control, bidirectional or invisible character.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from roundzero.core.regex import regex

_UNSAFE: Final = regex(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_MARKS: Final = regex("[\u2610-\u2612\u2705\u2713-\u2718\u274c\u274e]")
_HALF: Final = regex("[\ud800-\udfff]")


@cache
def is_hidden(character: str) -> bool:
    """Whether ``clean`` drops a character that a text may have."""
    return _UNSAFE.match(character) is not None


def whole(text: str) -> str:
    """Halves of characters, which JSON may spell and a stream may part, joined; one that stays alone is U+FFFD."""
    if _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean(text: str) -> str:
    """Without control characters, bidirectional controls and invisible ones; tabs and line feeds stay."""
    return _UNSAFE.sub("", whole(text)).strip("\n")


def prose(text: str) -> str:
    """The same without marks such as a verified quote is given: who reads one must know that it is ours."""
    return _MARKS.sub("", clean(text)).strip()


def line(text: str) -> str:
    """What ``clean`` leaves, on one line."""
    return " ".join(clean(text).split())
