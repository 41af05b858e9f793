"""What a deep review costs beside its model: letting drafts in, merging them, checking their claims by probes.

No model is asked. A hundred findings are drafted about a change of a hundred files, two drafts for each defect, with
claims of every kind that a machine can settle; then they are let in, merged, probed and judged, nothing being known of
the files (as in CI) and with what the gathering of context has found out about them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import subject
from installed import clean_environment
from report import Row, table

FILES: Final = 300
TOUCHED: Final = 100
DRAFTED: Final = 100
_PARTS: Final = """
import asyncio, json, os, sys, time
from dataclasses import replace
from pathlib import Path
from statistics import median

from roundzero.config import load
from roundzero.core.anatomy import Anatomy, Claim, Consequence, FailureClass, Votes
from roundzero.core.change import Side
from roundzero.core.claims import settled
from roundzero.core.deep import Drafted
from roundzero.core.drafting import Texts, admit
from roundzero.core.gate import GatePolicy
from roundzero.core.item import Severity
from roundzero.core.judge import Sight, View, judge
from roundzero.core.model_values import Draft, DraftFinding, Quote
from roundzero.core.units import cut
from roundzero.core.votes import merge
from roundzero.engine.fact_check import probed
from roundzero.engine.known_facts import KnownFacts
from roundzero.engine.review import ReviewRequest, inquire
from roundzero.engine.workspace import Workspace

CLAIMS = (
    "step_{0}_gone() does not exist in {1}",
    "step_1() does not exist",
    "`step_2` is never called",
    "LIMIT is 100",
    "`from part000.module00001 import step_gone_{0}` fails",
    "nothing checks the offset before it is used",
)


def drafted(number, unit, lines):
    place = min(unit.hunks[0].head_lines)
    quotes = tuple(
        Quote(path=unit.path, side=Side.HEAD, line=at, text=lines[at - 1], decisive=at == place)
        for at in range(place, place + 4)
    )
    claim = CLAIMS[number % len(CLAIMS)].format(number, unit.path)
    return DraftFinding(
        item="general/other-defect", title=f"the total of note {number} is added twice", why="w",
        severity=Severity.P1, path=unit.path, line=place, end_line=place, quotes=quotes,
        anatomy=Anatomy(
            consequence=Consequence("c", FailureClass.WRONG_RESULT), claims=(Claim(text=claim, decisive=True),)
        ),
    )


async def main(root, number):
    settings, _ = load(root=root, environ=os.environ)
    workspace = await Workspace.open(root, settings=settings)
    inquiry, snapshot = await inquire(workspace, ReviewRequest())
    change, rules, policy = inquiry.change, inquiry.ruleset, GatePolicy()
    parts = cut(change, rules, max_lines=inquiry.max_lines, covers=inquiry.covers)
    texts = Texts.of(change)
    first = list({unit.path: unit for unit in reversed(parts.units)}.values())[: number // 2]
    laps, facts = [], KnownFacts(snapshot.keep_in)
    for _ in range(4):
        start = time.perf_counter()
        rows = []
        for at, unit in enumerate(first):
            lines = texts.sources[unit.path, Side.HEAD].text.split("\\n")
            for voice in (1 + at % 5, 1 + (at + 1) % 5):
                draft = Draft(findings=(drafted(at, unit, lines),))
                let_in = admit(draft, unit, change, texts, rules, producer="m", version="1")
                rows += [Drafted(voice, unit, each) for each in let_in.observations]
        admitted = time.perf_counter()
        found = merge(rows, {unit: frozenset({1, 2, 3, 4, 5}) for unit in first})
        merged = time.perf_counter()
        checked = await probed(found, snapshot, facts=facts)
        looked = time.perf_counter()
        after = tuple(settled(each, policy) for each in checked)
        judge(change, Sight(head=after), rules, view=View(), policy=policy)
        laps.append([b - a for a, b in zip((start, admitted, merged, looked),
                                           (admitted, merged, looked, time.perf_counter()))])
    await workspace.git.close()
    assert len(rows) == number and len(found) == len(first), (len(rows), len(found))
    settled_now = sum(claim.verdict.value != "unverifiable" for each in checked for claim in each.anatomy.claims)
    warm = [median(lap[at] for lap in laps[1:]) * 1000 for at in range(4)]
    print(json.dumps([sum(laps[0]) * 1000, *warm, settled_now, len(found)]))


asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
"""


def measure() -> list[Row]:
    """Rows for a deep review's part without the model."""
    return _measured(subject.command().parent / "python")


def _measured(python: Path) -> list[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        root = subject.repository(Path(scratch) / "work", files=FILES, lines=400, touched=TOUCHED)
        done = subprocess.run(
            [python, "-c", _PARTS, root, str(DRAFTED)],
            cwd=root,
            env=_environment(scratch),
            check=True,
            stdout=subprocess.PIPE,
        )
        cold, admitted, merged, probed, judged, settled, distinct = json.loads(done.stdout)
    what = f"{DRAFTED} drafted findings over {TOUCHED} changed files"
    return [
        Row(what=f"{what}, first time", ours=cold / 1000, unit="s", bound=1),
        Row(what=f"{what}, files known", ours=(admitted + merged + probed + judged) / 1000, unit="s", bound=1),
        Row(what="of that, letting them in", ours=admitted, unit="ms"),
        Row(what=f"of that, merging them to {distinct:.0f}", ours=merged, unit="ms"),
        Row(what=f"of that, probing claims, {settled:.0f} of which are settled", ours=probed, unit="ms"),
        Row(what="of that, judging", ours=judged, unit="ms"),
    ]


def _environment(scratch: str) -> dict[str, str]:
    """Caches and settings of its own, and a provider that is never asked."""
    return clean_environment() | {
        "XDG_CACHE_HOME": f"{scratch}/cache",
        "XDG_STATE_HOME": f"{scratch}/state",
        "XDG_CONFIG_HOME": f"{scratch}/config",
        "ROUNDZERO_MODEL_PROVIDER": "scripted",
        "ROUNDZERO_MODEL_NAME": "none",
        "ROUNDZERO_MODEL_SCRIPT": f"{scratch}/script.jsonl",
    }


if __name__ == "__main__":
    here = "--here" in sys.argv  # the source tree as it is, without building a wheel
    print(table(_measured(Path(sys.executable)) if here else measure()))
    sys.exit(0)
