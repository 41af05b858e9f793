"""How quotes of a review come out against a commit: ``bench/evidence.py FILE --repo DIR --commit SHA``.

The file holds ``quotes`` (path, line, quote), perhaps made for another commit. The last line counts how they came out.
``--show moved,whitespace``: prints those, each with the line it was found at.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from roundzero.core.evidence import Place, Quote, locate
from roundzero.core.finding import Verified
from roundzero.core.text import LineIndex, decode

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str]) -> int:
    """Print what was asked for, then the counts."""
    parser = argparse.ArgumentParser(prog="bench/evidence.py")
    parser.add_argument("file", type=Path)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--show", default="")
    args = parser.parse_args(argv)
    by_path: dict[str, list[Quote]] = defaultdict(list)
    for each in json.loads(args.file.read_text(encoding="utf-8"))["quotes"]:
        by_path[str(each["path"])].append(Quote(int(each["line"] or 0), str(each["quote"])))
    shown = set(args.show.split(","))
    counts: Counter[Verified] = Counter()
    for path, quotes in sorted(by_path.items()):
        text = _text(args.repo, args.commit, path)
        index = LineIndex(text or "")
        missing = [Place(Verified.MISSING, quote.line) for quote in quotes]
        for quote, place in zip(quotes, missing if text is None else locate(quotes, index), strict=True):
            counts[place.verified] += 1
            if place.verified.value in shown:
                there = index.line(place.line).strip() if text is not None else "(no such file)"
                print(f"{place.verified.value}  {path}:{quote.line} -> {place.line}\n  {quote.text}\n  {there}")
    print(" ".join(f"{kind.value} {counts[kind]}" for kind in Verified))
    return 0


def _text(repo: Path, commit: str, path: str) -> str | None:
    done = subprocess.run(["git", "-C", repo, "cat-file", "blob", f"{commit}:{path}"], capture_output=True, check=False)
    decoded = decode(done.stdout, python=path.endswith(".py")) if done.returncode == 0 else None
    return decoded.text if decoded is not None else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
