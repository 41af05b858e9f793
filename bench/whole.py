"""Questions about a whole repository of 20,000 files: how it keeps its own conventions, counted and restored.

Counting runs in the background in an editor, and within a limit in a review; what is measured is the whole count by the
installed package, its processes included, then the same again with what was kept.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import subject
from installed import clean_environment
from memory import resident
from report import Row, table

FILES: Final = 20_000
LINES: Final = 200
TEXTS: Final = 100
PACK: Final = """\
pack: house
title: {en: House}
items:
  - id: json-by-helper
    title: {en: JSON written by hand}
    severity: P3
    why: {en: Use the helper.}
    applies: {languages: [python]}
    check: {ast-grep: {rule: {pattern: 'json.dumps($$$)'}}}
    convention: {at_least: 0.9, cases: {rule: {any: [{pattern: 'json.dumps($$$)'}, {pattern: 'dump($$$)'}]}}}
  - id: named-loops
    title: {en: loop without a name}
    severity: P3
    why: {en: Name it.}
    applies: {languages: [python]}
    check: {ast-grep: {rule: {kind: for_statement, has: {field: left, regex: ^_$}}}}
    convention: {at_least: 0.9, cases: {rule: {kind: for_statement}}}
  - id: bare
    title: {en: bare except}
    severity: P3
    why: {en: Name the error.}
    applies: {languages: [python]}
    check: {ruff: [E722]}
    convention: {at_least: 0.9, cases: {rule: {kind: except_clause}}}
"""
PROGRAM: Final = """
import asyncio, sys, time
from pathlib import Path
from roundzero import config
from roundzero.engine.conventions import count
from roundzero.engine.workspace import Workspace

async def main():
    root = Path(sys.argv[1])
    settings, _ = config.load(root=root, environ={})
    workspace = await Workspace.open(root, settings=settings, environ={})
    change = await workspace.git.collect(await workspace.choose_base())
    start = time.perf_counter()
    counted = await count(
        workspace.conventions, workspace.git, change, workspace.linters, seconds=600, keep_in=workspace.git.common_dir
    )
    print(time.perf_counter() - start, counted.complete, sum(each.cases for each in counted.tallies.values()))
    await workspace.git.close()

asyncio.run(main())
"""


def measure() -> list[Row]:
    """Rows for whole-repository questions."""
    if not sys.platform.startswith("linux"):
        return []
    python = subject.command().parent / "python"
    with tempfile.TemporaryDirectory() as scratch:
        root = _repository(Path(scratch) / "whole")
        first, peak = _count(python, root)
        again, _ = _count(python, root)
        with (root / "part000" / "module00000.py").open("a", encoding="utf-8") as file:
            file.write("# one more line\n")
        subject.git(root, "commit", "--quiet", "--all", "--message", "more")
        subject.git(root, "branch", "--quiet", "--force", "main")
        moved, _ = _count(python, root)
    return [
        Row(what=f"conventions of {FILES:,} files counted", ours=first, unit="s", bound=60),
        Row(what="resident at most meanwhile, all processes", ours=peak, unit="MiB", bound=300),
        Row(what="the same, restored", ours=again, unit="s", bound=1),
        Row(what="the same, after one file of the base changed", ours=moved, unit="s", bound=1),
    ]


def _repository(root: Path) -> Path:
    """The files, each different from all others, and a branch that changes one."""
    root.mkdir()
    subject.git(root, "init", "--quiet", "--template=", "--initial-branch=main")
    texts = [subject.module(LINES, seed) for seed in range(TEXTS)]
    for at in range(FILES):
        path = root / f"part{at // 100:03d}" / f"module{at:05d}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{texts[at % TEXTS]}\nNUMBER = {at}\n", encoding="utf-8")
    pack = root / ".roundzero" / "checklists" / "house.yaml"
    pack.parent.mkdir(parents=True)
    pack.write_text(PACK, encoding="utf-8")
    subject.git(root, "add", "--all")
    subject.git(root, "commit", "--quiet", "--message", "base")
    subject.git(root, "checkout", "--quiet", "-b", "work")
    (root / "new.py").write_text("import json\nprint(json.dumps(1))\n", encoding="utf-8")
    return root


def _count(python: Path, root: Path) -> tuple[float, float]:
    """Seconds of one count, and the most MiB that it and its children had resident, looked at every 50 ms."""
    process = subprocess.Popen(
        [python, "-c", PROGRAM, root], env=clean_environment(), stdout=subprocess.PIPE, text=True, cwd=root
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, resident(process.pid))
        time.sleep(0.05)
    assert process.stdout is not None
    seconds, complete, cases = process.stdout.read().split()
    if complete != "True" or int(cases) < FILES:
        raise AssertionError(f"the count is not complete: {cases} cases")
    return float(seconds), peak


if __name__ == "__main__":
    print(table(measure()))
