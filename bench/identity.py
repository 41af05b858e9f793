"""How well findings without anchors are followed over rounds: ``bench/identity.py FILE...``.

Each file holds rounds of listings (path, line, title) with hand labels, ``same_defect``. Counts pairs of listings:
joined and truly one defect, joined wrongly, missed. Beside it stand two baselines that reviewers use: equal path and
title, and equal path and line. The last line is the measure over the pairs of all files.
``--drop``: also without each round.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from roundzero.core.cluster import Listing, same_defect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Pairs = frozenset[tuple[int, int]]


def main(argv: Sequence[str]) -> int:
    """Print the baselines, then the measure."""
    files = [_load(Path(name)) for name in argv if not name.startswith("--")]
    if "--drop" in argv:
        for listings, labels in files:
            for number in sorted({each.round for each in listings}):
                kept = [at for at, each in enumerate(listings) if each.round != number]
                part = ([listings[at] for at in kept], [labels[at] for at in kept])
                print(f"without round {number}: {_line([part], same_defect)}")
    print(f"path and title: {_line(files, lambda rows: _equal(rows, lambda each: (each.path, each.title)))}")
    print(f"path and line:  {_line(files, lambda rows: _equal(rows, lambda each: (each.path, each.line)))}")
    print(_line(files, same_defect))
    return 0


def _load(path: Path) -> tuple[list[Listing], list[str]]:
    document = json.loads(path.read_text(encoding="utf-8"))
    listings: list[Listing] = []
    labels: list[str] = []
    for at, each in enumerate(document["rounds"], 1):
        for finding in each["findings"]:
            line = int(finding.get("line") or 0)
            listings.append(
                Listing(int(each.get("round", at)), str(finding.get("path") or ""), line, str(finding["title"]))
            )
            labels.append(str(finding["same_defect"]))
    return listings, labels


def _equal(listings: Sequence[Listing], key: Callable[[Listing], object]) -> Pairs:
    return frozenset(
        (one, other)
        for one, other in itertools.combinations(range(len(listings)), 2)
        if key(listings[one]) == key(listings[other])
    )


def _line(files: Sequence[tuple[list[Listing], list[str]]], decide: Callable[[list[Listing]], Pairs]) -> str:
    right = said = true = 0
    for listings, labels in files:
        found = decide(listings)
        one = _equal_labels(labels)
        right += len(found & one)
        said += len(found)
        true += len(one)
    precision = right / said if said else 0.0
    recall = right / true if true else 0.0
    both = 2 * precision * recall / (precision + recall) if right else 0.0
    return f"F1 {both:.2f} precision {precision:.2f} recall {recall:.2f}"


def _equal_labels(labels: Sequence[str]) -> Pairs:
    return frozenset(
        pair for pair in itertools.combinations(range(len(labels)), 2) if labels[pair[0]] == labels[pair[1]]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
