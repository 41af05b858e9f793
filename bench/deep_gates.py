"""What the gates of a deep review do with drafts made of another reviewer's findings; no model is asked.

    python bench/deep_gates.py ROUNDS --repo DIR [--record DIR | --replay DIR]

ROUNDS and ``--repo`` are as for bench/recall.py. Every finding is drafted by one to five voices, in four turns as each
of four kinds: true, with what it stands on quoted from another commit (stale), with the decisive claim that something
does not exist which does (wrong), with a decisive claim that nothing can settle (open). Second looks and fact checks
have scripted answers, and agree with what must not block. Each turn is one ``roundzero review --model deep`` over the
real commit. Prints what each gate let past, made milder, refuted or held back, then the same by kind, and as its last
line what blocked that must not and how pairs of drafts were joined. Fails when a finding blocked that only stale
drafts, or only ones with an open claim, raised.

``--record`` keeps requests and replies, a folder for each review; ``--replay`` does it all again on those, without a
script, and prints the same.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gate_counts import Tally
from recall import bases
from scripted_drafts import Kind, Reference, Tag, scripted, tags_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scripted_drafts import Script

SAME: Final = (
    "紧凑 fp8 布局无仓内消费者|compact fp8 布局由编译期宏分叉", "k/v 分区与 elems_per_token", "单个 PR 混入",
    "FP8 用例以字节数断言", "纯 env 部署路径", "import 边界被完全 mock", "enable_env=False 的关键保证",
    "非法模块路径负例", "投机解码 propose model", "包路径校验接受 Python 关键字", "两处调用点、不具幂等性",
    "全为空条目的输入|空值或全分隔符|全空或全分隔符", "消息拼入完整 sys.path", "parser 级 enable_env", "env 回填分支",
    "use_compact_fp8_layout 命名", "直接 include Exception.h", "新增 .cc 文件不满足", "无关的格式化改动",
    "全局状态清理方式|addCleanup 与 reload", "命名与实际 argv|命名与被测输入",
)  # fmt: skip
"""Hand labels: phrases of titles that mean one defect in several rounds, so that each is another wording of it.

The phrases are of one reviewer's titles, those of docs/measurements.md. Within a round no two findings are one.
"""

_TAGS: Final = ".drafts"
"""Beside the folder of a recorded review: the tags of its drafts."""

_OLDER: Final = 12
"""Most earlier commits of a path whose lines may be stale."""


def wordings(rounds: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """The other titles of each title's defect, by the hand labels."""
    titles = list(dict.fromkeys(each["title"] for entry in rounds for each in entry["findings"]))
    found: dict[str, tuple[str, ...]] = {}
    for phrase in SAME:
        alike = [title for title in titles if re.search(phrase, title)]
        found |= {title: tuple(other for other in alike if other != title) for title in alike}
    return found


def references(entry: Mapping[str, Any], other: Mapping[str, tuple[str, ...]]) -> list[Reference]:
    """The findings of a round."""
    return [
        Reference(
            number=number,
            severity=each["severity"],
            title=each["title"],
            path=each["path"],
            line=max(1, each["line"]),
            wordings=other.get(each["title"], ()),
        )
        for number, each in enumerate(entry["findings"])
    ]


async def scripts_for(
    clone: Path, base: str, head: str, found: Sequence[Reference], older: Mapping[str, Sequence[str]]
) -> list[Script]:
    """The scripts of every turn, for the units that a review of a commit asks about."""
    from roundzero.config import load  # noqa: PLC0415  a replay needs none of it
    from roundzero.engine.context import parts_of  # noqa: PLC0415  as above
    from roundzero.engine.review import ReviewRequest, inquire  # noqa: PLC0415  as above
    from roundzero.engine.workspace import Workspace  # noqa: PLC0415  as above

    settings, _ = load(root=clone, environ=os.environ)
    workspace = await Workspace.open(clone, settings=settings)
    try:
        asked, snapshot = await inquire(workspace, ReviewRequest(base=base, head=head))
        parts = await parts_of(asked.change, asked.ruleset, snapshot, max_lines=asked.max_lines, covers=asked.covers)
        return [
            scripted(found, parts.units, asked.change, asked.ruleset, turn=turn, older=older)
            for turn in range(len(Kind))
        ]
    finally:
        await workspace.git.close()


