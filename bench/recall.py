"""How much of what reference reviewers found the default checks find.

    python bench/recall.py ROUNDS --repo DIR

ROUNDS is a JSON file with ``rounds`` (each a ``commit`` and its ``findings``: severity, title, path, line) and an
``about`` that says which base belongs to which commit (``BASE for COMMIT and COMMIT``). DIR is a clone or a bare git
directory; rounds whose commit it does not have are left out. Each reference finding is a *hit* when a shown finding
lies within three lines of it (about layout: only with the same subject), or on the same entity with the same subject;
*flagged* when a finding that is shown with another subject, or only with ``--all-origins``, lies on the same entity;
else *missed*. What items of ``default: trigger`` see, which only a model is told, makes *flagged* in the same way and
never *hit*; a second review with these items switched on says what it is. A finding of the same subject lies also where
the changed line is that causes it, if that is in another file. Entities are functions, classes and, elsewhere, the
block that an unindented line begins. Prints a line for each (``(told)`` is such an item), then one by severity and, as
its last line, ``hit N flagged N missed N of N``.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from roundzero.core.item import language_of
from roundzero.core.outline import symbol_at
from roundzero.core.rule_files import SETTINGS_FILE
from roundzero.core.text import LineIndex, RelPath
from roundzero.packs.loader import load

NEAR: Final = 3

SUBJECTS: Final = {
    "general/unrelated-changes": r"单个 PR 混入|unrelated|mixes",
    "general/formatting-mixed": r"格式化|formatting",
    "general/eof-newline": r"末尾换行|end of file",
    "general/trailing-space": r"行尾空格|trailing",
    "general/deleted-file-still-named": r"BUILD 仍声明|still names",
    "general/unused-ignore": r"ignore",
    "python/environment-dump": r"sys\.path|environ",
    "python/raises-without-match": r"重言式|仅断言|without match",
    "python/field-not-copied": r"丢失|not copied",
    "python/sibling-outlier": r"约定|契约|convention",
}
"""What a reference title says when it means the same as an item; where none fits, they share an identifier.

The phrases are of one reviewer's titles, those of docs/measurements.md.
"""

LAYOUT: Final = frozenset({"general/eof-newline", "general/trailing-space", "general/formatting-mixed"})
"""Items about layout: that one of them lies near a finding says nothing about it, unless it is the subject."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding lies. ``entity`` is "" at the level of the file."""

    path: str
    line: int
    entity: str


@dataclass(frozen=True, slots=True)
class Said:
    """One finding of ours."""

    item: str
    severity: str
    text: str
    place: Place
    shown: bool
    id: str
    by_cause: bool = False
    """The place is that of its cause."""
    told: bool = False
    """Only a model is told."""


Outcome: TypeAlias = tuple[str, Said | None]
"""``hit``, ``flagged`` or ``missed``, and by what."""


class Texts:
    """Files of one commit, for finding entities."""

    def __init__(self, repository: Path, commit: str) -> None:
        """Read nothing yet."""
        self._repository = repository
        self._commit = commit
        self._known: dict[str, LineIndex | None] = {}

    def place(self, path: str, line: int) -> Place:
        """A place with its entity."""
        if path not in self._known:
            done = _git(self._repository, "show", f"{self._commit}:{path}")
            self._known[path] = LineIndex(done.stdout.decode("utf-8", "replace")) if done.returncode == 0 else None
        index = self._known[path]
        return Place(path, line, _entity(path, index, line) if index is not None else "")


def _entity(path: str, index: LineIndex, line: int) -> str:
    if language_of(RelPath(path)) == "python":
        return symbol_at(RelPath(path), index, line) or ""
    for number in range(min(line, index.line_count), 0, -1):
        text = index.line(number)
        if re.match(r"[A-Za-z_]", text):
            name = re.search(r"\bname\s*=\s*\"([^\"]+)", "".join(index.line(at) for at in range(number, number + 4)))
            return name.group(1) if name is not None else text.strip()
    return ""


def _git(repository: Path, *argv: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(repository), *argv], capture_output=True, check=False)


def bases(about: str) -> dict[str, str]:
    """The base of each commit, by what ``about`` says."""
    found: dict[str, str] = {}
    for base, commits in re.findall(r"([0-9a-f]{7,40}) for ((?:[0-9a-f]{7,40}(?: and |))+)", about):
        found |= dict.fromkeys(re.findall(r"[0-9a-f]{7,40}", commits), base)
    return found


def told_items() -> dict[str, str]:
    """The items that only a model is told about, by name, with their severities."""
    rules = load(repository=None, overrides={}, packs=None, cache_dir=None)
    return {item.id: item.severity.name for item in rules.items if item.enabled and item.trigger}


def review(clone: Path, base: str, head: str, told: dict[str, str]) -> list[Said]:
    """Everything one review says, what was there before too, and what ``told`` would say if it were shown.

    ``clone`` has no work tree, so that its file of settings is ours to write.
    """
    texts, old_texts = Texts(clone, head), Texts(clone, base)
    found = [said for row in _findings(clone, base, head) for said in _said(row, texts, old_texts)]
    settings = clone / SETTINGS_FILE
    settings.write_text("[items]\n" + "".join(f'"{item}" = "{severity}"\n' for item, severity in told.items()))
    try:
        rows = [row for row in _findings(clone, base, head) if row["item"] in told]
    finally:
        settings.unlink()
    noticed = [said for row in rows for said in _said(row, texts, old_texts)]
    return [*found, *(replace(said, shown=False, told=True) for said in noticed if said.shown)]


