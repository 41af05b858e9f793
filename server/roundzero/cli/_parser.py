"""The parser of every command line, so that each says how to go on when it does not understand.

Declares no options: subcommands do. Invariant: what is not understood ends with status 2 and names the help to read.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from typing import Final, NoReturn

SEVERITIES: Final = ("P0", "P1", "P2", "P3")


class Parser(argparse.ArgumentParser):
    """Shows a way out of every mistake."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, what may be meant and where help is. Raises SystemExit."""
        self.print_usage(sys.stderr)
        wrong = message.rpartition("unrecognized arguments: ")[2].split()[0] if "unrecognized" in message else ""
        near = difflib.get_close_matches(wrong.split("=")[0], self._option_string_actions, n=1) if wrong else []
        meant = f"; did you mean {near[0]}?" if near else ""
        self.exit(2, f"{self.prog}: error: {message}{meant}\n{self.prog} --help says more\n")


def severity(text: str) -> str:
    """A severity, or another word of the options that take one, in any case."""
    return text.upper() if text.upper() in SEVERITIES else text.lower()
