"""How far items of ours agree with public linters on those linters' own test files.

    python bench/public_fixtures.py --repo DIR [--repo DIR ...] [--show ITEM]

DIR is a clone of ruff, pylint, eslint or zizmor; which one is seen from its folders, and what they expect is read in
place (bench/fixture_labels.py). All files are reviewed in one go as a branch that adds them to nothing. A report of
theirs and one of ours agree when ours begins within the lines of theirs; of eslint's snippets it is only known whether
anything is said. Prints a table by rule and, as its last line, ``both N theirs N ours N``, where theirs and ours are
what only one of the two said. ``--show`` prints the disagreements about an item, with the line.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from false_alarms import Branch, git, review, shown
from fixture_labels import ITEMS, Case, cases

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Said = tuple[Literal["both", "theirs", "ours"], int]
"""Who said something of a case, and on which line, from 1; 0 where that is not known."""


def main(argv: list[str] | None = None) -> int:
    """Read, review, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", action="append", required=True, type=Path, metavar="DIR")
    parser.add_argument("--show", default="", metavar="ITEM")
    options = parser.parse_args(argv)
    found = [case for directory in options.repo for case in cases(directory)]
    hits = _reviewed(found)
    counted: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for at, case in enumerate(found):
        counted[case.source, case.rule]["files"] += 1
        for who, line in compared(case, hits[at]):
            counted[case.source, case.rule][who] += 1
            if who != "both" and options.show and options.show in ITEMS[case.source][case.rule]:
                text = case.text.splitlines()[line - 1].strip() if line else case.text.strip().partition("\n")[0]
                print(f"{who:6} {case.source} {case.rule} {case.name}:{line}: {text}")
    print(f"{'rule':40} {'items':60} files  both theirs  ours")
    total: Counter[str] = Counter()
    for (source, rule), row in counted.items():
        items = ", ".join(ITEMS[source][rule])
        print(f"{source + ' ' + rule:40} {items:60} {row['files']:5} {row['both']:5} {row['theirs']:6} {row['ours']:5}")
        total += row
    print(f"both {total['both']} theirs {total['theirs']} ours {total['ours']}")
    return 0


def compared(case: Case, hits: Sequence[tuple[str, int]]) -> Iterator[Said]:
    """Their reports and ours, each once. ``hits`` are items and lines of all that was found in the case's file."""
    ours = sorted({(line, item) for item, line in hits if item in ITEMS[case.source][case.rule]})
    if case.expected is None:
        yield ("both" if ours else "theirs", ours[0][0] if ours else 0)
        return
    for first, last in sorted(set(case.expected)):
        same = [hit for hit in ours if first <= hit[0] <= last]
        ours = [hit for hit in ours if hit not in same[:1]]
        yield ("both" if same else "theirs", first)
    yield from (("ours", line) for line, _ in ours if not any(first <= line <= last for first, last in case.kindred))


def _reviewed(found: Sequence[Case]) -> Mapping[int, list[tuple[str, int]]]:
    """The item and line of every hit, by the number of the case. Each case has a folder, so that none knows another."""
    with tempfile.TemporaryDirectory() as work:
        root = Path(work)
        git(root, "init", "-q", "--template=")
        somebody = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
        git(root, *somebody, "commit", "-q", "--allow-empty", "-m", "nothing")
        places = {_place(at, case): at for at, case in enumerate(found)}
        for place, at in places.items():
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            (root / place).write_text(found[at].text, "utf-8", newline="")
        git(root, "-c", "core.autocrlf=false", "add", "--all", "--force")
        git(root, *somebody, "commit", "-q", "-m", "everything")
        done = review(Branch(root, "HEAD~1", "HEAD"))
    if done.report is None:
        sys.exit(done.error)
    hits: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    for finding in shown(done.report):
        if finding["path"] in places and finding["range"]:
            lines = [row["line"] for row in finding["evidence"] if row["role"] == "also here"]
            lines = [finding["range"]["start"]["line"], *lines]  # what is told once is found in several places
            hits[places[finding["path"]]] += [(finding["item"], line) for line in lines]
    return hits


def _place(at: int, case: Case) -> str:
    name = case.path.replace("/", "-")
    if case.source != "zizmor":
        return f"case{at:04d}/{case.path}"
    if name.endswith("action.yml"):
        return f".github/actions/case{at:04d}/action.yml"
    return f".github/workflows/case{at:04d}-{name}"


if __name__ == "__main__":
    sys.exit(main())
