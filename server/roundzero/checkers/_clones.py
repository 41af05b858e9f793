"""Lines of code as the search for copies compares them: what they say, without what every file says.

Layout, comments, imports, signatures, docstrings and lone brackets do not count. Works on text, with the marks of
comments that each language has. Invariant: equal texts give equal lines, each with its number in the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from roundzero.core.change import Source

_HASH: Final = regex(r"(?:^|[ \t])#.*$")
_SLASHES: Final = regex(r"(?:^|[ \t])//.*$")
_EITHER: Final = regex(r"(?:^|[ \t])(?:#(?!\[)|//).*$")
_COMMENTS: Final[Mapping[str, re.Pattern[str]]] = {
    **dict.fromkeys(("python", "starlark", "toml", "bash", "ruby", "yaml", "cmake", "make", "dockerfile"), _HASH),
    "lua": regex(r"(?:^|[ \t])--.*$"),
    "php": _EITHER,
}
"""Of languages that have others than ``//``."""

_IGNORED: Final = regex(
    r"(?:import|from|using|package|namespace)\b|#(?:include|pragma|if|el|endif|define)|"
    r"(?:export (?:default )?\{|@\w|global |nonlocal )"
)
_IGNORED_IN: Final[Mapping[str, re.Pattern[str]]] = {
    "rust": regex(r"(?:pub(?:\([^()]*\))? )?(?:use |extern crate |mod \w+;)|#!?\["),
    "php": regex(r"use [\w\\]"),
}
_IMPORT: Final = regex(r"(?:import\b(?!\()|from\b)|export \{|(?:pub(?:\([^()]*\))? )?use ")
"""An import that may go on over several lines, till its brackets are closed."""

_SIGNATURE: Final = regex(r"(?:async def|def|class|function|fn|func)\b|[\w-]+\(\)[ \t]*\{")
_TRIPLE: Final = regex(r"^[rRbBuU]?(\"\"\"|''')")
_LONG_TEXTS: Final = frozenset({"python", "starlark", "java", "kotlin", "scala", "swift"})
"""Languages with texts that go over several lines between three quotes."""
_MARK: Final = regex(r"\"\"\"|'''")
_WORDLESS: Final = regex(r"[^\w]*(?:else|try|finally|do|then|fi|done|esac|end|pass|return|break|continue)?[^\w]*")
_WEAK: Final = regex(
    r"(?:[\w.\[\]\"']+[ ]?[=:][ ]?)?(?:[\w.\[\]\-]+|\"[^\"]*\"|'[^']*')[,)\]}]*,?|(?:self\.)?\w+ = \w+|echo .*|"
    r"return [\w:.\-]*|.*\)(?: (?:const|override|noexcept|final|= 0|= default|= delete))+|"
    r"(?:const )?[\w:]+(?:<[\w:, *]+>)?[ *&]+\w+[,)](?: \{)?|[\w.>\-]+(?:<[\w: *]+>)?\(\),|"
    r"(?:\"[^\"]*\"|'[^']*'|\w+)[ ]?: ?[\[({](?:(?:\"[^\"]*\"|'[^']*'|[\w.\-]+)"
    r"(?:, ?(?:\"[^\"]*\"|'[^']*'|[\w.\-]+))*,?)?[\])}]*,?|"
    r"\w+=[^= ].*,|.*\)(?: (?:const|override|noexcept|final))* \{ return [^{}]*\}|(?:\w+ )*constexpr .*"
)
"""Lines that pass something on, list or declare it: arguments, entries, parameters that are kept, prototypes, constants
and functions of one line."""

_LETTER: Final = regex(r"[^\W\d_]")
"""What a row of a table of numbers has none of."""
WORD: Final = regex(r"[^\W\d]\w{7,}")
_TOKEN: Final = regex(r"\w+|[^\w\s]")


class Line(NamedTuple):
    """A line that counts: its number from 1, its text, its tokens, and whether it does more than pass something on."""

    number: int
    text: str
    tokens: int
    strong: bool


def lines_of(source: Source) -> list[Line]:
    """The lines of a text that count."""
    language = language_of(source.path) or ""
    comment = _COMMENTS.get(language, _SLASHES)
    rows = ((number, _plain(text, comment)) for number, text in _code(source, language, comment))
    return [_line(number, plain) for number, plain in rows if plain]


def new_lines(source: Source, added: Collection[int]) -> Iterator[Line | None]:
    """Of the lines that count those that are ``added``, and None where others stand between: what copies begin with."""
    language = language_of(source.path) or ""
    comment = _COMMENTS.get(language, _SLASHES)
    together = False
    last = max(added, default=0)
    for number, text in _code(source, language, comment):
        if number > last:
            return
        if number in added:
            if plain := _plain(text, comment):
                together = True
                yield _line(number, plain)
        elif together and _plain(text, comment):
            together = False
            yield None


def _plain(text: str, comment: re.Pattern[str]) -> str:
    """What a line says; "" where that does not count."""
    plain = " ".join(comment.sub("", text).split()).rstrip(";")
    return "" if _WORDLESS.fullmatch(plain) else plain


def _line(number: int, plain: str) -> Line:
    strong = _LETTER.search(plain) is not None and _WEAK.fullmatch(plain) is None
    return Line(number, plain, len(_TOKEN.findall(plain)), strong)


def _code(source: Source, language: str, comment: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, without imports, signatures and docstrings."""
    inside = end = ""
    depth = 0
    own = _IGNORED_IN.get(language)
    has_blocks = language == "php" or language not in _COMMENTS
    for number, text in _stripped(source):
        if inside == "skipped":
            inside = "" if end in text else inside
        elif inside == "text":
            inside = "" if end in text else inside
            yield number, text
        elif has_blocks and text.startswith("/*"):
            end = "*/"
            inside = "" if end in text else "skipped"
        elif inside == "import":
            depth += _opened(comment.sub("", text))
            inside = "import" if depth > 0 else ""
        elif inside == "signature":
            inside = "" if text.endswith((":", "{")) else inside
        elif (match := _TRIPLE.match(text)) is not None:
            end = match[1]
            inside = "" if end in text[match.end() :] else "skipped"
        elif _IGNORED.match(text) or (own is not None and own.match(text)):
            depth = _opened(comment.sub("", text)) if _IMPORT.match(text) else 0
            inside = "import" if depth > 0 else ""
        elif _SIGNATURE.match(text):
            inside = (
                "" if re.search(r"[:{;)](?:[ \t]*#.*)?$", text) and text.count("(") <= text.count(")") else "signature"
            )
        else:
            end = _left_open(comment.sub("", text), language)
            inside = end and "text"
            yield number, text


def _stripped(source: Source) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, without the white space at both ends."""
    for number, line in enumerate(source.text.split("\n"), 1):
        if text := line.strip():
            yield number, text


def _left_open(line: str, language: str) -> str:
    """The mark of the text that begins on a line and goes on below it; "" where none does."""
    quote = ""
    for mark in _MARK.findall(line) if language in _LONG_TEXTS else ():
        quote = mark if not quote else "" if mark == quote else quote
    return quote


def _opened(text: str) -> int:
    """How many brackets a line leaves open, less those that it closes of lines before."""
    return sum(text.count(mark) for mark in "({") - sum(text.count(mark) for mark in ")}")


def anchor(line: Line) -> str:
    """The longest word of a line, by which copies of it are looked for; "" where all are short."""
    return max(WORD.findall(line.text), key=len, default="")
