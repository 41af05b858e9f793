"""``roundzero trust``: which repositories may use what only trusted ones may.

The list belongs to the user; a repository never adds itself. Invariant: nothing is trusted without this command (or the
editor) having been asked to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.cli import _stdout

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

SUMMARY: Final = "trust a repository, stop trusting it, or list the trusted ones"

GRANTS: Final = """\
Linters that your own settings name run here, and, where you set a model provider, reviews send changed code to it.
The repository itself can set neither. To take it back: roundzero trust --revoke
"""
"""What trust is for."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("directory", metavar="DIR", nargs="?", help="a folder of the repository (default: --repo)")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--revoke", action="store_true", help="trust it no longer")
    way.add_argument("--list", action="store_true", help="list what is trusted, by git common directory")


def run(args: argparse.Namespace) -> int:
    """Change or show the list."""
    from roundzero.store.trust_db import TrustDb  # noqa: PLC0415  off the start-up path

    trusted = TrustDb()
    if args.list:
        _stdout.write_lines(trusted.all())
        return 0
    from roundzero.cli._loop import run as run_loop  # noqa: PLC0415  off the start-up path

    common = run_loop(_common_dir(args.directory or args.repo))
    if args.revoke:
        said = "No longer trusted" if trusted.revoke(common) else "Was not trusted"
    else:
        trusted.trust(common)
        said = "Trusted"
    _stdout.write_lines([f"{said}: {common}"])
    if not args.revoke:
        _stdout.write(GRANTS)
    return 0


async def _common_dir(directory: str) -> Path:
    from roundzero.cli._place import open_place  # noqa: PLC0415  off the start-up path

    place = await open_place(directory)
    await place.git.close()
    return place.git.common_dir
