"""docs/rates.json: how often each item that is on spoke in a measurement, for the pages about items.

Counts what bench/false_alarms.py saw, and how each hit was read: the tables of docs/measurements.md that say branch,
place, item and verdict. Lines are, for each item, the added lines of files it applies to that are of a kind its own
examples report something in. Invariant: an item that did not run is not in the file, nor is a silent one of whose
examples none can occur, because a kind of file in it was not among those that were added to.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from roundzero.core.text import RelPath
from roundzero.packs import loader
from roundzero.packs.compiling import examples_of
from roundzero.packs.examples import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from roundzero.core.item import Item
    from roundzero.packs.examples import Fixture

VERDICTS: Final = ("true", "false", "arguable")
_ROW: Final = re.compile(
    r"\| \S+ `(?P<head>[0-9a-f]+)` \| `(?P<place>[^`]+)` \| (?P<item>[\w-]+) \| (?P<verdict>\w+) \|"
)


class Seen(NamedTuple):
    """A hit: the commit it is in, ``path:line``, and the item's full name."""

    head: str
    place: str
    item: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A measurement: ``lines`` are those of reviewed files, ``added`` the added ones of each path.

    ``only_adds``: nothing was removed or changed in it, so an item that needs that to speak did not run.
    """

    branches: int
    lines: int
    added: Mapping[str, int]
    only_adds: bool = False
    hits: Sequence[Seen]


class Verdict(NamedTuple):
    """How a hit was read. ``head`` is the beginning of a commit's name, ``item`` an item's name without its pack."""

    head: str
    place: str
    item: str
    verdict: str


def verdicts(document: str) -> list[Verdict]:
    """The verdicts in the tables of a document."""
    rows = (Verdict(*match.group("head", "place", "item", "verdict")) for match in _ROW.finditer(document))
    return [row for row in rows if row.verdict in VERDICTS]


def measured(run: Run, read: Iterable[Verdict], before: Mapping[str, Any]) -> dict[str, Any]:
    """One part of the file. ``before`` is that part as it was: verdicts given there by hand stay while the hits do."""
    hits = Counter(seen.item for seen in run.hits)
    known = _read(run.hits, read)
    items: dict[str, dict[str, int]] = {}
    for item, kinds in _items_that_ran(run):
        applies = {path: count for path, count in run.added.items() if item.applies.matches(RelPath(path))}
        lines = sum(count for path, count in applies.items() if kind(path) in kinds)
        if not lines and not hits[item.id]:
            continue
        lines = lines or sum(applies.values())  # it spoke, so it did look at them
        counted = known.get(item.id) or _kept(before.get("items", {}).get(item.id, {}), hits[item.id])
        items[item.id] = {
            "lines": lines,
            "hits": hits[item.id],
            **{name: counted[name] for name in VERDICTS if name in counted},
        }
    return {"branches": run.branches, "lines": run.lines, "items": items}


def write(file: Path, part: str, run: Run, read: Iterable[Verdict]) -> None:
    """Replace one part of the file, which need not be there."""
    rates = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    rates[part] = measured(run, read, rates.get(part, {}))
    lines = [f"{json.dumps(part)}: {_part(rates[part])}" for part in sorted(rates)]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def kind(path: str) -> str:
    """What tells files of a kind apart: the suffix, or a name that has none."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2] if "." in name.strip(".") else name


def _items_that_ran(run: Run) -> list[tuple[Item, frozenset[str]]]:
    """The items that are shown and that this installation checks itself, each with the kinds of files it reports in.

    Examples that could not have occurred do not count.
    """
    there = {kind(path) for path in run.added}
    kinds: defaultdict[str, set[str]] = defaultdict(set)
    for file in loader.built_in_files():
        for example in examples_of(file.read_text("utf-8")):
            fixture = parse(example.text)
            has_files = {kind(path) for path in (*fixture.head, *fixture.binaries)} <= there
            if has_files and not (run.only_adds and _takes_away(fixture)):
                kinds[example.item] |= {kind(each.path) for each in fixture.expected if each.path is not None}
    items = loader.load(repository=None, overrides={}, packs=None, cache_dir=None).items
    shown = [item for item in items if item.enabled and item.checks and not item.trigger and not item.needs_linter]
    return [(item, frozenset(kinds[item.id])) for item in shown]


def _takes_away(fixture: Fixture) -> bool:
    """Whether a line or a file of the base is gone or elsewhere, or commits say something."""
    gone = (path for path, text in fixture.base.items() if not _lines(text) <= _lines(fixture.head.get(path, "")))
    return bool(fixture.renames or fixture.commits or next(gone, None) is not None)


def _lines(text: str) -> Counter[str]:
    return Counter(text.split("\n"))


def _read(hits: Iterable[Seen], read: Iterable[Verdict]) -> dict[str, Counter[str]]:
    """How the hits were read, by item; a verdict is about one hit."""
    left = list(read)
    found: defaultdict[str, Counter[str]] = defaultdict(lambda: Counter(dict.fromkeys(VERDICTS, 0)))
    for seen in hits:
        for row in left:
            if seen.head.startswith(row.head) and (seen.place, seen.item.partition("/")[2]) == (row.place, row.item):
                found[seen.item][row.verdict] += 1
                left.remove(row)
                break
    return found


def _kept(before: Mapping[str, int], hits: int) -> Mapping[str, int]:
    return before if before.get("hits") == hits else {}


def _part(part: Mapping[str, Any]) -> str:
    """A part of the file, an item a line."""
    items = ",\n".join(f"    {json.dumps(name)}: {json.dumps(rate)}" for name, rate in part["items"].items())
    return f'{{"branches": {part["branches"]}, "lines": {part["lines"]}, "items": {{\n{items}\n}}}}'
