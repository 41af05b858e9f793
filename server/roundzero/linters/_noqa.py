"""Comments by which ruff is told to say nothing: ``# noqa``, ``# ruff: noqa``, and ruff's own of later versions.

What such a comment covers is ruff's own business (multi-line strings, continuation lines, ranges, the whole file): a
text that has one is given to ruff a second time with the comments disarmed. What ruff finds only there was silenced.
Here they are only disarmed, and looked for to name the one that did it. Invariant: a disarmed text has the same
characters at the same places but for one in each comment, and silences nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.text import Span, collapse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.change import Source

_MARK: Final = regex(
    r"#[^\S\r\n]*(?:(?P<noqa>noqa)|(?P<tool>ruff|flake8)[^\S\r\n]*(?P<colon>:)[^\S\r\n]*(?P<word>[a-z-]*))",
    re.IGNORECASE,
)
_END: Final = regex(r"[\r\n]|\s#")
_WHOLE_FILE: Final = frozenset({"noqa", "file-ignore"})
_CODE: Final = regex(r"\b[A-Z]+[0-9]+\b")


@dataclass(frozen=True, slots=True)
class Mark:
    """One comment. ``span`` is the comment without its ``#``, ``text`` the same on one line.

    ``word`` is what is asked for, "" where it is the bare ``noqa`` for its own line.
    """

    span: Span
    text: str
    word: str

    @property
    def line(self) -> int:
        """The line it stands on."""
        return self.span.start.line

    @property
    def whole_file(self) -> bool:
        """Whether it is for all lines."""
        return self.word in _WHOLE_FILE


def disarmed(text: str) -> str | None:
    """The text with every such comment out of order; None where there is none, so that one look is enough."""
    found = [*_MARK.finditer(text)] if "#" in text else []
    if not found:
        return None
    parts, at = [], 0
    for match in found:
        group = "noqa" if match["noqa"] else "colon"
        parts += [text[at : match.start(group)], "-"]
        at = match.start(group) + 1
    return "".join((*parts, text[at:]))


def marks(source: Source) -> tuple[Mark, ...]:
    """The comments of a text, in order. What stands in a string looks like one too: it is for choosing, not proof."""
    found = []
    for match in _MARK.finditer(source.text):
        start = match.start("noqa") if match["noqa"] else match.start("tool")
        ends = _END.search(source.text, start)
        end = ends.start() if ends is not None else len(source.text)
        text = source.text[start:end].rstrip()
        span = source.index.span(start, start + len(text))
        found.append(Mark(span, collapse(text), (match["word"] or "").lower()))
    return tuple(found)


def silencer(found: Sequence[Mark], code: str, *, row: int, line: int) -> Mark:
    """The comment that most likely silenced a finding of a rule. ``found`` is not empty.

    ``row`` is the line where ruff looks for the finding's own comment, ``line`` the one it stands on.
    """
    own = [mark for mark in found if not mark.word and mark.line == row]
    if own:
        return own[-1]
    wide = [mark for mark in found if mark.word] or found
    named = [mark for mark in wide if code in mark.text]
    blanket = [mark for mark in wide if _CODE.search(mark.text) is None]
    return min(named or blanket or wide, key=lambda mark: (mark.whole_file, mark.line > line, abs(line - mark.line)))
