"""A real Emacs with Eglot, set up as docs/editors/emacs.md says."""

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

PAGE = Path(__file__).parent.parent.parent / "docs" / "editors" / "emacs.md"
SCRIPT = Path(__file__).parent / "emacs" / "loop.el"
OLD = "def old(cache={}):\n    return cache\n"
NEW = OLD + "\n\ndef new(cache={}):\n    return cache\n"
FIXED = OLD + "\n\ndef new(cache=None):\n    if cache is None:\n        cache = {}\n    return cache\n"


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_emacs_shows_hovers_fixes_undoes_and_dismisses(roundzero: Path, repo: Repo, tmp_path: Path) -> None:
    """The mark is on the changed line; fix, save and undo; dismissing takes it away, reopening brings it back."""
    debian.install("emacs-nox", "elpa-eglot")
    repo.commit("base", {"a.py": OLD})
    repo.branch("work")
    repo.checkout("work")
    setup, seen_in = tmp_path / "setup.el", tmp_path / "seen.json"
    setup.write_text(first_block(PAGE, "elisp"))
    places = {"SETUP": str(setup), "FILE": str(repo.write("a.py", NEW)), "SEEN": str(seen_in)}
    places["PATH"] = f"{roundzero.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["emacs", "--batch", "--load", SCRIPT],
        env={**os.environ, **places},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    seen = json.loads(seen_in.read_text())
    (mark,) = seen["first"]
    assert mark["line"] == 5
    assert "python/mutable-default" in mark["text"]
    assert "python/mutable-default" in seen["hover"]
    assert "Dismiss python/mutable-default: intended" in seen["actions"]
    assert (seen["saved"], seen["undone"]) == (FIXED, NEW)
    assert (seen["dismissed"], seen["reopened"]) == ("dismissed", "open")
    assert "# Round Zero: `work` into `main`" in seen["report"]
