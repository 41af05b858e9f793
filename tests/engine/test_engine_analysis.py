"""Running every check over changed files."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from roundzero.config import Settings
from roundzero.core.change import BaseChoice, BaseHow, Change, FileChange, HeadState, Source, Status, blob_id
from roundzero.core.item import ItemId
from roundzero.core.linemap import Hunk
from roundzero.core.report import ItemStatus, VerdictStatus
from roundzero.core.text import RelPath
from roundzero.engine.analysis import Analyst, Early
from roundzero.engine.gathering import CHECKS
from roundzero.engine.pool import InProcess
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.workspace import Workspace
from roundzero.linters import discover
from roundzero.packs.loader import load
from support.engine import live
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.checkers.run import FileResult
    from roundzero.core.item import Item
    from roundzero.core.report import Report
    from roundzero.engine.sights import FileSight
    from roundzero.linters import Linter, LinterResult
    from support.repo import Repo

BARE = "try:\n    pass\nexcept:\n    print()\n"
BAD = "def load(path, cache={}):\n    return cache\n"


def changed(head: str, base: str | None = None) -> FileChange:
    """A changed file, changed as a whole."""
    path = RelPath("a.py")
    removed = base.count("\n") if base is not None else 0
    return FileChange(
        path=path,
        status=Status.ADDED if base is None else Status.MODIFIED,
        base=None if base is None else Source(path, base, blob_id(base.encode())),
        head=Source(path, head, blob_id(head.encode())),
        hunks=(Hunk(1 if removed else 0, removed, 1, head.count("\n")),),
    )


def change_of(*files: FileChange) -> Change:
    """A change of these files."""
    return Change(
        base=BaseChoice(ref=None, merge_base=None, how=BaseHow.HEAD),
        head=HeadState(commit=None, branch=None, dirty=True),
        files=files,
        skipped=(),
        snapshot="s",
    )


def reviewed(repo: Repo) -> Report:
    """A review of a repository's work tree."""

    async def make() -> Report:
        workspace = await Workspace.open(repo.root, settings=Settings(), environ={})
        try:
            return await review(workspace, ReviewRequest())
        finally:
            await workspace.git.close()

    return run(make())


class Held(InProcess):
    """Our own checks, held back until released."""

    def __init__(self) -> None:
        """Hold."""
        super().__init__()
        self.released = asyncio.Event()

    async def check_file(self, file: FileChange, items: tuple[Item, ...]) -> FileResult:
        """Wait, then check."""
        await self.released.wait()
        return await super().check_file(file, items)


def test_linters_are_told_early_when_our_own_checks_are_slow() -> None:
    """What ruff saw is there before our checks are; the whole follows."""

    async def scenario() -> None:
        runner = Held()
        told: list[FileSight] = []

        def tell(sights: list[FileSight]) -> None:
            told.extend(sights)
            runner.released.set()

        rules = load(repository=None, overrides={}, packs=None, cache_dir=None)
        analyst = Analyst(rules, linters=discover(), runner=runner)
        conflict = "<<<<<<< ours\n=======\n>>>>>>> theirs\n"
        text = BAD + '"""\n' + conflict + '"""\n'
        (whole,) = await analyst.files([changed(text)], early=Early(0.01, tell))
        await runner.close()
        assert [seen.item for seen in told[0].seen] == ["python/mutable-default"]
        assert CHECKS not in told[0].head
        assert {seen.item for seen in whole.seen} == {"python/mutable-default", "general/conflict-marker"}

    run(scenario())


def test_the_base_is_looked_at_only_where_the_head_has_a_hit() -> None:
    """A base full of other defects is not compared for items that are silent at the head."""

    async def scenario() -> None:
        runner = InProcess()
        rules = load(repository=None, overrides={}, packs=None, cache_dir=None)
        analyst = Analyst(rules, linters=discover(), runner=runner)
        (sight,) = await analyst.files([changed("x = 1\n", BAD)])
        assert (sight.base, sight.based) == ((), frozenset())
        (sight,) = await analyst.files([changed(BAD + "x = 1\n", BAD + "import os\n")])
        await runner.close()
        assert {seen.item for seen in sight.base} == {"python/mutable-default"}

    run(scenario())


