"""A real Vim with ALE, set up as docs/editors/vim.md says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import debian
from support.driven import drive
from support.shown import FIXED, ITEM, NEW

if TYPE_CHECKING:
    from support.repo import Repo

SCRIPT = str(Path(__file__).parent / "vim" / "loop.vim")
ALE = "/usr/share/vim-ale"


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_vim_shows_hovers_fixes_undoes_and_dismisses(roundzero: Path, repo: Repo, tmp_path: Path) -> None:
    """The mark is on the changed line; ALE's commands fix it, undo brings it back, and dismissing takes it away."""
    debian.install("vim", "vim-ale")
    argv = ["vim", "-N", "-u", "NONE", "-es", "-S", SCRIPT]
    seen = drive(argv, name="vim", language="vim", roundzero=roundzero, repo=repo, folder=tmp_path, ALE=ALE)
    assert [(mark["line"], mark["code"]) for mark in seen["first"]] == [(5, ITEM)]
    assert "P2 · one default object is shared by all calls" in seen["hover"]
    assert seen["fixed"] == FIXED.splitlines()
    assert seen["undone"] == NEW.splitlines()
    assert repo.read("a.py") == FIXED
