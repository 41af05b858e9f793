"""The commands of a shell text: their words, what joins them, and the function they stand in.

Reads the grammar that scripts share (POSIX, and what bash adds to functions, tests and redirections); expands nothing,
and does not look inside command substitutions. What it cannot read it passes over, so a caller may rely on what it is
given, never on what it is not. Invariant: a command's offsets, and those of its words, are offsets in the text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from roundzero.checkers._shell_words import MOST_DEEP, Word, WordReader
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_FUNCTION: Final = regex(r"function[ \t]+(?P<a>[\w:.-]+)(?:[ \t]*\([ \t]*\))?|(?P<b>[\w:.-]+)[ \t]*\([ \t]*\)")
_KEYWORD: Final = regex(r"(?:if|then|elif|else|fi|while|until|for|select|do|done|case|esac|in)(?=[\s;&|)]|$)")
_END_OF_LIST: Final = regex(r"[;\n]")
_IN: Final = regex(r"\bin\b")
_PATTERN: Final = regex(r"(?:'[^']*'|\"[^\"]*\"|\\.|[^)'\"\\])*\)")
_ASSIGNMENT: Final = regex(r"(?P<name>[A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=")
_HEREDOC: Final = regex(r"\d*<<(?!<)(?P<tabs>-?)[ \t]*(?P<word>'[^'\n]+'|\"[^\"\n]+\"|\\?[\w.-]+)")
_DECLARES: Final = frozenset({"local", "export", "declare", "readonly", "typeset"})
_OPENS: Final = {"if": "fi", "while": "done", "until": "done", "for": "done", "select": "done", "case": "esac"}
_TESTS: Final = frozenset({"if", "elif", "while", "until"})
_ENDS_TEST: Final = frozenset({"then", "do"})
_OPERATOR: Final = regex(r"&&|\|\||;;&?|;&|\|&|[;&|\n]")

VARIABLE: Final = regex(r"\$\{?(?P<name>\w+)")
"""A variable where its value is taken."""

LONGEST: Final = 2000
"""Longest line or pipeline in code points that is looked at for what it says: no person wrote a longer one."""

Joint = Literal["", "\n", ";", "&", "&&", "||", "|", ")"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One simple command. ``words`` are without assignments before it and without redirections.

    ``before`` and ``after`` are what joins it to its neighbours. ``tested``: its status decides a branch or is turned
    round. ``function`` is the innermost function it stands in, "" outside. ``depth`` counts the compound commands
    around it within that function. ``body`` is its here-document.
    """

    words: tuple[Word, ...]
    assigned: tuple[Word, ...]
    start: int
    end: int
    before: Joint
    after: Joint
    tested: bool
    function: str
    depth: int
    body: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        """The command's name without folders; "" where it only assigns."""
        return self.words[0].plain.rpartition("/")[2] if self.words else ""

    @property
    def arguments(self) -> tuple[Word, ...]:
        """The words after the name."""
        return self.words[1:]

    @property
    def settings(self) -> Iterator[tuple[str, str, Word]]:
        """The variables it gives a value, before its name or as a declaration: name, value as written, and word."""
        for word in (*self.assigned, *(self.arguments if self.name in _DECLARES else ())):
            match = _ASSIGNMENT.match(word.text)
            if match is not None:
                yield match["name"], word.text[match.end() :], word


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """What a shell text holds. ``ends_in_command``: the last thing at the top level is ``commands[-1]``."""

    text: str
    commands: tuple[Command, ...]
    functions: frozenset[str]
    ends_in_command: bool

    def within(self, function: str) -> tuple[Command, ...]:
        """The commands of a function, or outside of all."""
        return tuple(command for command in self.commands if command.function == function)

    def stops_on_failure(self) -> bool:
        """Whether a failing command ends the script: ``set -e`` somewhere, or in the first line."""
        first = self.text.partition("\n")[0]
        if first.startswith("#!") and re.search(r"\s-\w*e", first) is not None:
            return True
        return any(command.name in {"set", "shopt"} and _sets_errexit(command) for command in self.commands)


