"""Whether ids follow code over real commits: ``bench/identity_commits.py REPOSITORY [COMMITS]``.

Lines of a few common shapes stand for defects. Over the newest commits that change Python files, the ledger recognises
them from commit to commit, once as a review does, with git's line maps and the texts of before, and once without any
of that. What is true is known from git: a kept line is the same defect; a line that left one place of a commit and
arrived at one other, and is long enough to be itself, is too. Every third commit the changed files are also renamed,
which git is not told: a review finds their new names by their texts, without texts the lines alone decide. Prints
survival and wrong joins.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Source
from roundzero.core.finding import Hit, Observation, observe
from roundzero.core.item import Item, ItemId, Prose, Severity
from roundzero.core.known_texts import Texts
from roundzero.core.ledger import Event, Ledger, Sign, fold
from roundzero.core.linemap import Hunk, LineMap
from roundzero.core.matching import TELLING
from roundzero.core.rebase import edit_map
from roundzero.core.recognition import recognise
from roundzero.core.renames import renames
from roundzero.core.sighting import Sighting
from roundzero.core.text import RelPath, collapse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_SHAPES: Final = {
    "except": r"^\s*except\b", "raise": r"^\s*raise\b", "default": r"^\s*def .*=", "assert": r"\bassert",
    "logger": r"\blog(?:ger|ging)?\.", "none": r"\bNone\b", "loop": r"^\s*for ",
}  # fmt: skip
_ITEMS: Final = {
    re.compile(shape): Item(id=ItemId(f"x/{name}"), title=Prose(name), why=Prose(name), severity=Severity.P2)
    for name, shape in _SHAPES.items()
}
_LEAST: Final = 0.99
_HUNK: Final = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@dataclass
class Tally:
    """What became of what was there."""

    kept: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    joined: int = 0
    samples: list[str] = field(default_factory=list)

    @property
    def survival(self) -> float:
        """The share of surviving code whose id survived."""
        kept, lost = sum(self.kept.values()), sum(self.lost.values())
        return kept / (kept + lost) if kept + lost else 1.0


@dataclass(frozen=True)
class Step:
    """One commit: texts before and after by path, and old to new paths with their line maps."""

    old: Mapping[RelPath, Source]
    new: Mapping[RelPath, Source]
    maps: Mapping[RelPath, tuple[RelPath, LineMap]]


def main(argv: Sequence[str]) -> int:
    """Measure; 1 when survival is below 99 %, or two defects were joined although all was known that a review knows."""
    limit = int(argv[1]) if len(argv) > 1 else 300
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        _git(None, "clone", "--quiet", "--shared", "--bare", argv[0], str(clone))
        steps = list(_steps(clone, limit))
    for name, as_reviewed in (("with line maps", True), ("without line maps", False)):
        tally = Tally()
        for number, step in enumerate(steps):
            renamed = number % 3 == 2
            told = _renamed(step) if renamed else step
            _replay(told, _texts(told, renamed=renamed) if as_reviewed else _bare(told), tally, renamed=renamed)
        kinds = ", ".join(f"{kind} {tally.kept[kind]}/{tally.kept[kind] + tally.lost[kind]}" for kind in tally.kept)
        print(f"{name}: {len(steps)} commits, survival {tally.survival:.4f} ({kinds}), wrong joins {tally.joined}")
        for line in tally.samples[:12]:
            print("   ", line)
        bad |= tally.survival < _LEAST or (as_reviewed and tally.joined > 0)
    return int(bad)


def _bare(step: Step) -> Texts:
    return Texts(heads=step.new, gone=frozenset(path for path in step.old if path not in step.new))


def _texts(step: Step, *, renamed: bool) -> Texts:
    """What a review knows of the commit: as engine/memory finds it."""
    bare = _bare(step)
    maps = dict(step.maps)
    if renamed:
        named = renames([step.old[path] for path in bare.gone], [step.new[path] for path in step.new.keys() - step.old])
        maps = {
            old: step.maps[old]
            if step.maps.get(old, (None,))[0] == new
            else (new, edit_map(step.old[old].text, step.new[new].text))
            for old, new in named.items()
        }
    known = {(path, step.old[path].blob): there for path, there in maps.items()}
    return replace(bare, maps=known, olds={key: step.old[key[0]] for key in known})


def _replay(step: Step, texts: Texts, tally: Tally, *, renamed: bool) -> None:
    before, after = _seen(step.old.values()), _seen(step.new.values())
    ids = recognise(Ledger(), before, Texts())
    events = [
        Event(id=name, sign=Sign.SEEN, at="", round=1, sighting=Sighting.of(each, step.old[_path(each)].blob))
        for name, each in zip(ids, before, strict=True)
    ]
    now = recognise(fold(events), after, texts)
    truth = _truth(step, before, after)
    owner = {name: at for at, name in enumerate(ids)}
    for at, name in enumerate(now):
        was = owner.get(name)
        true = truth.get(at)
        if true is not None:
            kind = "moved" if true[1] else "renamed" if renamed else "kept"
            (tally.kept if was == true[0] else tally.lost)[kind] += 1
        taken = {old for old, _ in truth.values()}
        if was is not None and (true is None or was != true[0]) and (true is not None or was in taken):
            tally.joined += 1
            tally.samples.append(
                f"{before[was].path}:{before[was].line} -> {after[at].path}:{after[at].line} {after[at].anchor_text}"
            )


def _truth(step: Step, before: Sequence[Observation], after: Sequence[Observation]) -> dict[int, tuple[int, bool]]:
    """For observations after: the one before that is the same, and whether it moved."""
    place = {(each.path, each.line, each.item): at for at, each in enumerate(after)}
    found: dict[int, tuple[int, bool]] = {}
    gone: dict[tuple[ItemId, str], list[int]] = defaultdict(list)
    for at, each in enumerate(before):
        there = step.maps.get(_path(each))
        line = there[1].new(each.line) if there is not None else None
        new = place.get((there[0], line or 0, each.item)) if there is not None else None
        if new is not None and line is not None:
            found[new] = (at, False)
        elif line is None:
            gone[each.item, each.anchor_text].append(at)
    came: dict[tuple[ItemId, str], list[int]] = defaultdict(list)
    for at, each in enumerate(after):
        if at not in found:
            came[each.item, each.anchor_text].append(at)
    for key, olds in gone.items():
        if len(olds) == 1 and len(came.get(key, ())) == 1 and len(key[1]) >= TELLING:
            found[came[key][0]] = (olds[0], True)
    return found


def _seen(sources: Iterable[Source]) -> list[Observation]:
    found = []
    for source in sources:
        for line in range(1, source.index.line_count + 1):
            text = source.index.line(line)
            for shape, item in _ITEMS.items():
                if shape.search(text) and len(collapse(text)) > 1:
                    hit = Hit(path=source.path, span=source.index.line_span(line))
                    found.append(observe(item, hit, source, producer="x", version="1"))
    return found


def _steps(clone: Path, limit: int) -> Iterable[Step]:
    log = _git(clone, "log", "--no-merges", "--format=%H", "-n", str(limit), "--", "*.py").split()
    for commit in log:
        raw = _git(clone, "diff-tree", "-r", "-M", "--no-commit-id", f"{commit}~", commit, "--", "*.py", check=False)
        old: dict[RelPath, Source] = {}
        new: dict[RelPath, Source] = {}
        maps: dict[RelPath, tuple[RelPath, LineMap]] = {}
        for row in raw.splitlines():
            meta, *paths = row.split("\t")
            _, _, before, after, _ = meta.split(" ")
            first, last = RelPath(paths[0]), RelPath(paths[-1])
            if before.strip("0"):
                old[first] = Source(first, _git(clone, "cat-file", "blob", before), before)
            if after.strip("0"):
                new[last] = Source(last, _git(clone, "cat-file", "blob", after), after)
            if before.strip("0") and after.strip("0"):
                diff = _git(clone, "diff", "-U0", before, after)
                hunks = tuple(Hunk(int(m[1]), int(m[2] or 1), int(m[3]), int(m[4] or 1)) for m in _HUNK.finditer(diff))
                maps[first] = (last, LineMap(hunks))
        if old and new:
            yield Step(old, new, maps)


def _renamed(step: Step) -> Step:
    """The same commit with every new file under another name."""
    names = {path: RelPath(f"elsewhere/{path}") for path in step.new}
    new = {names[path]: Source(names[path], each.text, each.blob) for path, each in step.new.items()}
    return Step(step.old, new, {path: (names[there], lines) for path, (there, lines) in step.maps.items()})


def _path(seen: Observation) -> RelPath:
    assert seen.path is not None
    return seen.path


def _git(clone: Path | None, *arguments: str, check: bool = True) -> str:
    where = ["-C", str(clone)] if clone is not None else []
    done = subprocess.run(["git", *where, *arguments], capture_output=True, check=check)
    return done.stdout.decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
