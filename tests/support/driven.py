"""An editor that runs a script over a changed file, set up as its page in docs/editors says, and writes what it saw."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from support.pages import first_block
from support.shown import NEW, OLD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from support.repo import Repo

PAGES: Final = Path(__file__).parents[2] / "docs" / "editors"


def drive(
    argv: Sequence[str], *, name: str, language: str, roundzero: Path, repo: Repo, folder: Path, **more: str
) -> dict[str, Any]:
    """What the editor called ``name`` saw of ``a.py``, NEW on a branch whose base has OLD.

    The script finds in its environment SETUP, the first block of ``language`` of the editor's page, FILE, SEEN, the
    file to write, and ``more``; ``roundzero`` is what is found there by that name. Raises AssertionError with what the
    editor said.
    """
    repo.commit("base", {"a.py": OLD})
    repo.branch("work")
    repo.checkout("work")
    setup, seen_in = folder / "setup", folder / "seen.json"
    setup.write_text(first_block(PAGES / f"{name}.md", language))
    places = {"SETUP": str(setup), "FILE": str(repo.write("a.py", NEW)), "SEEN": str(seen_in)}
    places["PATH"] = f"{roundzero.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        argv,
        env={**os.environ, **places, **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    seen: dict[str, Any] = json.loads(seen_in.read_text()) if seen_in.exists() else {}
    assert done.returncode == 0, (seen, done.stdout, done.stderr)
    return seen
