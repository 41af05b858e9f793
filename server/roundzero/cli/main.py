"""Parses the command line, runs one subcommand and turns what happened into an exit status.

0 passed, 1 findings, 2 something the person can put right, 3 our fault, 130 interrupted. Invariant: nothing but an
exit status leaves ``main``; a bug leaves its stack in a log file and its name on standard error.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

from roundzero import __version__
from roundzero.cli import _stdout
from roundzero.errors import RoundzeroError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

PASSED: Final = 0
USAGE: Final = 2
OUR_FAULT: Final = 3
INTERRUPTED: Final = 130


class Subcommand(Protocol):
    """What a module of a subcommand offers."""

    SUMMARY: str

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it and return the exit status."""


def main(argv: Sequence[str]) -> int:
    """Run the command line ``argv`` (without the program's name) and return the exit status."""
    try:
        status = _run(list(argv))
        _stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  what is not expected is a bug, and the person gets a log file
        if (expected := _expected(error)) is not None:
            _stdout.complain(str(expected))
            return USAGE
        from roundzero.cli._crash import record  # noqa: PLC0415  bugs are rare

        _stdout.complain(record(error, argv))
        return OUR_FAULT
    return status


def _expected(error: BaseException) -> RoundzeroError | None:
    """The failure to tell the person of; None for a bug. A group is expected when all in it is."""
    if isinstance(error, RoundzeroError):
        return error
    if isinstance(error, BaseExceptionGroup):
        found = [_expected(each) for each in error.exceptions]
        return None if None in found else found[0]
    return None


def _run(argv: list[str]) -> int:
    if argv == ["--version"]:
        _stdout.write(f"roundzero {__version__}\n")
        return PASSED
    if argv in (["lsp"], ["lsp", "--stdio"]):
        # An editor waits for the answer to initialize: the options are known, and argparse costs 10 ms.
        from roundzero.cli.lsp import run as serve  # noqa: PLC0415  nothing else may load the server

        return serve()
    parser = _parser(argv)
    try:
        args = parser.parse_args(argv)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else USAGE
    if "run" not in args:
        parser.print_help(sys.stderr)
        return USAGE
    return cast("int", args.run(args))


def _parser(argv: list[str]) -> argparse.ArgumentParser:
    """A parser of the subcommand that ``argv`` names, or of all where it names none."""
    import argparse  # noqa: PLC0415  --version does without

    parser = argparse.ArgumentParser(
        prog="roundzero", description="The code review before round one.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"roundzero {__version__}")
    chosen = parser.add_subparsers(title="commands", metavar="COMMAND")
    known = subcommands()
    for name in argv[:1] if argv and argv[0] in known else known:
        module = cast("Subcommand", import_module(f"roundzero.cli.{name}"))
        sub = chosen.add_parser(name, help=module.SUMMARY, description=module.SUMMARY, allow_abbrev=False)
        module.arguments(sub)
        sub.add_argument("--repo", metavar="DIR", default=".", help="a folder of the repository (default: here)")
        sub.set_defaults(run=module.run)
    return parser


def subcommands() -> list[str]:
    """The names of all subcommands."""
    import pkgutil  # noqa: PLC0415  --version does without

    import roundzero.cli  # noqa: PLC0415  its path is where subcommands are

    names = (module.name for module in pkgutil.iter_modules(roundzero.cli.__path__))
    return [name for name in names if not name.startswith("_") and name != "main"]