def _findings(clone: Path, base: str, head: str) -> list[dict[str, Any]]:
    argv = [sys.executable, "-m", "roundzero", "review", "--repo", str(clone), "--base", base, "--head", head]
    argv += ["--format", "json", "--no-ledger", "--fail-on", "never", "--model", "off", "--all-origins"]
    done = subprocess.run(argv, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{head}: {done.stderr.decode('utf-8', 'replace').strip()[-300:]}")
    rows: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return rows


def _said(finding: dict[str, Any], texts: Texts, old_texts: Texts) -> list[Said]:
    """A finding at each of its places: its own, and its cause's where that is another file."""
    line = finding["range"]["start"]["line"] if finding["range"] else 0
    side = texts if finding["side"] == "head" else old_texts
    places = [side.place(finding["path"], line) if finding["path"] else Place("", 0, "")]
    cause = finding["anchor"]
    if cause is not None and cause["path"] != finding["path"]:
        places.append(texts.place(cause["path"], cause["line"]))
    said = Said(
        item=finding["item"],
        severity=finding["severity"],
        text=" ".join([finding["title"], *(row["quote"] for row in finding["evidence"])]),
        place=places[0],
        shown=finding["state"] == "open" and finding["origin"] != "pre-existing",
        id=finding["id"],
    )
    return [said, *(replace(said, place=place, by_cause=True) for place in places[1:])]


def same_subject(said: Said, title: str) -> bool:
    """Whether a finding of ours is about what a reference title is about."""
    pattern = SUBJECTS.get(said.item)
    if pattern is not None:
        return re.search(pattern, title) is not None
    words = {word for word in re.findall(r"[A-Za-z_][\w.]{3,}", title) if "_" in word or "." in word or len(word) > 5}
    return any(word in said.text for word in words)


def outcomes(references: list[dict[str, Any]], places: list[Place], ours: list[Said]) -> list[Outcome]:
    """What became of each. By nearness alone a finding of ours is the hit of one reference only, the nearest."""
    found: list[Outcome] = [("missed", None)] * len(references)
    taken: set[str] = set()
    order = sorted(range(len(references)), key=lambda at: (_distance(places[at], ours), at))
    for at in order:
        found[at] = _outcome(references[at]["title"], places[at], ours, taken)
    return found


def _distance(place: Place, ours: list[Said]) -> int:
    return min(
        (abs(said.place.line - place.line) for said in ours if said.place.path == place.path), default=sys.maxsize
    )


def _outcome(title: str, place: Place, ours: list[Said], taken: set[str]) -> Outcome:
    flagged: Said | None = None
    for said in ours:
        meant = same_subject(said, title)
        if said.item in LAYOUT and not meant:
            continue
        here = said.place.path == place.path
        near = here and abs(said.place.line - place.line) <= NEAR and (meant or not said.by_cause)
        same = here and said.place.entity == place.entity
        agreed = meant and (near or same or not said.place.path)
        if said.shown and (agreed or (near and said.id not in taken)):
            taken.add(said.id)
            return "hit", said
        if near or agreed or (same and place.entity and not said.by_cause):
            flagged = flagged or said
    return ("flagged", flagged) if flagged is not None else ("missed", None)


def main() -> int:
    """Review every round whose commit is there, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", type=Path)
    parser.add_argument("--repo", type=Path, required=True)
    options = parser.parse_args()
    data = json.loads(options.rounds.read_text("utf-8"))
    based = bases(data["about"])
    told = told_items()
    total: Counter[str] = Counter()
    by_severity: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as work:
        clone = Path(work) / "clone"
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(options.repo), str(clone)], check=True)
        for entry in data["rounds"]:
            head = entry["commit"]
            base = based.get(head)
            if base is None or any(_git(clone, "cat-file", "-e", f"{at}^{{commit}}").returncode for at in (head, base)):
                print(f"{head}: not in the repository", file=sys.stderr)
                continue
            ours = review(clone, base, head, told)
            texts = Texts(clone, head)
            references = entry["findings"]
            places = [texts.place(reference["path"], reference["line"]) for reference in references]
            for reference, (word, by) in zip(references, outcomes(references, places, ours), strict=True):
                total[word] += 1
                by_severity[reference["severity"], word] += 1
                through = (
                    f"  <- {by.item}{' (told)' * by.told} {by.place.path}:{by.place.line}" if by is not None else ""
                )
                where = f"{reference['path']}:{reference['line']}"
                print(f"{word:8} {head} {reference['severity']} {where} {reference['title'][:60]}{through}")
    for severity in sorted({name for name, _ in by_severity}):
        counts = " ".join(f"{word} {by_severity[severity, word]}" for word in ("hit", "flagged", "missed"))
        print(f"{severity}: {counts}")
    print(f"hit {total['hit']} flagged {total['flagged']} missed {total['missed']} of {total.total()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
