"""Links and headings of Markdown, by GitHub's reading of it.

Line by line and by regular expressions: no full parser. Code, in fences, in backticks and indented, holds no links.
Headings are compared by their letters and digits alone, because every renderer makes its own anchors of the rest.
Invariant: linear in the text, and a link's offsets are those of its target as written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE: Final = regex(r"[ >]*(?P<fence>`{3,}|~{3,})")
_LIST: Final = regex(r"[ >]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)")
_CODE: Final = regex(r"(?<![`\\])(`{1,4})(?!`)[^\n]*?(?<!`)\1(?!`)|<!--(?:[^-]|-(?!->))*(?:-->)?")
_LINK: Final = regex(
    r"\]\([ \t]*(?P<inline><[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\)"
    r"|^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]+(?P<defined><[^<>\n]*>|[^\s<>]+)[ \t]*(?:\"[^\"\n]*\"|'[^'\n]*')?[ \t\r]*$"
    r"|<(?:a|img|source|video)\b[^<>]*?\b(?:href|src)=(?:\"(?P<double>[^\"\n]*)\"|'(?P<single>[^'\n]*)')",
    re.MULTILINE,
)
_HEADING: Final = regex(
    r"^[ >]{0,6}#{1,6}[ \t]+(?P<hashed>[^\n]*)"
    r"|<[hH](?P<level>[1-6])\b[^<>]*>(?P<html>(?:[^<]|<(?!/?[hH][1-6]\b))*+)</[hH](?P=level)>"
    r"|^[ >]{0,3}(?P<over>[^\s>#\n][^\n]*)\n[ >]{0,3}(?:=+|-+)[ \t\r]*$",
    re.MULTILINE,
)
_NAMED: Final = regex(
    r"\b(?:id|name)=[\"']?(?P<id>[^\"'\s>]+)|\{[^{}\n#]*#(?P<brace>[\w:.-]+)|^\((?P<myst>[\w:. -]+)\)=",
    re.MULTILINE,
)
_SHORTCODE: Final = regex(r":[\w+-]+:|<[^<>\n]*>|\]\([^()\n]*\)|&\w+;|\{[^{}\n]*\}")
_MADE_ELSEWHERE: Final = regex(
    r"\{\{|\{%|--8<--|^\.\. |^:::|^import |<!-- *include|\binclude:|automodule|autoclass", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Link:
    """Where a link leads, as written, and the offsets of that in the text."""

    target: str
    start: int
    end: int


def links(text: str) -> Iterator[Link]:
    """The links, images and reference definitions of a text, in order."""
    if "](" not in text and "]:" not in text and "=" not in text:
        return
    for match in _LINK.finditer(_without_code(text)):
        for group in ("inline", "defined", "double", "single"):
            if match[group] is None:
                continue
            start, end = match.span(group)
            if match[group].startswith("<"):
                start, end = start + 1, end - 1
            yield Link(text[start:end], start, end)


def anchors(text: str) -> frozenset[str] | None:
    """What fragments may name, as ``key`` makes it; None where a program adds headings to the text."""
    if _MADE_ELSEWHERE.search(text) is not None:
        return None
    found = {key(value) for match in _NAMED.finditer(text) for value in match.groups() if value}
    for heading in headings(text):
        found |= {key(heading), key(_SHORTCODE.sub(" ", heading))}
    return frozenset(found)


def headings(text: str) -> list[str]:
    """The headings of a text, as written."""
    return [
        match["hashed"] or match["over"] or " ".join((match["html"] or "").split())
        for match in _HEADING.finditer(_without_code(text, spans=False))
    ]


def key(heading: str) -> str:
    """The letters and digits of a heading or of a fragment, all small."""
    return "".join(letter for letter in heading.lower() if letter.isalnum())


def slug(heading: str) -> str:
    """The fragment that GitHub makes of a heading."""
    kept = re.sub(r"[^\w\- ]", "", _SHORTCODE.sub("", heading.strip().rstrip("#").rstrip()).lower())
    return kept.replace(" ", "-")


def _without_code(text: str, *, spans: bool = True) -> str:
    """The text with blanks in place of code, and of comments."""
    lines = text.split("\n")
    fence = ""
    in_list = after_blank = False
    for at, line in enumerate(lines):
        match = _FENCE.match(line)
        if fence:
            if match is not None and match["fence"].startswith(fence) and not line[match.end() :].strip("`~ \r"):
                fence = ""
            lines[at] = " " * len(line)
        elif match is not None:
            fence = match["fence"]
            lines[at] = " " * len(line)
        elif line.startswith(("    ", "\t")):
            if not in_list and after_blank:
                lines[at] = " " * len(line)
            continue
        elif line.strip():
            in_list = _LIST.match(line) is not None or (in_list and not after_blank)
        after_blank = not line.strip()
    joined = "\n".join(lines)
    return _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), joined) if spans else joined
