"""``roundzero base``: what the change is compared with, how that was chosen, and what is doubtful about it.

The ladder itself is git/ladder.py. Invariant: it prints the base a review started now would take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.cli import _stdout

if TYPE_CHECKING:
    import argparse

    from roundzero.cli._place import Place
    from roundzero.core.change import BaseChoice
    from roundzero.core.item import Language

SUMMARY: Final = "show the chosen base, how it was chosen, and doubts"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    form = ("terminal", "json")
    parser.add_argument("--format", choices=form, default="terminal", help="output format (default: terminal)")


def run(args: argparse.Namespace) -> int:
    """Choose the base and explain it."""
    from roundzero.cli._loop import run as run_loop  # noqa: PLC0415  off the start-up path

    choice, language = run_loop(_choose(args.repo))
    if args.format == "json":
        _stdout.write(_json(choice))
    else:
        from roundzero.render.terminal import base_lines, candidate_lines  # noqa: PLC0415  off the start-up path
        from roundzero.render.words import words  # noqa: PLC0415  off the start-up path

        said = words(language)
        _stdout.write_lines((*base_lines(choice, said), *candidate_lines(choice, said)))
    return 0


async def _choose(directory: str) -> tuple[BaseChoice, Language]:
    from roundzero.cli._place import open_place  # noqa: PLC0415  off the start-up path

    place = await open_place(directory, bare=True)
    try:
        _stdout.complain_of(place.problems)
        return await choose(place), place.settings.language
    finally:
        await place.git.close()


async def choose(place: Place) -> BaseChoice:
    """The base a review there would take. Raises UserError."""
    return await place.without_rules().choose_base()


def _json(choice: BaseChoice) -> str:
    import json  # noqa: PLC0415  only for this format

    from roundzero.render.escape import json_safe  # noqa: PLC0415  only for this format
    from roundzero.render.wire import base_to_wire  # noqa: PLC0415  only for this format

    return json_safe(json.dumps(base_to_wire(choice), ensure_ascii=False, indent=2)) + "\n"
