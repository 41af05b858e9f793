"""Lines of code as the search for copies compares them: what they say, without what every file says.

Layout, comments, imports, signatures, docstrings and lone brackets do not count. Works on text, in any language that
writes ``#`` or ``//`` before a comment. Invariant: equal texts give equal lines, each with its number in the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.change import Source

_COMMENT: Final = re.compile(r"(?:^|[ \t])(?:#(?!include|define|if|el|end)|//).*$")
_IGNORED: Final = re.compile(
    r"(?:import|from|using|package|namespace|#include|#pragma|#if|#el|#endif|#define)|"
    r"(?:export (?:default )?\{|@\w|global |nonlocal )"
)
_SIGNATURE: Final = re.compile(r"(?:async def|def|class|function|fn|func)\b|[\w-]+\(\)[ \t]*\{")
_TRIPLE: Final = re.compile(r"^[rRbBuU]?(?:\"\"\"|''')")
_WORDLESS: Final = re.compile(r"[^\w]*(?:else|try|finally|do|then|fi|done|esac|end|pass|return|break|continue)?[^\w]*")
_WEAK: Final = re.compile(
    r"(?:[\w.\[\]\"']+[ ]?[=:][ ]?)?(?:[\w.\[\]\-]+|\"[^\"]*\"|'[^']*')[,)\]}]*,?|(?:self\.)?\w+ = \w+|echo .*|"
    r"return [\w:.\-]*|.*\)(?: (?:const|override|noexcept|final|= 0|= default|= delete))+|"
    r"(?:const )?[\w:]+(?:<[\w:, *]+>)?[ *&]+\w+[,)](?: \{)?|[\w.>\-]+(?:<[\w: *]+>)?\(\),"
)
"""Lines that pass something on, list or declare it: arguments, entries, parameters that are kept, prototypes."""

WORD: Final = re.compile(r"[^\W\d]\w{7,}")
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


class Line(NamedTuple):
    """A line that counts: its number from 1, its text, its tokens, and whether it does more than pass something on."""

    number: int
    text: str
    tokens: int
    strong: bool


def lines_of(source: Source) -> list[Line]:
    """The lines of a text that count."""
    found: list[Line] = []
    for number, text in _code(source):
        plain = " ".join(_COMMENT.sub("", text).split()).rstrip(";")
        if plain and not _WORDLESS.fullmatch(plain):
            found.append(Line(number, plain, len(_TOKEN.findall(plain)), _WEAK.fullmatch(plain) is None))
    return found


def _code(source: Source) -> Iterator[tuple[int, str]]:
    """The lines without imports, signatures and docstrings."""
    inside = ""
    for number in range(1, source.index.line_count + 1):
        text = source.index.line(number).strip()
        if inside == "comment":
            inside = "" if "*/" in text else inside
        elif text.startswith("/*"):
            inside = "" if "*/" in text else "comment"
        elif inside == "docstring":
            inside = "" if '"""' in text or "'''" in text else inside
        elif inside == "import":
            inside = "" if ")" in text else inside
        elif inside == "signature":
            inside = "" if text.endswith((":", "{")) else inside
        elif _TRIPLE.match(text):
            inside = "docstring" if len(re.findall(r"\"\"\"|'''", text)) == 1 else ""
        elif _IGNORED.match(text):
            inside = "import" if "(" in text and ")" not in text and text.startswith(("import", "from")) else ""
        elif _SIGNATURE.match(text):
            inside = (
                "" if re.search(r"[:{;)](?:[ \t]*#.*)?$", text) and text.count("(") <= text.count(")") else "signature"
            )
        else:
            yield number, text


def anchor(line: Line) -> str:
    """The longest word of a line, by which copies of it are looked for; "" where all are short."""
    return max(WORD.findall(line.text), key=len, default="")
