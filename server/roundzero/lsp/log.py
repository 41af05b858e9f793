"""Our log in the client's: ``window/logMessage`` beside standard error.

Only Round Zero's own records go to the client, never pygls', whose records hold whole messages. Invariant: a record
that cannot be sent is dropped; logging never fails and never logs itself.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from roundzero.lsp.convert import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.lsp.pygls_fixes import Server

LEVELS: Final[Mapping[str, int]] = {
    "error": logging.ERROR,
    "warning": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
}
_ROOT: Final = "roundzero"


def send_log_to(server: Server) -> None:
    """Send the log to the client and to standard error."""
    log = logging.getLogger(_ROOT)
    form = logging.Formatter("%(levelname)s %(name)s: %(message)s")
    for handler in (_ToClient(server), logging.StreamHandler(sys.stderr)):
        handler.setFormatter(form)
        log.addHandler(handler)
    log.propagate = False
    log.setLevel(logging.INFO)
    logging.getLogger("pygls").setLevel(logging.CRITICAL)


def set_level(name: str) -> None:
    """Log this level and graver ones; names as in the settings."""
    logging.getLogger(_ROOT).setLevel(LEVELS[name])


class _ToClient(logging.Handler):
    """Sends records from whichever thread; the loop's own at once, so that order is kept."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = printable(self.format(record))
            kind = _kind(record.levelno)
            try:
                here = asyncio.get_running_loop() is self._loop
            except RuntimeError:
                here = False
            if here:
                self._send(kind, text)
            else:
                self._loop.call_soon_threadsafe(self._send, kind, text)
        except Exception:  # noqa: BLE001  as every logging handler
            self.handleError(record)

    def _send(self, kind: types.MessageType, text: str) -> None:
        self._server.window_log_message(types.LogMessageParams(type=kind, message=text))


def _kind(level: int) -> types.MessageType:
    if level >= logging.ERROR:
        return types.MessageType.Error
    if level >= logging.WARNING:
        return types.MessageType.Warning
    return types.MessageType.Info if level >= logging.INFO else types.MessageType.Log
