"""Process start to the reply to initialize, against the smallest server pygls can make; and to first diagnostics.

Both run from the same installed environment with compiled bytecode, in turns.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Final

import subject
from lsp_client import Client
from report import Row, p50, p95, table

ROUNDS: Final = 15
STOCK: Final = "from pygls.lsp.server import LanguageServer; LanguageServer('stock', '1').start_io()"


def measure() -> list[Row]:
    """Rows for start-up."""
    roundzero = subject.command()
    python = roundzero.parent / "python"
    ours: list[float] = []
    stock: list[float] = []
    first: list[float] = []
    with tempfile.TemporaryDirectory() as scratch:
        root = subject.repository(Path(scratch) / "repo", files=20, lines=400, touched=5)
        path = root / "part000" / "module00000.py"
        for _ in range(ROUNDS):
            ours.append(_reply([roundzero, "lsp"], root))
            stock.append(_reply([python, "-c", STOCK], root))
            first.append(_first_diagnostics([roundzero, "lsp"], root, path))
    name = "stock pygls"
    return [
        Row(
            what="start to initialize reply, p50",
            ours=p50(ours),
            unit="ms",
            peer=p50(stock),
            peer_name=name,
            bound=0.75,
        ),
        Row(what="start to first diagnostics of an open file, p50", ours=p50(first), unit="ms", bound=450),
        Row(what="start to first diagnostics of an open file, p95", ours=p95(first), unit="ms"),
    ]


def _reply(command: list[str | Path], root: Path) -> float:
    client = Client(command, root)
    try:
        return client.initialize(subject.SETTINGS)
    finally:
        client.close()


def _first_diagnostics(command: list[str | Path], root: Path, path: Path) -> float:
    client = Client(command, root)
    try:
        client.initialize(subject.SETTINGS)
        uri = client.open(path, path.read_text(encoding="utf-8"))
        client.diagnostics(uri, lambda p: bool(p["diagnostics"]))
        return (time.perf_counter() - client.started) * 1000
    finally:
        client.close()


if __name__ == "__main__":
    print(table(measure()))
