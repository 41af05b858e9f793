"""``roundzero trust``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Cli
    from support.repo import Repo


def test_trust_revoke_list(cli: Cli, repo: Repo) -> None:
    """A trusted repository is listed by its git common directory until it is revoked."""
    assert cli("trust", "--list").out == ""
    common = str(repo.root / ".git")
    said = cli("trust").out
    assert said.startswith(f"Trusted: {common}\n")
    assert "send changed code" in said
    assert cli("trust", "--list").out == f"{common}\n"
    assert cli("trust", "--revoke").out == f"No longer trusted: {common}\n"
    assert cli("trust", "--revoke").out == f"Was not trusted: {common}\n"
    assert cli("trust", "--list").out == ""


def test_a_linked_worktree_is_the_same_repository(cli: Cli, repo: Repo, tmp_path: Path) -> None:
    """Trusting a linked worktree trusts its repository."""
    repo.commit("first", {"a": ""})
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    assert cli("trust", str(tmp_path / "linked")).out.startswith(f"Trusted: {repo.root / '.git'}\n")


def test_only_repositories_can_be_trusted(cli: Cli, tmp_path: Path) -> None:
    """A folder outside any repository is refused with status 2."""
    outside = tmp_path / "outside"
    outside.mkdir()
    assert cli("trust", str(outside)).status == 2
    assert cli("trust", "--revoke", "--list").status == 2
