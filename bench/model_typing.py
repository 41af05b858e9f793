"""Typing while a model answers, against the peer and bounds of typing without one, and against the same server without.

All type the same defect in and out of the same file in turns, as in latency.py; then a stall is looked for as in
memory.py. A slow host on this machine answers all the while: its findings are let in and shown meanwhile, and the
change has more parts than it gets through.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Final

import model_host
import subject
from latency import BOUNDS, OUR_CODES, Typist, serial_peer
from lsp_client import Client, Message
from report import Row, p50, p95, table

EDITS: Final = 40
WARM_UP: Final = 5
LINES: Final = 2_000
TOUCHED: Final = 8
ANSWER_SECONDS: Final = 3.0
STALL_SECONDS: Final = 6.0


def measure() -> list[Row]:
    """Rows for typing beside the model lane."""
    roundzero = subject.command()
    with tempfile.TemporaryDirectory() as scratch, model_host.SlowHost(ANSWER_SECONDS) as host:
        root = subject.repository(Path(scratch) / "repo", files=20, lines=LINES, touched=TOUCHED)
        asked = model_host.settings(
            provider="openai", baseUrl=host.url, name="slow", mode="onIdle", parallel=4, cache=False
        )
        busy = _typist(roundzero, root, Path(scratch) / "busy", asked)
        calm = _typist(roundzero, root, Path(scratch) / "calm", subject.SETTINGS)
        path = root / "part000" / "module00000.py"
        base = Path(scratch) / "base.py"
        base.write_bytes(subject.git(root, "show", f"HEAD:{path.relative_to(root).as_posix()}"))
        with_lane: list[float] = []
        without: list[float] = []
        serial: list[float] = []
        try:
            busy.client.wait(_is_asking)
            for at in range(EDITS + WARM_UP):
                measured = (busy.edit(), calm.edit(), serial_peer(roundzero.parent / "ruff", base, busy.text, scratch))
                if at >= WARM_UP:
                    for times, took in zip((with_lane, without, serial), measured, strict=True):
                        times.append(took)
            answered = host.answered
            stalls = _waits(busy)
            answers = host.answered
            quiet = _waits(calm)
        finally:
            busy.client.close()
            calm.client.close()
    assert 0 < answered < answers, "the lane was not busy all the while"
    size = f"keystroke at {LINES:,} lines while a model answers"
    peer, ours = p50(serial), p50(with_lane)
    return [
        Row(what=f"{size}, p50", ours=ours, unit="ms", peer=peer, peer_name="ruff + git diff", bound=BOUNDS[LINES]),
        Row(what=f"{size}, p95", ours=p95(with_lane), unit="ms", peer=ours, peer_name="p50", bound=2.0),
        Row(what=f"{size}, p50, for orientation", ours=ours, unit="ms", peer=p50(without), peer_name="without"),
        Row(what="p95, for orientation", ours=p95(with_lane), unit="ms", peer=p95(without), peer_name="without"),
        Row(what="answers let in meanwhile", ours=answers, unit="answers"),
        Row(what="longest stall of the loop while a model answers", ours=max(stalls), unit="ms", bound=50),
        Row(what="the same without a model", ours=max(quiet), unit="ms"),
        Row(what="p95 while a model answers", ours=p95(stalls), unit="ms", peer=p95(quiet), peer_name="without"),
    ]


def _typist(roundzero: Path, root: Path, places: Path, options: Message) -> Typist:
    """Somebody who types into the first file, with caches and a budget of their own."""
    folders = {name: str(places / name) for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    path = root / "part000" / "module00000.py"
    client = Client([roundzero, "lsp"], root, environment=folders)
    return Typist(client, path, path.read_text(encoding="utf-8"), codes=OUR_CODES, options=options)


def _is_asking(message: Message) -> bool:
    return message.get("method") == "roundzero/status" and message["params"]["model"]["state"] == "running"


def _waits(typist: Typist) -> list[float]:
    """How long the server takes to refuse what it does not know, asked again and again, in milliseconds."""
    waits: list[float] = []
    until = time.monotonic() + STALL_SECONDS
    while time.monotonic() < until:
        start = time.perf_counter()
        typist.client.request("roundzero/areYouThere", {})
        waits.append((time.perf_counter() - start) * 1000)
        if len(waits) % 100 == 0:
            typist.edit()
        time.sleep(0.005)
    return waits


if __name__ == "__main__":
    print(table(measure()))
