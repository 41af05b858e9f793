"""The ways to read a quote in a text, strictest first: as it stands, without white space, marks, framing, the middle.

Reviewers copy from rendered pages, diffs and listings, and shorten. Decides nothing: which place is meant is
evidence.py's. Invariant: a place that is found reads like the quote from token to token, and has every mark the quote
has.
"""

from __future__ import annotations

import html
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.core.harmless import is_hidden
from roundzero.core.regex import regex
from roundzero.core.text import dominant_eol, with_eol

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

    from roundzero.core.text import LineIndex

TELLING: Final = 8
"""Letters and digits, keywords aside, that a quote must have to be looked for beyond its line."""
CLOSE: Final = 3
"""By how many lines a reviewer is often wrong."""
SPREAD: Final = 12
"""Most lines from one part of a quote to the next across an ellipsis."""


class Found(NamedTuple):
    """A place that reads like a quote. ``whole``: only a comment stands beside it, if anything.

    ``after``: the mark before it. ``remarked``: whether the text has a comment behind it.
    """

    line: int
    whole: bool
    after: str
    remarked: bool


class Reading(NamedTuple):
    """All places that read like a quote in one form.

    ``told``: its letters and digits. ``plain``: it stands there character by character. ``marked``: marks were ignored.
    """

    found: tuple[Found, ...]
    told: int
    plain: bool
    marked: bool


def readings(quote: str, text: Text, line: int) -> Iterator[Reading]:
    """The ways to read a quote, strictest first. ``line`` is where it is said to stand."""
    for number, wording in enumerate(_wordings(quote, line)):
        signed = quote.strip()[:1] in _SIGNS and wording[0] not in _SIGNS
        remarked = len(quote) > len(wording) and _REMARK.sub("", quote) != quote and _REMARK.search(wording) is None
        for reading in _read(wording, text, first=number == 0):
            found = (
                each
                for each in reading.found
                if not (signed and each.after in _SIGNS) and not (remarked and each.remarked)
            )
            yield reading._replace(found=tuple(found))


def _read(wording: str, text: Text, *, first: bool) -> Iterator[Reading]:
    told = text.told(wording)
    yield Reading(text.plain.find(with_eol(wording, text.eol)), told, plain=first, marked=False)
    yield Reading(text.squeezed.find(wording), told, plain=False, marked=not first)
    if told >= TELLING:
        for form in (text.unmarked, text.untagged):
            yield Reading(form.find(wording), told, plain=False, marked=True)
        if (cut := _END.sub("", wording)) != wording:
            yield Reading(text.squeezed.find(cut, ends=False), told, plain=False, marked=True)
        if parts := _parts(wording):
            yield Reading(text.squeezed.find_parts(parts), told, plain=False, marked=True)


_SIGNS: Final = frozenset("+-*")
"""What a quote may begin with as code or as a mark of a diff or list: a term that is taken away is not one added.

Likewise a remark may be a reviewer's, or a comment; where the text has one of its own it is that which must be read.
"""


_NUMBERED: Final = regex(r"\s*(?:[\w./-]+:)?L?(\d{1,9})\s*(?:[:|│→]|\t)[ \t]?")
_CHANGED: Final = regex(r"[-+](?![-+])[ \t]?")
_QUOTED: Final = regex(r"\s*>[ \t]?")
_LISTED: Final = regex(r"\s*[-*•][ \t]+")
_FENCE: Final = regex(r"\s*(?:```|~~~)\w*\s*")
_REMARK: Final = regex(r"(?<=\S)\s+(?:(?:#|//|<-+|←|→).*|/\*(?:(?!\*/).)*(?:\*/)?)$")
_ELLIPSIS: Final = regex(r"\s*(?:\.{3,}|…)\s*")
_END: Final = regex(r"\s*(?:\.{3,}|…)\s*$")


def _wordings(quote: str, line: int) -> Iterator[str]:
    """The quote as it is written, and without what may have been put around it. None is empty."""
    said: set[str] = set()
    for wording in _unframed(quote, line):
        kept = wording.strip()
        if kept and kept not in said:
            said.add(kept)
            yield kept


