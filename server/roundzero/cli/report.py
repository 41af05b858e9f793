"""``roundzero report``: the report of the last round again, in another format, later, or for somebody else.

Makes no review and writes nothing. Invariants: the exit status says whether a report could be shown, never what is in
it (whoever wants a gate runs ``review``); a verdict on another state of the branch is marked stale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.cli import _stdout
from roundzero.render import formats, rendered

if TYPE_CHECKING:
    import argparse

    from roundzero.core.report import Report

SUMMARY: Final = "show the report of the last round again"

_STREAM: Final = "ndjson"
"""The format of a review while it is made: a report of earlier has nothing to follow."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    kept = [name for name in formats() if name != _STREAM]
    parser.add_argument("--format", choices=kept, default="markdown", help="output format (default: markdown)")


def run(args: argparse.Namespace) -> int:
    """Find the report and print it."""
    from roundzero.cli._loop import run as run_loop  # noqa: PLC0415  off the start-up path
    from roundzero.render.look import Look  # noqa: PLC0415  off the start-up path

    report = run_loop(_find(args.repo))
    look = Look(_stdout.wants_colour(), _stdout.width()) if args.format == "terminal" else Look()
    _stdout.write(rendered(args.format, report, look))
    return 0


async def _find(directory: str) -> Report:
    from roundzero.cli._place import open_place  # noqa: PLC0415  off the start-up path
    from roundzero.engine.last_report import last_report  # noqa: PLC0415  off the start-up path

    place = await open_place(directory)
    try:
        return await last_report(place.without_rules())
    finally:
        await place.git.close()
