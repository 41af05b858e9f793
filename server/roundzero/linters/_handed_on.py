"""Imports that serve although their own file does not seem to use them.

Four kinds: named in a type comment, which ruff does not read; the other branch of an import that is chosen by version
or by what is installed; handed on by a module that does nothing else; the very thing that a test tries. Works on
text: the file has been parsed by ruff, and parsing it once more in the server's process would cost more than the look.
Invariant: a plain ``import x`` that stands alone at the start of a line is only spared by a type comment.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.core.text import indentation

if TYPE_CHECKING:
    from roundzero.core.change import Source
    from roundzero.core.text import Span

_TYPE_COMMENT: Final = regex(r"#[ \t]*type:(?![ \t]*ignore\b)[^\n]*")
_DEFINES: Final = regex(
    r"^[ \t]*(?:async[ ]+)?(?:def|class)[ ]|\blambda\b|^(?:for|while|assert|del|raise|print)\b"
    r"|^(?!__)\w[\w.]*[ \t]*(?::[^=\n]*)?=(?!=)",
    re.MULTILINE,
)
_BRANCH: Final = regex(r"[ \t]*(?:if|elif|else|try|except|finally|with)\b")
_FAILS: Final = regex(r"[ \t]*with\b.*[rR]aises")
_TEST: Final = regex(r"[ \t]*(?:async[ ]+)?def[ ]+test")
_ONLY_IMPORTS: Final = regex(r"[ \t]*(?:(?:import|from|with|pass)\b|[\"'])")
_WORD: Final = regex(r"\w+")
LONGEST: Final = 200
"""Lines of the longest import that is looked through for its beginning."""
_BLANK: Final = regex(r"[ \t]*(?:#.*)?\r?")
_NAME: Final = regex(r".*\bas[ \t]+(?P<alias>\w+)|(?P<first>\w+)")


class HandedOn:
    """The imports of one source that serve though nothing in the file's code names what they bind."""

    def __init__(self, source: Source) -> None:
        """Look at nothing yet."""
        self._source = source

    @cached_property
    def _in_comments(self) -> frozenset[str]:
        """The words of type comments."""
        comments = _TYPE_COMMENT.findall(self._source.text) if "type:" in self._source.text else []
        return frozenset(word for comment in comments for word in _WORD.findall(comment))

    @cached_property
    def _words(self) -> Counter[str]:
        return Counter(_WORD.findall(self._source.text))

    @cached_property
    def _defines(self) -> bool:
        return _DEFINES.search(self._source.text) is not None

    def has(self, span: Span) -> bool:
        """Whether the import at a span is one."""
        source = self._source
        name = _NAME.match(_imported(source, span))
        if name is None:
            return False
        word = name["alias"] or name["first"]
        if word in self._in_comments:
            return True
        number = _statement(source, span.start.line)
        line = source.index.line(number)
        if line[:1] in " \t":
            return (_is_branch(source, number) and self._words[word] > 1) or _is_tried(source, number)
        return line.startswith("from ") and not self._defines


def _imported(source: Source, span: Span) -> str:
    """What ruff marked, with the name it is bound to."""
    rest = source.index.line(span.start.line)[span.start.column - 1 :]
    return re.split(r"[,)#\n]", rest, maxsplit=1)[0].strip()


def _statement(source: Source, number: int) -> int:
    """The line on which the statement begins that an imported name stands in."""
    first = max(1, number - LONGEST)
    while number > first and not re.match(r"[ \t]*(?:from|import)\b", source.index.line(number)):
        number -= 1
    return number


def _is_tried(source: Source, number: int) -> bool:
    """Whether an import stands where it has to fail, or in a test that does nothing but import."""
    index = source.index
    indent = indentation(index.line(number))
    above = number - 1
    while above and (_BLANK.fullmatch(index.line(above)) or indentation(index.line(above)) >= indent):
        above -= 1
    line = index.line(above)
    if _FAILS.match(line):
        return True
    if not _TEST.match(line):
        return False
    for below in range(above + 1, min(index.line_count, above + LONGEST) + 1):
        text = index.line(below)
        if _BLANK.fullmatch(text):
            continue
        if indentation(text) <= indentation(line):
            break
        if not _ONLY_IMPORTS.match(text):
            return False
    return True


def _is_branch(source: Source, number: int) -> bool:
    """Whether nothing but branches is around an indented line."""
    line = source.index.line(number)
    indent = indentation(line)
    while indent and number > 1:
        number -= 1
        line = source.index.line(number)
        here = indentation(line)
        if here >= indent or _BLANK.fullmatch(line):
            continue
        if not _BRANCH.match(line):
            return False
        indent = here
    return indent == 0
