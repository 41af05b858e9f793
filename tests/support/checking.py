"""Runs checkers over a fixture text the way a review would, without git, processes or an engine.

A fixture is written as packs/examples.py says. Hunks come from difflib, which may cut them differently from git where
there is a choice. Invariant: what is compared is what a person would be shown: in scope, and not there before.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from roundzero.checkers.run import check_file
from roundzero.checkers.run_change import check_change
from roundzero.cli._examples import skipped
from roundzero.core.change import BaseChoice, BaseHow, Change, FileChange, HeadState, Side, Source, Status, blob_id
from roundzero.core.finding import Hit, Origin, observe
from roundzero.core.item import Item, ItemId
from roundzero.core.linemap import Hunk
from roundzero.core.matching import Moves
from roundzero.core.origin import origins
from roundzero.core.ports import GrepHit
from roundzero.core.scope import out_of_scope
from roundzero.core.text import RelPath
from roundzero.index.fact_store import FactStore
from roundzero.index.limit import TimeLimit
from roundzero.index.symbols import RepositorySymbols
from roundzero.packs.examples import Fixture, Seen, differences, parse
from roundzero.packs.loader import load

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from roundzero.core.finding import Observation
    from roundzero.core.ports import Commit
    from roundzero.core.ruleset import Ruleset


@cache
def built_in() -> Ruleset:
    """The packs as shipped."""
    return load(repository=None, overrides={}, packs=None, cache_dir=None)


def checker_examples() -> list[tuple[str, str]]:
    """Every example of every item of the built-in packs that a checker decides: its item and its text."""
    cases = []
    for file in sorted((Path(__file__).parents[2] / "checklists").glob("*.yaml")):
        pack = yaml.safe_load(file.read_text("utf-8"))
        for item in pack["items"]:
            checks = item.get("check") or []
            if any("checker" in each for each in (checks if isinstance(checks, list) else [checks])):
                for texts in item["examples"].values():
                    cases += [(f"{pack['pack']}/{item['id']}", text) for text in texts]
    return cases


def source(path: str, text: str) -> Source:
    """A source of a text."""
    return Source(RelPath(path), text, blob_id(text.encode("utf-8", "surrogatepass")))


def hunks(base: str, head: str) -> tuple[Hunk, ...]:
    """The hunks between two texts, by lines, terminators aside."""
    old = [line.removesuffix("\r") for line in base.removesuffix("\n").split("\n")] if base else []
    new = [line.removesuffix("\r") for line in head.removesuffix("\n").split("\n")] if head else []
    return tuple(
        Hunk(i1 + (1 if i2 > i1 else 0), i2 - i1, j1 + (1 if j2 > j1 else 0), j2 - j1)
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    )


def file_change(path: str, base: str | None, head: str | None, *, old_path: str | None = None) -> FileChange:
    """One changed file."""
    status = Status.MODIFIED
    if base is None:
        status = Status.ADDED
    elif head is None:
        status = Status.DELETED
    elif old_path not in {None, path}:
        status = Status.RENAMED
    return FileChange(
        path=RelPath(path),
        status=status,
        base=source(old_path or path, base) if base is not None else None,
        head=source(path, head) if head is not None else None,
        hunks=hunks(base or "", head or ""),
    )


def change_of(fixture: Fixture) -> Change:
    """The change a fixture describes; files that are equal on both sides are only part of the repository."""
    files = []
    for path in sorted({*fixture.head, *fixture.base} - set(fixture.renames.values())):
        old = fixture.renames.get(path, path)
        base, head = fixture.base.get(old), fixture.head.get(path)
        if base != head or old != path:
            files.append(file_change(path, base, head, old_path=old))
    return Change(
        base=BaseChoice(ref="main", merge_base="0" * 40, how=BaseHow.EXPLICIT),
        head=HeadState(commit="1" * 40, branch="topic", dirty=False),
        files=tuple(files),
        skipped=tuple(skipped(path, size) for path, size in sorted(fixture.binaries.items())),
        snapshot="",
    )


@dataclass(frozen=True)
class FixtureRepository:
    """The repository port over a fixture."""

    fixture: Fixture

    def read(self, path: RelPath, side: Side) -> Source | None:
        """One side of a file."""
        text = self._texts(side).get(path)
        return source(path, text) if text is not None else None

    def paths(self, side: Side) -> Collection[RelPath]:
        """Every path of a side."""
        return self._texts(side).keys() | (self.fixture.binaries.keys() if side is Side.HEAD else frozenset())

    def commits(self) -> Sequence[Commit]:
        """The commits of the branch."""
        return self.fixture.commits

    def grep(self, words: Collection[str]) -> Mapping[str, tuple[GrepHit, ...]]:
        """Lines of the head that contain a word."""
        found: dict[str, list[GrepHit]] = defaultdict(list)
        for path, text in sorted(self.fixture.head.items()):
            for number, line in enumerate(text.split("\n"), 1):
                for word in words:
                    if word in line and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", line):
                        found[word].append(GrepHit(path, number, line.removesuffix("\r")))
        return {word: tuple(hits) for word, hits in found.items()}

    def _texts(self, side: Side) -> Mapping[RelPath, str]:
        return self.fixture.head if side is Side.HEAD else self.fixture.base


@dataclass(frozen=True)
class Checked:
    """Everything the checkers said about a fixture."""

    fixture: Fixture
    hits: tuple[tuple[ItemId, Hit], ...]
    shown: tuple[Observation, ...]
    failures: tuple[str, ...]


def run(text: str, *items: str, seconds: float = 60) -> Checked:
    """Run items over a fixture, those across files within a time limit."""
    return run_on(parse(text), *items, seconds=seconds)


def run_on(fixture: Fixture, *items: str, seconds: float = 60) -> Checked:
    """The same of a fixture that is read already."""
    change = change_of(fixture)
    repository = FixtureRepository(fixture)
    chosen = [replace(built_in().by_id[ItemId(name)], enabled=True) for name in items]
    head: list[tuple[ItemId, Hit]] = []
    base: list[tuple[ItemId, Hit]] = []
    failures: list[str] = []
    for file in change.files:
        result = check_file(file, chosen)
        assert result is not None
        head += result.head
        base += result.base
        failures += map(str, result.failures)
    symbols = RepositorySymbols(repository, change, FactStore(), TimeLimit(seconds))
    whole = check_change(change, repository, symbols, chosen)
    assert whole is not None
    head += whole.hits
    failures += map(str, whole.failures)
    return Checked(fixture, tuple(head), tuple(_shown(change, repository, chosen, head, base)), tuple(failures))


def _shown(
    change: Change,
    repository: FixtureRepository,
    items: list[Item],
    head: list[tuple[ItemId, Hit]],
    base: list[tuple[ItemId, Hit]],
) -> list[Observation]:
    by_id = {item.id: item for item in items}

    def seen(name: ItemId, hit: Hit, side: Side) -> Observation:
        text = repository.read(hit.path, side) if hit.path is not None else None
        return observe(by_id[name], hit, text, producer="test", version="1")

    now = [seen(name, hit, hit.side) for name, hit in head]
    before = [seen(name, hit, Side.BASE) for name, hit in base]
    came = origins(before, now, Moves.within(change))
    return [
        observation
        for observation, origin in zip(now, came, strict=True)
        if origin is Origin.INTRODUCED
        and out_of_scope(by_id[observation.item], observation, _file(change, observation)) is None
    ]


def _file(change: Change, seen: Observation) -> FileChange | None:
    return next((file for file in change.files if seen.path in {file.path, file.old_path}), None)


def check(text: str, *items: str) -> Checked:
    """Run items over a fixture and compare both ways with what it expects."""
    done = run(text, *items)
    assert not done.failures, done.failures
    seen = [Seen(o.path, o.side, o.span, o.item, o.title) for o in done.shown]
    wrong = differences(done.fixture, seen)
    assert not wrong, "\n".join(f"{line}: {words}" for line, words in wrong)
    return done
