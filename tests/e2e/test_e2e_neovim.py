"""A real Neovim 0.11 with nothing but the configuration that ships."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from support.repo import Repo

ROOT = Path(__file__).parent.parent.parent
NEOVIM = Path(sys.executable).parent / "nvim"
OLD = "def old(cache={}):\n    return cache\n"
NEW = OLD + "\n\ndef new(cache={}):\n    return cache\n"
FIXED = OLD + "\n\ndef new(cache=None):\n    if cache is None:\n        cache = {}\n    return cache\n"


def drive(roundzero: Path, file: Path, tmp_path: Path, home: Path) -> dict[str, Any]:
    """What Neovim saw while a person would have worked on ``file``."""
    output = tmp_path / "seen.json"
    script = ROOT / "tests" / "e2e" / "neovim.lua"
    options = ["--headless", "--clean", "-i", "NONE", "-n", "-l"]
    done = subprocess.run(
        [NEOVIM, *options, script, roundzero, ROOT / "neovim", file, output],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        cwd=home,
    )
    seen: dict[str, Any] = json.loads(output.read_text()) if output.exists() else {}
    assert (done.returncode, "failed" in seen) == (0, False), (seen, done.stderr, done.stdout)
    return seen


@pytest.mark.e2e
def test_neovim_shows_hovers_fixes_saves_and_undoes(roundzero: Path, repo: Repo, tmp_path: Path, home: Path) -> None:
    """A mark on the changed line and none on the old one; hover; quick fix; save; undo brings the mark back."""
    repo.commit("base", {"a.py": OLD})
    repo.branch("work")
    repo.checkout("work")
    file = repo.write("a.py", NEW)
    seen = drive(roundzero, file, tmp_path, home)
    mark = {"line": 5, "column": 14, "item": "python/mutable-default", "source": "roundzero"}
    assert seen["first"] == [mark]
    assert seen["encoding"] == "utf-8"
    assert "python/mutable-default" in seen["hover"]
    assert seen["saved"] == FIXED.splitlines()
    assert seen["after_save"] == []
    assert seen["after_undo"] == [mark]
    assert seen["text_after_undo"] == NEW.splitlines()
    assert seen["stopped"] is True
