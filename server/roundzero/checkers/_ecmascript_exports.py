"""What a module of TypeScript or JavaScript exports, by regular expressions over a text without comments and strings.

Says of every name where it is exported, and whether there may be more: what is computed is not known. Invariant: what
``possible_exports`` leaves out, the text does not export, unless it is computed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._pairs import closing
from roundzero.core.frozen import dataclass
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.change import Source

NAME: Final = r"[A-Za-z_$][\w$]*"
"""An identifier."""
KIND: Final = r"(?P<kind>function\s*\*?|class|(?:const\s+)?enum|interface|type|namespace|module)"
"""What a declaration begins with, ``const`` and its kin aside."""
GAP: Final = r"(?:\s+|(?<=\*))"
"""What stands between that and the name: nothing behind the star of a generator."""
_EXPORTED: Final = regex(
    rf"\bexport\s+(?:(?:declare|abstract|async|opaque)\s+)*{KIND}{GAP}(?P<name>{NAME})|"
    rf"\bexport\s+(?:declare\s+)?(?:const|let|var)\s+(?!enum\b)(?P<first>)|"
    rf"\bexport(?:\s+type)?\s*\{{(?P<list>[^{{}}]*)\}}|"
    rf"\bexport(?:\s+type)?\s*\*\s*(?:as\s+(?P<space>{NAME})\s+)?\s*from\b(?P<star>)|"
    rf"\bexport\s+(?P<default>default)\b|\bexport\s+import\s+(?P<alias>{NAME})|(?P<whole>\bexport\s*=)|"
    rf"(?<![\w.$])(?:module\s*\.\s*)?exports\s*\.\s*(?P<property>{NAME})\s*=(?!=)|"
    rf"(?P<object>(?<![\w.$])module\s*\.\s*exports\s*=\s*\{{)"
)
_COMPUTED: Final = regex(r"(?<![\w.$])module\s*\.\s*exports\b(?!\s*(?:\.\s*[\w$]+|=\s*\{))")
_HANDED_ON: Final = regex(r"[(,=]\s*exports\b|\bexports\s*\[")
"""``exports`` as a value, which somebody may add to; beside ``export`` statements it is any variable."""
_STATEMENT: Final = regex(r"^[^\S\n]*export\b", re.MULTILINE)
_NAME: Final = regex(NAME)
_FIRST: Final = regex(rf"\s*({NAME})")
_OPENS: Final = regex(r"\s*[{\[]")
_TAKEN_APART: Final = regex(rf"({NAME})\s*(?=[,}}\]=]|$)")
"""A name that a pattern binds."""
_SIGN: Final = regex(
    r"[(\[{]|(?<=\w)<|[)\]}]|(?<![=\s])>|,|;|\n(?=(?:export|import|function|class|const|let|var|type|interface)\b)"
)
"""What opens or closes something in a declaration, or ends a part of it."""
_BRACKET_OR_COMMA: Final = regex(r"[(\[{]|[)\]}]|,")
_PART: Final = regex(r"[^,]+")
_KEY: Final = regex(rf"\s*(?:async\s+|get\s+|\*\s*)?(?P<name>{NAME})\s*(?=[:,(]|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exports:
    """What a module exports: names with their kinds and offsets, and the offsets of the paths whose names it passes on.

    ``computed``: it may export more.
    """

    names: dict[str, tuple[str, int]]
    stars: tuple[int, ...]
    computed: bool


def exports(code: str) -> Exports:
    """What a text without comments and strings exports."""
    names: dict[str, tuple[str, int]] = {}
    stars: list[int] = []
    computed = _COMPUTED.search(code) is not None
    computed = computed or (_HANDED_ON.search(code) is not None and _STATEMENT.search(code) is None)
    for match in _EXPORTED.finditer(code):
        if match["star"] is not None and match["space"] is None:
            stars.append(match.end())
        elif match["whole"] is not None or (match["object"] is not None and not _keys(code, match.end() - 1)[1]):
            computed = True
        for name, kind, offset in _named(code, match):
            names.setdefault(name, (kind, offset))
    return Exports(names=names, stars=tuple(stars), computed=computed)


def _named(code: str, match: re.Match[str]) -> Iterator[tuple[str, str, int]]:
    """The names that one statement exports, with their kinds and offsets."""
    if match["name"] is not None:
        yield match["name"], match["kind"].split()[-1].rstrip("*"), match.start("name")
    elif match["first"] is not None:
        yield from ((name, "constant", offset) for name, offset in _declared(code, match.end()))
    elif match["list"] is not None:
        yield from ((name, "name", offset) for name, offset in _listed(match["list"], match.start("list")))
    elif match["object"] is not None:
        yield from ((name, "name", offset) for name, offset in _keys(code, match.end() - 1)[0])
    else:
        for group in ("space", "default", "alias", "property"):
            if match[group] is not None:
                yield match[group], "name", match.start(group)


def _declared(code: str, at: int) -> Iterator[tuple[str, int]]:
    """The names of ``const a = 1, b = 2`` and ``const { a, b: c } = d``."""
    start: int | None = at
    while start is not None:
        name = _FIRST.match(code, start)
        if name is not None:
            yield name[1], name.start(1)
        elif (opening := _OPENS.match(code, start)) is not None:
            end = closing(code, opening.end() - 1)
            for match in _TAKEN_APART.finditer(code, opening.end(), end):
                yield match[1], match.start(1)
        start = _behind_comma(code, start)


def _behind_comma(code: str, start: int) -> int | None:
    """The place behind the next comma of a statement that stands in no bracket; None where the statement ends."""
    unclosed = ""
    for match in _SIGN.finditer(code, start):
        sign = match.group()
        if sign in "([{<":
            unclosed += sign
        elif sign == ">":
            unclosed = unclosed.removesuffix("<")
        elif unclosed.rstrip("<") and sign in ")]}":
            unclosed = unclosed.rstrip("<")[:-1]
        elif not unclosed or sign in ")]}":
            return match.end() if sign == "," else None
    return None


def _listed(text: str, at: int) -> Iterator[tuple[str, int]]:
    """The names that ``{ a, b as c }`` offers."""
    for part in _PART.finditer(text):
        names = list(_NAME.finditer(part.group()))
        if names:
            yield names[-1].group(), at + part.start() + names[-1].start()


def _keys(code: str, opening: int) -> tuple[list[tuple[str, int]], bool]:
    """The keys of an object that is written out, and whether those are all."""
    found: list[tuple[str, int]] = []
    at, end, complete = opening + 1, closing(code, opening), True
    while at < end:
        key = _KEY.match(code, at, end)
        if key is not None:
            found.append((key["name"], key.start("name")))
        elif code[at:end].strip():
            complete = False
        depth = 0
        for match in _BRACKET_OR_COMMA.finditer(code, at, end):
            depth += {",": 0}.get(match.group(), 1 if match.group() in "([{" else -1)
            if depth == 0 and match.group() == ",":
                at = match.end()
                break
        else:
            break
    return found, complete


def possible_exports(head: Source) -> set[str]:
    """What a text may export: what its code does, and what does if nothing of it were a string."""
    code = blanked(head)
    found = exports(code)
    lines = (line for line in head.text.split("\n") if not line.lstrip().startswith(("//", "*", "/*")))
    names = {*found.names, *exports("\n".join(lines)).names}
    if head.path.endswith(".d.ts"):
        names.update(_NAME.findall(code))
    return names
