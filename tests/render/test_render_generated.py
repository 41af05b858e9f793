"""Generated files are what their sources say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OPEN = {"StatsWire", "DraftsWire", "ToolsWire"}
"""Shapes with tables in them, whose values are typed."""


def test_nothing_drifted() -> None:
    """``tools/generate.py --check`` finds every generated file up to date."""
    done = subprocess.run(
        [sys.executable, "tools/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["report-1", "ndjson-1"])
def test_schemas_forbid_nothing_new(name: str) -> None:
    """Fields may be added: no published schema forbids unknown ones."""
    text = (ROOT / "server/roundzero/render/schema" / f"{name}.json").read_text()
    assert "additionalProperties" not in json.dumps(
        {key: value for key, value in json.loads(text)["$defs"].items() if key not in OPEN}
    )
