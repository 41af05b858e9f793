"""A real Emacs with Eglot, set up as docs/editors/emacs.md says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import debian
from support.driven import drive
from support.shown import FIXED, ITEM, NEW

if TYPE_CHECKING:
    from support.repo import Repo

SCRIPT = str(Path(__file__).parent / "emacs" / "loop.el")


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_emacs_shows_hovers_fixes_undoes_and_dismisses(roundzero: Path, repo: Repo, tmp_path: Path) -> None:
    """The mark is on the changed line; fix, save and undo; dismissing takes it away, reopening brings it back."""
    debian.install("emacs-nox", "elpa-eglot")
    argv = ["emacs", "--batch", "--load", SCRIPT]
    seen = drive(argv, name="emacs", language="elisp", roundzero=roundzero, repo=repo, folder=tmp_path)
    (mark,) = seen["first"]
    assert mark["line"] == 5
    assert ITEM in mark["text"]
    assert ITEM in seen["hover"]
    assert f"Dismiss {ITEM}: intended" in seen["actions"]
    assert (seen["saved"], seen["undone"]) == (FIXED, NEW)
    assert (seen["dismissed"], seen["reopened"]) == ("dismissed", "open")
    assert "# Round Zero: `work` into `main`" in seen["report"]
