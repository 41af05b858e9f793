"""The words of a shell text: where each begins and ends, whatever is quoted, escaped or substituted in it.

Knows no commands and expands nothing. Invariant: the reader only moves forward, and every word lies inside the text.
"""

from __future__ import annotations

import re
from typing import Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

MOST_DEEP: Final = 100
"""Compounds, and expansions, within each other that are read: no person wrote more, and what follows is passed over."""

_BLANK: Final = regex(r"(?:[ \t\r]|\\\r?\n)+")
_PLAIN: Final = regex(r"[^\s'\"`$\\;&|<>(){}]+")
_ANSI_QUOTED: Final = regex(r"\$'(?:[^'\\]|\\.)*'", re.DOTALL)
_REDIRECTION: Final = regex(r"\d*(?:<<<|>>|>&|<&|&>>|&>|>\||<>|>|<)")


@dataclass(frozen=True, slots=True)
class Word:
    """One word as it is written, quotes included, from ``start`` to ``end``."""

    text: str
    start: int
    end: int

    @property
    def plain(self) -> str:
        """The word without the quotes around it."""
        text = self.text
        return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


class WordReader:
    """A place in a text, and how to get on from there."""

    def __init__(self, text: str) -> None:
        """Start at the beginning."""
        self.text = text
        self.at = 0
        self._expansions = 0  # how many are open

    def next_word_start(self) -> int | None:
        """Pass over blanks and comments; None at the end."""
        text = self.text
        while self.at < len(text):
            blank = _BLANK.match(text, self.at)
            if blank is not None:
                self.at = blank.end()
            elif text[self.at] == "#" and (self.at == 0 or text[self.at - 1] in " \t\r\n;&|()"):
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                return self.at
        return None

    def skip_blank(self) -> None:
        """Pass over blanks and lines that go on."""
        blank = _BLANK.match(self.text, self.at)
        if blank is not None:
            self.at = blank.end()

    def word(self) -> Word | None:
        """The word at this place; None where there is none."""
        text = self.text
        start = self.at
        while self.at < len(text):
            character = text[self.at]
            if character == "\\":
                self.at += 2
            elif character in "'`":
                self._quoted()
            elif character == '"':
                self._double_quoted()
            elif character == "$":
                self._expansion()
            elif character == "(" and self.at > start and text[self.at - 1] in "=@?*+!":
                self._balanced("(", ")")
            elif character in " \t\r\n;&|<>()":
                break
            elif character in "{}":
                self.at += 1
            else:
                match = _PLAIN.match(text, self.at)
                self.at = match.end() if match is not None else self.at + 1
        self.at = min(self.at, len(text))
        return Word(text[start : self.at], start, self.at) if self.at > start else None

    def _expansion(self) -> None:
        text = self.text
        self._expansions += 1
        if self._expansions > MOST_DEEP:
            self.at = len(text)
        elif text.startswith("$'", self.at):
            match = _ANSI_QUOTED.match(text, self.at)
            self.at = match.end() if match is not None else len(text)
        elif text.startswith("$(", self.at):
            self.at += 1
            self._balanced("(", ")")
        elif text.startswith("${", self.at):
            self.at += 1
            self._balanced("{", "}")
        else:
            self.at += 1
        self._expansions -= 1

    def _quoted(self) -> None:
        """Pass over what begins with a mark and ends with the next one."""
        end = self.text.find(self.text[self.at], self.at + 1)
        self.at = len(self.text) if end < 0 else end + 1

    def _double_quoted(self) -> None:
        text = self.text
        self.at += 1
        while self.at < len(text):
            character = text[self.at]
            if character == '"':
                self.at += 1
                return
            if character == "\\":
                self.at += 2
            elif character == "$":
                self._expansion()
            else:
                self.at += 1

    def _balanced(self, opening: str, closing: str) -> None:
        """Pass over what stands between a bracket and its partner, quotes included."""
        text = self.text
        depth = 0
        while self.at < len(text):
            character = text[self.at]
            if character == opening:
                depth += 1
                self.at += 1
            elif character == closing:
                depth -= 1
                self.at += 1
                if depth == 0:
                    return
            elif character == "\\":
                self.at += 2
            elif character == "'" and opening == "(":
                self._quoted()
            elif character == '"':
                self._double_quoted()
            elif character == "$":
                self._expansion()
            else:
                self.at += 1

    def redirection(self) -> bool:
        """Pass over a redirection and where it leads."""
        match = _REDIRECTION.match(self.text, self.at)
        if match is None:
            return False
        self.at = match.end()
        self.skip_blank()
        if self.text.startswith("(", self.at) and self.at == match.end():
            self._balanced("(", ")")
        else:
            self.word()
        return True
