"""status-always-zero: a script drops the failures of its tests and ends in a command that always succeeds.

Judged are scripts without ``set -e`` whose last command only prints, or is a function of the script that ends so, and
in which a test runner, or a function that returns a failure, is called without anybody looking at its status. A script
that ends in an ``exit`` with a value, or in a compound command, is left alone. Invariant: a script that may still end
in failure after its tests ran is no hit, but for ``exit`` inside of what it calls.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._scripts import TEST_RUNNERS, TEST_TOOLS, is_shell_script
from roundzero.checkers._shell import parse_shell
from roundzero.core.change import Side
from roundzero.core.finding import Hit, evidence_at
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._shell import Command, Shell
    from roundzero.core.change import Source

_PRINTS: Final = frozenset({"echo", "printf", "true", ":", "date", "sleep"})
_TESTS: Final = regex(
    rf"(?:\S*/)?{TEST_RUNNERS}\b"
    r"|(?:\S*/)?python[\d.]*\s+-m\s+(?:pytest|unittest|nose2?|tox)\b"
    rf"|{TEST_TOOLS}\s+(?:run\s+)?test\b"
)
_PLACE: Final = regex(r"test|e2e|regress|(?:^|[/_.-])ci(?:$|[/_.-])", re.IGNORECASE)
"""What the path of a script says that is there to test."""
_JUDGES: Final = regex(r"test|valid|verif|check(?!out)|assert|compare|expect", re.IGNORECASE)
_ENVIRONMENT: Final = regex(
    r"activate$|env|profile|rc$|conda|setvars|setup[\w.-]*$|vars?(?:\.\w+)?$|conf(?:ig)?(?:\.\w+)?$", re.IGNORECASE
)
"""What is read in for its variables."""
MOST_PLACES: Final = 3
MOST_CALLS: Final = 5


class StatusAlwaysZero(TextChecker):
    """Finds scripts that cannot say that a test failed."""

    name = "status-always-zero"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at how a script ends."""
        if not is_shell_script(source) or ("test" not in source.text and _PLACE.search(source.path) is None):
            return
        shell = parse_shell(source.text)
        if not shell.commands or not shell.ends_in_command or shell.stops_on_failure():
            return
        last = shell.commands[-1]
        if not _succeeds(last, shell, MOST_CALLS) or any(command.name == "trap" for command in shell.commands):
            return
        if "PIPESTATUS" in shell.text:
            return
        judges = _judges(shell) if _PLACE.search(source.path) is not None else frozenset()
        dropped = [each for each, then in pairwise(shell.commands) if _is_dropped(each, then, shell, judges)]
        if not dropped or _may_fail_after(dropped[0], shell) or _may_stop(dropped[0], shell):
            return
        index = source.index
        yield Hit(
            path=source.path,
            span=index.span(last.start, last.end),
            subject=code(shell.text[dropped[0].start : dropped[0].end]),
            evidence=tuple(
                evidence_at(source, index.position(command.start).line, "dropped failure", Side.HEAD)
                for command in dropped[:MOST_PLACES]
            ),
        )


def _succeeds(command: Command, shell: Shell, levels: int) -> bool:
    """Whether a command always succeeds: it prints, leaves with nought, or is a function that ends in such a one."""
    if command.tested or command.before not in {"\n", ";", ""} or command.after not in {"\n", ";", ""}:
        return False
    words = [word.plain for word in command.arguments]
    if command.name in {"exit", "return"}:
        return words == ["0"]
    if command.name in _PRINTS:
        return True
    body = shell.within(command.name) if command.name in shell.functions and levels else ()
    return bool(body) and body[-1].depth == 0 and _succeeds(body[-1], shell, levels - 1)


def _may_fail_after(dropped: Command, shell: Shell) -> bool:
    """Whether something after the tests leaves with a failure, of which it may have learnt from what they wrote."""
    leave = {command.function for command in shell.commands if _leaves(command) and command.name == "exit"}
    return any(
        _leaves(command) or (command.name in leave and command.before == "||")
        for command in shell.within(dropped.function)
        if command.start > dropped.start
    )


def _leaves(command: Command) -> bool:
    """Whether a command leaves with a failure, or with the status of another."""
    return command.name in {"exit", "return"} and [word.plain for word in command.arguments] != ["0"]


def _may_stop(dropped: Command, shell: Shell) -> bool:
    """Whether a script that is read in before may say ``set -e``; those that only set variables do not."""
    return any(
        command.name in {"source", "."}
        and command.start < dropped.start
        and not any(_ENVIRONMENT.search(word.plain) is not None for word in command.arguments[:1])
        for command in shell.commands
    )


def _is_dropped(command: Command, then: Command, shell: Shell, judges: frozenset[str]) -> bool:
    """Whether a command may fail a test and nobody looks."""
    if command.tested or command.after not in {"\n", ";"} or command.before in {"&&", "||", "|"} or not command.words:
        return False
    text = shell.text[command.start : command.end]
    if _TESTS.match(text) is None and command.name not in judges:
        return False
    return "$?" not in shell.text[then.start : then.end]


def _judges(shell: Shell) -> frozenset[str]:
    """The functions that return a failure of what they check, by their name."""
    return frozenset(
        command.function
        for command in shell.commands
        if command.name == "return"
        and _JUDGES.search(command.function) is not None
        and [word.plain for word in command.arguments] not in (["0"], [], ["$?"])
    )


CHECKER: Final = StatusAlwaysZero