def _unframed(quote: str, at: int) -> Iterator[str]:
    yield quote
    lines = [line for line in quote.split("\n") if line.strip() and not _FENCE.fullmatch(line)]
    bare = "\n".join(lines)
    yield bare
    if bare.strip().startswith("`"):
        yield bare.strip().strip("`")
    for frame in (_NUMBERED, _QUOTED, _CHANGED, _LISTED):
        if (
            lines
            and all(frame.match(line) for line in lines)
            and (frame is not _NUMBERED or _is_numbered(lines[0], at))
        ):
            yield "\n".join(frame.sub("", line, count=1) for line in lines)
    if any(line.startswith("+") for line in lines) and all(line[0] in "+- " for line in lines):
        yield "\n".join(line[1:] for line in lines if not line.startswith("-"))
    yield html.unescape(bare)
    if len(lines) == 1 and Text.told(code := _REMARK.sub("", bare)) >= TELLING and not _open_string(code):
        yield code


def _is_numbered(line: str, at: int) -> bool:
    """Whether the number before a line is the one of the line it is said to be; else it may be a key of the code."""
    found = _NUMBERED.match(line)
    return found is not None and abs(int(found[1]) - at) <= CLOSE


def _open_string(code: str) -> bool:
    """Whether a text seems to end inside a string, so that what follows was no remark."""
    return any(code.count(mark) % 2 for mark in "\"'`")


def _parts(wording: str) -> list[str]:
    """What stands around the ellipses of a quote; none for a quote without, or with a part that says nothing."""
    parts = [part for part in _ELLIPSIS.split(wording) if part]
    return parts if len(parts) > 1 and all(_WORD.search(part) for part in parts) else []


_WORD: Final = regex(r"[^\W_]+")
_KEYWORDS: Final = frozenset(
    """
    and as assert async auto await bool break case catch class cls const continue def default del do done elif else end
    esac except false fi final finally float for from func function global go if import in int is lambda let new nil
    none not null nullptr or override pass print private protected public raise return self static std str string
    struct super switch then this throw true try type unsigned var virtual void while with yield
    """.split()  # noqa: SIM905  words on lines are easier to read
)
_SPELLED: Final = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014\u2212\u00a0\u202f", "''\"\"---  ")
"""Typographic quotation marks, dashes and spaces as a keyboard has them."""
_MARKS: Final = frozenset("_*`~\\<>[]")
"""What Markdown takes for its own, drops, or turns into something else."""
_FORMATTING: Final = frozenset("*`~\\")
"""Marks that a quote may have been given on the way."""
_TAG: Final = regex(r"<[A-Za-z/!][^<>\n]*>")


class Text:
    """One text in the forms in which quotes are looked for."""

    def __init__(self, index: LineIndex) -> None:
        """Hold it; what is derived from it is made on first use."""
        self.index = index
        self.plain = _Form(index, lambda _: True, spelled=False)

    @cached_property
    def eol(self) -> str:
        """The line end it has; those who quote it write another."""
        return dominant_eol(self.index.text)

    @cached_property
    def squeezed(self) -> _Form:
        """Without white space and what is dropped from a reply, and with plain quotation marks and dashes."""
        return _Form(self.index, _is_seen)

    @cached_property
    def unmarked(self) -> _Form:
        """Also without the marks of Markdown."""
        return _Form(self.index, _is_said)

    @cached_property
    def untagged(self) -> _Form:
        """Also without what reads like HTML: ``<int>`` of ``vector<int>``."""
        return _Form(self.index, _is_said, blank=_TAG)

    @staticmethod
    def key(quote: str) -> str:
        """The quote as the laxest form has it."""
        return "".join(filter(_is_said, quote.translate(_SPELLED)))

    @staticmethod
    def told(quote: str) -> int:
        """How many letters and digits of a quote say something."""
        return sum(len(word) for word in _WORD.findall(quote) if word.lower() not in _KEYWORDS)


def _is_seen(character: str) -> bool:
    return not character.isspace() and not is_hidden(character)


def _is_said(character: str) -> bool:
    return character not in _MARKS and _is_seen(character)


