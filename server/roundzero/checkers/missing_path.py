"""missing-path: an added line of a script, workflow or build file names a file of the repository that is not there.

Only a path whose file exists elsewhere under the same name is judged: what is built, downloaded or of another machine
has no counterpart here. References to what this change removes are deleted-file-still-named's. Invariant: no file of
the repository ends in the path that is said to be missing.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._starlark import is_starlark
from roundzero.core.change import Side
from roundzero.core.finding import Edit, Fix, Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository

_NAMES: Final = frozenset(
    {"BUILD", "BUILD.bazel", "conf.py", "tox.ini", "noxfile.py", "justfile", "Justfile", "package.json"}
)
_RUNS: Final = regex(r"(?:^|[\s\"&;|])(?:node|tsx|ts-node|bun|deno run|sh|bash|python3?)(?:\s+-\S+)*\s+$")
"""What stands before a path in ``package.json`` that is run; its other paths may be built."""
_LANGUAGES: Final = frozenset({"bash", "yaml", "starlark", "make", "dockerfile"})
_PATH: Final = regex(
    r"(?<![\w./:@~$%{}*?<>=+-])(?P<variable>(?:\"?\$\{?\w+\}?\"?|\$\(\w+\))/)?(?P<path>(?:\.{1,2}/)*(?:[\w.-]+/)+[\w-][\w.-]*\.\w{1,5})"
    r"(?![\w./*?{}$<>:@-])"
)
_ENDINGS: Final = frozenset(
    {"py", "sh", "bash", "txt", "in", "toml", "cfg", "ini", "yml", "yaml", "json", "md", "rst", "bzl", "cmake", "mk",
     "c", "cc", "cpp", "cu", "h", "hpp", "js", "mjs", "cjs", "ts", "rs", "go", "java", "proto", "sql", "patch"}
)  # fmt: skip
_MAKES: Final = regex(
    r">\s*$|>>\s*$|\btee\b|\s-o\s|--out|--output|\btouch\b|\bmkdir\b|\brm\b|\bcurl\b|\bwget\b|\bcp\b|\bmv\b|\bln\b|\bdest\b"
    r"|\bartifact|\bcache|://|\buses:|\bgit clone\b|\bignore|\bexclude|\bif \[|\[ -[ef]|\btest -[ef]|\bexists\b",
    re.IGNORECASE,
)
_COMMON: Final = frozenset(
    {"__init__.py", "README.md", "setup.py", "conftest.py", "main.py", "config.yaml", "config.yml", "config.json",
     "requirements.txt", "package.json", "index.md", "index.rst", "utils.py", "Makefile", "settings.json"}
)  # fmt: skip
MOST_PLACES: Final = 3
"""Most files of a name elsewhere: a commoner name says nothing."""


class MissingPath(ChangeChecker):
    """Finds paths that lead nowhere."""

    name = "missing-path"

    def words(self, change: Change) -> Collection[str]:
        """The first folders of paths after a variable: one that is named elsewhere may be another checkout."""
        rows = [match for file in change.files for _, _, match in _candidates(file)]
        return {match.group("path").partition("/")[0] for match in rows if match.group("variable") is not None}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at the paths on added lines."""
        candidates = [row for file in change.files for row in _candidates(file)]
        if not candidates:
            return
        here = repository.paths(Side.HEAD)
        before = repository.paths(Side.BASE)
        for file, line, match in candidates:
            hits = list(_look(file, line, match, here, before))
            yield from hits or _behind_a_variable(file, line, match, here, found)


def _candidates(file: FileChange) -> Iterator[tuple[FileChange, int, re.Match[str]]]:
    head = file.head
    if head is None or not _is_looked_at(file.path):
        return
    for line in sorted(file.added):
        text = head.index.line(line)
        for match in _PATH.finditer(text):
            before = text[: match.start()]
            if "#" in before or _MAKES.search(before[-60:]) or match.group("path").rpartition(".")[2] not in _ENDINGS:
                continue
            if file.path.endswith("package.json") and not _RUNS.search(before):
                continue
            yield file, line, match


def _is_looked_at(path: RelPath) -> bool:
    return path.rpartition("/")[2] in _NAMES or language_of(path) in _LANGUAGES or is_starlark(path)


def _look(
    file: FileChange, line: int, match: re.Match[str], here: Collection[RelPath], before: Collection[RelPath]
) -> Iterator[Hit]:
    written = match.group("path")
    plain = posixpath.normpath(written)
    while plain.startswith("../"):
        plain = plain[3:]
    name = plain.rpartition("/")[2]
    if name in _COMMON or "/" not in plain:
        return
    ending = f"/{plain}"
    if any(f"/{path}".endswith(ending) for path in here) or any(f"/{path}".endswith(ending) for path in before):
        return
    places = sorted(path for path in here if path.rpartition("/")[2] == name)
    if not 1 <= len(places) <= MOST_PLACES or not _is_near(plain, file.path, here):
        return
    span = Span(Position(line, match.start("path") + 1), Position(line, match.end("path") + 1))
    fixes: tuple[Fix, ...] = ()
    new = _spelt_like(written, plain, file.path, places[0], has_variable=match.group("variable") is not None)
    if len(places) == 1 and new is not None:
        fixes = (Fix(f"Name {new}", safe=False, edits=(Edit(file.path, span, written, new),)),)
    yield Hit(path=file.path, span=span, subject=f"{code(written)} ({', '.join(places)})", fixes=fixes)


def _behind_a_variable(
    file: FileChange,
    line: int,
    match: re.Match[str],
    here: Collection[RelPath],
    found: Mapping[str, tuple[GrepHit, ...]],
) -> Iterator[Hit]:
    """``${VAR}/extra/path/of/file``, where the path after the first folder is one of the repository's own."""
    written = match.group("path")
    first, _, rest = written.partition("/")
    if match.group("variable") is None or "/" not in rest or first.startswith(".") or RelPath(rest) not in here:
        return
    if any(path.startswith(f"{first}/") or f"/{first}/" in path for path in here):
        return
    if any(f"{written}" not in place.text for place in found.get(first, ())):
        return
    span = Span(Position(line, match.start("path") + 1), Position(line, match.end("path") + 1))
    fix = Fix(f"Name {rest}", safe=False, edits=(Edit(file.path, span, written, rest),))
    yield Hit(path=file.path, span=span, subject=f"{code(written)} ({rest})", fixes=(fix,))


def _is_near(plain: str, naming: RelPath, here: Collection[RelPath]) -> bool:
    """Whether the path begins with a folder of the repository: at the root, or beside the naming file."""
    first = plain.partition("/")[0]
    roots = {"", posixpath.dirname(naming)}
    return any(any(path.startswith(f"{posixpath.join(root, first)}/") for path in here) for root in roots)


def _spelt_like(written: str, plain: str, naming: RelPath, place: RelPath, *, has_variable: bool) -> str | None:
    """The existing path written the way the missing one is; None where its starting point is not plain."""
    if has_variable or written == plain:
        return place
    if written.startswith("./") and "/" not in naming:
        return f"./{place}"
    if written.startswith("."):
        return posixpath.relpath(place, posixpath.dirname(naming) or ".")
    return None


CHECKER: Final = MissingPath
