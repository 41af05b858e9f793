"""The parser of every command line, so that each says how to go on when it does not understand.

Declares no options: subcommands do. Invariant: what is not understood ends with status 2 and names the help to read.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from typing import Final, NoReturn

from roundzero.core.regex import regex

_CHOICE: Final = regex(r"^argument -.*: invalid choice: '([^']*)' \(choose from (.*)\)", re.DOTALL)

SEVERITIES: Final = ("P0", "P1", "P2", "P3")


class Parser(argparse.ArgumentParser):
    """Shows a way out of every mistake."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, what may be meant and where help is. Raises SystemExit."""
        near: list[str] = []
        if "unrecognized arguments: " in message:
            wrong = message.rpartition("unrecognized arguments: ")[2].split()[0]
            near = difflib.get_close_matches(wrong.split("=")[0], self._option_string_actions, n=1)
        if (choice := _CHOICE.search(message)) is not None:
            # Who gets a word wrong knows the usage; all of it would hide the words there are.
            near = _near(choice[1], re.findall(r"[\w-]+", choice[2]))
        else:
            self.print_usage(sys.stderr)
        meant = f"; did you mean {near[0]}?" if near else ""
        self.exit(2, f"{self.prog}: error: {message}{meant}\n{self.prog} --help says more\n")


def _near(wrong: str, known: list[str]) -> list[str]:
    """The word that was meant: one that is alike, or that ``wrong`` is short for, as md for markdown."""
    letters = re.compile(".*".join(re.escape(each) for each in wrong), re.IGNORECASE | re.DOTALL)
    short = [each for each in known if wrong and letters.match(each)]
    return difflib.get_close_matches(wrong, known, n=1) or short[:1]


def severity(text: str) -> str:
    """A severity, or another word of the options that take one, in any case."""
    return text.upper() if text.upper() in SEVERITIES else text.lower()
