"""Memory of the server over many model reviews: each edit is asked about, answered by a script, shown and kept.

Every review is a real one in one server: an edit that makes a new question, a save, the lane, a finding that holds, a
round in the ledger. ``--reviews 1000`` is what the design is held to; without it fewer are made, for time.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import model_host
import subject
from lsp_client import Client, Message
from memory import resident
from report import Row, table

REVIEWS: Final = 150
WARM: Final = 100
"""Reviews before memory is taken for the first time; a third of them where fewer are made."""
LINES: Final = 400
_REST_SECONDS: Final = 3.0


def measure(reviews: int = REVIEWS) -> list[Row]:
    """Rows for memory over so many reviews."""
    if not sys.platform.startswith("linux"):
        return []
    roundzero, first = subject.command(), min(WARM, reviews // 3)
    with tempfile.TemporaryDirectory() as scratch:
        root = subject.repository(Path(scratch) / "repo", files=20, lines=LINES, touched=1)
        reviewer = _Reviewer(roundzero, root, Path(scratch))
        try:
            for _ in range(first):
                reviewer.review()
            warm = reviewer.resident()
            start = time.perf_counter()
            for _ in range(reviews - first):
                reviewer.review()
            took = (time.perf_counter() - start) * 1000 / (reviews - first)
            after = reviewer.resident()
        finally:
            reviewer.client.close()
    return [
        Row(
            what=f"resident after {reviews:,} model reviews, server and children",
            ours=after,
            unit="MiB",
            peer=warm,
            peer_name=f"after {first}",
            bound=1.05,
        ),
        Row(what="one of them, from the edit to idle", ours=took, unit="ms"),
    ]


class _Reviewer:
    """Edits one line of a file's change, saves, and waits until a model was asked about it."""

    def __init__(self, roundzero: Path, root: Path, scratch: Path) -> None:
        path = root / "part000" / "module00000.py"
        lines = path.read_text(encoding="utf-8").split("\n")
        self._at = next(at for at, line in enumerate(lines) if line == "    total += len(note)")
        script = scratch / "script.jsonl"
        finding = model_host.found("part000/module00000.py", self._at + 1, lines[self._at].strip())
        rows = ({"match": "number =", "reply": model_host.draft(finding)}, {"match": "", "reply": model_host.draft()})
        script.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        places = {name: str(scratch / name) for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
        self.client = Client([roundzero, "lsp"], root, environment=places)
        self.client.initialize(model_host.settings(provider="scripted", script=str(script), mode="onSave", parallel=4))
        self._uri = self.client.open(path, "\n".join(lines))
        self._number = self._requests = 0
        self._said = False
        self.client.edit(self._uri, (self._at + 1, 0), (self._at + 1, 0), "    number = 0\n")
        self._save()

    def review(self) -> None:
        """One."""
        self._number += 1
        here, after = (self._at + 1, 0), (self._at + 2, 0)
        self.client.edit(self._uri, here, after, f"    number = {self._number}\n")
        self._save()

    def resident(self) -> float:
        """MiB, once all that was started has come to rest."""
        self.client.drain(_REST_SECONDS)
        return resident(self.client.process.pid)

    def _save(self) -> None:
        self.client.save(self._uri)
        answer = self.client.wait(self._answered)
        self._requests = answer["params"]["model"]["requests"]

    def _answered(self, message: Message) -> bool:
        """Whether a status says that a new question was answered, and nothing is asked now."""
        if message.get("method") != "roundzero/status":
            return False
        model = message["params"]["model"]
        whole = model["hunks"] > 0 and model["covered"] == model["hunks"]
        return bool(model["requests"] > self._requests and model["state"] == "idle" and whole)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviews", type=int, default=REVIEWS, help="how many model reviews one server makes")
    print(table(measure(parser.parse_args().reviews)))
