"""Counts how the repository itself keeps its conventions, at the base: files that differ from the last count only.

Decides nothing: core/convention.py does. Invariant: a count that is not complete says so, and what was counted is kept
for the next.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Source
from roundzero.core.convention import Tally
from roundzero.core.frozen import dataclass
from roundzero.core.item import ItemId
from roundzero.errors import OutsideError
from roundzero.proc import side_by_side
from roundzero.store.convention_counts import ConventionCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from roundzero.core.change import Change
    from roundzero.core.item import Item
    from roundzero.core.text import RelPath, Span
    from roundzero.git.repository import Git
    from roundzero.linters import Linter
    from roundzero.store.convention_counts import Counts

SECONDS_IN_BACKGROUND: Final = 120.0
SECONDS_ON_REQUEST: Final = 20.0
"""How long one count may take; the next goes on from there."""

_AT_ONCE: Final = 200
"""Files looked at by one run of the linters."""
_SIDE_BY_SIDE: Final = 2
_KEPT_EVERY: Final = 10
"""Turns after which what was counted is kept."""
_MOST_FILES: Final = 200_000


@dataclass(frozen=True, slots=True)
class Counted:
    """The tallies of all conventions. Not ``complete``: time ran out, or something could not be looked at."""

    tallies: Mapping[ItemId, Tally] = field(default_factory=dict)
    complete: bool = True


def concerned(items: Iterable[Item], change: Change) -> bool:
    """Whether one of some items applies to a file of a change, so that it is worth counting."""
    return any(item.applies.matches(file.path) for item in items for file in change.files)


async def count(
    items: Sequence[Item],
    git: Git,
    change: Change,
    linters: Sequence[Linter],
    *,
    seconds: float,
    keep_in: Path | None,
) -> Counted:
    """Count the cases of conventions at the base of a change. Raises OutsideError when git cannot list it."""
    ends = time.monotonic() + seconds
    rules = await _rules(items, linters)
    store = ConventionCounts(keep_in) if keep_in is not None else None
    known = await asyncio.to_thread(store.load, rules) if store is not None else {}
    listed = await git.base_blobs(change)
    there = {path: blob for path, blob in listed.items() if any(item.applies.matches(path) for item in items)}
    counts: Counts = {path: known[path] for path, blob in there.items() if known.get(path, ("",))[0] == blob}
    todo = sorted(there.keys() - counts.keys())[:_MOST_FILES]
    complete, changed = True, bool(todo) or len(counts) != len(known)
    try:
        for number, at in enumerate(range(0, len(todo), _AT_ONCE * _SIDE_BY_SIDE), start=1):
            if time.monotonic() > ends:
                complete = False
                break
            batches = [
                {path: there[path] for path in todo[start : start + _AT_ONCE]}
                for start in range(at, min(at + _AT_ONCE * _SIDE_BY_SIDE, len(todo)), _AT_ONCE)
            ]
            async with side_by_side() as group:  # one reads and is read while the other is looked at
                tasks = [group.create_task(_count(items, git, batch, linters)) for batch in batches]
            found = [task.result() for task in tasks]
            complete = None not in found
            for each in found:
                counts.update(each or {})
            if not complete:
                break
            if store is not None and number % _KEPT_EVERY == 0:
                await asyncio.to_thread(store.save, rules, dict(counts))
    finally:
        if store is not None and changed:
            await asyncio.shield(asyncio.to_thread(store.save, rules, dict(counts)))
    sums = [sum(numbers) for numbers in zip(*(row for _, row in counts.values()), strict=True)] or [0] * 2 * len(items)
    tallies = {item.id: Tally(sums[2 * at], sums[2 * at + 1]) for at, item in enumerate(items)}
    return Counted(tallies if complete else {}, complete)


async def _rules(items: Sequence[Item], linters: Sequence[Linter]) -> str:
    """What the counts depend on beside the texts."""
    versions = [(linter.name, await linter.version()) for linter in linters if any(map(linter.takes, items))]
    said = repr(([(item.id, item.applies, item.checks, item.convention) for item in items], versions))
    return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()


async def _count(
    items: Sequence[Item], git: Git, files: Mapping[RelPath, str], linters: Sequence[Linter]
) -> Counts | None:
    """The counts of some files; None when a program failed. One that is no text has no cases."""
    texts = await git.texts({blob: path for path, blob in files.items()})
    sources = [Source(path, texts[blob].text, blob) for path, blob in files.items() if blob in texts]
    cases = [
        replace(item, id=ItemId(f"{item.id}#"), checks=item.convention.cases)
        for item in items
        if item.convention is not None
    ]
    found: dict[tuple[int, ItemId], set[Span | None]] = {}
    for linter in linters:
        taken = [item for item in (*items, *cases) if linter.takes(item)]
        if not taken:
            continue
        try:
            result = await linter.run(sources, taken)
        except OutsideError:
            return None
        if any(at is None for at, _ in result.failures):
            return None
        for at, name, hit in result.hits:
            found.setdefault((at, name), set()).add(hit.span)
    counts: Counts = {path: (blob, (0, 0) * len(items)) for path, blob in files.items()}
    for at, source in enumerate(sources):
        row: list[int] = []
        for item in items:
            broken = len(found.get((at, item.id), ()))
            row += [max(len(found.get((at, ItemId(f"{item.id}#")), ())), broken), broken]
        counts[source.path] = (files[source.path], tuple(row))
    return counts
