"""``roundzero hook``: a review before every push or commit, put into a clone and taken out again.

Arranges files only; what the hook does is _hook_review.py. Invariant: nothing outside this clone's own git directory is
written, so neither the work tree nor a folder of hooks that other repositories share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.cli import _stdout
from roundzero.errors import UserError

if TYPE_CHECKING:
    import argparse

    from roundzero.core.item import Language
    from roundzero.git.hooks import HooksFolder

SUMMARY: Final = "review before every push or commit: install the git hook or take it away"
_DEFAULT: Final = "pre-push"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and the stage."""
    import argparse  # noqa: PLC0415  its constant; loaded by now

    from roundzero.cli._hook_file import STAGES  # noqa: PLC0415  off the start-up path

    actions = "install: put it into this clone; uninstall: take it away again; run: what the installed hook calls"
    parser.add_argument("action", choices=("install", "uninstall", "run"), help=actions)
    parser.add_argument("given", metavar="ARGUMENT", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument(
        "--stage",
        choices=tuple(STAGES),
        default=_DEFAULT,
        help="pre-push (default): the branches that are pushed, each as a whole; pre-commit: what is staged",
    )


def run(args: argparse.Namespace) -> int:
    """Do it."""
    if args.action == "run":
        return _run(args)
    if args.given:
        raise UserError(f"hook {args.action} takes no {args.given[0]}; name a stage with --stage")
    from roundzero.cli import _hook_file  # noqa: PLC0415  off the start-up path
    from roundzero.cli._loop import run as run_loop  # noqa: PLC0415  off the start-up path

    folder = run_loop(_folder(args.repo))
    if args.action == "install":
        _check(folder, args.stage)
        said = _hook_file.install(folder.own, args.stage)
    else:
        said = _hook_file.uninstall(folder.own, args.stage)
    _stdout.write_lines([said])
    return 0


def _run(args: argparse.Namespace) -> int:
    """Review as a hook. Whatever goes wrong is told and stops nothing."""
    from roundzero.cli._hook_review import hook, reason_of  # noqa: PLC0415  off the start-up path
    from roundzero.cli._hook_words import hook_words  # noqa: PLC0415  as above
    from roundzero.cli._loop import run as run_loop  # noqa: PLC0415  off the start-up path

    try:
        return run_loop(hook(args.stage, args.repo))
    except Exception as error:  # noqa: BLE001  a bug of ours must not keep anybody from pushing
        _stdout.complain(reason_of(error, args.stage))
    _stdout.complain(hook_words(_language()).nothing_reviewed[args.stage])
    return 0


def _language() -> Language:
    """The person's language, where the repository could not be opened or is what went wrong."""
    import os  # noqa: PLC0415  only failures need it

    from roundzero.config import load  # noqa: PLC0415  as above

    try:
        return load(root=None, environ=os.environ)[0].language
    except Exception:  # noqa: BLE001  it may be the very thing that went wrong
        return "en"


async def _folder(directory: str) -> HooksFolder:
    from roundzero.cli._place import folder  # noqa: PLC0415  off the start-up path
    from roundzero.git.repository import Git  # noqa: PLC0415  off the start-up path

    git = await Git.open(folder(directory), bare=True)
    try:
        return await git.hooks_folder()
    finally:
        await git.close()


def _check(folder: HooksFolder, stage: str) -> None:
    """Refuse folders that are not this clone's. Raises UserError that says what to do instead."""
    from roundzero.git.hooks import HooksOwner  # noqa: PLC0415  off the start-up path

    if folder.owner is HooksOwner.CLONE:
        return
    where = (
        f"core.hooksPath is {folder.setting}"
        if folder.setting is not None
        else f"{folder.path} leads out of this clone"
    )
    whose = (
        "which is part of the work tree, so a hook there would be everybody's who clones"
        if folder.owner is HooksOwner.WORK_TREE
        else "which other repositories may share"
    )
    raise UserError(
        f"{where}, {whose}; nothing was changed. To review all the same, add this line to {folder.path / stage}:"
        f'\n  roundzero hook run --stage {stage} -- "$@" || exit'
    )
