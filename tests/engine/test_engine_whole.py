"""Checks of the whole change with the index: time, broken checkers, kept facts, and both ways to run them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero.checkers import _base, discover, find, run_change
from roundzero.config import Settings
from roundzero.core.change import Side
from roundzero.core.item import CheckerCheck, Item, ItemId, LooksAt, Prose, Severity
from roundzero.core.text import RelPath
from roundzero.engine.pool import InProcess
from roundzero.engine.repository import changed
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.whole import check_whole
from roundzero.engine.worker_link import Worker
from roundzero.engine.workspace import Workspace
from roundzero.store.index_db import IndexDb
from support.loop import run as run_loop
from support.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from roundzero.checkers.run_change import ChangeResult
    from roundzero.core.finding import Hit
    from roundzero.core.report import Report
    from support.repo import Repo

BASE = {"app/__init__.py": "", "app/a.py": "x = 1\ny = 2\n", "app/b.py": "from app.a import y\n"}
HEAD = {**BASE, "app/a.py": "x = 1\n"}


def item(name: str) -> Item:
    """An item that a checker decides."""
    return Item(
        id=ItemId(f"p/{name}"),
        title=Prose("t"),
        why=Prose("w"),
        severity=Severity.P1,
        looks_at=LooksAt.CHANGE,
        checks=(CheckerCheck(name),),
    )


def checked(*items: Item, seconds: float = 60, keep_in: Path | None = None) -> ChangeResult:
    """What is seen in the change from BASE to HEAD."""
    texts = Texts(HEAD, BASE)
    result = check_whole(texts.change(), texts, items, keep_in=keep_in, seconds=seconds, should_stop=lambda: False)
    assert result is not None
    return result


def test_an_import_broken_elsewhere_is_seen() -> None:
    """The hit lies in a file that did not change."""
    (hit,) = checked(item("unresolved-import")).hits
    assert hit[1].path == "app/b.py"


def test_a_question_cut_by_its_time_limit_is_not_checked() -> None:
    """Its checker is named; what asks nothing of the index goes on."""
    result = checked(item("unresolved-import"), item("guard-removed"), seconds=-1)
    (failure,) = result.failures
    assert failure.checker == "unresolved-import"
    assert failure.items == {"p/unresolved-import"}
    assert "took over" in failure.message


class _Broken(_base.SymbolChecker):
    """Breaks."""

    name = "broken"

    def check(self, view: _base.SymbolView) -> Iterable[Hit]:
        """Raise."""
        raise KeyError


def test_a_broken_symbol_checker_costs_its_own_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are heard, and its failure names it."""
    monkeypatch.setattr(run_change, "find", {**discover(), "guard-removed": _Broken}.get)
    result = checked(item("guard-removed"), item("unresolved-import"))
    assert [name for name, _ in result.hits] == ["p/unresolved-import"]
    assert str(result.failures[0]).startswith("guard-removed: broke with KeyError")


def _cannot_be_imported(name: str) -> type[_base.Checker] | None:
    if name == "guard-removed":
        raise ImportError("no such module")
    return find(name)


def test_a_checker_that_cannot_be_imported_costs_its_own_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its item is not checked; the others are heard, and what looks at files is not even asked."""
    monkeypatch.setattr(run_change, "find", _cannot_be_imported)
    result = checked(item("guard-removed"), item("unresolved-import"), item("assertless-test"))
    assert [name for name, _ in result.hits] == ["p/unresolved-import"]
    assert [failure.items for failure in result.failures] == [{"p/guard-removed"}]


def test_what_the_change_has_is_not_asked_of_git() -> None:
    """Either side of a changed file is at hand, also one that is not there; only other files are asked for."""
    change = Texts({**HEAD, "new.py": "z = 1\n"}, BASE).change()
    head, base = (changed(change, RelPath("app/a.py"), side) for side in (Side.HEAD, Side.BASE))
    assert head is not None
    assert head[0] is change.files[0].head
    assert base is not None
    assert base[0] is change.files[0].base
    assert changed(change, RelPath("new.py"), Side.BASE) == (None,)
    assert changed(change, RelPath("app/b.py"), Side.HEAD) is None


def test_facts_are_kept_for_the_next_run(tmp_path: Path) -> None:
    """The facts of files that did not change lie under the git common directory afterwards."""
    checked(item("unresolved-import"), keep_in=tmp_path)
    assert IndexDb(tmp_path).path.exists()


def test_a_place_that_cannot_be_written_to_changes_nothing(tmp_path: Path) -> None:
    """The cache is left out."""
    (tmp_path / "file").write_text("")
    assert checked(item("unresolved-import"), keep_in=tmp_path / "file") == checked(item("unresolved-import"))


@pytest.mark.parametrize("kind", [InProcess, Worker])
def test_a_review_sees_it_in_either_process(repo: Repo, kind: type[InProcess | Worker]) -> None:
    """A real repository, the whole way to the report: introduced, and blocking."""
    for path, text in BASE.items():
        repo.write(path, text)
    repo.commit("base")
    repo.branch("topic")
    repo.write("app/a.py", HEAD["app/a.py"])
    repo.commit("drop y")

    async def make() -> Report:
        workspace = await Workspace.open(repo.root, settings=Settings(), environ={})
        runner = kind()
        try:
            return await review(workspace, ReviewRequest(base="main"), runner=runner)
        finally:
            await runner.close()
            await workspace.git.close()

    report = run_loop(make())
    found = [finding for finding in report.findings if finding.seen.item == "python/unresolved-import"]
    assert [(finding.seen.path, finding.blocking) for finding in found] == [("app/b.py", True)]
