"""``roundzero packs``: lists the packs in force, shows an item, proves packs.

Works outside a repository too, with the built-in packs. Invariant: ``list`` and ``show`` tell what a review here would
use, settings applied.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.cli import _stdout
from roundzero.errors import UserError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from roundzero.config import Settings
    from roundzero.core.item import CheckSpec, Item
    from roundzero.core.ruleset import Problem, Ruleset

SUMMARY: Final = "list packs, show an item, or check pack files"
PROBLEMS: Final = 1


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare ``list``, ``show`` and ``check``."""
    parser.usage = "roundzero packs list | show ITEM | check [FILE ...] [--repo DIR]"
    actions = "list: packs and their items; show: one item; check: prove pack files, or all in force without a FILE"
    parser.add_argument("action", metavar="list|show|check", choices=("list", "show", "check"), help=actions)
    parser.add_argument(
        "names",
        metavar="ITEM|FILE",
        nargs="*",
        default=[],
        help="the item to show, such as python/bare-except or bare-except; the pack files to check",
    )


def run(args: argparse.Namespace) -> int:
    """Do it; 1 when ``check`` found problems."""
    from roundzero.cli._loop import run as run_loop  # noqa: PLC0415  off the start-up path
    from roundzero.engine.workspace import load_rules  # noqa: PLC0415  as above
    from roundzero.render.words import some  # noqa: PLC0415  as above

    if args.action == "list" and args.names:
        raise UserError("packs list takes no names; use packs show ITEM")
    if args.action == "show" and len(args.names) != 1:
        raise UserError("packs show takes one item, such as python/bare-except; packs list has them all")
    root, settings, wrong = run_loop(surroundings(args.repo))
    if args.action == "check":
        problems = run_loop(_check([Path(name) for name in args.names] or _all_files(root)))
        count = some(("1 problem", "{count} problems"), len(problems)) if problems else "no problems"
        _stdout.write_lines([*map(str, problems), count])
        return PROBLEMS if problems else 0
    _stdout.complain_of(wrong)
    rules = load_rules(root, settings)
    lines = (
        _listed(rules, settings) if args.action == "list" else _shown(rules, args.names[0], settings, _all_files(root))
    )
    _stdout.write_lines(lines)
    return 0


async def surroundings(directory: str) -> tuple[Path | None, Settings, tuple[Problem, ...]]:
    """The root (None outside a repository), the settings and their problems around ``directory``."""
    from roundzero.cli._place import folder, open_place  # noqa: PLC0415  off the start-up path
    from roundzero.config import load  # noqa: PLC0415  off the start-up path

    folder(directory)
    try:
        place = await open_place(directory)
    except UserError:
        return None, *load(root=None, environ=os.environ)
    await place.git.close()
    return place.git.root, place.settings, place.problems


def _listed(rules: Ruleset, settings: Settings) -> Iterator[str]:
    from roundzero.render.words import some  # noqa: PLC0415  off the start-up path

    width = max((len(item.id) for item in rules.items), default=0)
    pack = None
    for item in rules.items:
        if item.pack != pack:
            if pack is not None:
                yield ""
            pack = item.pack
            of_pack = [each for each in rules.items if each.pack == pack]
            checked = sum(each.enabled and bool(each.checks) for each in of_pack)
            asked = sum(each.enabled and not each.checks for each in of_pack)
            off = len(of_pack) - checked - asked
            items = some(("1 item", "{count} items"), checked)
            questions = some(("1 question", "{count} questions"), asked)
            yield f"{pack}: {items} checked, {questions} for a model, {off} off"
        state = "off" if not item.enabled else "ask" if item.trigger else item.severity.name
        by = dict.fromkeys(_by(check)[0] for check in item.checks) or {"question": None}
        yield f"  {state:<3}  {item.id:<{width}}  {'+'.join(by):<8}  {item.title.text(settings.language)}"
    yield from (str(problem) for problem in rules.problems)


def _named_as(file: Path, name: str) -> bool:
    return file.as_posix() == name or file.as_posix().endswith(f"/{name}")


