"""How often the index calls an imported name missing, over every import of whole repositories.

    python bench/unresolved.py FOLDER... [--no-standard-library] [--reasons] [--cache DIR]

Each FOLDER is the root of a git work tree, taken as it stands. Every ``from X import Y`` of every Python file is asked
for. Prints a line for each missing name (to be checked by hand: each must be truly missing) and, as its last line,
``imports N found N unknown N external N missing N seconds S``. ``--no-standard-library``: the folder is a copy of the
standard library itself, so its names are the repository's. ``--reasons``: why names are unknown, most frequent first.
``--invent``: ask for a name nobody has in each module; what is then not missing is what the index would overlook.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from roundzero.core.change import BaseChoice, BaseHow, Change, HeadState, Side, Source, blob_id
from roundzero.core.facts import Where
from roundzero.core.ports import Commit, GrepHit
from roundzero.core.resolution import External, Missing, Unknown
from roundzero.core.text import RelPath, decode
from roundzero.index.fact_store import FactStore
from roundzero.index.limit import TimeLimit
from roundzero.index.symbols import RepositorySymbols
from roundzero.store.index_db import IndexDb

if TYPE_CHECKING:
    from collections.abc import Collection

    from roundzero.core.facts import Import

SECONDS = 3600.0
INVENTED = "roundzero_invented_name"


class WorkTree:
    """core.ports.Repository over the files of a work tree, both sides alike."""

    def __init__(self, root: Path) -> None:
        """List the files once."""
        self._root = root
        listing = self._git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        self._paths = frozenset(RelPath(row) for row in listing.split("\0") if row and (root / row).is_file())

    def read(self, path: RelPath, side: Side) -> Source | None:  # noqa: ARG002  both sides are alike
        """One file."""
        if path not in self._paths:
            return None
        data = (self._root / path).read_bytes()
        decoded = decode(data, python=path.endswith((".py", ".pyi")))
        return Source(path, decoded.text, blob_id(data)) if decoded is not None else None

    def paths(self, side: Side) -> frozenset[RelPath]:  # noqa: ARG002  both sides are alike
        """All files."""
        return self._paths

    def grep(self, words: Collection[str]) -> dict[str, tuple[GrepHit, ...]]:
        """Lines that contain each word."""
        found: dict[str, tuple[GrepHit, ...]] = {}
        for word in words:
            output = self._git("grep", "-I", "-F", "-w", "-n", "-z", "--untracked", "-e", word, check=False)
            rows = (row.split("\0", 2) for row in output.split("\n") if row.count("\0") >= 2)
            found[word] = tuple(GrepHit(RelPath(path), int(line), text) for path, line, text in rows)
        return found

    def commits(self) -> tuple[Commit, ...]:
        """None."""
        return ()

    def _git(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(["git", "-C", str(self._root), *arguments], capture_output=True, check=check)
        return done.stdout.decode("utf-8", "surrogateescape")


def no_change() -> Change:
    """A change without files."""
    base = BaseChoice(ref=None, merge_base=None, how=BaseHow.HEAD)
    head = HeadState(commit=None, branch=None, dirty=False)
    return Change(base=base, head=head, files=(), skipped=(), snapshot="")


class Measured:
    """What came out of the folders."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Nothing yet."""
        self.counts: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self._options = options

    def look(self, folder: Path, store: FactStore, external: Collection[str]) -> None:
        """Ask for every import below a folder."""
        repository = WorkTree(folder)
        symbols = RepositorySymbols(repository, no_change(), store, TimeLimit(SECONDS), external=external)
        for path in sorted(repository.paths(Side.HEAD)):
            facts = symbols.facts(path, Side.HEAD) if path.endswith(".py") else None
            if facts is None:
                self.counts["unparsable"] += path.endswith(".py")
            elif self._options.attributes:
                self._attributes(folder, path, symbols)
            else:
                rows = [row for row in facts.imports if row.name not in {"", "*"}]
                self._imports(folder, path, rows, symbols)
        symbols.close()

    def _imports(self, folder: Path, path: RelPath, rows: list[Import], symbols: RepositorySymbols) -> None:
        if self._options.invent:
            rows = [row._replace(name=INVENTED) for row in rows]
        self.counts["imports"] += len(rows)
        if self._options.only_missing:
            for row, missing in symbols.missing_imports(path, rows, Side.HEAD).items():
                self._missing(f"{folder.name}/{path}:{row.line}: {_text(row)}", missing)
            return
        answers = symbols.resolve_imports(path, rows, Side.HEAD)
        for row in rows:
            answer = answers[row]
            if isinstance(answer, Missing):
                self._missing(f"{folder.name}/{path}:{row.line}: {_text(row)}", answer)
            elif isinstance(symbols.module(path, row.module, row.level, Side.HEAD), External):
                self.counts["external"] += 1
            elif isinstance(answer, Unknown):
                self.counts["unknown"] += 1
                self.reasons[answer.reason] += 1
            else:
                self.counts["found"] += 1

    def _attributes(self, folder: Path, path: RelPath, symbols: RepositorySymbols) -> None:
        uses = symbols.uses(path, Side.HEAD)
        for use in uses.uses if uses is not None else ():
            if use.local or use.chain.startswith(".") or "." not in use.chain:
                continue
            self.counts["imports"] += 1
            answer = symbols.resolve_chain(path, use.chain, Side.HEAD).answer
            if isinstance(answer, Missing):
                self._missing(f"{folder.name}/{path}:{use.line}: {use.chain}", answer)
            else:
                self.counts["unknown" if isinstance(answer, Unknown) else "found"] += 1

    def _missing(self, what: str, missing: Missing) -> None:
        self.counts["missing"] += 1
        if not self._options.invent:
            near = f" (near: {', '.join(missing.near)})" if missing.near else ""
            print(f"{what}: not in {missing.path}{near}")


def _text(row: Import) -> str:
    guard = f"  [{Where(row.where)!r}]" if row.where else ""
    return f"from {'.' * row.level}{row.module} import {row.name}{guard}"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--no-standard-library", action="store_true")
    parser.add_argument("--reasons", action="store_true")
    parser.add_argument("--cache", type=Path, help="keep facts below this folder, as under a git directory")
    parser.add_argument("--invent", action="store_true")
    parser.add_argument("--only-missing", action="store_true", help="ask as the check does, which parses less")
    parser.add_argument("--attributes", action="store_true", help="ask for dotted names read from modules instead")
    options = parser.parse_args()
    measured = Measured(options)
    started = time.perf_counter()
    store = FactStore(IndexDb(options.cache) if options.cache is not None else None)
    for folder in options.folders:
        external = frozenset[str]() if options.no_standard_library else sys.stdlib_module_names
        measured.look(folder, store, external)
    if options.reasons:
        for reason, count in measured.reasons.most_common(40):
            print(f"{count:6} {reason}")
    counts = measured.counts
    names = ("imports", "found", "unknown", "external", "missing", "unparsable")
    print(*(f"{name} {counts[name]}" for name in names), f"seconds {time.perf_counter() - started:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
