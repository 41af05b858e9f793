"""Remotes, upstream and linked worktrees, read without starting what a repository names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero.errors import OutsideError
from roundzero.git.surroundings import surroundings

if TYPE_CHECKING:
    from pathlib import Path

    from support.repo import Repo


def test_what_is_around(repo: Repo, tmp_path: Path) -> None:
    """Remotes without credentials, the upstream by its short name, worktrees with their branches."""
    repo.commit("first")
    repo.git("remote", "add", "origin", "https://ada:secret@example.org/x.git")
    repo.git("remote", "add", "backup", "/srv/x.git")
    repo.config("branch.main.remote", "origin")
    repo.config("branch.main.merge", "refs/heads/trunk")
    repo.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    repo.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "loose"))
    for root in (repo.root, tmp_path / "side"):
        around = surroundings(root)
        assert around.remotes == (("backup", "/srv/x.git"), ("origin", "https://example.org/x.git"))
        assert set(around.worktrees) == {(tmp_path / "side", "side"), (tmp_path / "loose", "")}
    assert surroundings(repo.root).upstream == "origin/trunk"
    assert surroundings(tmp_path / "loose").upstream is None


def test_nothing_around(repo: Repo) -> None:
    """A repository without any of it, and without commits."""
    around = surroundings(repo.root)
    assert (around.remotes, around.upstream, around.worktrees) == ((), None, ())


def test_no_program_runs(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """URLs, hooks and settings that name programs are only read, and the environment is left as it was."""
    repo.commit("first")
    proof = tmp_path / "ran"
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {proof}\n")
    evil.chmod(0o755)
    repo.git("remote", "add", "origin", f"ext::{evil}")
    for name in ("core.sshCommand", "core.fsmonitor", "remote.origin.uploadpack", "alias.remote", "core.askPass"):
        repo.config(name, f"!{evil}" if name.startswith("alias") else str(evil))
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    import os  # noqa: PLC0415  to compare

    before = dict(os.environ)
    assert surroundings(repo.root).remotes == (("origin", f"ext::{evil}"),)
    assert dict(os.environ) == before
    assert not proof.exists()


def test_what_cannot_be_read_is_an_outside_failure(repo: Repo) -> None:
    """A configuration that GitPython does not understand is no bug of ours."""
    (repo.root / ".git" / "config").write_bytes(b"[core\n\xff\0")
    with pytest.raises(OutsideError, match="could not be read"):
        surroundings(repo.root)