def _shown(rules: Ruleset, name: str, settings: Settings, files: Sequence[Path]) -> Iterator[str]:
    item = _find(rules, name)
    yield f"{item.id}: {item.title.text(settings.language)}"
    state = "off" if not item.enabled else "only told to a model" if item.trigger else "on"
    yield f"{item.severity.name}, {state}, looks at {item.looks_at.value}"
    if item.applies.languages:
        yield "languages: " + ", ".join(item.applies.languages)
    if item.applies.paths:
        yield "paths: " + ", ".join(item.applies.paths)
    if item.applies.exclude:
        yield "not in: " + ", ".join(item.applies.exclude)
    by = dict.fromkeys(_by(check)[1] for check in item.checks)
    yield "checked by " + ("; ".join(by) or f"nothing; a question for a model: {item.ask}")
    if (convention := item.convention) is not None:
        share = f"{100 * convention.at_least:g} % of at least {convention.min} cases"
        yield f"a convention: silent unless {share} in the repository obey it"
    if item.aliases:
        yield "formerly " + ", ".join(item.aliases)
    file = next((each for each in files if _named_as(each, item.origin_file)), None)
    built_in = "/" not in item.origin_file
    yield f"defined in {file if built_in and file is not None else item.origin_file}:{item.line}"
    if why := item.why.text(settings.language).strip():
        yield ""
        yield from why.split("\n")
    if file is not None:
        from roundzero.packs.compiling import examples_of  # noqa: PLC0415  off the start-up path

        for example in examples_of(file.read_text("utf-8-sig", "replace")):
            if example.item == item.id:
                yield ""
                yield "bad:" if example.bad else "good:"
                yield from (f"    {line}" for line in example.text.rstrip("\n").split("\n"))


def _find(rules: Ruleset, name: str) -> Item:
    """An item by full name, alias, or a last part that only one pack has. Raises UserError."""
    from roundzero.core.item import ItemId  # noqa: PLC0415  off the start-up path

    if (item := rules.by_id.get(ItemId(name))) is not None:
        return item
    short = [each for each in rules.items if each.id.endswith(f"/{name}")]
    if len(short) == 1:
        return short[0]
    if short:
        raise UserError(f"{name} is in several packs: {', '.join(each.id for each in short)}; name one in full")
    from roundzero.core.near import near  # noqa: PLC0415  only mistakes need it

    meant = ", ".join(near(name, [item.id for item in rules.items], most=3))
    raise UserError(f"there is no item {name}; " + (f"did you mean {meant}?" if meant else "see roundzero packs list"))


def _by(check: CheckSpec) -> tuple[str, str]:
    """What a check is done by, in a word and in full."""
    from roundzero.core.item import (  # noqa: PLC0415  off the start-up path
        AstGrepCheck,
        CheckerCheck,
        IgnoresCheck,
        LinterCheck,
        RuffCheck,
        TextCheck,
    )

    match check:
        case RuffCheck():
            return "ruff", "ruff " + ", ".join(check.codes)
        case AstGrepCheck():
            return "ast-grep", "an ast-grep rule"
        case TextCheck():
            return "text", f"the text rule {check.pattern}"
        case CheckerCheck():
            return "checker", f"the checker {check.name}"
        case IgnoresCheck():
            return "checker", "the comments that dismiss findings"
        case LinterCheck():
            return check.linter, f"{check.linter} {', '.join(check.codes)}".strip() + ", where it is installed"


def _all_files(root: Path | None) -> list[Path]:
    from roundzero.packs.loader import built_in_files, repository_files  # noqa: PLC0415  off the start-up path

    return [*built_in_files(), *(repository_files(root) if root is not None else ())]


async def _check(files: list[Path]) -> list[Problem]:
    from roundzero.cli import _examples  # noqa: PLC0415  off the start-up path
    from roundzero.packs.check import check_packs  # noqa: PLC0415  off the start-up path

    return await check_packs(files, _examples.run, _examples.Programs())