class _Form:
    """A text with some characters left out, and where each of the others came from."""

    def __init__(
        self,
        index: LineIndex,
        keeps: Callable[[str], bool],
        *,
        spelled: bool = True,
        blank: re.Pattern[str] | None = None,
    ) -> None:
        self.index = index
        self.keeps = keeps
        self.identical = not spelled
        text = index.text
        if blank is not None:
            text = blank.sub(lambda match: " " * len(match[0]), text)
        if spelled:
            text = text.translate(_SPELLED)
        kept = frozenset(filter(keeps, set(text)))
        self.origins = range(len(text)) if self.identical else [at for at, each in enumerate(text) if each in kept]
        self.text = text if self.identical else "".join(text[at] for at in self.origins)

    def find(self, quote: str, *, ends: bool = True) -> tuple[Found, ...]:
        """Where the quote stands, from token to token; without ``ends`` it may stop inside one."""
        wanted = self.form(quote)
        if not wanted:
            return ()
        places = ((at, at + len(wanted)) for at in self._starts(wanted, ends=ends))
        return tuple(self._found(start, end) for start, end in places if self._eaten(quote, start, end))

    def _eaten(self, quote: str, start: int, end: int) -> bool:
        """Whether the quote has no mark that the text has not: marks are lost on the way, names are not made up."""
        if self.identical:
            return True
        there = iter(
            "".join(self.index.text[self._before(start) : self.origins[end - 1] + 1].translate(_SPELLED).split())
        )
        wanted = "".join(quote.translate(_SPELLED).split())
        return all(character in there for character in wanted if character not in _FORMATTING)

    def _before(self, at: int) -> int:
        """Where the characters begin that were left out just before a place."""
        return self.origins[at - 1] + 1 if at else 0

    def find_parts(self, parts: Sequence[str]) -> tuple[Found, ...]:
        """Where the parts stand one after the other: on one line, or not far apart where each of them is telling."""
        spread = SPREAD if all(Text.told(part) >= TELLING for part in parts) else 0
        first, *rest = [self.form(part) for part in parts]
        found: list[Found] = []
        for start in self._starts(first):
            at = start + len(first)
            for part in rest:
                following = next((each for each in self._starts(part, at)), None)
                if following is None or self._line(following) - self._line(at - 1) > spread:
                    break
                at = following + len(part)
            else:
                found.append(self._found(start, at))
        return tuple(found)

    def form(self, quote: str) -> str:
        if self.identical:
            return quote
        return "".join(each for each in quote.translate(_SPELLED) if self.keeps(each))

    def _starts(self, wanted: str, start: int = 0, *, ends: bool = True) -> Iterator[int]:
        at = self.text.find(wanted, start)
        while at >= 0:
            if self._is_border(at) and (not ends or self._is_border(at + len(wanted))):
                yield at
            at = self.text.find(wanted, at + 1)

    def _is_border(self, at: int) -> bool:
        """Whether no word goes on across a place; what was left out there is looked through, white space is not."""
        if at in {0, len(self.text)}:
            return True
        left, right = self.text[at - 1], self.text[at]
        if not (_is_word(left) and _is_word(right)):
            return _NUMBER.search(self.text[max(0, at - 2) : at + 2]) is None
        gap = self.index.text[self.origins[at - 1] + 1 : self.origins[at]]
        return any(each.isspace() for each in gap) or (bool(gap) and not all(each == "_" for each in gap))

    def _found(self, start: int, end: int) -> Found:
        text = self.index.text
        first, last = self.origins[start], self.origins[end - 1]
        before = text[text.rfind("\n", 0, first) + 1 : first]
        stop = text.find("\n", last)
        after = text[last + 1 : stop if stop >= 0 else len(text)]
        code = _COMMENT.sub("", after)
        whole = not any(self.keeps(each) and not each.isspace() for each in before + code)
        return Found(self._line(start), whole, before.rstrip()[-1:], code != after)

    def _line(self, at: int) -> int:
        return self.index.position(self.origins[at]).line


_NUMBER: Final = regex(r"\d\.\d")
_COMMENT: Final = regex(r"^\s+(?:(?:#|//).*|/\*(?:(?!\*/).)*(?:\*/\s*)?$)")


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