BODY = "        book(order)\n        order.paid = True\n"
BRANCHES = f"def pay(order, card, book):\n    if card.credit:\n{BODY}    else:\n{BODY}    return order\n"
QUOTED_CONFLICT = '"""\n<<<<<<< ours\n=======\n>>>>>>> theirs\n"""\n'
BROKEN_BASE = "x = (\n" + BRANCHES
"""A base whose first line does not parse, and in which somebody repairs that line."""


def repaired(base: str = BROKEN_BASE, head: str = "x = ()\n" + BRANCHES) -> FileChange:
    """A change of nothing but the first line."""
    path = RelPath("a.py")
    return FileChange(
        path=path,
        status=Status.MODIFIED,
        base=Source(path, base, blob_id(base.encode())),
        head=Source(path, head, blob_id(head.encode())),
        hunks=(Hunk(1, 1, 1, 1),),
    )


def looked(file: FileChange, *, all_origins: bool = False) -> FileSight:
    """What the shipped checks see in a file."""

    async def scenario() -> FileSight:
        runner = InProcess()
        rules = load(repository=None, overrides={}, packs=None, cache_dir=None)
        analyst = Analyst(rules, linters=discover(), runner=runner, all_origins=all_origins)
        try:
            (sight,) = await analyst.files([file])
        finally:
            await runner.close()
        return sight

    return run(scenario())


@pytest.mark.parametrize("all_origins", [False, True])
def test_a_base_that_does_not_parse_was_not_looked_at(*, all_origins: bool) -> None:
    """What needs its tree knows nothing of it, and it is said without a gap; with a tree it is known."""
    sight = looked(repaired(), all_origins=all_origins)
    assert "python/identical-branches" in {seen.item for seen in sight.seen}
    assert "python/identical-branches" not in sight.based
    (note,) = sight.failures
    assert not note.gap
    assert "line 1 of its base" in note.message
    known = looked(repaired("x = 1\n" + BRANCHES), all_origins=all_origins)
    assert "python/identical-branches" in known.based
    assert "python/identical-branches" in {seen.item for seen in known.base}
    assert known.failures == ()


def test_text_rules_and_conflicts_know_a_base_that_does_not_parse() -> None:
    """They read lines, and lines are there."""
    sight = looked(repaired("x = (\n" + QUOTED_CONFLICT, "x = ()\n" + QUOTED_CONFLICT))
    assert "general/conflict-marker" in sight.based
    assert "general/conflict-marker" in {seen.item for seen in sight.base}


def test_a_comparison_without_a_base_was_not_made() -> None:
    """Nobody listened, so that its silence proves nothing; the checklist says so, too."""
    sight = looked(repaired())
    assert "python/parameter-now-dead" not in sight.listened
    assert "python/parameter-now-dead" in sight.failures[0].items
    assert "python/identical-branches" in sight.listened
    assert "python/parameter-now-dead" in looked(repaired("x = 1\n" + BRANCHES)).listened


def test_linters_and_checks_treat_a_broken_base_alike() -> None:
    """Neither knows what was there, and what both cannot read is said once."""
    sight = looked(repaired("x = (\n" + BARE, "x = ()\n" + BARE + BRANCHES), all_origins=True)
    assert {"python/bare-except", "python/identical-branches"} <= {seen.item for seen in sight.seen}
    assert not {"python/bare-except", "python/identical-branches"} & sight.based
    assert len(sight.failures) == 1


def test_a_block_that_may_come_from_a_broken_base_has_no_known_source() -> None:
    """Asked for another file's base, the analyst says of which items it really knows it."""

    async def scenario() -> None:
        runner = InProcess()
        rules = load(repository=None, overrides={}, packs=None, cache_dir=None)
        analyst = Analyst(rules, linters=discover(), runner=runner)
        items = frozenset(map(ItemId, ("python/identical-branches", "python/bare-except", "general/conflict-marker")))
        for text, known in ((BROKEN_BASE, {"general/conflict-marker"}), ("x = 1\n" + BRANCHES, set(items))):
            file = repaired(text)
            found = await analyst.elsewhere(change_of(file), {file.path: items})
            assert {item for _, item in found.based} == known
        await runner.close()

    run(scenario())


