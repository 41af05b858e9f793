"""Where comments and strings stand in a text, by family of languages.

Regular expressions, no parser: it knows no here-documents of a shell, no block scalars of YAML and no nested
templates. A quote that is not closed on its line opens no string, where strings end with the line. Invariant: linear in
the text, and what it finds does not overlap.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.core.change import Source

_ESCAPED: Final = r"\\(?:\r\n|.)"
"""Outside of strings too: else each quote behind a backslash would be tried as an opening one, and fail far away."""
_DOUBLE: Final = rf'"(?:[^"\\\r\n]|{_ESCAPED})*+"'
_SHORT_STRINGS: Final = rf"{_DOUBLE}|'(?:[^'\\\r\n]|{_ESCAPED})*+'"
_LONG_STRINGS: Final = r'''"""(?:[^"\\]|\\.|"(?!""))*(?:""")?|\'\'\'(?:[^'\\]|\\.|'(?!''))*(?:\'\'\')?'''
_RAW: Final = r"""\b(?:u8|[uUL])?R"(?P<tag>\w*)\(.*?(?:\)(?P=tag)"|\Z)"""
_HASH: Final = r"(?P<comment>#[^\r\n]*)"
_SLASHES: Final = r"(?P<comment>//[^\r\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?)"
_FAMILIES: Final[Mapping[str, str]] = {
    "python": f"{_ESCAPED}|{_LONG_STRINGS}|{_SHORT_STRINGS}|{_HASH}",
    "shell": rf"{_ESCAPED}|{_SHORT_STRINGS}|(?<![^\s;]){_HASH}",
    "cmake": (
        rf"{_ESCAPED}|(?P<comment>#\[(?P<more>=*)\[.*?(?:\](?P=more)\]|\Z)|#[^\r\n]*)"
        r"|\[(?P<signs>=*)\[.*?(?:\](?P=signs)\]|\Z)" + r'|"(?:[^"\\]|\\.)*+"'
    ),
    "yaml": rf"(?<![^\s\[{{,:-])(?:{_DOUBLE}|'(?:[^'\r\n]|'')*+')|(?<!\S){_HASH}",
    "slashes": rf"{_ESCAPED}|{_SHORT_STRINGS}|`(?:[^`\\]|\\.)*`?|{_SLASHES}",
    "c": rf"{_RAW}|{_DOUBLE}|'(?:[^'\\\r\n]|{_ESCAPED}){{1,4}}'|{_SLASHES}",
    "rust": rf""""(?:[^"\\]|\\.)*"?|{_SLASHES}""",
    "dashes": rf"{_ESCAPED}|{_SHORT_STRINGS}|(?P<comment>--[^\r\n]*)",
    "markup": r"(?P<comment><!--(?:[^-]|-(?!->))*(?:-->)?)",
    "any": r"(?P<comment>(?:\#|//|/\*|--|;|%|<!--)[^\r\n]*)",
}
_FAMILY_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("python", "starlark", "toml"), "python"),
    **dict.fromkeys(("bash", "ruby", "make", "dockerfile"), "shell"),
    **dict.fromkeys(
        ("javascript", "typescript", "tsx", "jsx", "go", "java", "kotlin", "swift", "scala",
         "csharp", "php", "proto", "css"),
        "slashes",
    ),
    **dict.fromkeys(("c", "cpp", "cuda"), "c"),
    "cmake": "cmake",
    "yaml": "yaml",
    "rust": "rust",
    "lua": "dashes",
    **dict.fromkeys(("html", "markdown"), "markup"),
}  # fmt: skip
_INK: Final = regex(r"[^\n]")
_SCANNERS: Final = {name: regex(pattern, re.DOTALL) for name, pattern in _FAMILIES.items()}


def comments_and_strings(source: Source) -> Iterator[re.Match[str]]:
    """The comments (group ``comment``) and strings of a text, in order; of an unknown language only what may be one."""
    return _SCANNERS[_FAMILY_OF.get(language_of(source.path) or "", "any")].finditer(source.text)


def blanked(source: Source, *, strings: bool = True) -> str:
    """The text with comments and, if asked, strings as blanks: as long, and with the same lines."""
    parts: list[str] = []
    at = 0
    for found in comments_and_strings(source):
        if strings or found["comment"] is not None:
            parts += (source.text[at : found.start()], _INK.sub(" ", found[0]))
            at = found.end()
    return "".join((*parts, source.text[at:]))


def is_known(source: Source) -> bool:
    """Whether strings can be told from code in it."""
    return _FAMILY_OF.get(language_of(source.path) or "", "markup") != "markup"
