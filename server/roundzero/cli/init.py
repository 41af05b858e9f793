"""``roundzero init``: writes a ``.roundzero.toml`` in which every setting stands commented out.

The text is made from the table of settings. Invariant: an existing file is never touched, and the written file changes
nothing until somebody edits it; one that does not fit on the disk is not left there in part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.cli import _stdout
from roundzero.errors import OutsideError, UserError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from roundzero.config import Setting

SUMMARY: Final = "write a commented .roundzero.toml"

_EXAMPLES: Final = {
    "base": '"origin/main"',
    "items": '"general/conflict-marker" = "P0"',
}
"""What stands in the file where the default is nothing to show."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """No options of its own."""
    del parser


def run(args: argparse.Namespace) -> int:
    """Write the file at the root of the repository."""
    from roundzero.cli._loop import run as run_loop  # noqa: PLC0415  off the start-up path
    from roundzero.cli._place import root_of  # noqa: PLC0415  off the start-up path
    from roundzero.config import REPOSITORY_FILE  # noqa: PLC0415  off the start-up path

    path = run_loop(root_of(args.repo)) / REPOSITORY_FILE
    try:
        file = path.open("x", encoding="utf-8")
        try:
            with file:
                file.write(template())
        except OSError:
            path.unlink()
            raise
    except FileExistsError as error:
        raise UserError(f"{path} exists; edit it, or move it away first") from error
    except OSError as error:
        raise OutsideError(f"{path} cannot be written ({error.strerror}); check the folder's permissions") from error
    _stdout.write_lines([f"Wrote {path}"])
    return 0


def template() -> str:
    """The text of the file."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    from roundzero.config import SETTINGS, Who  # noqa: PLC0415  off the start-up path

    yield "# What Round Zero should know about this repository. Every line is commented out and shows the default."
    yield "# Models, programs, linters and the gate cannot be set here; they belong to each person's own configuration."
    ours = [row for row in SETTINGS if row.who is not Who.USER]
    for row in ours:
        if not row.kind.table:
            yield from _row(row)
    for row in ours:
        if row.kind.table:
            yield ""
            yield f"# [{row.toml}]"
            yield from _row(row)


def _row(row: Setting) -> Iterator[str]:
    from roundzero.config import Who  # noqa: PLC0415  off the start-up path

    if not row.kind.table:
        yield ""
    limit = "; it can only be lowered here" if row.who is Who.REPOSITORY_LOWERS else ""
    yield f"## {row.en} Takes {row.kind.words}{limit}."
    if row.kind.table:
        shown = row.default if isinstance(row.default, dict) and row.default else None
        yield from (f'# {key} = "{value}"' for key, value in shown.items()) if shown else (f"# {_EXAMPLES[row.name]}",)
    else:
        yield f"# {row.toml} = {_EXAMPLES[row.name] if row.default is None else _toml(row.default)}"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(each) for each in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)
