"""A text whose comments and prose in strings are blanked, so that what is said of code cannot stand for what it does.

One draft of a deep review reads this. A string that is one word stays, since it may be a name that code looks up.
Invariants: as many lines as before, each with its number; everything that is neither comment nor string is as it was; a
text of an unknown language is left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Source
from roundzero.core.lexical import comments_and_strings, is_known
from roundzero.core.regex import regex

if TYPE_CHECKING:
    import re

FILLER: Final = "..."
_QUOTES: Final = regex(r"\"\"\"|'''|[\"'`]")
_PROSE: Final = regex(r"\s")
_OPENS: Final = regex(r"#+|//+|/\*+|--|")
_HOLE: Final = regex(r"\$?\{[^{}\n]*\}")
_LINE: Final = regex(r"[^\r\n]+")


def neutral(source: Source) -> Source:
    """The source, its comments and strings of several words blanked; the blob stays that of the text as it is."""
    if not is_known(source):
        return source
    parts: list[str] = []
    at = 0
    for found in comments_and_strings(source):
        text = found.group()
        blank = _comment(text) if found.group("comment") is not None else _string(text)
        if blank != text:
            parts += (source.text[at : found.start()], blank)
            at = found.end()
    if not parts:
        return source
    text = "".join([*parts, source.text[at:]])
    return Source(source.path, text, source.blob, encoding=source.encoding, bom=source.bom)


def _comment(text: str) -> str:
    opens = _OPENS.match(text)
    mark = opens[0] if opens is not None else ""
    close = "*/" if mark.startswith("/*") and text.endswith("*/") and len(text) >= len(mark) + 2 else ""
    inner = text[len(mark) : len(text) - len(close)]
    return mark + _LINE.sub(_filled, inner) + close


def _string(text: str) -> str:
    quote = _QUOTES.match(text)
    if quote is None:
        return text
    mark = quote[0]
    close = mark if len(text) >= 2 * len(mark) and text.endswith(mark) else ""
    inner = text[len(mark) : len(text) - len(close)]
    if _PROSE.search(inner.strip()) is None:
        return text
    return mark + _LINE.sub(_filled, inner) + close


def _filled(line: re.Match[str]) -> str:
    """What stands for a line of prose: its indentation, a filler, and the code in it, as templates have."""
    text = line[0]
    if not text.strip():
        return text
    start = text[: len(text) - len(text.lstrip())]
    return start + " ".join((FILLER, *_HOLE.findall(text)))
