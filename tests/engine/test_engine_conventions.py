"""Conventions: in force where the repository's own code obeys them, counted at the base, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero import config
from roundzero.core.convention import Tally
from roundzero.core.item import ItemId
from roundzero.engine.conventions import count
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.workspace import Workspace
from roundzero.store.convention_counts import ConventionCounts
from support.engine import live, names
from support.loop import run

if TYPE_CHECKING:
    import pytest

    from roundzero.core.report import Report
    from roundzero.engine.conventions import Counted
    from support.repo import Repo

PACK = """\
pack: house
title: {en: House}
items:
  - id: prints
    title: {en: prints}
    severity: P3
    why: {en: Use the logger.}
    applies: {languages: [python]}
    check: {ast-grep: {rule: {kind: call, has: {field: function, regex: ^print$}}}}
    convention:
      at_least: 0.9
      min: 5
      cases: {rule: {kind: call, has: {field: function, regex: '^(print|log)$'}}}
    examples:
      bad: ["//- a.py\\n+print(1)\\n^^^^^^^^ house/prints\\n"]
      good: ["//- a.py\\n+log(1)\\n"]
"""
RULES = ".roundzero/checklists/house.yaml"
ITEM = ItemId("house/prints")


def house(repo: Repo, *, logged: int, printed: int) -> None:
    """A base that logs and prints so often, and a file that a branch adds to it, which prints."""
    calls = ["log(1)\n"] * logged + ["print(1)\n"] * printed
    half = len(calls) // 2
    repo.commit(
        "base", {RULES: PACK, "a.py": "".join(calls[:half]), "b/c.py": "".join(calls[half:]), "d.txt": "print(1)"}
    )
    repo.branch("topic")
    repo.write("new.py", "print(2)\n")


def reviewed(repo: Repo) -> Report:
    """A review."""

    async def make() -> Report:
        settings, problems = config.load(root=repo.root, environ={})
        workspace = await Workspace.open(repo.root, settings=settings, problems=problems, environ={})
        try:
            return await review(workspace, ReviewRequest())
        finally:
            await workspace.git.close()

    return run(make())


def counted(repo: Repo, *, seconds: float = 60) -> Counted:
    """How the base keeps the convention."""

    async def make() -> Counted:
        settings, problems = config.load(root=repo.root, environ={})
        workspace = await Workspace.open(repo.root, settings=settings, problems=problems, environ={})
        try:
            change = await workspace.git.collect(await workspace.choose_base())
            keep = workspace.git.common_dir
            return await count(
                workspace.conventions, workspace.git, change, workspace.linters, seconds=seconds, keep_in=keep
            )
        finally:
            await workspace.git.close()

    return run(make())


def test_a_convention_that_is_kept_speaks_with_its_share(repo: Repo) -> None:
    """Nine in ten of the base log: the branch's print is a finding, and the reason carries the share."""
    house(repo, logged=18, printed=2)
    (found,) = reviewed(repo).findings
    assert (found.seen.item, found.seen.path) == (ITEM, "new.py")
    assert found.seen.why == "Use the logger. In this repository 18 of 20 cases do so."


def test_a_convention_that_is_not_kept_is_silent(repo: Repo) -> None:
    """Below its share, and below its number of cases; nothing is missed."""
    house(repo, logged=8, printed=2)
    report = reviewed(repo)
    assert (names(report.findings), report.stats.failures) == ([], ())
    repo.git("checkout", "-q", "main")
    repo.commit("fewer", {"a.py": "log(1)\nlog(1)\n", "b/c.py": "log(1)\nlog(1)\n"})
    assert reviewed(repo).findings == ()


def test_what_the_branch_adds_does_not_count(repo: Repo) -> None:
    """The base is counted, so nobody can outvote the repository in one change."""
    house(repo, logged=18, printed=2)
    repo.write("new.py", "print(2)\n" * 50)
    assert counted(repo).tallies == {ITEM: Tally(20, 2)}
    assert names(reviewed(repo).findings).count("prints") == 50


def test_a_second_count_looks_at_what_differs(repo: Repo) -> None:
    """What was counted is kept beside the ledger; what is kept for other rules is not taken."""
    house(repo, logged=18, printed=2)
    first = counted(repo)
    assert first.complete
    assert counted(repo, seconds=-1) == first
    repo.commit("more", {"b/e.py": "log(1)\n"})
    repo.git("checkout", "-q", "-B", "main")
    repo.branch("other")
    assert not counted(repo, seconds=-1).complete
    assert counted(repo).tallies == {ITEM: Tally(22, 3)}
    repo.write(RULES, PACK.replace("(print|log)", "(print|log|say)"))
    assert not counted(repo, seconds=-1).complete


def test_a_count_that_is_not_done_is_a_gap(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The review says so and goes on without; the next one has what was counted."""
    house(repo, logged=18, printed=2)
    monkeypatch.setattr("roundzero.engine.conventions.SECONDS_ON_REQUEST", -1.0)
    (failure,) = reviewed(repo).stats.failures
    assert failure == "house/prints: the cases in the repository are not counted yet; the next review goes on"
    assert reviewed(repo).findings == ()


def test_what_is_kept_and_broken_is_counted_again(repo: Repo) -> None:
    """A cache that is no good is as if there were none."""
    house(repo, logged=18, printed=2)
    first = counted(repo)
    path = ConventionCounts(repo.root / ".git").path
    assert path.is_file()
    path.write_bytes(b"rubbish")
    assert counted(repo) == first


def test_a_file_that_does_not_parse_has_the_cases_that_are_seen(repo: Repo) -> None:
    """Nothing in the base keeps the count from ending."""
    house(repo, logged=18, printed=2)
    repo.git("checkout", "-q", "main")
    repo.commit("odd", {"odd.py": "def (:\n", "bytes.py": b"\xff\xfe\x00"})
    assert counted(repo).complete


def test_an_editor_hears_of_it_once_it_is_counted(repo: Repo) -> None:
    """The buffer is shown without the convention at first, and with it when the base was counted."""
    house(repo, logged=18, printed=2)

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("new.py"), "print(2)\n", 1)
            (found,) = await it.shows("new.py", "prints", version=1)
            assert found.seen.why.endswith("18 of 20 cases do so.")

    run(scenario())
