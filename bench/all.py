"""``make bench``: every benchmark, printed as it comes and written to docs/benchmarks.md."""

from __future__ import annotations

import sys
import time
from typing import Final

import deep
import latency
import memory
import model
import model_memory
import model_typing
import review
import startup
import whole
from installed import ROOT
from report import machine, table

PARTS: Final = (
    ("Start", startup),
    ("While typing", latency),
    ("Command line", review),
    ("Questions about a whole repository", whole),
    ("Around a model", model),
    ("Around the model of a deep review", deep),
    ("While a model answers", model_typing),
    ("Many model reviews", model_memory),
    ("At rest", memory),
)
_INTRO: Final = """\
# Benchmarks

Written by `make bench`, which installs the wheel into an environment of its own and measures that. Peers run in
turns with Round Zero, so that a busy machine slows both; a ratio is ours divided by the peer's. "bound" is what the
design is held to, "OVER" is a figure that does not keep it, a row without bound is for orientation.

"""


def main() -> int:
    """Run all; 1 when a bound is not kept."""
    start = time.monotonic()
    text = _INTRO + f"{machine()}.\n"
    over = 0
    for title, part in PARTS:
        print(f"\n{title} ...", flush=True)
        rows = part.measure()
        over += sum(row.verdict == "OVER" for row in rows)
        print(table(rows), flush=True)
        summary = (part.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
        text += (
            f"\n## {title}\n\n{summary}\nOne program: `.venv/bin/python bench/{part.__name__}.py`\n\n{table(rows)}\n"
        )
    target = ROOT / "docs" / "benchmarks.md"
    target.parent.mkdir(exist_ok=True)
    target.write_text(text, encoding="utf-8")
    print(f"\n{over} over their bounds; {time.monotonic() - start:.0f} s; written to {target.relative_to(ROOT)}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
