"""The measurement of what reviewers found, on a real repository."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.repo import Repo

_PROGRAM = Path(__file__).parents[2] / "bench" / "recall.py"
_GUARD = "def can_pay(order):\n    return order.kind in ({})\n"
_SLOW = "import time\n\n\ndef wait(done={}):\n    time.sleep(1)\n"


def test_what_only_a_model_is_told_is_flagged_and_never_a_hit(repo: Repo, tmp_path: Path) -> None:
    """A shown finding near a reference is a hit, one of a trigger only flags, and elsewhere a reference is missed."""
    base = repo.commit(files={"app/desk.py": _GUARD.format('"payment", "refund"'), "app/slow.py": "\n"})
    head = repo.commit(files={"app/desk.py": _GUARD.format('"payment", "refund", "gift"'), "app/slow.py": _SLOW})
    findings = [
        {"severity": "P2", "title": "gifts are not handled", "path": "app/desk.py", "line": 2},
        {"severity": "P3", "title": "one dict for all calls", "path": "app/slow.py", "line": 4},
        {"severity": "P1", "title": "nobody calls it", "path": "app/other.py", "line": 9},
    ]
    rounds = tmp_path / "rounds.json"
    about = f"base {base[:12]} for {head[:12]}"
    rounds.write_text(json.dumps({"about": about, "rounds": [{"commit": head[:12], "findings": findings}]}))
    argv = [sys.executable, str(_PROGRAM), str(rounds), "--repo", str(repo.root)]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in said[:3]] == ["flagged", "hit", "missed"]
    assert said[0].endswith("<- python/guard-widened (told) app/desk.py:2")
    assert said[1].endswith("<- python/mutable-default app/slow.py:4")
    assert said[-1] == "hit 1 flagged 1 missed 1 of 3"
