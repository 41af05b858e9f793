"""Optional linters in a review: in trusted repositories only, and missed nowhere else."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from roundzero import config
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.workspace import Workspace, choose_linters
from support.engine import names
from support.loop import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from roundzero.core.report import Report
    from support.repo import Repo

SCRIPT = '#!/bin/bash\nx=$1\nrm -rf "$x/"*\n'


def reviewed(repo: Repo, *, trusted: bool, **settings: object) -> Report:
    """A review of a repository that is trusted or not."""

    async def make() -> Report:
        loaded, problems = config.load(root=repo.root, editor=settings, environ={})
        workspace = await Workspace.open(repo.root, settings=loaded, problems=problems, environ={}, trusted=trusted)
        try:
            return await review(workspace, ReviewRequest())
        finally:
            await workspace.git.close()

    return run(make())


def test_a_trusted_repository_is_looked_at(repo: Repo) -> None:
    """What shellcheck finds on changed lines is a finding of its item; old lines are not."""
    repo.commit("base", {"a.sh": SCRIPT})
    repo.write("a.sh", SCRIPT + 'rm -rf "$x/"*\n')
    report = reviewed(repo, trusted=True)
    (found,) = report.findings
    assert (found.seen.item, found.seen.producer, found.seen.line) == ("linters/shell-deletes-root", "shellcheck", 4)
    assert found.seen.producer_version[0].isdigit()


def test_without_trust_nothing_runs_and_nothing_is_missed(repo: Repo) -> None:
    """No finding, no gap, no notice."""
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.write("a.sh", SCRIPT)
    report = reviewed(repo, trusted=False)
    assert names(report.findings) == []
    assert report.stats.failures == ()
    assert report.notices == ()


def test_an_absent_linter_is_no_gap(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trusted repository without the program is reviewed as if nobody had ever heard of it."""
    git = shutil.which("git")
    assert git is not None
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python"))
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.write("a.sh", SCRIPT)
    report = reviewed(repo, trusted=True)
    assert (report.findings, report.stats.failures, report.notices) == ((), (), ())


def test_one_that_is_switched_off_is_no_gap(repo: Repo) -> None:
    """The person does not want it, and is not told again."""
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.write("a.sh", SCRIPT)
    report = reviewed(repo, trusted=True, **{"linters.shellcheck.enable": False})
    assert (report.findings, report.stats.failures, report.notices) == ((), (), ())


def test_a_path_where_no_program_is_is_named(repo: Repo) -> None:
    """What a person set and is wrong is said, though nobody has to have the program."""
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.write("a.sh", SCRIPT)
    report = reviewed(repo, trusted=True, **{"linters.shellcheck.path": "/no/such/shellcheck"})
    (notice,) = report.notices
    assert "linters.shellcheck.path is /no/such/shellcheck, where no program is; its items are off" in notice


def test_one_that_fails_is_a_gap(repo: Repo) -> None:
    """What a program could not look at is reported as not checked."""
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.write("a.sh", "#!/bin/bash\nif [ 1 ; then\n")
    report = reviewed(repo, trusted=True)
    (failure,) = report.stats.failures
    assert "shellcheck: it could not parse line 2" in failure


def test_in_a_hurry_the_slow_ones_stay_out(repo: Repo) -> None:
    """The editor does not run the repository's hooks at every pause, nor call them absent."""
    repo.commit("base", {"a.py": "x = 1\n"})
    settings, _ = config.load(root=repo.root, environ={})

    async def chosen() -> set[str]:
        workspace = await Workspace.open(repo.root, settings=settings, environ={}, trusted=True)
        try:
            assert "pre-commit" not in {linter.name for linter in workspace.linters}  # no item of it is on
            found = await choose_linters(settings, workspace.git, trusted=True, hurried=True)
        finally:
            await workspace.git.close()
        return {*found.names, *(name for name, _ in found.absent)}

    assert run(chosen()) == {"ast-grep", "clang-format", "ruff", "shellcheck", "zizmor"}
