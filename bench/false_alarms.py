"""How often the default checks speak on real merged branches.

    python bench/false_alarms.py --repos DIR CASES... [--listing FILE] [--rates FILE] [--limit N]
    python bench/false_alarms.py --repos DIR --whole OWNER+NAME [--whole ...] [--listing FILE] [--rates FILE]

DIR holds repositories as ``owner+name`` (a git directory, or a folder with one inside named ``repo``). A case file is
named ``merges_<owner>_<name>.json`` and lists objects with ``base`` and ``head`` commits. Every branch is reviewed from
objects alone, as ``roundzero review --base BASE --head HEAD`` does. With ``--whole``, all files of a
repository's newest commit are reviewed instead, as if each were new. Prints a table by check and, as its last line,
``hits N lines N per-1000 0.00``, where lines are the added lines of reviewed files. ``--rates docs/rates.json`` writes
what the pages about items say of it.
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
from typing import Any, Final

import rates

MEASUREMENTS: Final = Path(__file__).resolve().parent.parent / "docs" / "measurements.md"
_SOMEBODY: Final = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")


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
    """The branches of all case files."""
    found: list[Branch] = []
    for case in cases:
        owner, _, name = case.stem.removeprefix("merges_").partition("_")
        clone = borrowed(repos, f"{owner}+{name}", work)
        found += [Branch(clone, entry["base"], entry["head"]) for entry in json.loads(case.read_text("utf-8"))]
    return found


def borrowed(repos: Path, name: str, work: Path) -> Path:
    """A clone of a repository that shares its objects."""
    place = repos / name
    git_dir = next((p for p in (place / "repo", place / ".git", place) if (p / "objects").is_dir()), None)
    if git_dir is None:
        sys.exit(f"{place}: no repository there")
    clone = work / name
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(git_dir), str(clone)], check=True)
    return clone


def whole(repos: Path, name: str, work: Path) -> Branch:
    """A branch that adds all files of a repository to nothing, but for those whose contents are not here."""
    clone = borrowed(repos, name, work)
    listed = [row.partition("\t") for row in git(clone, "ls-tree", "-r", "-z", "HEAD").split("\0") if row]
    checked = git(clone, "cat-file", "--batch-check", given="".join(f"{row.split()[2]}\n" for row, _, _ in listed))
    absent = [each[2] for each, said in zip(listed, checked.splitlines(), strict=True) if said.endswith(" missing")]
    git(clone, "read-tree", "HEAD")
    git(clone, "update-index", "--force-remove", "-z", "--stdin", given="".join(f"{path}\0" for path in absent))
    empty = git(clone, "hash-object", "-t", "tree", "-w", "--stdin").strip()
    base = git(clone, *_SOMEBODY, "commit-tree", empty, "-m", "nothing").strip()
    everything = git(clone, "write-tree", "--missing-ok").strip()
    head = git(clone, *_SOMEBODY, "commit-tree", everything, "-p", base, "-m", "everything").strip()
    return Branch(clone, base, head)


def git(repository: Path, *arguments: str, given: str = "") -> str:
    """What git prints, given a text on its standard input."""
    argv = ["git", "-C", str(repository), *arguments]
    done = subprocess.run(argv, check=True, input=given.encode("utf-8", "surrogateescape"), stdout=subprocess.PIPE)
    return done.stdout.decode("utf-8", "surrogateescape")


def added_lines(branch: Branch) -> Counter[str]:
    """The added lines of each text file of a branch."""
    found: Counter[str] = Counter()
    for row in git(
        branch.repository, "diff", "--numstat", "-z", "--no-renames", f"{branch.base}...{branch.head}"
    ).split("\0"):
        added, _, rest = row.partition("\t")
        if added.isdigit():
            found[rest.partition("\t")[2]] += int(added)
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


def main(argv: list[str] | None = None) -> int:
    """Run, print the table, and fail when a branch could not be reviewed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--whole", action="append", default=[], metavar="OWNER+NAME", help="a repository as if new")
    parser.add_argument("--listing", type=Path, help="write every finding as a line of JSON, for reading")
    parser.add_argument("--rates", type=Path, help="write the rates of all items to this file")
    parser.add_argument("--limit", type=int, help="only the first N branches")
    options = parser.parse_args(argv)
    if bool(options.cases) == bool(options.whole):
        parser.error("name case files or, with --whole, repositories")
    seen: list[rates.Seen] = []
    added: Counter[str] = Counter()
    lines = failed = reviewed = 0
    listing: list[str] = []
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(2) as pool:
        found = branches(options.cases, options.repos, Path(work))
        found += [whole(options.repos, name, Path(work)) for name in options.whole]
        for done in pool.map(review, found[: options.limit]):
            if done.report is None:
                failed += 1
                print(f"{done.branch.repository.name} {done.branch.head[:12]}: {done.error}", file=sys.stderr)
                continue
            reviewed += 1
            lines += done.report["coverage"]["added_lines"]
            added += added_lines(done.branch)
            for finding in shown(done.report):
                seen.append(rates.Seen(done.branch.head, place(finding), finding["item"]))
                listing.append(json.dumps({"repo": done.branch.repository.name, "base": done.branch.base,
                                           "head": done.branch.head, **finding}))  # fmt: skip
    if options.listing:
        options.listing.write_text("\n".join(listing) + "\n", "utf-8")
    if options.rates and not failed:
        run = rates.Run(branches=reviewed, lines=lines, added=added, hits=seen, only_adds=bool(options.whole))
        read = rates.verdicts(MEASUREMENTS.read_text("utf-8"))
        rates.write(options.rates, "whole" if options.whole else "merged", run, read)
    for item, hits in Counter(each.item for each in seen).most_common():
        print(f"{item:45} {hits:5} {hits * 1000 / max(lines, 1):8.2f}")
    if failed:
        print(f"{failed} branches could not be reviewed", file=sys.stderr)
    print(f"hits {len(seen)} lines {lines} per-1000 {len(seen) * 1000 / max(lines, 1):.2f}")
    return 1 if failed else 0


def place(finding: dict[str, Any]) -> str:
    """Where a finding is, as docs/measurements.md writes it."""
    return f"{finding['path']}:{finding['range']['start']['line']}" if finding["range"] else str(finding["path"])


if __name__ == "__main__":
    sys.exit(main())
