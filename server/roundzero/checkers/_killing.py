"""Commands of a script that kill, at once and for certain, whatever a listing of processes names.

``kill -9`` of what ``ps``, ``pgrep``, ``lsof`` or a monitor of devices lists, as a pipe into ``xargs``, by a
substitution, or by a variable that was set from one. Does not say whose processes those are. Invariant: a process the
script itself started and remembered (``$!``, a pid file) is no listing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._scripts import scripts
from roundzero.checkers._shell import LONGEST, VARIABLE
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from roundzero.checkers._scripts import Script
    from roundzero.checkers._shell import Command, Shell
    from roundzero.core.change import Source

_LISTS: Final = regex(
    r"\b(?:ps\b(?![^|)]{0,80}\s-p\b)|pgrep|pidof|lsof|fuser|pstree|netstat|ss|nvidia-smi|rocm-smi|nvitop|npu-smi|gpustat)\b"
)
_NINE: Final = regex(r"(?<!\S)-(?:9|KILL|SIGKILL|s\s*(?:9|KILL|SIGKILL))(?![\w.-])")
_OWN: Final = regex(
    r"\bpgrep\b[^|)]{0,80}\s(?:-\w*[Ps]|--parent|--session)\b|\bps\b[^|)]{0,80}\s(?:--ppid|--pid|--sid|-[gs])\b"
)
"""Lists the children of a process, or a session."""
_SAYS: Final = frozenset({"echo", "printf", "log", "die", "warn", "info", "error", "fail"})
_WORDS: Final = ("kill", "fuser")
_BY_NUMBER: Final = regex(
    r"\bps\s[^|\n]{0,200}\|[^\n]{0,300}?\be?grep\b(?!\s+(?:-\w*[wxoP]))(?:\s+-\w+){0,4}\s+[\"']?(?P<pid>\$\{?\w*(?:pid|PID|Pid)\w*\}?)[\"']?\s*\|"
)


@dataclass(frozen=True, slots=True)
class Kill:
    """A command that kills: its whole pipeline, and where what it kills is listed, in it or before it."""

    start: int
    end: int
    listed: tuple[int, int]


def kills(shell: Shell) -> Iterator[Kill]:
    """The kills of a text, in order."""
    listed: dict[str, tuple[int, int]] = {}
    pipe_start = 0
    for command in shell.commands:
        if command.before != "|":
            pipe_start = command.start
        for name, value, word in command.settings:
            if ("$(" in value or "`" in value) and _lists(value):
                listed[name] = (word.start, word.end)
        if command.end - pipe_start > LONGEST:
            continue
        text = shell.text[command.start : command.end]
        if not _kills(command, text):
            continue
        variable = _fed(shell.text[pipe_start : command.start], text, listed)
        if variable is not None:
            yield Kill(pipe_start, command.end, listed.get(variable, (pipe_start, command.end)))


def kills_in(source: Source) -> Iterator[tuple[Script, Kill]]:
    """The kills of all scripts of a file."""
    if any(word in source.text for word in _WORDS):
        for script in scripts(source):
            for kill in kills(script.shell):
                yield script, kill


def by_number(shell: Shell, kill: Kill) -> re.Match[str] | None:
    """The filter that looks for a process's number as a piece of text anywhere in a line of ``ps``."""
    return _BY_NUMBER.search(shell.text, kill.start, kill.end)


def _kills(command: Command, text: str) -> bool:
    if command.name in _SAYS:
        return False
    if command.name == "fuser":
        return re.search(r"\s-\w*k", text) is not None
    return re.search(r"\bkill\b", text) is not None and _NINE.search(text) is not None and "pkill" not in text


def _lists(text: str) -> bool:
    """Whether a text lists processes that may be anybody's."""
    return _LISTS.search(text) is not None and _OWN.search(text) is None


def _fed(before: str, text: str, listed: Collection[str]) -> str | None:
    """The variable, set from a listing, that feeds a command; "" where it lists itself, None where nothing does."""
    is_piped = re.search(r"\|\s*$", before) is not None
    if is_piped and _lists(before):
        return ""
    if re.match(r"fuser\b", text) is not None or (("$(" in text or "`" in text) and _lists(text)):
        return ""
    names = (match["name"] for match in VARIABLE.finditer(before if is_piped else text))
    return next((name for name in names if name in listed), None)
