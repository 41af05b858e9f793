"""Entry point of ``roundzero`` and ``python -m roundzero``. Loads nothing else before it is needed.

Invariant: whatever the locale, names of files are UTF-8 to Python, as they are to git; and the three standard streams
are there, so that no file or pipe of ours ever gets one of their numbers.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line and leave with its exit status."""
    try:
        _speak_utf8()
        _open_streams()
        from roundzero.cli.main import main as run  # noqa: PLC0415  an interrupt while loading is an interrupt too

        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


def _speak_utf8() -> None:
    """Begin again in Python's UTF-8 mode where the locale's encoding is another.

    Under ``LC_ALL=C`` without coercion, or a Latin-1 locale, the same bytes would be one path to git and another to us.
    """
    if sys.getfilesystemencoding() != "utf-8" and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606, TID251  no other process


def _open_streams() -> None:
    """Open what the caller closed (``2>&-``) to nowhere."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123  for as long as the program runs
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  as above
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  as above


if __name__ == "__main__":
    main()
