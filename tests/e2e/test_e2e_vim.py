"""A real Vim with ALE, set up as docs/editors/vim.md says."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import debian
from support.pages import first_block

if TYPE_CHECKING:
    from support.repo import Repo

PAGE = Path(__file__).parent.parent.parent / "docs" / "editors" / "vim.md"
SCRIPT = Path(__file__).parent / "vim" / "loop.vim"
OLD = "def old(cache={}):\n    return cache\n"
NEW = OLD + "\n\ndef new(cache={}):\n    return cache\n"
FIXED = OLD + "\n\ndef new(cache=None):\n    if cache is None:\n        cache = {}\n    return cache\n"


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_vim_shows_hovers_fixes_undoes_and_dismisses(roundzero: Path, repo: Repo, tmp_path: Path) -> None:
    """The mark is on the changed line; ALE's commands fix it, undo brings it back, and dismissing takes it away."""
    debian.install("vim", "vim-ale")
    repo.commit("base", {"a.py": OLD})
    repo.branch("work")
    repo.checkout("work")
    file, setup, seen_in = repo.write("a.py", NEW), tmp_path / "setup.vim", tmp_path / "seen.json"
    setup.write_text(first_block(PAGE, "vim"))
    places = {"SETUP": str(setup), "FILE": str(file), "SEEN": str(seen_in), "ALE": "/usr/share/vim-ale"}
    places["PATH"] = f"{roundzero.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["vim", "-N", "-u", "NONE", "-es", "-S", SCRIPT],
        env={**os.environ, **places},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    seen = json.loads(seen_in.read_text()) if seen_in.exists() else {}
    assert done.returncode == 0, (seen, done.stdout, done.stderr)
    assert [(mark["line"], mark["code"]) for mark in seen["first"]] == [(5, "python/mutable-default")]
    assert "P2 · one default object is shared by all calls" in seen["hover"]
    assert seen["fixed"] == FIXED.splitlines()
    assert seen["undone"] == NEW.splitlines()
    assert file.read_text() == FIXED
