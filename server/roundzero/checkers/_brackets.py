"""What stands between a pair of parentheses, and the edits that take a member out or add one behind the last.

For signatures and calls: members are told apart by their commas. Says nothing of what a member means. Invariant: an
edit takes no comment away, and what is left has its commas where they were.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from roundzero.core.finding import Edit
from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.core.change import Source

_OPEN: Final = frozenset("([{")
_CLOSE: Final = frozenset(")]}")
_COMMENT: Final = "#"
"""Stands for every comment."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member by the offsets of its first character and behind its last; ``first`` is its first token."""

    start: int
    end: int
    first: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """A pair of parentheses by the offsets of both, its members, its commas and the comments in it."""

    source: Source
    opens: int
    closes: int
    members: tuple[Member, ...]
    commas: tuple[int, ...]
    comments: tuple[int, ...]

    def without(self, first: int, last: int | None = None) -> Edit | None:
        """Take the members from ``first`` to ``last`` out; None where a comment stands by them."""
        last = first if last is None else last
        members, commas = self.members, self.commas
        if last + 1 < len(members):
            begin, end = members[first].start, members[last + 1].start
        elif first == 0:
            begin, end = self.opens + 1, self.closes
        elif len(commas) == len(members):
            begin, end = commas[first - 1] + 1, commas[last] + 1
        else:
            begin, end = commas[first - 1], members[last].end
        text = self.source.text
        before = commas[first - 1] + 1 if first else self.opens + 1
        above = text.find("\n", before, begin)
        line_end = text.find("\n", end)
        stretch = range(begin if above < 0 else above, max(line_end, end))
        return None if any(comment in stretch for comment in self.comments) else self._edit(begin, end, "")

    def with_last(self, text: str) -> Edit:
        """Add a member behind the last one, before a comma that ends the list."""
        end = self.members[-1].end if self.members else self.opens + 1
        return self._edit(end, end, f", {text}" if self.members else text)

    def _edit(self, begin: int, end: int, new: str) -> Edit:
        index = self.source.index
        return Edit(self.source.path, index.span(begin, end), index.text[begin:end], new)


def bracket(source: Source, at: int, stop: int) -> Bracket | None:
    """The parentheses that open at the offset ``at``, blanks aside, and close before ``stop``; None where none do."""
    text = source.text[at:stop]
    at += len(text) - len(text.lstrip(" \t"))
    text = source.text[at:stop]
    if not text.startswith("(") or "\r" in text.replace("\r\n", "\n"):
        return None
    members: list[Member] = []
    commas: list[int] = []
    comments: list[int] = []
    depth, is_new = 0, True
    for start, end, word in _tokens(text):
        if word == _COMMENT:
            comments.append(at + start)
            continue
        depth -= word in _CLOSE
        if not depth and word == ")":
            return Bracket(
                source=source,
                opens=at,
                closes=at + start,
                members=tuple(members),
                commas=tuple(commas),
                comments=tuple(comments),
            )
        if depth == 1 and word == ",":
            commas.append(at + start)
            is_new = True
        elif depth and is_new:
            members.append(Member(at + start, at + end, word))
            is_new = False
        elif depth:
            members[-1] = Member(members[-1].start, at + end, members[-1].first)
        depth += word in _OPEN
    return None


def _tokens(text: str) -> Iterator[tuple[int, int, str]]:
    """The offsets of a token's first character and behind its last, and its text, as far as they can be told.

    Layout is left out; pieces of strings have no text, since a bracket in them is none.
    """
    import tokenize  # noqa: PLC0415  off the start-up path

    lines = text.split("\n")
    starts = _starts(lines)
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="\n").readline):
            if token.string.strip():
                (line, column), (last_line, last_column) = token.start, token.end
                words = {tokenize.COMMENT: _COMMENT, tokenize.OP: token.string, tokenize.NAME: token.string}
                yield (
                    starts[line - 1] + column,
                    starts[last_line - 1] + last_column,
                    words.get(token.type, ""),
                )
    except (tokenize.TokenError, SyntaxError):
        return


def _starts(lines: Sequence[str]) -> list[int]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return starts
