"""What a benchmark found, as rows of a table.

Says whether a figure keeps its bound; does not measure. Invariant: every bound is a ratio to a peer of the same run, or
an absolute limit that is written beside the figure.
"""

from __future__ import annotations

import os
import platform
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measurement. ``bound`` limits ours by the peer's, or ours where there is no peer; None: for orientation."""

    what: str
    ours: float
    unit: str
    peer: float | None = None
    peer_name: str = ""
    bound: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours by the peer's."""
        return self.ours / self.peer if self.peer else None

    @property
    def verdict(self) -> str:
        """``ok``, ``OVER``, or nothing for a row without bound."""
        if self.bound is None:
            return ""
        value = self.ratio if self.peer is not None else self.ours
        return "ok" if value is not None and value <= self.bound else "OVER"

    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        bound = "" if self.bound is None else f"{self.bound:g}" + (" x" if self.peer is not None else f" {self.unit}")
        return (
            self.what,
            f"{self.ours:.1f} {self.unit}",
            "" if self.peer is None else f"{self.peer:.1f} {self.unit} ({self.peer_name})",
            "" if self.ratio is None else f"{self.ratio:.2f}",
            bound,
            self.verdict,
        )


_HEAD = ("what", "Round Zero", "peer in the same run", "ratio", "bound", "")


def table(rows: Sequence[Row]) -> str:
    """A Markdown table, aligned so that it also reads well in a terminal."""
    lines = [_HEAD, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
    text = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    ]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(text)


def machine() -> str:
    """The machine in a line: processor, cores, memory, system, Python, and how busy it is already."""
    names = [line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    total = [int(line.split()[1]) for line in _lines("/proc/meminfo") if line.startswith("MemTotal")]
    parts = [names[0] if names else platform.processor() or platform.machine(), f"{len(names) or '?'} cores"]
    parts += [f"{kib / 1024 / 1024:.0f} GiB" for kib in total]
    parts += [platform.system(), f"Python {platform.python_version()}"]
    return ", ".join([*parts, f"load average at the start {os.getloadavg()[0]:.1f}"])


def p50(values: Iterable[float]) -> float:
    """The median."""
    return statistics.median(values)


def p95(values: Iterable[float]) -> float:
    """The 95th percentile: the value that one in twenty exceeds."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
