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
_BUILT: Final = regex(
    r"\$[{(]?(?:\w*_)?(?:BINARY|BUILD|OBJ|OUT|OUTPUT|GEN|GENERATED|TMP|TEMP|DEST|DIST|INSTALL)_?(?:DIR|PATH|PREFIX|ROOT)?[})]?/",
    re.IGNORECASE,
)
"""A path below where a build puts things, which is none of the repository's."""
_BEHIND_A_FILE: Final = regex(
    r"\s*(?:add_(?:library|executable)|target_sources|set)\s*\([^#]*\.\w+(?P<gap>[ \t]+)", re.IGNORECASE
)
"""The sources of CMake on one line, up to one that is not the first."""
_KEYWORD: Final = regex(r"(?<![\w${}./\"'-])[A-Z]{4,}(?:_[A-Z]+)*(?![\w${}./\"'-])")
FAR: Final = 12
"""Lines above a path in which the keyword that it belongs to is looked for."""
_INCLUDED: Final = regex(r"\s*(?:include|recursive-include)\s+\S+\s*")
"""A line of ``MANIFEST.in`` about one path."""


def is_provided_for(source: Source | None, token: str) -> bool:
    """Whether a text asks if the path is there before it uses it, or makes it by a rule of its own or in a build."""
    if _BUILT.match(token) is not None:
        return True
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


def is_output(source: Source, number: int) -> bool:
    """Whether a line of CMake stands among what a command makes: the last keyword at or above it says so."""
    for line in range(number, max(0, number - FAR), -1):
        text = source.index.line(line)
        words = _KEYWORD.findall(text)
        if words:
            return words[-1] in {"OUTPUT", "BYPRODUCTS"}
        if "(" in text:
            return False
    return False


def taken_out(source: Source, place: GrepHit, token: str, span: Span) -> tuple[Fix, ...]:
    """Leave the entry out, where it is one of a list and nothing hangs on its place."""
    text, name = source.index.line(place.line), re.escape(token)
    start, end = span.start.column - 1, span.end.column - 1
    is_list = language_of(place.path) in _LISTS
    alone = re.fullmatch(rf"\s*([\"']?){name}\1\s*,?\s*", text) if is_list else None
    if alone is None and place.path.rpartition("/")[2] == "MANIFEST.in":
        alone = _INCLUDED.fullmatch(text)
    if alone is not None:
        whole = Span(Position(place.line, 1), Position(place.line + 1, 1))
        return (_without(source, token, whole),)
    before = re.search(r",\s*[\"']$", text[:start]) if is_list else None
    after = re.match(r"[\"']\s*(?=[,\]])", text[end:])
    if before is not None and after is not None and text[start - 1] == text[end]:
        first, last = before.start(), end + 1
    elif is_list and (first_of := re.match(r"[\"'],\s*", text[end:])) and re.search(r"\[\s*[\"']$", text[:start]):
        first, last = start - 1, end + first_of.end()
    elif (rest := _BEHIND_A_FILE.fullmatch(text[:start])) and re.match(r"[ \t)]|$", text[end:]):
        first, last = rest.start("gap"), end
    else:
        return ()
    part = Span(Position(place.line, first + 1), Position(place.line, last + 1))
    return (_without(source, token, part),)


def _without(source: Source, token: str, span: Span) -> Fix:
    return Fix(f"Leave {token} out", safe=False, edits=(Edit(source.path, span, source.index.slice(span), ""),))
