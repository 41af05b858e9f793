"""A keystroke to the published diagnostics, over real pipes, against what any tool would have to pay.

The peers: ruff on standard input and then git diff --no-index, one after the other; and ``ruff server`` with the same
edits. Every edit makes or removes two defects that only this version has, one for ruff and one for a Python checker, so
that an answer for another version, or a partial one, is not mistaken for the answer.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import subject
from lsp_client import Client, Message
from report import Row, p50, p95, table

if TYPE_CHECKING:
    from collections.abc import Callable

EDITS: Final = 60
WARM_UP: Final = 5
BOUNDS: Final = {2_000: 5.0, 10_000: 8.0}
OUR_CODES: Final = frozenset({"python/bare-except", "python/redundant-except"})
RUFF_SERVER_CODES: Final = frozenset({"E722"})
TYPED: Final = """\
    try:
        total += 1
    except (ValueError, UnicodeError):
        total = 1
    except:
        total = 0
"""
RUFF_CODES: Final = "B,E,F,PT,S"
RUFF_SERVER: Final = {"settings": {"lint": {"select": RUFF_CODES.split(",")}}}


def measure() -> list[Row]:
    """Rows for both file sizes."""
    roundzero = subject.command()
    return [row for lines in BOUNDS for row in _one_size(roundzero, lines)]


def _one_size(roundzero: Path, lines: int) -> list[Row]:
    ruff = roundzero.parent / "ruff"
    with tempfile.TemporaryDirectory() as scratch:
        root = subject.repository(Path(scratch) / "repo", files=20, lines=lines, touched=1)
        path = root / "part000" / "module00000.py"
        base = Path(scratch) / "base.py"
        base.write_bytes(subject.git(root, "show", f"HEAD:{path.relative_to(root).as_posix()}"))
        text = path.read_text(encoding="utf-8")
        ours = Typist(Client([roundzero, "lsp"], root), path, text, codes=OUR_CODES, options=subject.SETTINGS)
        theirs = Typist(Client([ruff, "server"], root), path, text, codes=RUFF_SERVER_CODES, options=RUFF_SERVER)
        mine: list[float] = []
        server: list[float] = []
        serial: list[float] = []
        try:
            for at in range(EDITS + WARM_UP):
                measured = (ours.edit(), theirs.edit(), serial_peer(ruff, base, ours.text, scratch))
                if at >= WARM_UP:
                    for times, took in zip((mine, server, serial), measured, strict=True):
                        times.append(took)
        finally:
            ours.client.close()
            theirs.client.close()
    peer = p50(serial)
    size = f"keystroke at {lines:,} lines"
    return [
        Row(
            what=f"{size}, p50", ours=p50(mine), unit="ms", peer=peer, peer_name="ruff + git diff", bound=BOUNDS[lines]
        ),
        Row(what=f"{size}, p95 against our p50", ours=p95(mine), unit="ms", peer=p50(mine), peer_name="p50", bound=2.0),
        Row(what=f"{size}, p50, for orientation", ours=p50(mine), unit="ms", peer=p50(server), peer_name="ruff server"),
    ]


class Typist:
    """Types the same defect in and out in the middle of a changed place, waiting for the diagnostics each time."""

    def __init__(self, client: Client, path: Path, text: str, *, codes: frozenset[str], options: Message) -> None:
        """Greet the server and open the file."""
        self.client = client
        self.text = text
        self._codes = codes
        self._defect = False
        lines = text.split("\n")
        self._line = next(
            at for at, line in enumerate(lines) if at > len(lines) // 2 and line == "    total += len(note)"
        )
        client.initialize(options)
        self._uri = client.open(path, text)
        self._before = self._count(client.diagnostics(self._uri, self._any()))

    def edit(self) -> float:
        """One edit; milliseconds until its diagnostics are here."""
        here = (self._line + 1, 0)
        after = (self._line + 1 + TYPED.count("\n"), 0)
        lines = self.text.split("\n")
        start = time.perf_counter()
        if self._defect:
            version = self.client.edit(self._uri, here, after, "")
            lines[here[0] : after[0]] = []
        else:
            version = self.client.edit(self._uri, here, here, TYPED)
            lines[here[0] : here[0]] = TYPED.removesuffix("\n").split("\n")
        self._defect = not self._defect
        expected = self._before + (len(self._codes) if self._defect else 0)
        self.client.diagnostics(self._uri, lambda p: p.get("version") == version and self._count(p) == expected)
        took = (time.perf_counter() - start) * 1000
        self.text = "\n".join(lines)
        return took

    def _count(self, published: Message) -> int:
        return sum(1 for diagnostic in published["diagnostics"] if diagnostic.get("code") in self._codes)

    def _any(self) -> Callable[[Message], bool]:
        return lambda published: self._count(published) > 0


def serial_peer(ruff: Path, base: Path, text: str, empty: str) -> float:
    """Milliseconds of ruff on standard input and then git diff, in the ``empty`` folder."""
    data = text.encode()
    lint = [str(ruff), "check", "--isolated", "--no-cache", "--select", RUFF_CODES, "--output-format", "json"]
    diff = ["git", "diff", "--no-index", "-U0", str(base), "-"]
    start = time.perf_counter()
    subprocess.run(
        [*lint, "--stdin-filename", "module.py", "-"], input=data, capture_output=True, check=False, cwd=empty
    )
    subprocess.run(diff, input=data, capture_output=True, check=False, cwd=empty)
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    print(table(measure()))
