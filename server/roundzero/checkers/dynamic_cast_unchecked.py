"""dynamic-cast-unchecked: a pointer cast that may give null is dereferenced before anybody asked.

``dynamic_cast`` to a pointer and ``dynamic_pointer_cast`` say by null that the object is of another type. Told where
the result is used at once, where the first thing done with the variable that holds it is ``->`` or ``*``, and where a
function returns the result and nothing in the file that calls it looks either. Silent where the same file makes objects
of that very type, since then it is known what the object is, and where a test uses the result at once, and so fails as
it should. Invariant: no mention of the variable stands between the cast and the use that is meant, nor the same cast
before it in the function.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._cpp_text import before_body, functions
from roundzero.checkers._pairs import closing
from roundzero.checkers._paths import is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Hit, evidence_at
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.core.change import Source

_CAST: Final = regex(
    r"\b(?:\w+::)*dynamic_(?P<how>pointer_)?cast\s*<(?P<to>[^;(){}]{0,300}?)>\s*(?=\()",
)
_HOLDS: Final = regex(
    r"(?:^|[;{}])\s*(?:const\s+)?(?:auto|[\w:]+(?:<[^;(){}]*>)?)[\s*&]*\s(?:\*|const\s)*(?P<name>\w+)\s*=\s*$"
)
_MADE: Final = regex(r"\b(?:make_\w+\s*<\s*|new\s+)(?:const\s+)?(?:\w+::)*(\w+)")
"""Where objects are made, and of which type."""
_RETURNS: Final = regex(r"\breturn\s*$")
_NAMED: Final = regex(r"(?P<name>\w+)\s*\([^;{}]*$")
_STARS: Final = regex(r"(?:[=(,;{}&|?:]|\breturn)\s*\*\s*$")
FAR: Final = 5000
"""How far back in code points the same cast is looked for."""
MOST_RETURNING: Final = 50
"""Functions that return a cast whose callers are looked for: no person wrote a file with more."""


class _Cast(NamedTuple):
    """Where a cast begins, where its type ends, and where its call does."""

    start: int
    typed: int
    end: int


class DynamicCastUnchecked(TextChecker):
    """Finds casts whose failure crashes."""

    name = "dynamic-cast-unchecked"
    version = "2"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at every cast of a text, and at what becomes of it."""
        if language_of(source.path) not in {"cpp", "cuda"} or "dynamic_" not in source.text:
            return
        text = blanked(source)
        bodies = list(functions(text))
        made = set(_MADE.findall(text))
        returning, in_test = 0, is_test_path(source.path)
        for begin, end in bodies:
            for cast in _casts(text, begin, end, made):
                if text.find(text[cast.start : cast.end], max(begin, cast.start - FAR), cast.start) >= 0:
                    continue  # the same was asked, or told, before
                use = _use(text, cast, end)
                if use is None and returning < MOST_RETURNING and _is_returned(text, begin, cast):
                    returning += 1
                    use = _caller(text, begin, bodies)
                if use is not None and not (in_test and use == cast.start):
                    yield _hit(source, cast, use)


def _casts(text: str, begin: int, end: int, made: Collection[str]) -> Iterator[_Cast]:
    for match in _CAST.finditer(text, begin, end):
        is_pointer = match["how"] or match["to"].rstrip().removesuffix("const").rstrip().endswith("*")
        if is_pointer and _type_of(match["to"]) not in made:
            yield _Cast(match.start(), match.end(), closing(text, match.end()) + 1)


def _type_of(wanted: str) -> str:
    """The last name of a type, without what it is made of."""
    return re.sub(r"<.*|\bconst\b|[*&\s]", "", wanted, flags=re.DOTALL).rpartition("::")[2]


def _use(text: str, cast: _Cast, end: int) -> int | None:
    """Where the result is dereferenced first, if nothing else was done with it before."""
    if _is_used_at_once(text, cast):
        return cast.start
    name = _holder(text, cast)
    return _first_use(text, name, cast.end, end) if name else None


def _is_used_at_once(text: str, cast: _Cast) -> bool:
    rest = text[cast.end : cast.end + 40].lstrip()
    return rest.startswith("->") or (
        _STARS.search(text[max(0, cast.start - 40) : cast.start]) is not None and rest[:1] != "."
    )


def _holder(text: str, cast: _Cast) -> str:
    """The variable that is made of the result, and of nothing else; "" where there is none."""
    held = _HOLDS.search(text[max(0, cast.start - 200) : cast.start])
    return held["name"] if held is not None and _next(text, cast.end) == ";" else ""


def _is_returned(text: str, begin: int, cast: _Cast) -> bool:
    before = text[max(begin, cast.start - 40) : cast.start]
    return _RETURNS.search(before) is not None and _next(text, cast.end) == ";"


def _next(text: str, at: int) -> str:
    """The next character that is no blank."""
    return text[at : at + 40].lstrip()[:1]


def _first_use(text: str, name: str, start: int, end: int) -> int | None:
    """Where the next mention of a variable is, if it is a dereference."""
    match = re.compile(rf"(?<![\w.])(?<!->){name}\b").search(text, start, end)
    if match is None:
        return None
    if text[match.end() : match.end() + 40].lstrip().startswith("->") or _STARS.search(
        text[max(0, match.start() - 40) : match.start()]
    ):
        return match.start()
    return None


def _caller(text: str, begin: int, bodies: list[tuple[int, int]]) -> int | None:
    """Where the result of the function with this body is dereferenced first, if no caller in the file looks before."""
    named = _NAMED.search(before_body(text, begin))
    if named is None:
        return None
    called = re.compile(rf"(?<![\w.])\b{named['name']}\s*(?=\()")
    uses: list[int | None] = []
    for first, last in bodies:
        for match in called.finditer(text, first, last):
            call = _Cast(match.start(), match.end(), closing(text, match.end()) + 1)
            if _is_used_at_once(text, call) or _holder(text, call):
                uses.append(_use(text, call, last))
    return uses[0] if uses and None not in uses else None


def _hit(source: Source, cast: _Cast, use: int) -> Hit:
    index = source.index
    span = index.span(cast.start, cast.typed)
    line = index.position(use).line
    own = line == span.start.line
    return Hit(
        path=source.path,
        span=span,
        subject=code(index.slice(span)),
        evidence=() if own else (evidence_at(source, line, "use", Side.HEAD),),
    )


CHECKER: Final = DynamicCastUnchecked
