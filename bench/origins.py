"""Whether origin is right on real branches: what a branch brings is shown, what was there before is not.

    python bench/origins.py --repos DIR CASES... [--limit 40]

Takes branches as bench/false_alarms.py does. Into one changed Python file of each, a function with a known defect is
seeded: at the head alone (it has to be shown, once), and on both sides (it must not be shown), each also with the
file renamed at the head and with lines put above it. Prints a line for each wrong answer, one for each review that
failed, with its branch and the reason, and, last, ``branches N asked N lost N wrongly-shown N``, which counts what was
answered. Nothing but objects is read and written, in clones that share them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from false_alarms import Branch, branches, review, shown

SEED = "\n\ndef seeded_defect(path, cache={}):\n    return cache\n"
ABOVE = "# one more line\n# and another\n"
ITEM = "python/mutable-default"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one branch: questions answered, and in words those answered wrongly and those that were not."""

    asked: int
    lost: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def git(repository: Path, *arguments: str, text: str | None = None, index: Path | None = None) -> str:
    """Run git in a clone."""
    environment = {"GIT_INDEX_FILE": str(index)} if index is not None else {}
    return subprocess.run(
        ["git", *arguments],
        cwd=repository,
        input=text,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        env={**environment, "PATH": "/usr/bin:/bin", "HOME": str(repository)},
    ).stdout


def with_text(branch: Branch, parents: tuple[str, ...], old: str, new: str, text: str) -> str:
    """A commit on ``parents``, the first one's but that ``old`` is called ``new`` and holds ``text``."""
    commit = parents[0]
    index = branch.repository.parent / f"index-{branch.head}-{commit}"
    git(branch.repository, "read-tree", commit, index=index)
    blob = git(branch.repository, "hash-object", "-w", "--stdin", text=text).strip()
    git(branch.repository, "update-index", "--force-remove", old, index=index)
    git(branch.repository, "update-index", "--add", "--cacheinfo", f"100644,{blob},{new}", index=index)
    tree = git(branch.repository, "write-tree", index=index).strip()
    index.unlink()
    on = [word for parent in parents for word in ("-p", parent)]
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    return git(branch.repository, *who, "commit-tree", tree, *on, "-m", "seeded").strip()


def seeds_shown(branch: Branch, base: str, head: str) -> int | str:
    """How many findings of the seeded defect a review shows; why, where it failed."""
    done = review(Branch(branch.repository, base, head))
    if done.report is None:
        return done.error or "it said nothing"
    return sum(bool(f["item"] == ITEM and f["symbol"] == "seeded_defect") for f in shown(done.report))


def candidate(branch: Branch) -> tuple[str, str, str] | None:
    """A modified Python file of a branch with its text at the base and at the head."""
    listed = git(branch.repository, "diff", "--diff-filter=M", "--name-only", branch.base, branch.head, "--", "*.py")
    for path in listed.splitlines():
        try:
            before = git(branch.repository, "show", f"{branch.base}:{path}")
            after = git(branch.repository, "show", f"{branch.head}:{path}")
        except UnicodeDecodeError:
            continue
        if 20 < after.count("\n") < 3000:
            return path, before, after
    return None


def ask(branch: Branch) -> Answer | None:
    """Seed one branch in every way; None when it has no file to seed."""
    found = candidate(branch)
    if found is None:
        return None
    path, before, after = found
    renamed = str(Path(path).with_name("renamed_by_bench.py"))
    old = with_text(branch, (branch.base,), path, path, before + SEED)
    told: dict[str, list[str]] = {"lost": [], "shown": [], "failed": []}
    asked = 0
    ways = [("same name", path, after), ("lines above", path, ABOVE + after), ("renamed", renamed, after)]
    for way, name, text in ways:
        new = with_text(branch, (branch.head,), path, name, text + SEED)
        merged = with_text(branch, (branch.head, old), path, name, text + SEED)
        for what, base, head, right, wrong in (
            ("introduced", branch.base, new, 1, "lost"),
            ("there before", old, merged, 0, "shown"),
        ):
            number = seeds_shown(branch, base, head)
            where = f"{branch.repository.name} {branch.head[:12]} {path}, {way}: {what}"
            if isinstance(number, str):
                told["failed"].append(f"{where}, not reviewed: {number}")
                continue
            asked += 1
            if number != right:
                told[wrong].append(f"{where}, shown {number} times")
    return Answer(asked, **{name: tuple(lines) for name, lines in told.items()})


def main() -> int:
    """Ask, print, and fail when an answer was wrong or there was none."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=40, help="how many branches to seed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(2) as pool:
        every = branches(options.cases, options.repos, Path(work))
        step = max(1, len(every) // (options.limit * 2))
        answers: list[Answer] = []
        for answer in pool.map(ask, every[::step]):
            if answer is not None and len(answers) < options.limit:
                answers.append(answer)
    for answer in answers:
        for line in (*answer.lost, *answer.shown, *answer.failed):
            print(line)
    lost = sum(len(answer.lost) for answer in answers)
    wrong = sum(len(answer.shown) for answer in answers)
    asked = sum(answer.asked for answer in answers)
    print(f"branches {len(answers)} asked {asked} lost {lost} wrongly-shown {wrong}")
    return 1 if lost or wrong or any(answer.failed for answer in answers) else 0


if __name__ == "__main__":
    sys.exit(main())
