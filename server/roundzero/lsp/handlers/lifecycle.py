"""The conversation itself: ``initialized``, trace, ``shutdown``, ``exit``.

``initialize`` is answered before this package is loaded (greeting.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from roundzero.lsp.handlers.configuration import follow_configuration
from roundzero.lsp.handlers.watching import watch_files

if TYPE_CHECKING:
    from roundzero.lsp.pygls_fixes import Server


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.SET_TRACE)(set_trace)
    server.feature(types.SHUTDOWN)(shutdown)
    server.feature(types.EXIT)(leave)


def initialized(ls: Server, _params: types.InitializedParams) -> None:
    """Ask the client for what it offers: watched files, configuration."""
    watch_files(ls)
    follow_configuration(ls)


def set_trace(ls: Server, params: types.SetTraceParams) -> None:
    """Keep the client's wish; nothing is traced beyond the log."""
    ls.protocol.trace = params.value


async def shutdown(ls: Server, _params: None) -> None:
    """Stop working: cancel what is pending, close the engines, then answer."""
    ls.protocol.cancel_pending()
    await ls.session.workspaces.close()


def leave(ls: Server, _params: None) -> None:
    """End the process."""
    ls.end()