def _sets_errexit(command: Command) -> bool:
    words = [word.plain for word in command.arguments]
    return "errexit" in words or any(re.fullmatch(r"-[a-zA-Z]*e[a-zA-Z]*", word) is not None for word in words)


@lru_cache(maxsize=128)
def parse_shell(text: str) -> Shell:
    """The commands of a text."""
    reader = _Reader(text)
    commands = tuple(reader.read())
    return Shell(
        text=text, commands=commands, functions=frozenset(reader.functions), ends_in_command=reader.ends_in_command
    )


class _Reader(WordReader):
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.functions: list[str] = []
        self.ends_in_command = False
        self._open: list[tuple[str, str]] = []  # what ends each open compound, and the function it opened
        self._pending: str | None = None  # the function whose body comes next
        self._testing: list[int] = []  # how many compounds were open where each condition began
        self._heredocs: list[tuple[str, bool]] = []
        self._bodies: list[tuple[int, int]] = []

    def read(self) -> Iterator[Command]:
        before: Joint = ""
        negated = False
        previous: Command | None = None
        while True:
            word = self.next_word_start()
            if word is None or len(self._open) > MOST_DEEP:
                break
            operator = self._operator()
            if operator is not None:
                joint = self._joint(operator)
                if previous is not None:
                    body = self._bodies.pop(0) if self._bodies and previous.body == (-1, -1) else None
                    yield replace(previous, after=joint, body=body)
                    previous = None
                    self.ends_in_command = not self._open and joint in {"\n", ";", "&&", "||", "|", "&"}
                before, negated = joint, False
                continue
            if self._structure():
                if previous is not None:
                    yield replace(previous, after=")" if self.text[self.at - 1] == ")" else ";", body=None)
                    previous = None
                self.ends_in_command = False
                before = ""
                continue
            if self._keyword_negates():
                negated = True
                continue
            if previous is not None:
                yield replace(previous, after=";", body=None)
            previous = self._command(before, negated=negated)
            self.ends_in_command = previous is not None and not self._open
        if previous is not None:
            yield replace(previous, after="\n", body=self._bodies.pop(0) if self._bodies else None)

    # ------------------------------------------------------------------------------------------------- positions

    def _operator(self) -> str | None:
        match = _OPERATOR.match(self.text, self.at)
        if match is None or self.text.startswith("&>", self.at):
            return None
        self.at = match.end()
        if match.group() == "\n" and self._heredocs:
            self._skip_heredocs()
        if match.group().startswith((";;", ";&")) and any(ending == "esac" for ending, _ in self._open):
            self._skip_pattern()
        return match.group()

    def _skip_heredocs(self) -> None:
        for ending, _ in self._heredocs:
            start = self.at
            pattern = re.compile(rf"^[ \t]*{re.escape(ending)}[ \t]*\r?$", re.MULTILINE)
            match = pattern.search(self.text, self.at)
            stop = match.start() if match is not None else len(self.text)
            self._bodies.append((start, stop))
            self.at = min(len(self.text), (match.end() + 1) if match is not None else len(self.text))
        self._heredocs = []

    @staticmethod
    def _joint(operator: str) -> Joint:
        if operator == "\n":
            return "\n"
        if operator.startswith(";"):
            return ";"
        if operator == "&&":
            return "&&"
        if operator == "||":
            return "||"
        return "|" if operator.startswith("|") else "&"

    # ------------------------------------------------------------------------------------------------- structure

    def _structure(self) -> bool:
        """Pass over a parenthesis, brace, keyword or head of a function."""
        text = self.text
        character = text[self.at]
        if character == "(":
            if text.startswith("((", self.at):
                return self._skip_arithmetic()
            self._begin(")")
            self.at += 1
            return True
        if character == ")":
            self._finish(")")
            self.at += 1
            return True
        if character in "{}" and (self.at + 1 == len(text) or text[self.at + 1] in " \t\r\n;&|)"):
            if character == "{":
                self._begin("}")
            else:
                self._finish("}")
            self.at += 1
            return True
        return self._function_head() or self._keyword()

    def _skip_arithmetic(self) -> bool:
        end = self.text.find("))", self.at)
        if end < 0:
            self._begin(")")
            self.at += 1
            return True
        self.at = end + 2
        return True

    def _function_head(self) -> bool:
        match = _FUNCTION.match(self.text, self.at)
        if match is None:
            return False
        self._pending = match["a"] or match["b"]
        self.functions.append(self._pending)
        self.at = match.end()
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
            self.at += 1
        return True

    def _keyword(self) -> bool:
        match = _KEYWORD.match(self.text, self.at)
        if match is None:
            return False
        word = match.group()
        self.at = match.end()
        if word in _OPENS:
            self._begin(_OPENS[word])
        if word in _TESTS:
            self._testing.append(len(self._open))
        elif word in _ENDS_TEST and self._testing and self._testing[-1] >= len(self._open):
            self._testing.pop()
        if word in {"for", "select"}:
            self._skip_to(_END_OF_LIST)
        elif word == "case":
            self._skip_to(_IN)
            self._skip_pattern()
        elif word in {"fi", "done", "esac"}:
            self._finish(word)
        return True

    def _skip_to(self, pattern: re.Pattern[str]) -> None:
        if self.text.startswith(" ((", self.at):
            self._skip_arithmetic()
        match = pattern.search(self.text, self.at)
        self.at = match.end() if match is not None else len(self.text)

    def _skip_pattern(self) -> None:
        """Pass over a pattern of a case up to its parenthesis."""
        self._next_or_newline()
        if self.text.startswith("esac", self.at):
            return
        match = _PATTERN.match(self.text, self.at)
        if match is not None:
            self.at = match.end()

    def _next_or_newline(self) -> None:
        while self.next_word_start() is not None and self.text[self.at] == "\n":
            self.at += 1

    def _begin(self, ending: str) -> None:
        self._open.append((ending, self._pending or ""))
        self._pending = None

    def _finish(self, ending: str) -> None:
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at][0] == ending:
                del self._open[at:]
                break
        while self._testing and self._testing[-1] > len(self._open):
            self._testing.pop()

    def _keyword_negates(self) -> bool:
        if self.text.startswith("!", self.at) and self.text[self.at + 1 : self.at + 2].isspace():
            self.at += 1
            return True
        return False

    # -------------------------------------------------------------------------------------------------- commands

    def _command(self, before: Joint, *, negated: bool) -> Command | None:
        text = self.text
        start = self.at
        words: list[Word] = []
        assigned: list[Word] = []
        end = start
        has_body = False
        while self.at < len(text):
            self.skip_blank()
            if (
                self.at == len(text)
                or text[self.at] in "\n;|)"
                or (text[self.at] == "&" and not text.startswith("&>", self.at))
            ):
                break
            if text[self.at] == "#" and text[self.at - 1] in " \t\r":
                break
            heredoc = _HEREDOC.match(text, self.at)
            if heredoc is not None:
                self._heredocs.append((heredoc["word"].strip("'\"\\"), bool(heredoc["tabs"])))
                self.at = end = heredoc.end()
                has_body = True
                continue
            if self.redirection():
                end = self.at
                continue
            word = self.word()
            if word is None:
                self.at += 1
                continue
            end = word.end
            if not words and _ASSIGNMENT.match(word.text) is not None:
                assigned.append(word)
            else:
                words.append(word)
        if not words and not assigned:
            return None
        function, depth = self._where()
        return Command(
            words=tuple(words),
            assigned=tuple(assigned),
            start=start,
            end=end,
            before=before,
            after="",
            tested=negated or bool(self._testing),
            function=function,
            depth=depth,
            body=(-1, -1) if has_body else None,
        )

    def _where(self) -> tuple[str, int]:
        depth = 0
        for _, function in reversed(self._open):
            if function:
                return function, depth
            depth += 1
        return "", depth
