"""Leaves the stack of a bug in a log file.

The file holds our stack and the command, never source text. Invariant: recording never raises; where no folder can be
written the message says so.
"""

from __future__ import annotations

import os
import platform
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from roundzero import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence


def log_folder() -> Path:
    """Where log files are kept."""
    import platformdirs  # noqa: PLC0415  off the start-up path

    return Path(platformdirs.user_log_dir("roundzero", appauthor=False))


def record(error: BaseException, argv: Sequence[str]) -> str:
    """Write the stack of ``error`` to a new private file and return the message for the person."""
    import tempfile  # noqa: PLC0415  off the start-up path

    text = (
        f"roundzero {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"command: {list(argv)!r}\n\n" + "".join(traceback.format_exception(error))
    )
    what = f"this is our fault ({type(error).__name__})"
    for folder in (log_folder(), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix="crash-", suffix=".log", dir=folder)
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8", "backslashreplace"))
        except OSError:
            continue
        return f"{what}; the details are in {name}\nPlease report it with that file."
    return f"{what}; no log file could be written\n{text}"
