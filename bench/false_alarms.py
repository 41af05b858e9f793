"""How often the default checks speak on real merged branches.

    python bench/false_alarms.py --repos DIR CASES... [--listing FILE] [--limit N]

DIR holds repositories as ``owner+name`` (a git directory, or a folder with one inside named ``repo``). A case file is
named ``merges_<owner>_<name>.json`` and lists objects with ``base`` and ``head`` commits. Every branch is reviewed from
objects alone, as ``roundzero review --base BASE --head HEAD`` does. Prints a table by check and, as its last line,
``hits N lines N per-1000 0.00``, where lines are the added lines of reviewed files.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Branch:
    """One merged branch of a repository."""

    repository: Path
    base: str
    head: str


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What one review said, or why there is none."""

    branch: Branch
    report: dict[str, Any] | None
    error: str


def branches(cases: list[Path], repos: Path, work: Path) -> list[Branch]:
    """The branches of all case files, each repository borrowed by a clone that shares its objects."""
    found: list[Branch] = []
    for case in cases:
        owner, _, name = case.stem.removeprefix("merges_").partition("_")
        place = repos / f"{owner}+{name}"
        git_dir = next((p for p in (place / "repo", place / ".git", place) if (p / "objects").is_dir()), None)
        if git_dir is None:
            sys.exit(f"{place}: no repository there; {case.name} needs it")
        clone = work / place.name
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(git_dir), str(clone)], check=True)
        found += [Branch(clone, entry["base"], entry["head"]) for entry in json.loads(case.read_text("utf-8"))]
    return found


def review(branch: Branch) -> Reviewed:
    """Review one branch in a process of its own."""
    argv = [sys.executable, "-m", "roundzero", "review", "--repo", str(branch.repository), "--base", branch.base]
    argv += ["--head", branch.head, "--format", "json", "--no-ledger", "--fail-on", "never", "--model", "off"]
    done = subprocess.run(argv, capture_output=True, check=False)
    if done.returncode != 0:
        return Reviewed(branch, None, done.stderr.decode("utf-8", "replace").strip()[-300:])
    return Reviewed(branch, json.loads(done.stdout), "")


def shown(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings a person would see by default."""
    return [f for f in report["findings"] if f["state"] == "open" and f["origin"] != "pre-existing"]


def main() -> int:
    """Run, print the table, and fail when a branch could not be reviewed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--listing", type=Path, help="write every finding as a line of JSON, for reading")
    parser.add_argument("--limit", type=int, help="only the first N branches")
    options = parser.parse_args()
    by_item: Counter[str] = Counter()
    lines = failed = 0
    listing: list[str] = []
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(2) as pool:
        for done in pool.map(review, branches(options.cases, options.repos, Path(work))[: options.limit]):
            if done.report is None:
                failed += 1
                print(f"{done.branch.repository.name} {done.branch.head[:12]}: {done.error}", file=sys.stderr)
                continue
            lines += done.report["coverage"]["added_lines"]
            for finding in shown(done.report):
                by_item[finding["item"]] += 1
                listing.append(json.dumps({"repo": done.branch.repository.name, "base": done.branch.base,
                                           "head": done.branch.head, **finding}))  # fmt: skip
    if options.listing:
        options.listing.write_text("\n".join(listing) + "\n", "utf-8")
    for item, hits in by_item.most_common():
        print(f"{item:45} {hits:5} {hits * 1000 / max(lines, 1):8.2f}")
    if failed:
        print(f"{failed} branches could not be reviewed", file=sys.stderr)
    total = sum(by_item.values())
    print(f"hits {total} lines {lines} per-1000 {total * 1000 / max(lines, 1):.2f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
