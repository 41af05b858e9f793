"""``roundzero doctor``: what this installation consists of, what it read, and what is wrong.

Everything is looked up, nothing is changed. Invariant: whatever is broken, the rest is still reported.
"""

from __future__ import annotations

import os
import platform
import sys
from typing import TYPE_CHECKING, Final

from roundzero import __version__
from roundzero.cli import _stdout
from roundzero.errors import RoundzeroError

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Iterator, Sequence
    from pathlib import Path

    from roundzero.cli._place import Place
    from roundzero.config import Settings
    from roundzero.engine.workspace import LinterChoice

SUMMARY: Final = "show versions, configuration, base, trust and problems"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--what-is-sent",
        metavar="PATH",
        nargs="?",
        const=".",
        help="print the first request that a model would be sent (about the change, or one file of it); send nothing",
    )


def run(args: argparse.Namespace) -> int:
    """Print the findings."""
    from roundzero.cli._loop import run as run_loop  # noqa: PLC0415  off the start-up path

    if args.what_is_sent is not None:
        from roundzero.cli._what_is_sent import show  # noqa: PLC0415  only for this option

        return run_loop(show(args.repo, args.what_is_sent))
    return run_loop(_run(args.repo))


async def _run(directory: str) -> int:
    async for line in _lines(directory):
        _stdout.write_lines([line])
    return 0


async def _lines(directory: str) -> AsyncIterator[str]:
    from roundzero.cli._crash import log_folder  # noqa: PLC0415  off the start-up path

    yield f"roundzero  {__version__}"
    yield f"python     {platform.python_version()} ({sys.executable})"
    yield f"neovim     {_neovim_folder()}"
    from roundzero.cli._place import open_place  # noqa: PLC0415  off the start-up path

    try:
        place, missing = await open_place(directory), ""
    except RoundzeroError as error:
        place, missing = None, str(error)
    async for line in _programs(place):
        yield line
    yield ""
    if place is None:
        yield f"repository: {missing}"
        async for line in _configuration(None):
            yield line
    else:
        async for line in _repository(place):
            yield line
        await place.git.close()
    yield ""
    yield f"logs: {log_folder()}"


def _neovim_folder() -> Path:
    """What goes on Neovim's runtime path: it comes with the wheel, or stands in the source tree."""
    from pathlib import Path  # noqa: PLC0415  off the start-up path

    package = Path(__file__).parent.parent
    folders = (package / "neovim", package.parent.parent / "neovim")
    return next((folder for folder in folders if folder.is_dir()), folders[0])


async def _programs(place: Place | None) -> AsyncIterator[str]:
    """Versions of git and the linters in use, and why one does not start."""
    from roundzero import proc  # noqa: PLC0415  off the start-up path

    try:
        done = await proc.run(["git", "--version"], cwd=os.curdir)
        yield f"git        {done.stdout.decode('utf-8', 'replace').removeprefix('git version').strip()}"
    except RoundzeroError as error:
        yield f"git        {error}"
    chosen = await _linters(place)
    for linter in chosen.linters:
        try:
            yield f"{linter.name:<10} {await linter.version()}"
        except RoundzeroError as error:
            yield f"{linter.name:<10} {error}; its items are not checked"
    for why in dict.fromkeys(why for _, why in chosen.absent):
        names = ", ".join(name for name, reason in chosen.absent if reason == why)
        yield f"optional   {names}: {why}"


async def _linters(place: Place | None) -> LinterChoice:
    from roundzero.config import load  # noqa: PLC0415  off the start-up path
    from roundzero.engine.workspace import choose_linters  # noqa: PLC0415  off the start-up path

    settings = place.settings if place is not None else load(root=None, environ=os.environ)[0]
    return await choose_linters(settings, place.git if place is not None else None)


async def _repository(place: Place) -> AsyncIterator[str]:
    from roundzero.cli.base import choose  # noqa: PLC0415  off the start-up path
    from roundzero.render.terminal import base_lines  # noqa: PLC0415  off the start-up path
    from roundzero.render.words import words  # noqa: PLC0415  off the start-up path
    from roundzero.store.trust_db import TrustDb  # noqa: PLC0415  off the start-up path

    yield f"repository: {place.git.root}"
    fatal: list[str] = []
    try:
        for line in base_lines(await choose(place), words(place.settings.language)):
            yield f"  {line}"
    except RoundzeroError as error:
        yield f"  no base: {error}"
        fatal.append(f"no review can be made: {error}")
    try:
        trusted = "yes" if TrustDb().is_trusted(place.git.common_dir) else "no (roundzero trust)"
    except RoundzeroError as error:
        trusted = str(error)
    yield f"  trusted: {trusted}"
    yield f"  hooks: {await _hooks(place)}"
    for line in _around(place):
        yield f"  {line}"
    async for line in _configuration(place, fatal):
        yield line


