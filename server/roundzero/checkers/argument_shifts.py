"""argument-shifts: an unquoted variable among the arguments of a function of the same script.

When the variable is empty, or holds a space, every argument after it moves to another number. Judged are variables that
are set to what a command prints, in calls that quote all their other variables, to functions that read the numbers
after it. Invariant: the last argument, and one of a name that says a list of options, are no hits.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code, replace
from roundzero.checkers._scripts import scripts
from roundzero.core.finding import Hit
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._shell import Command, Shell
    from roundzero.core.change import Source

_UNQUOTED: Final = regex(r"\$(?:(?P<a>[A-Za-z_]\w*)|\{(?P<b>[A-Za-z_]\w*)\})")
_QUOTED: Final = regex(r"\".*\$.*\"", re.DOTALL)
_LIST: Final = regex(r"arg|opt|flag|param|extra|list|files|targets|names|paths|dirs|cmd|command", re.IGNORECASE)
_PRINTED: Final = regex(
    r"(?:\$\((?!\()|`)(?!\s*(?:date|pwd|nproc|uname|hostname|whoami|mktemp|basename|dirname|realpath|readlink|id)\b)"
)
"""A substitution of what a command prints, unless that is one that always prints something."""
_COUNTED: Final = regex(r"\|\s*wc\s+-\w[^|]*\)\"?$|\$\(\s*git\s+(?:describe|rev-parse)\b[^|;&]*\)\"?$")
"""Ends in a number, or fails where it prints nothing."""
FEWEST: Final = 2
"""Fewest arguments a function reads: one alone moves nothing."""


class ArgumentShifts(TextChecker):
    """Finds arguments whose loss moves the others."""

    name = "argument-shifts"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at calls of a script's own functions."""
        for script in scripts(source):
            shell = script.shell
            reads = _highest(shell)
            if max(reads.values(), default=0) < FEWEST:
                continue
            printed = _printed(shell)
            seen: set[str] = set()
            for command in shell.commands:
                at, name = _unquoted(command)
                if name not in printed or name in seen or reads.get(command.name, 0) <= at + 1:
                    continue
                seen.add(name)
                word = command.arguments[at]
                span = script.span(word.start, word.end)
                fix = replace(source, "Quote it", f'"{word.text}"', span, safe=False)
                yield Hit(path=source.path, span=span, subject=code(word.text), fixes=(fix,))


def _highest(shell: Shell) -> dict[str, int]:
    """The highest number of an argument that each function reads; none of those that take any number of them."""
    highest: dict[str, int] = {}
    of_any: set[str] = set()
    for command in shell.commands:
        function = command.function
        if not function or function in of_any:
            continue
        text = shell.text[command.start : command.end]
        if command.name == "shift" or "$@" in text or "$*" in text:
            of_any.add(function)
        numbers = [int(match) for match in re.findall(r"\$\{?([1-9])\b", text)]
        highest[function] = max(highest.get(function, 0), *numbers) if numbers else highest.get(function, 0)
    return {function: number for function, number in highest.items() if function not in of_any}


def _unquoted(command: Command) -> tuple[int, str]:
    """The place and name of the one variable that a call does not quote, before others that it does; else a blank."""
    words = command.arguments
    expanded = [at for at, word in enumerate(words) if "$" in word.text]
    bare = [at for at in expanded if _QUOTED.fullmatch(words[at].text) is None]
    if len(bare) != 1 or bare[0] == len(words) - 1 or len(expanded) < FEWEST:
        return 0, ""
    match = _UNQUOTED.fullmatch(words[bare[0]].text)
    name = (match["a"] or match["b"]) if match is not None else ""
    return bare[0], "" if _LIST.search(name) is not None else name


def _printed(shell: Shell) -> frozenset[str]:
    """The variables that are set to what a command prints, or to such a variable."""
    values = [(name, value) for command in shell.commands for name, value, _ in command.settings]
    found = {
        name
        for name, value in values
        if _PRINTED.match(value.lstrip('"')) is not None and _COUNTED.search(value) is None
    }
    for name, value in values:
        match = _UNQUOTED.fullmatch(value.strip('"'))
        if match is not None and (match["a"] or match["b"]) in found:
            found.add(name)
    return frozenset(found)


CHECKER: Final = ArgumentShifts