def review(clone: Path, base: str, head: str, *options: str) -> dict[str, Any]:
    """The report of a deep review, of everything it found."""
    argv = [sys.executable, "-m", "roundzero", "review", "--repo", str(clone), "--base", base, "--head", head]
    argv += ["--model", "deep", "--format", "json", "--no-ledger", "--fail-on", "never", "--all-origins"]
    done = subprocess.run([*argv, "--min-severity", "P3", *options], capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{head}: {done.stderr.decode('utf-8', 'replace').strip()[-300:]}")
    document = json.loads(done.stdout)
    assert isinstance(document, dict)
    return document


def _git(repository: Path, *argv: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(repository), *argv], capture_output=True, check=False)


def older_texts(repository: Path, head: str, paths: Iterable[str], others: Sequence[str]) -> dict[str, list[str]]:
    """The texts of paths at ``others`` and at earlier commits of their own."""
    found: dict[str, list[str]] = {}
    for path in set(paths):
        log = _git(repository, "log", "--format=%H", f"-{_OLDER}", head, "--", path).stdout.decode().split()
        shown = (_git(repository, "show", f"{commit}:{path}") for commit in [*others, *log])
        found[path] = [done.stdout.decode("utf-8", "replace") for done in shown if done.returncode == 0]
    return found


@contextmanager
def _environment(scratch: Path) -> Iterator[None]:
    """Caches and settings of its own, a provider that reads a file, and a budget that nothing waits for."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith("ROUNDZERO_")]:
        del os.environ[name]
    os.environ.update(
        {f"XDG_{name}_HOME": str(scratch / name.lower()) for name in ("CACHE", "STATE", "CONFIG")}
        | {
            "ROUNDZERO_MODEL_PROVIDER": "scripted",
            "ROUNDZERO_MODEL_SCRIPT": str(scratch / "script.jsonl"),
            "ROUNDZERO_MODEL_REQUESTS_PER_MINUTE": "1000000",
            "ROUNDZERO_MODEL_TOKENS_PER_HOUR": "1000000000",
        }
    )
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def main(argv: Sequence[str]) -> int:
    """Review every commit that is there, as often as there are turns; 1 where something blocked that must not."""
    parser = argparse.ArgumentParser(prog="bench/deep_gates.py")
    parser.add_argument("rounds", type=Path)
    parser.add_argument("--repo", type=Path, required=True)
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--record", type=Path)
    kept.add_argument("--replay", type=Path)
    options = parser.parse_args(argv)
    tally = Tally()
    with tempfile.TemporaryDirectory() as work, _environment(Path(work)):
        for report, drafted, found in _reports(options, Path(work)):
            tally.count(report, drafted, found)
    print("\n".join(tally.lines()))
    return 1 if tally.blocked(Kind.STALE) or tally.blocked(Kind.OPEN) else 0


def _reports(options: argparse.Namespace, work: Path) -> Iterator[tuple[dict[str, Any], list[Tag], int]]:
    """Each review with the tags of its drafts, and of how many findings they were made."""
    data = json.loads(options.rounds.read_text("utf-8"))
    based, other = bases(data["about"]), wordings(data["rounds"])
    clone = work / "clone"
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(options.repo), str(clone)], check=True)
    there = [each["commit"] for each in data["rounds"] if not _git(clone, "cat-file", "-e", each["commit"]).returncode]
    for entry in data["rounds"]:
        head, base = entry["commit"], based.get(entry["commit"])
        if base is None or head not in there:
            print(f"{head}: not in the repository", file=sys.stderr)
            continue
        found = references(entry, other)
        if options.replay is None:
            others = [at for at in reversed(there) if at != head]
            older = older_texts(clone, head, (each.path for each in found), others)
            scripts = asyncio.run(scripts_for(clone, base, head, found, older))
        for turn in range(len(Kind)):
            if options.replay is not None:
                folder = options.replay / f"{head}-{turn}"
                drafted = tags_in(folder.with_suffix(_TAGS).read_text("utf-8").split("\n"))
                yield review(clone, base, head, "--replay", str(folder)), drafted, len(found)
                continue
            made = scripts[turn]
            more: tuple[str, ...] = ()
            (work / "script.jsonl").write_text("".join(json.dumps(line) + "\n" for line in made.lines), "utf-8")
            if options.record is not None:
                folder = options.record / f"{head}-{turn}"
                more = ("--record", str(folder))
            print(f"{head}, turn {turn}: {len(found)} findings, {len(made.drafted)} drafts", file=sys.stderr)
            report = review(clone, base, head, *more)
            if options.record is not None:
                folder.with_suffix(_TAGS).write_text("\n".join(tag.text for tag in made.drafted), "utf-8")
            yield report, list(made.drafted), len(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
