"""Notices that the client's process has died although its end of our standard input is still held open.

That happens when the client left a child behind that inherited the pipe. Without polling: a process descriptor becomes
readable when its process ends, on Linux; elsewhere the end of standard input has to do. Only our own parent is
believed: a number from another container would name a stranger. Invariant: never a wake-up while the client lives.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable


def when_gone(process: int | None, parent: int, loop: asyncio.AbstractEventLoop, then: Callable[[], None]) -> None:
    """Call ``then`` when ``process``, the client, has ended. Does nothing where that cannot be known.

    ``parent`` was our parent when we started: a client that died since has left us to another.
    """
    if sys.platform != "linux" or process is None or process != parent:
        return
    try:
        descriptor = os.pidfd_open(process)
    except OSError:
        descriptor = None
    if descriptor is None or os.getppid() != parent:
        then()
        return

    def gone() -> None:
        loop.remove_reader(descriptor)
        os.close(descriptor)
        then()

    loop.add_reader(descriptor, gone)
