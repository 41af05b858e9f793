"""How well findings without anchors are followed over rounds: ``bench/identity.py FILE... [--stress]``.

Each file holds rounds of listings (path, line, title) with hand labels, ``same_defect``. Counts pairs of listings:
joined and truly one defect, joined wrongly, missed. Beside it stand two baselines that reviewers use: equal path and
title, and equal path and line. The last line is the measure over the pairs of all files. ``--stress`` shows first what
it is worth elsewhere: without each round, with a random half of the defects, with words left out of every title, and
with every file's lines moved from round to round.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chains import Listing, same_defect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Pairs = frozenset[tuple[int, int]]
Labelled = tuple[list[Listing], list[str]]

_SAMPLES: Final = 8
_DRIFT: Final = 40
_LEFT_OUT: Final = 0.2
_PIECE: Final = re.compile(r"\s+|[!-~]+|[^\s!-~]{1,2}")


def main(argv: Sequence[str]) -> int:
    """Print the baselines, then the measure."""
    files = [_load(Path(name)) for name in argv if not name.startswith("--")]
    if "--stress" in argv:
        for name, samples in _stress(files):
            print(f"{name}: {_line(samples, same_defect)}")
    print(f"path and title: {_line(files, lambda rows: _equal(rows, lambda each: (each.path, each.title)))}")
    print(f"path and line:  {_line(files, lambda rows: _equal(rows, lambda each: (each.path, each.line)))}")
    print(_line(files, same_defect))
    return 0


def _stress(files: list[Labelled]) -> Iterator[tuple[str, list[Labelled]]]:
    for number in sorted({each.round for listings, _ in files for each in listings}):
        yield f"without round {number}", [_without(file, number) for file in files]
    chance = random.Random(0)
    yield f"half of the defects, {_SAMPLES} samples", [_half(file, chance) for file in files * _SAMPLES]
    yield (
        f"a fifth of the words left out, {_SAMPLES} samples",
        [
            ([replace(each, title=_shortened(each.title, chance)) for each in listings], labels)
            for listings, labels in files * _SAMPLES
        ],
    )
    moved: list[Labelled] = []
    for listings, labels in files * _SAMPLES:
        drift = {(each.round, each.path): chance.randint(0, _DRIFT) for each in listings}
        moved.append(([replace(each, line=each.line + drift[each.round, each.path]) for each in listings], labels))
    yield f"lines moved by up to {_DRIFT} in each round and file, {_SAMPLES} samples", moved


def _without(file: Labelled, number: int) -> Labelled:
    kept = [(each, label) for each, label in zip(*file, strict=True) if each.round != number]
    return [each for each, _ in kept], [label for _, label in kept]


def _half(file: Labelled, chance: random.Random) -> Labelled:
    names = sorted(set(file[1]))
    some = set(chance.sample(names, len(names) // 2))
    kept = [(each, label) for each, label in zip(*file, strict=True) if label in some]
    return [each for each, _ in kept], [label for _, label in kept]


def _shortened(title: str, chance: random.Random) -> str:
    """A title without a fifth of its words, or, where words have no spaces, of its neighbouring characters."""
    pieces = _PIECE.findall(title)
    return "".join(piece for piece in pieces if piece.isspace() or chance.random() >= _LEFT_OUT)


def _load(path: Path) -> Labelled:
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


def _line(files: Sequence[Labelled], decide: Callable[[list[Listing]], Pairs]) -> str:
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
