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
from roundzero.errors import RoundzeroError, UserError

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
        if comes_of_interrupt(error):
            return INTERRUPTED
        if (failure := expected(error)) is not None:
            _stdout.complain(str(failure))
            return USAGE
        from roundzero.cli._crash import record  # noqa: PLC0415  bugs are rare

        _stdout.complain(record(error, argv))
        return OUR_FAULT
    return status


def expected(error: BaseException) -> RoundzeroError | None:
    """The failure to tell the person of; None for a bug. A group is expected when all in it is."""
    if isinstance(error, RoundzeroError):
        return error
    if isinstance(error, BaseExceptionGroup):
        found = [expected(each) for each in error.exceptions]
        return None if None in found else found[0]
    return None


def comes_of_interrupt(error: BaseException) -> bool:
    """Whether something broke because it was interrupted: argparse for one then misses what it had put aside."""
    before = error.__cause__ or error.__context__
    return before is not None and (isinstance(before, KeyboardInterrupt) or comes_of_interrupt(before))


def _run(argv: list[str]) -> int:
    if argv == ["--version"]:
        _stdout.write(f"roundzero {__version__}\n")
        return PASSED
    if argv in (["lsp"], ["lsp", "--stdio"]):
        # An editor waits for the answer to initialize: the options are known, and argparse costs 10 ms.
        from roundzero.cli.lsp import run as serve  # noqa: PLC0415  nothing else may load the server

        return serve()
    try:
        args = _parsed(argv)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else USAGE
    return cast("int", args.run(args)) if args is not None else USAGE


def _parsed(argv: list[str]) -> argparse.Namespace | None:
    """The options of the subcommand that ``argv`` names; None, and help, where it names none. Raises SystemExit."""
    from roundzero.cli._parser import Parser  # noqa: PLC0415  --version does without

    if argv[:1] == ["help"]:
        argv = [*argv[1:2], "--help"]
    known = subcommands()
    if argv and argv[0] in known:
        # Alone, because options may then stand between two paths, which argparse does not allow below subparsers.
        alone = Parser(prog=f"roundzero {argv[0]}", allow_abbrev=False)
        args = _declared(argv[0], alone).parse_intermixed_args(_without_dashes(argv[1:]))
        _refuse_empty(args)
        return args
    said = "roundzero help COMMAND says more. Most wanted: roundzero review"
    parser = Parser(prog="roundzero", description="The code review before round one.", epilog=said, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"roundzero {__version__}")
    chosen = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in known:
        chosen.add_parser(name, help=_module(name).SUMMARY)
    parser.parse_args(argv)
    parser.print_help(sys.stderr)
    return None


def _without_dashes(argv: list[str]) -> list[str]:
    """``argv`` without ``--``, which ends options but which intermixed parsing mistakes; what follows are names."""
    at = argv.index("--") if "--" in argv else len(argv)
    return argv[:at] + [f"./{name}" if name.startswith("-") else name for name in argv[at + 1 :]]


def _refuse_empty(args: argparse.Namespace) -> None:
    """An empty value is a variable that was not set, never "all" or "the default". Raises UserError."""
    for name, value in vars(args).items():
        if value == "" or (isinstance(value, list) and "" in value):
            option = name if isinstance(value, list) else "--" + name.replace("_", "-")
            raise UserError(f"{option} is given an empty text; name something, or leave it out")


def _declared(name: str, parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser with the options of a subcommand."""
    module = _module(name)
    parser.description = module.SUMMARY
    module.arguments(parser)
    parser.add_argument("--repo", metavar="DIR", default=".", help="a folder of the repository (default: here)")
    parser.set_defaults(run=module.run)
    return parser


def _module(name: str) -> Subcommand:
    return cast("Subcommand", import_module(f"roundzero.cli.{name}"))


def subcommands() -> list[str]:
    """The names of all subcommands."""
    import pkgutil  # noqa: PLC0415  --version does without

    import roundzero.cli  # noqa: PLC0415  its path is where subcommands are

    names = (module.name for module in pkgutil.iter_modules(roundzero.cli.__path__))
    return [name for name in names if not name.startswith("_") and name != "main"]
