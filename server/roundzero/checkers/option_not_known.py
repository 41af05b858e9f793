"""option-not-known: a script gives a command an option that it does not have, so the command refuses to run.

A table of what was looked up in each program: the letters that ``pip install`` and its like take, and the words of
other tools that people write there by habit. Long options that a later version could have are not judged. Invariant:
what follows ``--``, or stands where an option takes a value, is no option.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code, replace
from roundzero.checkers._scripts import scripts
from roundzero.core.finding import Hit
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.checkers._shell import Command
    from roundzero.checkers._shell_words import Word
    from roundzero.core.change import Source
    from roundzero.core.finding import Fix


@dataclass(frozen=True, slots=True)
class _Options:
    """``letters`` are all there are (None: not known), ``never`` what there is not; ``valued`` letters take a value."""

    letters: str | None
    valued: str = ""
    never: frozenset[str] = frozenset()


_HABITS: Final = frozenset({"--yes", "--assume-yes", "--assumeyes", "--dev", "--save", "--save-dev"})
_YES: Final = frozenset({"-y", "--yes"})
_GENERAL: Final = "hvVq"
_KNOWN: Final[Mapping[str, _Options]] = {
    "pip install": _Options(f"{_GENERAL}rcetUICif", "rcetCif", _HABITS),
    "pip download": _Options(f"{_GENERAL}rcdif", "rcdif", _HABITS),
    "pip wheel": _Options(f"{_GENERAL}rcewCif", "rcewCif", _HABITS),
    "pip uninstall": _Options(f"{_GENERAL}ry", "r"),
    "pip freeze": _Options(f"{_GENERAL}rl", "r"),
    "pip show": _Options(f"{_GENERAL}f"),
    "pipx install": _Options(None, never=_YES),
    "cargo install": _Options(None, never=_YES),
    "apk add": _Options(None, never=_YES),
}
"""pip's are those of ``pip help`` in 20.3 to 26.0; pipx, cargo and apk refuse what they do not know."""
_PIP: Final = regex(r"pip[\d.]*")
_PYTHON: Final = regex(r"python[\d.]*")


class OptionNotKnown(TextChecker):
    """Finds options that stop the command they are given to."""

    name = "option-not-known"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at the commands of a file's scripts."""
        text = source.text
        if "pip" not in text and "cargo" not in text and "apk" not in text:
            return
        for script in scripts(source):
            for command in script.shell.commands:
                called, words = _called(command)
                options = _KNOWN.get(called)
                word = _unknown(options, words) if options is not None else None
                if word is None:
                    continue
                span = script.span(word.start, word.end)
                fixes: tuple[Fix, ...] = ()
                if len(word.text) == 2 or word.text.startswith("--"):
                    gone = script.span(*_with_blanks(script.shell.text, word))
                    fixes = (replace(source, f"Leave {word.text} out", "", gone, safe=False),)
                yield Hit(path=source.path, span=span, subject=code(f"{called} {word.text}"), fixes=fixes)


def _with_blanks(text: str, word: Word) -> tuple[int, int]:
    """A word and the blanks that go with it: those before it, or those after it where it begins its line."""
    line = text[text.rfind("\n", 0, word.start) + 1 : word.start]
    if line.strip(" \t"):
        return word.start - (len(line) - len(line.rstrip(" \t"))), word.end
    end = word.end
    while text[end : end + 1] in {" ", "\t"}:
        end += 1
    return word.start, end


def _called(command: Command) -> tuple[str, tuple[Word, ...]]:
    """The program and subcommand, and the words after them."""
    words = list(command.words)
    while words and words[0].plain in {"sudo", "exec", "time", "command"}:
        words = words[1:]
    if not words:
        return "", ()
    program = words.pop(0).plain.rpartition("/")[2]
    if _PYTHON.fullmatch(program) is not None and [word.plain for word in words[:2]] == ["-m", "pip"]:
        program, words = "pip", words[2:]
    elif _PIP.fullmatch(program) is not None:
        program = "pip"
    if not words or words[0].text.startswith("-"):
        return "", ()
    return f"{program} {words[0].plain}", tuple(words[1:])


def _unknown(options: _Options, words: tuple[Word, ...]) -> Word | None:
    skipped = False
    for word in words:
        text = word.text
        if skipped:
            skipped = False
            continue
        if text == "--":
            return None
        if text.partition("=")[0] in options.never:
            return word
        if options.letters is None or re.fullmatch(r"-[A-Za-z]+", text) is None:
            continue
        for at, letter in enumerate(text[1:], 1):
            if letter not in options.letters:
                return word
            if letter in options.valued:
                skipped = at == len(text) - 1
                break
    return None


CHECKER: Final = OptionNotKnown
