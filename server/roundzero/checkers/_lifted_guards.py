"""Guards that nobody misses: they stood there until something worked, never ran, or went into a function with others.

Who removes ``raise ValueError("lists are not supported")`` mostly supports them now, and what follows a ``return``
stopped nothing. Works on lines. Invariant: nothing is read but the guard's own statement, its condition and what stands
above them in their block.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.core.text import indentation

if TYPE_CHECKING:
    from collections.abc import Collection

    from roundzero.core.linemap import Hunk
    from roundzero.core.text import LineIndex

LONGEST: Final = 400
"""Characters of a line that are looked at."""
STATEMENT: Final = 6
"""Longest statement of a guard, in lines, whose message is read."""

_LIMITATION: Final = regex(
    r"\b(?:not|n't)[ ](?:yet[ ]|currently[ ])?(?:be[ ])?(?:support(?:ed)?|implemented)\b|\bunsupported\b|"
    r"\bunimplemented\b|\bonly[ ](?:be[ ])?(?:supports?|supported|implemented)\b|\bno[ ]support\b",
    re.IGNORECASE,
)
_OF_A_LIST: Final = regex(
    r"\bnot[ ]in[ ]+(?:\w+\.)*[^\W\d]\w*[ \t]*(?:$|[:)#,]|and\b|or\b)|\bnot[ ][^\W\d]\w*[ ]in[ ]+\w"
)
"""What is none of the values that are known: more of them do not make others right."""
_TO_GO: Final = regex(
    r"#.*\b(?:todo|fixme|xxx|hack|temporar\w*|work-?around|for now|remove (?:this|me|it|when|once|after))\b",
    re.IGNORECASE,
)
_LEAVES: Final = regex(r"[ \t]*(?:return|raise|continue|break)\b")
BLOCK: Final = 40
"""Lines above a guard in which its block has to begin."""
_CALL: Final = regex(r"(?<![\w.])(?P<name>[\w.]+)\((?P<given>[^()]*)\)")
_WORD: Final = regex(r"(?<![\w.])[^\W\d]\w*")
_ASKS_NOTHING: Final = regex(
    r"(?:_?log\w*|debug|info|warn(?:ing)?|error|exception|critical|print|echo|write|append|add|put|format|join|"
    r"abs|bool|bytes|dict|float|frozenset|getattr|hash|id|int|isinstance|len|list|max|min|range|repr|round|set|sorted|"
    r"str|sum|tuple|type)"
)
"""What tells of a value, keeps it or makes another of it."""
CALLING: Final = 2
"""Most lines of a call that took the place of others."""
MOVED: Final = 3
"""Least lines that went in favour of it."""
_STRING: Final = regex(r"\"[^\"]*\"|'[^']*'|#.*")


def was_for_now(index: LineIndex, line: int, condition: int | None) -> bool:
    """Whether a guard says that something is not supported so far, or a comment on it or right above that it is to go.

    What is not supported because it is in no list of values is no limit that fell: others are as wrong as before.

    ``line`` is the ``raise`` or ``assert``, ``condition`` the line of the ``if`` above it, where there is one.
    """
    said = _statement(index, line)
    first = condition or line
    above = (index.line(number) for number in range(first - 1, max(0, first - 3), -1))
    remarks = takewhile(lambda text: text.lstrip().startswith("#"), above)
    is_of_a_list = _OF_A_LIST.search(index.line(first)[:LONGEST]) is not None
    return (_LIMITATION.search(" ".join(said)) is not None and not is_of_a_list) or any(
        _TO_GO.search(text[:LONGEST]) is not None for text in (*remarks, index.line(first), said[0])
    )


def is_handed_over(hunk: Hunk, base: LineIndex, head: LineIndex, subjects: Collection[str]) -> bool:
    """Whether the lines around a guard went into a function: a new call, in their place, gets what it asked of.

    A call that only logs or converts it is none.
    """
    if not 0 < hunk.head_count <= CALLING or hunk.base_count < hunk.head_count + MOVED:
        return False
    gone = "\n".join(base.line(number) for number in hunk.base_lines)
    calls = [match for number in hunk.head_lines for match in _CALL.finditer(head.line(number)[:LONGEST])]
    return any(
        f"{call['name']}(" not in gone
        and _ASKS_NOTHING.fullmatch(call["name"].rpartition(".")[2]) is None
        and set(_WORD.findall(call["given"])) & {*subjects}
        for call in calls
    )


def was_unreachable(index: LineIndex, line: int, condition: int | None) -> bool:
    """Whether a statement above a guard or its condition, in the same block, leaves it."""
    return any(_is_behind_end(index, number) for number in (line, condition) if number is not None)


def _is_behind_end(index: LineIndex, line: int) -> bool:
    indent = indentation(index.line(line))
    for number in range(line - 1, max(0, line - BLOCK), -1):
        text = index.line(number)
        if text.strip() and indentation(text) < indent:
            return False
        if indentation(text) == indent and _LEAVES.match(text) is not None:
            return True
    return False


def _statement(index: LineIndex, line: int) -> list[str]:
    """The lines of a statement, as far as brackets and backslashes carry it on."""
    said: list[str] = []
    depth = 0
    for number in range(line, min(line + STATEMENT, index.line_count + 1)):
        text = index.line(number)
        said.append(text[:LONGEST])
        plain = _STRING.sub("", text)
        depth += sum(map(plain.count, "([{")) - sum(map(plain.count, ")]}"))
        if depth <= 0 and not plain.rstrip("\r").endswith("\\"):
            break
    return said
