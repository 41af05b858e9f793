"""The measurement over whole repositories, on a real git work tree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.repo import Repo

_PROGRAM = Path(__file__).parents[2] / "bench" / "unresolved.py"


def test_each_missing_name_is_a_line_and_the_last_line_counts(repo: Repo) -> None:
    """Names are found, missing, unknown or external, as git lists and greps the files."""
    repo.commit(
        files={
            "pkg/__init__.py": "",
            "pkg/mod.py": "def there(): pass\n",
            "pkg/lazy.py": "def __getattr__(name): ...\n",
            "app.py": "from pkg.mod import there, their\nfrom pkg.lazy import x\nfrom os import path\n",
            "late.py": "from pkg.mod import set_later\n",
            "setter.py": "import pkg.mod\npkg.mod.set_later = 1\n",
        }
    )
    done = subprocess.run([sys.executable, _PROGRAM, repo.root], capture_output=True, text=True, check=True)
    line, last = done.stdout.splitlines()
    assert line == "repo/app.py:1: from pkg.mod import their: not in pkg/mod.py (near: there)"
    assert last.startswith("imports 5 found 1 unknown 2 external 1 missing 1 unparsable 0")
