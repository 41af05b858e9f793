"""The language server's entry: answers the client first, imports afterwards.

Order is everything in here: reply to ``initialize`` with next to nothing imported, start the engines so that git works
meanwhile, then import pygls, then listen. Invariant: whichever way the client goes - ``exit``, end of its stream, a
signal - the engines and their children go too, and ``serve`` returns.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Final

from roundzero.lsp.connection import Connection, standard_streams
from roundzero.lsp.greeting import Left, greet
from roundzero.lsp.parent import when_gone

if TYPE_CHECKING:
    import asyncio

    from roundzero.lsp.client import Client
    from roundzero.lsp.pygls_fixes import Server
    from roundzero.lsp.workspaces import Workspaces

TURNS_BEFORE_IMPORTS: Final = 4
"""Turns of the event loop the engines get to start git before pygls' import blocks it."""


def serve() -> int:
    """Serve the client on standard input and output until it goes. The exit status: 0 after ``shutdown``, else 1."""
    parent = os.getppid()
    gc.disable()  # until all is imported: it would search what stays anyway again and again
    connection = standard_streams()
    greeted = greet(connection)
    if isinstance(greeted, Left):
        return greeted.exit_code
    import asyncio  # noqa: PLC0415  after the reply; see the module

    return asyncio.run(_serve(connection, greeted.client, parent))


async def _serve(connection: Connection, client: Client, parent: int) -> int:
    import asyncio  # noqa: PLC0415  after the reply; see the module

    from roundzero.lsp.workspaces import Workspaces  # noqa: PLC0415  after the reply; see the module

    workspaces = Workspaces(client, dict(os.environ))
    for folder in client.folders:
        workspaces.add(folder)
    for _ in range(TURNS_BEFORE_IMPORTS):
        await asyncio.sleep(0)
    server = _assemble(connection, client, workspaces)
    gc.freeze()
    gc.enable()
    for name in (signal.SIGTERM, signal.SIGINT):
        _on_signal(server, name)
    when_gone(client.process_id, parent, asyncio.get_running_loop(), server.end)
    reader = threading.Thread(target=_read, args=(connection, server, asyncio.get_running_loop()), daemon=True)
    reader.start()
    try:
        return await server.ended
    finally:
        connection.close()
        await workspaces.close()


def _assemble(connection: Connection, client: Client, workspaces: Workspaces) -> Server:
    """The server with its handlers. Importing what it needs is most of the start-up time."""
    from roundzero.lsp import lazy_types  # noqa: PLC0415  after the reply; see the module

    lazy_types.load()
    from roundzero.lsp import handlers  # noqa: PLC0415  after the reply; see the module
    from roundzero.lsp.log import send_log_to  # noqa: PLC0415  after the reply; see the module
    from roundzero.lsp.pygls_fixes import Server  # noqa: PLC0415  after the reply; see the module
    from roundzero.lsp.session import Session  # noqa: PLC0415  after the reply; see the module

    server = Server(connection)
    server.session = Session(server, client, workspaces)
    handlers.register_all(server)
    send_log_to(server)
    workspaces.attach(server.session)
    return server


def _read(connection: Connection, server: Server, loop: asyncio.AbstractEventLoop) -> None:
    """Hand over message after message. In a thread of its own: no event loop reads every kind of standard input."""
    while (body := connection.receive()) is not None:
        try:
            loop.call_soon_threadsafe(server.protocol.receive, body)
        except RuntimeError:  # the loop has ended
            return
    try:
        loop.call_soon_threadsafe(server.end)
    except RuntimeError:
        return


def _on_signal(server: Server, name: signal.Signals) -> None:
    import asyncio  # noqa: PLC0415  after the reply; see the module

    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(name, server.end)
