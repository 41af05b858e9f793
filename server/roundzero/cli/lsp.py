"""``roundzero lsp``: the language server on standard input and output.

Of the command line, only this module knows the server, and only once it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import argparse

SUMMARY: Final = "run the language server on standard input and output"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Take ``--stdio`` as well, which many clients pass; it is the only transport."""
    parser.add_argument("--stdio", action="store_true", help="accepted for clients that pass it; it is the default")


def run(args: argparse.Namespace | None = None) -> int:
    """Serve until the client leaves; 0 when it said goodbye as the protocol asks."""
    del args
    from roundzero.lsp.server import serve  # noqa: PLC0415  nothing else may load the server

    return serve()
