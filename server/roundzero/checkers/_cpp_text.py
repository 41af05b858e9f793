"""C and C++ as text, its comments and strings blanked (core/lexical): functions and classes found.

No grammar and no preprocessor. Invariant: offsets are those of the text that was blanked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._pairs import closing
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

C_FAMILY: Final = frozenset({"c", "cpp", "cuda"})
"""What is read so."""

CLASS: Final = regex(
    r"(?<!enum )\b(?P<kind>class|struct)\s+(?:[A-Z_]+\s+)?(?P<name>\w+)(?:\s+final)?\s*(?::(?!:)[^;{}()]*)?\{"
)
"""The head of a class or struct in a blanked text, up to its brace."""

_LONGEST_HEAD: Final = 600
"""Code points before a body in which its head begins."""

_NO_FUNCTION: Final = regex(r"\b(?:if|for|while|switch|catch|namespace|class|struct|enum|union|do|else|try)\b")


def before_body(code: str, begin: int) -> str:
    """What stands before a body in a blanked text, back to the statement or block before it."""
    return re.split(r"[;{}]", code[max(0, begin - _LONGEST_HEAD) : begin])[-1]


def functions(code: str) -> Iterator[tuple[int, int]]:
    """Where the bodies of functions begin and end in a blanked text, lambdas and blocks aside."""
    at = 0
    while (at := code.find("{", at)) >= 0:
        head = before_body(code, at)
        if ")" in head and _NO_FUNCTION.search(head) is None and "=" not in head.rpartition(")")[2]:
            end = closing(code, at)
            yield at, end
            at = end
        at += 1
