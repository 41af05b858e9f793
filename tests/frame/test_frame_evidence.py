"""The measurement of quotes against a commit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import evidence

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from support.repo import Repo


def test_quotes_are_counted_by_how_they_come_out(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line has the four counts; a file that is not there is missing; what was asked for is shown."""
    repo.commit("one", {"a.py": "import os\nvalue = compute_total(price, amount)\n"})
    said = [
        ("a.py", 1, "import os"),
        ("a.py", 9, "value = compute_total(price, amount)"),
        ("a.py", 2, "value = compute_total( price,amount )"),
        ("gone.py", 1, "import os"),
        ("a.py", None, "nowhere to be found"),
    ]
    file = tmp_path / "quotes.json"
    quotes = [{"finding": 1, "path": path, "line": line, "quote": quote} for path, line, quote in said]
    file.write_text(json.dumps({"quotes": quotes}), encoding="utf-8")
    arguments = [str(file), "--repo", str(repo.root), "--commit", repo.head(), "--show", "moved"]
    assert evidence.main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "moved  a.py:9 -> 2"
    assert lines[-1] == "exact 1 moved 1 whitespace 1 missing 2"
