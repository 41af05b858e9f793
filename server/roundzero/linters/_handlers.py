"""Exception handlers that catch everything and are right to: they raise again, or only look at what they raised.

A handler with a bare ``raise`` lets the exception go on after its cleaning up. Where what is tried ends in a ``raise``
of its own, or in ``1 / 0``, the exception is wanted, as in tests of what happens then. Works on lines, which a parser
has found to be a handler. Invariant: what is tried is never looked into beyond its last statement.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.core.text import indentation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.text import LineIndex

_RAISES_AGAIN: Final = regex(r"[ \t]*raise[ \t]*(?:#.*)?\r?")
_RAISES: Final = regex(r"[ \t]*(?:raise\b|(?:\w+[ \t]*=[ \t]*)?\d+[ \t]*/{1,2}[ \t]*0[ \t]*(?:#.*)?\r?$)")
"""A division of a number by zero is written for the exception alone."""
_REMARK: Final = regex(r"#[ \t]*(?!noqa\b)\w+(?:\W+\w+){2,}")
"""At least three words."""
_CLEANS_UP: Final = regex(
    r"[ \t]*(?:async[ \t]+)?def[ \t]+\w*(?:clean_?up|tear_?down|__del__|__a?exit__)\w*\(", re.IGNORECASE
)
_CALL: Final = regex(r"[ \t]*(?:await[ \t]+)?(?P<called>[\w.\[\]]+)\(.*\)[ \t]*(?:#.*)?\r?")
_PUTS_AWAY: Final = regex(
    r"_?(?:close|disconnect|kill|terminate|unlink|remove|rmtree|rollback|cancel|stop|shut_?down|release|join|quit|abort|"
    r"delete|destroy|clean_?up|free|detach)"
)
_BLANK: Final = regex(r"[ \t]*(?:#.*)?\r?")


def is_meant(index: LineIndex, number: int, *, in_test: bool) -> bool:
    """Whether the handler that begins on a line catches everything for a reason that is seen in it.

    In a test a remark is reason enough: it says why the error is expected.
    """
    line = index.line(number)
    if in_test and any(_REMARK.search(index.line(each)) for each in (number, number + 1)):
        return True
    indent = indentation(line)
    above = number - 1
    while above and _BLANK.fullmatch(index.line(above)):
        above -= 1
    if _RAISES.match(index.line(above)) and _ends_try(index, above, indent):
        return True
    below = number + 1
    while below <= index.line_count:
        line = index.line(below)
        if not _BLANK.fullmatch(line):
            if indentation(line) <= indent:
                return False
            if _RAISES_AGAIN.fullmatch(line):
                return True
        below += 1
    return False


def cleans_up(index: LineIndex, number: int) -> bool:
    """Whether the handler on a line is part of cleaning up: an error there would hide the one that led to it.

    Its function is for that, or it stands in another handler and only one thing is tried, which puts something away.
    """
    indent = indentation(index.line(number))
    tried = [text for text in _block_above(index, number) if not _BLANK.fullmatch(text)]
    call = _CALL.fullmatch(tried[0]) if len(tried) == 1 else None
    puts_away = call is not None and _PUTS_AWAY.match(call["called"].rpartition(".")[2]) is not None
    for above in range(number - 1, 0, -1):
        line = index.line(above)
        if _BLANK.fullmatch(line) or indentation(line) >= indent:
            continue
        indent = indentation(line)
        if line.lstrip().startswith(("def ", "async def ")):
            return _CLEANS_UP.match(line) is not None
        if puts_away and line.lstrip().startswith(("except", "finally")):
            return True
    return False


def _block_above(index: LineIndex, number: int) -> Iterator[str]:
    """The lines between a handler and what stands above it at its indentation."""
    indent = indentation(index.line(number))
    for above in range(number - 1, 0, -1):
        line = index.line(above)
        if not _BLANK.fullmatch(line) and indentation(line) <= indent:
            return
        yield line


def _ends_try(index: LineIndex, number: int, indent: int) -> bool:
    """Whether a statement above a handler of this indentation stands in what is tried, directly or under a ``with``."""
    least = indentation(index.line(number))
    for above in range(number - 1, 0, -1):
        line = index.line(above)
        if _BLANK.fullmatch(line):
            continue
        if indentation(line) <= indent:
            return line.lstrip().startswith("try")
        if indentation(line) < least:
            if not line.lstrip().startswith(("with ", "async with ")):
                return False
            least = indentation(line)
    return False
