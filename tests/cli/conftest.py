"""The command line, ready to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import Cli

if TYPE_CHECKING:
    from support.repo import Repo


@pytest.fixture
def cli(repo: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """The command line, started in the repository."""
    return Cli(repo.root, monkeypatch, capfd)
