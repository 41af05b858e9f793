"""Runs the command line inside the test's process.

Output is caught at the file descriptors, as a shell would get it. Invariant: a run changes nothing of the process but
the folder it is in and its standard input, and the test's monkeypatch puts both back.
"""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roundzero.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


@dataclass(frozen=True)
class Ran:
    """What a run left."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Cli:
    """The command line, started in ``here``."""

    here: Path
    patch: pytest.MonkeyPatch
    captured: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str, stdin: bytes = b"", here: Path | None = None) -> Ran:
        """Run it."""
        self.patch.chdir(here or self.here)
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self.captured.readouterr()
        status = main(list(arguments))
        out, err = self.captured.readouterr()
        return Ran(status, out, err)
