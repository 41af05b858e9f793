"""Writes to standard output and standard error.

Standard output gets UTF-8 whatever the locale says. Invariant: a reader that went away is no error: the rest
is dropped and the exit status stays what it would have been; nor is a standard error that takes nothing.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.ruleset import Problem


def write(text: str) -> None:
    """Write ``text`` to standard output at once."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except OSError as error:
        _give_up(error)


def write_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output, all at once; unsafe characters in them are spelled out."""
    from roundzero.render.escape import visible  # noqa: PLC0415  off the start-up path

    write("".join(f"{visible(line)}\n" for line in lines))


def flush() -> None:
    """Hand over what others (argparse) left in the buffer."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        _give_up(error)


def _give_up(error: OSError) -> None:
    """Send what is still written to standard output nowhere. Raises OutsideError unless the reader just left."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    if not isinstance(error, BrokenPipeError):
        raise OutsideError(f"standard output cannot be written: {error.strerror}") from error


def complain(message: str) -> None:
    """Write a message for the person to standard error; unsafe characters in it are spelled out, line by line."""
    from roundzero.render.escape import visible  # noqa: PLC0415  only failures need it

    lines = [visible(line) for line in message.split("\n")]
    try:
        sys.stderr.write("roundzero: " + "\n".join(lines) + "\n")
        sys.stderr.flush()
    except UnicodeEncodeError:
        with suppress(OSError):
            sys.stderr.buffer.write(("roundzero: " + "\n".join(lines) + "\n").encode("ascii", "backslashreplace"))
    except OSError:  # nobody is left to tell, and the exit status says the rest
        return


def complain_of(problems: Iterable[Problem]) -> None:
    """Write each problem of the settings to standard error, on a line of its own."""
    for problem in problems:
        complain(str(problem))


def is_terminal() -> bool:
    """Whether a person reads standard output."""
    return sys.stdout is not None and sys.stdout.isatty()


def wants_colour() -> bool:
    """Whether standard output takes colours: a terminal, and NO_COLOR is not set (no-color.org)."""
    return is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Cells in a line of the terminal; 100 where there is none."""
    import shutil  # noqa: PLC0415  off the start-up path

    return shutil.get_terminal_size((100, 24)).columns