async def _hooks(place: Place) -> str:
    from roundzero.cli._hook_file import STAGES, installed  # noqa: PLC0415  off the start-up path

    try:
        folder = await place.git.hooks_folder()
    except RoundzeroError as error:
        return str(error)
    found = [stage for stage in STAGES if installed(folder.path, stage)]
    return ", ".join(found) or "none of ours (roundzero hook install)"


def _around(place: Place) -> Iterator[str]:
    from roundzero.git.surroundings import surroundings  # noqa: PLC0415  GitPython is slow to import

    try:
        around = surroundings(place.git.root)
    except RoundzeroError as error:
        yield str(error)
        return
    for name, url in around.remotes:
        yield f"remote {name}: {url}"
    yield f"upstream: {around.upstream or 'none'}"
    for folder, branch in around.worktrees:
        state = branch or "detached"
        yield f"worktree {folder}: {state if folder.is_dir() else 'gone (git worktree prune)'}"


async def _configuration(place: Place | None, fatal: Sequence[str] = ()) -> AsyncIterator[str]:
    """Files, values and problems; ``fatal`` are problems that were met before."""
    from roundzero.config import REPOSITORY_FILE, load, user_file  # noqa: PLC0415  off the start-up path
    from roundzero.engine.workspace import load_rules  # noqa: PLC0415  as above

    root = place.git.root if place is not None else None
    settings, problems = load(root=root, environ=os.environ)
    yield "configuration:"
    for path in (user_file(), *((root / REPOSITORY_FILE, root / "pyproject.toml") if root is not None else ())):
        yield f"  {path} ({'found' if path.is_file() else 'not there'})"
    for line in _in_force(settings):
        yield f"  {line}"
    if settings.model_provider is not None:
        yield f"model budget: {_spent()}"
    try:
        rules = load_rules(root, settings)
    except RoundzeroError as error:
        yield f"packs: {error}"
    else:
        names = list(dict.fromkeys(item.pack for item in rules.items))
        on = sum(item.enabled for item in rules.items)
        yield f"packs: {', '.join(names)}; {len(rules.items)} items, {on} on"
        problems = (*problems, *rules.problems, *(await _linters(place)).problems)
    found = [*fatal, *(str(problem) for problem in problems)]
    if (lacking := await _lacking(place, settings)) is not None:
        found.append(lacking)
    yield f"problems: {len(found)}" if found else "problems: none"
    for problem in found:
        yield f"  {problem}"


def _spent() -> str:
    """What all processes of this user together have asked for of late, as the limits count it."""
    import time  # noqa: PLC0415  off the start-up path

    from roundzero.store.budget_db import BudgetDb  # noqa: PLC0415  as above

    try:
        now = BudgetDb().tally(time.time())
    except RoundzeroError as error:
        return str(error)
    cost = f", {now.cost:.2f} in the last day" if now.cost else ""
    asked = f"{now.requests} requests in the last minute ({now.running} not answered yet)"
    return f"{asked}, {now.tokens} tokens in the last hour{cost}"


async def _lacking(place: Place | None, settings: Settings) -> str | None:
    """What a model that is configured needs and does not have. A key is looked for where it may be used only."""
    if settings.model_provider in {None, "client"} or settings.model_mode == "off":
        return None
    from roundzero.engine.hosting import model_name, post_for  # noqa: PLC0415  off the start-up path

    try:
        model_name(settings)
        await post_for(settings, consent=place is not None and await place.trusted(), environ=os.environ)
    except RoundzeroError as error:
        return f"the model is not asked: {error}"
    return None


def _in_force(settings: Settings) -> Iterator[str]:
    """The values that are not the built-in ones, as a configuration file has them, and where each comes from."""
    import json  # noqa: PLC0415  off the start-up path

    from roundzero.config.table import SETTINGS  # noqa: PLC0415  off the start-up path

    for row in SETTINGS:
        value = getattr(settings, row.attribute)
        if value == row.default:
            continue
        if row.kind.table:
            values = [(row.toml.replace("<name>", name), name, each) for name, each in sorted(value.items())]
            if "<name>" not in row.toml:
                values = [(f'{row.toml}."{name}"', name, each) for _, name, each in values]
        else:
            values = [(row.toml, "", value)]
        for name, entry, each in values:
            place = settings.places.get((row.attribute, entry))
            yield f"{name} = {json.dumps(each, ensure_ascii=False)}" + (f" ({place})" if place is not None else "")