class Counting:
    """Ruff, with a note of how many texts it was given."""

    def __init__(self, ruff: Linter) -> None:
        """Stand for ``ruff``."""
        self._ruff = ruff
        self.name = ruff.name
        self.given = 0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever else a linter has
        """What Ruff has."""
        return getattr(self._ruff, name)

    async def run(self, sources: Sequence[Source], items: Sequence[Item]) -> LinterResult:
        """Count and run."""
        self.given += len(sources)
        return await self._ruff.run(sources, items)


def test_a_base_that_does_not_parse_is_given_to_a_linter_once() -> None:
    """The file being typed in is looked at again and again; its base says nothing new, and the note stays."""

    async def scenario() -> None:
        runner = InProcess()
        rules = load(repository=None, overrides={}, packs=None, cache_dir=None)
        ruff = Counting(next(linter for linter in discover() if linter.name == "ruff"))
        analyst = Analyst(rules, linters=[cast("Linter", ruff)], runner=runner)
        file = repaired("x = (\n", "try:\n    pass\nexcept:\n    print()\n")
        file = replace(file, hunks=(Hunk(1, 1, 1, 4),))
        sights = [(await analyst.files([file]))[0] for _ in range(3)]
        await runner.close()
        assert ruff.given == 3 + 1
        assert sights[0] == sights[1] == sights[2]
        assert not sights[0].failures[0].gap

    run(scenario())


def test_a_repair_makes_nothing_new_of_what_it_makes_visible(repo: Repo) -> None:
    """Who closes a bracket is not told of the old code behind it, and the verdict is one, with a note."""
    repo.commit("base", {"a.py": BROKEN_BASE})
    repo.branch("topic")
    repo.write("a.py", "x = ()\n" + BRANCHES)
    report = reviewed(repo)
    assert report.findings == ()
    assert report.verdict.status is VerdictStatus.LGTM
    assert any("of its base" in notice for notice in report.notices)
    statuses = {row.item: row.status for row in report.checklists}
    assert statuses[ItemId("python/parameter-now-dead")] is ItemStatus.NOT_CHECKED
    assert statuses[ItemId("python/identical-branches")] is ItemStatus.PASS


def test_what_a_repair_itself_brings_is_new(repo: Repo) -> None:
    """The same defect on the lines that were written counts."""
    repo.commit("base", {"a.py": "x = (\n"})
    repo.branch("topic")
    repo.write("a.py", "x = ()\n" + BRANCHES)
    assert [finding.seen.item for finding in reviewed(repo).findings] == ["python/identical-branches"]


def test_every_finding_with_a_line_has_evidence(repo: Repo) -> None:
    """Of linters, text rules and checkers alike: quoted as it stands in the reviewed bytes, and named by their blob."""
    text = BAD + "x = 1  # TODO\n" + BRANCHES + QUOTED_CONFLICT
    repo.commit("base", {"b.py": "x = 1\n"})
    repo.branch("topic")
    repo.write("a.py", text)
    found = reviewed(repo).findings
    assert {"ruff", "identical-branches", "conflict-marker"} <= {finding.seen.producer for finding in found}
    for finding in found:
        (proof,) = finding.seen.evidence
        assert proof.quote == text.split("\n")[proof.line - 1]
        assert (proof.path, proof.line) == (finding.seen.path, finding.seen.line)
        assert proof.blob == blob_id(text.encode())


def test_the_editor_sees_no_gap_in_a_broken_base_either(repo: Repo) -> None:
    """The verdict while typing is the one of a review."""
    repo.commit("base", {"a.py": BROKEN_BASE})
    repo.branch("topic")
    repo.write("a.py", "x = ()\n" + BRANCHES)

    async def scenario() -> None:
        async with live(repo.root) as it:
            verdict = (await it.idle()).verdict
            assert verdict is not None
            assert (verdict.status, verdict.reasons) == (VerdictStatus.LGTM, ())
            assert it.engine.findings() == ()

    run(scenario())
