"""What a file does about a path that it names and that is gone: whether it provides for that, and how to leave it out.

Looks at one text. Invariant: what is taken out is one entry of a list, with what separates it from the next.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.finding import Edit, Fix
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from roundzero.core.change import Source
    from roundzero.core.ports import GrepHit

_TESTED: Final = (
    r"(?:\[\[?|\btest)\s+(?:!\s+)?-[defrsx]\s+[\"']?|\bEXISTS\s+[\"']?|\bwildcard\s+"
    r"|\b(?:exists|isfile|isdir)\(\s*[\"']"
)
_LISTS: Final = frozenset({"starlark", "cmake", "toml"})
"""Languages in which an entry may be followed by a separator, whether or not another entry follows."""
_INCLUDED: Final = regex(r"\s*(?:include|recursive-include)\s+\S+\s*")
"""A line of ``MANIFEST.in`` about one path."""


def is_provided_for(source: Source | None, token: str) -> bool:
    """Whether a text asks if the path is there before it uses it, or makes it by a rule of its own."""
    if source is None or token not in source.text:
        return False
    name = re.escape(token)
    if re.search(rf"(?:{_TESTED}){name}(?![\w./-])", source.text) is not None:
        return True
    return (
        language_of(source.path) == "make"
        and re.search(rf"^(?![\t#])[^:=\n]*(?<![\w./-]){name}(?![\w./-])[^:=\n]*:(?!=)", source.text, re.MULTILINE)
        is not None
    )


def taken_out(place: GrepHit, token: str, span: Span) -> tuple[Fix, ...]:
    """Leave the entry out, where it is one of a list and nothing hangs on its place."""
    text, name = place.text.rstrip("\r"), re.escape(token)
    start, end = span.start.column - 1, span.end.column - 1
    is_list = language_of(place.path) in _LISTS
    alone = re.fullmatch(rf"\s*([\"']?){name}\1\s*,?\s*", text) if is_list else None
    if alone is None and place.path.rpartition("/")[2] == "MANIFEST.in":
        alone = _INCLUDED.fullmatch(text)
    if alone is not None:
        whole = Span(Position(place.line, 1), Position(place.line + 1, 1))
        return (_without(place, token, whole, f"{place.text}\n"),)
    before = re.search(r",\s*[\"']$", text[:start]) if is_list else None
    after = re.match(r"[\"']\s*(?=[,\]])", text[end:])
    if before is not None and after is not None and text[start - 1] == text[end]:
        first, last = before.start(), end + 1
    elif is_list and (first_of := re.match(r"[\"'],\s*", text[end:])) and re.search(r"\[\s*[\"']$", text[:start]):
        first, last = start - 1, end + first_of.end()
    else:
        return ()
    part = Span(Position(place.line, first + 1), Position(place.line, last + 1))
    return (_without(place, token, part, text[first:last]),)


def _without(place: GrepHit, token: str, span: Span, old: str) -> Fix:
    return Fix(f"Leave {token} out", safe=False, edits=(Edit(place.path, span, old, ""),))
