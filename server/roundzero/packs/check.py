"""Proves packs: every rule is accepted by its program, every example fires exactly where it is marked.

The programs and the review itself are handed in, because packs know neither linters nor the engine. Invariant: what
this finds is what a user of the pack would have met, and each problem names file and line.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from roundzero.core.item import AstGrepCheck, CheckerCheck, LinterCheck, RuffCheck
from roundzero.core.ruleset import Problem
from roundzero.errors import UserError
from roundzero.packs.compiling import compile_pack, examples_of
from roundzero.packs.examples import FixtureError, differences, parse

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from roundzero.core.item import Item, ItemId
    from roundzero.packs.compiling import Example
    from roundzero.packs.examples import Fixture, Seen
    from roundzero.packs.pack import Pack


class Programs(Protocol):
    """What judges the rules."""

    async def unknown_codes(self, codes: Sequence[str]) -> Sequence[str]:
        """Those ruff codes that the pinned ruff does not run."""

    async def complaint(self, check: AstGrepCheck) -> str | None:
        """What ast-grep has against a rule, or None."""

    def checkers(self) -> Collection[str]:
        """The names of all Python checkers."""

    def linters(self) -> Collection[str]:
        """The names of all optional linters."""

    async def running(self) -> Collection[str]:
        """The names of those that run here; examples of others are not run."""


class Run(Protocol):
    """A review of a fixture with the items given and no others: the shown findings."""

    async def __call__(self, fixture: Fixture, items: Sequence[Item]) -> Sequence[Seen]:
        """Review."""


async def check_packs(files: Sequence[Path], run: Run, programs: Programs) -> list[Problem]:
    """The problems of pack files, by file and line; none when all is well.

    Raises UserError for a file that cannot be read, OutsideError when a program cannot be asked.
    """
    problems: list[Problem] = []
    names: dict[str, str] = {}
    running = await programs.running()
    for path in files:
        file = str(path)
        try:
            text = await asyncio.to_thread(path.read_text, encoding="utf-8-sig")
        except OSError as error:
            raise UserError(f"{file} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError:
            problems.append(Problem(file, 0, "is not UTF-8; save it as UTF-8"))
            continue
        pack = compile_pack(text, file)
        problems.extend(pack.problems)
        if not pack.name:
            continue
        if pack.name in names:
            problems.append(Problem(file, 1, f'the pack name "{pack.name}" is taken by {names[pack.name]}'))
        names.setdefault(pack.name, file)
        problems.extend(await _check_rules(pack, programs))
        problems.extend(await _check_examples(pack, examples_of(text), run, running))
    return sorted(problems, key=lambda problem: (problem.file, problem.line))


async def _check_rules(pack: Pack, programs: Programs) -> list[Problem]:
    problems: list[Problem] = []
    ruff_checks = [check for item in pack.items for check in item.checks if isinstance(check, RuffCheck)]
    linters = programs.linters()
    codes = sorted({code for check in ruff_checks for code in check.codes})
    unknown = set(await programs.unknown_codes(codes)) if codes else set()
    for item in pack.items:
        for check in (*item.checks, *(item.convention.cases if item.convention is not None else ())):
            words: list[str] = []
            match check:
                case RuffCheck():
                    words = [f"ruff has no stable rule {code}" for code in check.codes if code in unknown]
                case AstGrepCheck():
                    complaint = await programs.complaint(check)
                    words = [] if complaint is None else [f"ast-grep does not accept the rule: {complaint}"]
                case CheckerCheck():
                    words = [] if check.name in programs.checkers() else [f'there is no checker "{check.name}"']
                case LinterCheck():
                    words = [] if check.linter in linters else [f'there is no linter "{check.linter}"']
                case _:
                    pass
            problems.extend(Problem(pack.file, item.line, f"{item.id}: {message}") for message in words)
    return problems


async def _check_examples(pack: Pack, examples: Sequence[Example], run: Run, running: Collection[str]) -> list[Problem]:
    items: Mapping[ItemId, Item] = {item.id: item for item in pack.items}
    problems = []
    for item in items.values():
        kinds = {example.bad for example in examples if example.item == item.id}
        if item.checks and kinds != {True, False}:
            problems.append(Problem(pack.file, item.line, f"{item.id}: a checked item needs a bad and a good example"))
    for example in examples:
        found = items.get(example.item)
        if found is None or not found.checks or (found.needs_linter and not found.linters & set(running)):
            continue
        # An example is too small to have conventions.
        alone = replace(found, enabled=True, trigger=False, convention=None)
        problems.extend(await _check_example(pack.file, alone, example, run))
    return problems


async def _check_example(file: str, item: Item, example: Example, run: Run) -> list[Problem]:
    try:
        fixture = parse(example.text)
    except FixtureError as error:
        return [Problem(file, example.line + error.line, f"{item.id}: {error.message}")]
    if example.bad != bool(fixture.expected):
        words = "marks nothing" if example.bad else "expects a finding"
        kind = "bad" if example.bad else "good"
        return [Problem(file, example.line, f"{item.id}: the {kind} example {words}")]
    seen = [finding for finding in await run(fixture, (item,)) if finding.item == item.id]
    return [Problem(file, example.line + line, f"{item.id}: {message}") for line, message in differences(fixture, seen)]
