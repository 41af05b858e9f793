"""``roundzero review`` of a change of 100 files, against the least that any reviewer of both sides has to do.

The peer, one after the other: git diff, ruff over both sides, and one process that parses and walks both sides. Then
the same change in a repository a hundred times as large: cost must follow the change. Nothing is cached between runs.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

import subject
from installed import clean_environment
from report import Row, p50, table

ROUNDS: Final = 5
TOUCHED: Final = 100
WALK: Final = """
import ast, pathlib, sys
for name in sys.argv[1:]:
    for path in pathlib.Path(name).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            pass
"""


def measure() -> list[Row]:
    """Rows for review."""
    roundzero = subject.command()
    with tempfile.TemporaryDirectory() as scratch:
        small = subject.repository(Path(scratch) / "small", files=TOUCHED, lines=200, touched=TOUCHED)
        large = subject.repository(Path(scratch) / "large", files=10_000, lines=200, touched=TOUCHED)
        base, head = _sides(small, Path(scratch) / "sides")
        ours: list[float] = []
        ours_large: list[float] = []
        least: list[float] = []
        for at in range(ROUNDS + 1):
            measured = (
                _review(roundzero, small),
                _review(roundzero, large),
                _least(roundzero.parent, small, base, head),
            )
            if at:  # the first round warms the disk cache for everyone
                for times, took in zip((ours, ours_large, least), measured, strict=True):
                    times.append(took)
    name = "git diff + ruff + parse and walk, both sides"
    return [
        Row(what="review of 100 changed files", ours=p50(ours), unit="ms", peer=p50(least), peer_name=name, bound=1.5),
        Row(
            what="the same change among 10,000 files",
            ours=p50(ours_large),
            unit="ms",
            peer=p50(ours),
            peer_name="among 100 files",
            bound=1.5,
        ),
    ]


def _sides(root: Path, folder: Path) -> tuple[Path, Path]:
    """Copies of the changed files as they were and as they are."""
    base, head = folder / "base", folder / "head"
    for name in subject.git(root, "diff", "--name-only", "HEAD").decode().split():
        for side in (base, head):
            (side / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_bytes(subject.git(root, "show", f"HEAD:{name}"))
        shutil.copy(root / name, head / name)
    return base, head


def _review(roundzero: Path, root: Path) -> float:
    shutil.rmtree(root / ".git" / "roundzero", ignore_errors=True)
    start = time.perf_counter()
    done = subprocess.run(
        [roundzero, "review", "--base", "main", "--format", "json", "--fail-on", "never"],
        cwd=root,
        env=clean_environment(),
        capture_output=True,
        check=False,
    )
    took = (time.perf_counter() - start) * 1000
    if done.returncode != 0:
        raise SystemExit(f"review exited {done.returncode}: {done.stderr.decode()}")
    return took


def _least(tools: Path, root: Path, base: Path, head: Path) -> float:
    start = time.perf_counter()
    subprocess.run(["git", "diff", "-U0", "main"], cwd=root, capture_output=True, check=True)
    lint = [
        str(tools / "ruff"),
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "B,E,F,PT,S",
        "--output-format",
        "json",
    ]
    for side in (base, head):
        subprocess.run([*lint, str(side)], capture_output=True, check=False)
    walk = [str(tools / "python"), "-c", WALK, str(base), str(head)]
    subprocess.run(walk, env=clean_environment(), capture_output=True, check=True)
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    print(table(measure()))
