"""What a model's part of a review costs before and after the model: putting a question together, letting findings in.

No model is asked. A question is put together with everything that travels along (the functions around the hunks, who
uses them elsewhere), the index being warm; the gates get a hundred findings, a third of whose quotes are exact, a third
moved, a third nowhere. The whole review has scripted answers, and its peer is the same review without a model.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import subject
from installed import clean_environment
from report import Row, p50, table

ROUNDS: Final = 5
FILES: Final = 300
TOUCHED: Final = 10
_PARTS: Final = """
import asyncio, json, os, subprocess, sys, time
from dataclasses import replace
from pathlib import Path
from statistics import median

from roundzero.config import load
from roundzero.core.anatomy import Anatomy, Claim
from roundzero.core.change import Side
from roundzero.core.drafting import Texts, admit
from roundzero.core.item import Severity
from roundzero.core.model_values import Draft, DraftFinding, Quote
from roundzero.core.prompt import question
from roundzero.core.units import cut
from roundzero.engine.known_facts import KnownFacts
from roundzero.engine.quick_review import gathered
from roundzero.engine.review import ReviewRequest, inquire
from roundzero.engine.workspace import Workspace
from roundzero.providers.reply import schema


def drafted(number, unit, lines):
    at = 1 + number % len(lines)
    text = lines[at - 1].strip() or "import json"
    line = {0: at, 1: max(1, at - 7), 2: at}[number % 3]
    text = f"{text} and more" if number % 3 == 2 else text
    place = min(unit.hunks[0].head_lines)
    quotes = (
        Quote(path=unit.path, side=Side.HEAD, line=line, text=text, decisive=True),
        Quote(path=unit.path, side=Side.HEAD, line=place, text=lines[place - 1]),
    )
    return DraftFinding(
        item="general/other-defect", title=f"finding {number}", why="w", severity=Severity.P2, path=unit.path,
        line=line, end_line=line, quotes=quotes, anatomy=Anatomy(claims=(Claim(text="c", decisive=True),)),
    )


def units_of(inquiry):
    return cut(inquiry.change, inquiry.ruleset, max_lines=inquiry.max_lines, covers=inquiry.covers).units


async def main(root):
    settings, _ = load(root=root, environ=os.environ)
    workspace = await Workspace.open(root, settings=settings)
    inquiry, snapshot = await inquire(workspace, ReviewRequest())
    parts = cut(inquiry.change, inquiry.ruleset, max_lines=inquiry.max_lines, covers=inquiry.covers)
    facts = KnownFacts(snapshot.keep_in)
    await gathered(parts.units, inquiry, snapshot, facts)
    one, edited, least, sizes = [], [], [], []
    for unit in parts.units[:40]:
        await gathered((unit,), inquiry, snapshot, facts)
        start = time.perf_counter()
        (full,), _ = await gathered((unit,), inquiry, snapshot, facts)
        asked = question(full, inquiry.ruleset.by_id, language="en", schema=schema())
        one.append(time.perf_counter() - start)
        sizes.append(asked.tokens)
        start = time.perf_counter()
        for command in ("ls-tree HEAD -- AGENTS.md", "check-attr diff -- AGENTS.md", "grep -n -w LIMIT"):
            subprocess.run(["git", *command.split()], cwd=root, stdout=subprocess.DEVNULL, check=True)
        least.append(time.perf_counter() - start)
        file = inquiry.change.file(unit.path)
        change = await workspace.git.refresh(inquiry.change, unit.path, f"{file.head.text}# {len(one)}\\n")
        later, around = replace(inquiry, change=change), replace(snapshot, change=change)
        again = next(each for each in units_of(later) if each.path == unit.path)
        start = time.perf_counter()
        (full,), _ = await gathered((again,), later, around, facts)
        question(full, inquiry.ruleset.by_id, language="en", schema=schema())
        edited.append(time.perf_counter() - start)
    start = time.perf_counter()
    units, others = await gathered(parts.units, inquiry, snapshot, facts)
    for unit in units:
        question(unit, inquiry.ruleset.by_id, language="en", schema=schema())
    together = (time.perf_counter() - start) / len(units)
    texts = Texts.of(inquiry.change, others)
    unit = units[0]
    lines = texts.sources[unit.path, Side.HEAD].text.split("\\n")
    draft = Draft(findings=tuple(drafted(number, unit, lines) for number in range(100)))
    gates = []
    for _ in range(5):
        start = time.perf_counter()
        admit(draft, unit, inquiry.change, texts, inquiry.ruleset, producer="m", version="1")
        gates.append(time.perf_counter() - start)
    await workspace.git.close()
    print(json.dumps([*(median(each) * 1000 for each in (one, edited, least, [together], gates)), median(sizes)]))


