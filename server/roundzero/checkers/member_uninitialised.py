"""member-uninitialised: a class of C++ without a constructor has a number or pointer that nothing gives a value.

Whoever makes such an object and does not assign it reads whatever the memory held; whether somebody always assigns it
is not known. Structs are left alone, as they are often filled in on purpose, and so is what protoc made. Invariant: the
class has no constructor in its body but a defaulted one, and the member no initialiser.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._cpp_text import CLASS
from roundzero.checkers._pairs import closing
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Source

_SCALAR: Final = (
    r"(?:(?:unsigned|signed|long|short)\s+)*(?:bool|char|short|int|long|float|double|unsigned|signed"
    r"|(?:std::)?(?:u?int(?:8|16|32|64|ptr)_t|size_t|ssize_t|ptrdiff_t|byte))(?![\w:<])"
)
_MEMBER: Final = regex(
    rf"(?<=[;{{}}:])\s*(?:{_SCALAR}(?:\s*\*)*|(?:const\s+)?(?!return\b|delete\b|using\b|typedef\b)[\w:]+(?:<[^;<>]*>)?\s*\*+)\s*"
    r"\b(?P<name>\w+)\s*;"
)


class MemberUninitialised(TextChecker):
    """Finds members that start as anything."""

    name = "member-uninitialised"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at every class of a text."""
        if language_of(source.path) != "cpp" or ".pb." in source.path or "class" not in source.text:
            return
        text = blanked(source)
        for match in CLASS.finditer(text):
            if match["kind"] == "struct":
                continue
            end = closing(text, match.end() - 1)
            body = _flat(text[match.end() - 1 : end])
            if re.search(rf"(?<![~\w]){match['name']}\s*\((?![^;{{}}]*=\s*default)", body) is not None:
                continue
            for member in _MEMBER.finditer(body):
                start = match.end() - 1 + member.start("name")
                span = source.index.span(start, start + len(member["name"]))
                yield Hit(path=source.path, span=span, subject=code(f"{match['name']}::{member['name']}"))


def _flat(body: str) -> str:
    """A class body that begins with its brace, with all that stands in inner braces blank."""
    depth = 0
    letters: list[str] = []
    for letter in body:
        depth -= letter == "}"
        letters.append(letter if depth <= 1 or letter == "\n" else " ")
        depth += letter == "{"
    return "".join(letters)


CHECKER: Final = MemberUninitialised
