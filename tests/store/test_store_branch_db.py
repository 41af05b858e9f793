"""The base selected per branch."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from roundzero.store.branch_db import BranchDb

if TYPE_CHECKING:
    from pathlib import Path


def test_no_choice_at_first_and_asking_creates_no_file(tmp_path: Path) -> None:
    """A branch without a choice has none, and reading leaves no trace."""
    assert BranchDb(tmp_path).selected_base("refs/heads/topic") is None
    assert list(tmp_path.iterdir()) == []


def test_a_choice_is_the_branchs_own(tmp_path: Path) -> None:
    """A selected base is kept for its branch only, replaced by the next and forgotten with None."""
    choices = BranchDb(tmp_path)
    choices.select_base("refs/heads/topic", "develop")
    choices.select_base("refs/heads/topic", "origin/release")
    assert choices.selected_base("refs/heads/topic") == "origin/release"
    assert choices.selected_base("refs/heads/other") is None
    choices.select_base("refs/heads/topic", None)
    assert choices.selected_base("refs/heads/topic") is None


def test_other_processes_see_it(tmp_path: Path) -> None:
    """Writers in other processes do not get lost."""
    program = (
        "import sys; from pathlib import Path; from roundzero.store.branch_db import BranchDb\n"
        "for n in range(20): BranchDb(Path(sys.argv[1])).select_base(f'refs/heads/{sys.argv[2]}{n}', 'main')"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path), name]) for name in "ab"]
    assert [process.wait() for process in running] == [0, 0]
    choices = BranchDb(tmp_path)
    assert all(choices.selected_base(f"refs/heads/{name}{n}") == "main" for name in "ab" for n in range(20))