asyncio.run(main(Path(sys.argv[1])))
"""


def measure() -> list[Row]:
    """Rows for the model's part."""
    roundzero = subject.command()
    with tempfile.TemporaryDirectory() as scratch:
        root = _repository(Path(scratch) / "work")
        script = Path(scratch) / "script.jsonl"
        reply: dict[str, list[object]] = {"findings": [], "clean": []}
        script.write_text(json.dumps({"match": "Part of", "reply": reply}) + "\n", encoding="utf-8")
        done = subprocess.run(
            [roundzero.parent / "python", "-c", _PARTS, root],
            cwd=root,
            env=_environment(scratch),
            check=True,
            stdout=subprocess.PIPE,
        )
        alone, edited, least, together, gates, tokens = json.loads(done.stdout)
        without: list[float] = []
        asked: list[float] = []
        for at in range(ROUNDS + 1):
            pair = _review(roundzero, root, scratch, "off"), _review(roundzero, root, scratch, "quick")
            if at:  # the first round warms index and caches
                without.append(pair[0])
                asked.append(pair[1])
    return [
        Row(what="three git processes alone: ls-tree, check-attr and grep, one after the other", ours=least, unit="ms"),
        Row(what="one question put together, index warm", ours=alone, unit="ms", bound=30),
        Row(what="the same, its file edited since", ours=edited, unit="ms", bound=30),
        Row(what="each question of a whole change, index warm", ours=together, unit="ms", bound=30),
        Row(what="gates for 100 drafted findings", ours=gates, unit="ms", bound=200),
        Row(what="size of a question, estimated", ours=tokens, unit="tokens"),
        Row(
            what=f"review of {TOUCHED} files with scripted answers, all cached",
            ours=p50(asked),
            unit="ms",
            peer=p50(without),
            peer_name="without a model",
        ),
    ]


def _repository(root: Path) -> Path:
    """A repository in which every function has a name of its own and is used in five other files."""
    root.mkdir()
    subject.git(root, "init", "--quiet", "--template=", "--initial-branch=main")
    modules = {f"part{at}.py": subject.module(400, at).replace("step_", f"step_{at}_") for at in range(FILES)}
    for at, (name, text) in enumerate(modules.items()):
        used = [(at + far) % FILES for far in range(1, 6)]
        lines = [f"from part{each} import step_{each}_{number}" for each in used for number in range(1, 30)]
        lines += ["STEPS = [", *(f"    step_{each}_{number}," for each in used for number in range(1, 30)), "]"]
        (root / name).write_text("\n".join([*lines, text]), encoding="utf-8")
    subject.git(root, "add", "--all")
    subject.git(root, "commit", "--quiet", "--message", "base")
    subject.git(root, "checkout", "--quiet", "-b", "work")
    for at in range(TOUCHED):
        path = root / f"part{at}.py"
        path.write_text(subject.changed(path.read_text(encoding="utf-8"), at), encoding="utf-8")
    return root


def _review(roundzero: Path, root: Path, scratch: str, depth: str) -> float:
    start = time.perf_counter()
    done = subprocess.run(
        [roundzero, "review", "--no-ledger", "--model", depth],
        cwd=root,
        env=_environment(scratch),
        check=False,
        stdout=subprocess.DEVNULL,
    )
    assert done.returncode in {0, 1}
    return (time.perf_counter() - start) * 1000


def _environment(scratch: str) -> dict[str, str]:
    """Caches, budget and settings of its own; a budget that nothing waits for."""
    return clean_environment() | {
        "XDG_CACHE_HOME": f"{scratch}/cache",
        "XDG_STATE_HOME": f"{scratch}/state",
        "XDG_CONFIG_HOME": f"{scratch}/config",
        "ROUNDZERO_MODEL_PROVIDER": "scripted",
        "ROUNDZERO_MODEL_SCRIPT": f"{scratch}/script.jsonl",
        "ROUNDZERO_MODEL_REQUESTS_PER_MINUTE": "1000000",
        "ROUNDZERO_MODEL_TOKENS_PER_HOUR": "1000000000",
        "ROUNDZERO_MODEL_PARALLEL": str(os.cpu_count() or 1),
    }


if __name__ == "__main__":
    print(table(measure()))
    sys.exit(0)
