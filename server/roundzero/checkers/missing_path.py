"""missing-path: an added line of a script, workflow or build file names a file of the repository that is not there.

What is built, downloaded or of another machine is missing by right. So a path is judged only if its file exists
elsewhere under the same name, or if it is surely read (``_read_paths``) from a folder that the repository has, and
nothing else names or ignores it. References to what this change removes are deleted-file-still-named's. Invariant: no
file of the repository ends in the path that is said to be missing.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._gitignore import GitIgnore
from roundzero.checkers._paths import folders_above
from roundzero.checkers._read_paths import read_paths
from roundzero.checkers._starlark import is_starlark
from roundzero.core.change import Side
from roundzero.core.finding import Edit, Fix, Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._read_paths import ReadPath
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
_ACTIONS: Final = ("action.yml", "action.yaml", "Dockerfile")
_PROSE: Final = (".md", ".rst", ".txt", ".adoc")
NEAR: Final = 0.8
NEARLY_SAME: Final = 0.9
"""How alike, of 1, what may be meant is: a name beside the missing one, and a path anywhere."""
MOST_PLACES: Final = 3
"""Most files of a name elsewhere: a commoner name says nothing."""


class MissingPath(ChangeChecker):
    """Finds paths that lead nowhere."""

    name = "missing-path"
    version = "3"

    def words(self, change: Change) -> Collection[str]:
        """The first folders of paths after a variable, and the names of files: what else names one may make it."""
        rows = [match for file in change.files for _, _, match in _candidates(file)]
        folders = {match.group("path").partition("/")[0] for match in rows if match.group("variable") is not None}
        return folders | {_name(read.written) for file in change.files for read in _read(file)}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at the paths on added lines."""
        candidates = [row for file in change.files for row in _candidates(file)]
        reads = [(file, read) for file in change.files for read in _read(file)]
        if not candidates and not reads:
            return
        here = repository.paths(Side.HEAD)
        before = repository.paths(Side.BASE)
        told: set[tuple[RelPath, int]] = set()
        for file, line, match in candidates:
            hits = list(_look(file, line, match, here, before)) or _behind_a_variable(file, line, match, here, found)
            for hit in hits:
                told.add((file.path, line))
                yield hit
        ignored = GitIgnore(repository)
        folders = {folder for path in (*here, *before) for folder in folders_above(path)}
        for file, read in reads:
            if _was_missing(file, read, before, folders):
                continue
            if (file.path, read.span.start.line) not in told and not any(map(ignored.ignores, read.places)):
                yield from _surely(file, read, here, before, folders, found)


def _read(file: FileChange) -> Iterator[ReadPath]:
    """What the added lines of a file surely read."""
    if file.head is not None and any("/" in text or "_path" in text for text in file.added_lines):
        for read in read_paths(file.head):
            if read.span.start.line in file.added:
                yield read


def _was_missing(file: FileChange, read: ReadPath, before: Collection[RelPath], folders: Collection[str]) -> bool:
    """Whether a line that went named the same path, which was not there either: it was written anew, no more."""
    if file.base is None or any(place in before or place in folders for place in read.places):
        return False
    return any(read.written in file.base.index.line(line) for line in file.removed)


def _name(written: str) -> str:
    return written.rstrip("/").rpartition("/")[2]


def _surely(
    file: FileChange,
    read: ReadPath,
    here: Collection[RelPath],
    before: Collection[RelPath],
    folders: Collection[str],
    found: Mapping[str, tuple[GrepHit, ...]],
) -> Iterator[Hit]:
    """A path that is read and is at none of the places where it may lie."""
    name = _name(read.written)
    mentions = [hit for hit in found.get(name, ()) if (hit.path, hit.line) != (file.path, read.span.start.line)]
    is_named = any(not hit.path.endswith(_PROSE) for hit in mentions) and not read.is_action
    if is_named or _may_be_there(read, here, before, folders):
        return
    places = sorted(path for path in here if path.rpartition("/")[2] == name and name not in _COMMON)
    others = places if 1 <= len(places) <= MOST_PLACES else _alike(file, read, here)
    is_ours = read.is_action or any(posixpath.dirname(place) in folders for place in read.places)
    if not others and not (read.sure and is_ours):
        return
    fixes: tuple[Fix, ...] = ()
    if len(others) == 1 and not read.is_action and (start := _start(read)) is not None:
        new = posixpath.relpath(others[0], start or ".")
        new = f"./{new}" if read.written.startswith("./") and not new.startswith(".") else new
        fixes = (Fix(f"Name {new}", safe=False, edits=(Edit(file.path, read.span, read.written, new),)),)
    shown = f"{code(read.written)} ({', '.join(others)})" if others else code(read.written)
    yield Hit(path=file.path, span=read.span, subject=shown, fixes=fixes)


def _may_be_there(
    read: ReadPath, here: Collection[RelPath], before: Collection[RelPath], folders: Collection[str]
) -> bool:
    """Whether the path exists or did at the base; where it is not sure from where it is meant, whether any ends so."""
    if read.is_action:
        return any(f"{place}/{action}" in here for place in read.places for action in _ACTIONS)
    if any(place in here or place in before or place in folders for place in read.places):
        return True
    ending = f"/{posixpath.normpath(read.written)}"
    return not read.sure and (
        _name(read.written) in _COMMON or any(f"/{path}".endswith(ending) for path in (*here, *before))
    )


def _alike(file: FileChange, read: ReadPath, here: Collection[RelPath]) -> list[RelPath]:
    """The path that is most like a missing one: beside it, or anywhere if it is nearly the same."""
    for place in read.places:
        folder = posixpath.dirname(place)
        beside = [_name(path) for path in here if posixpath.dirname(path) == folder and path != file.path]
        if found := difflib.get_close_matches(_name(place), beside, 1, NEAR):
            return [RelPath(posixpath.join(folder, found[0]))]
        if found := difflib.get_close_matches(place, here, 1, NEARLY_SAME):
            return [RelPath(found[0])]
    return []


def _start(read: ReadPath) -> str | None:
    """The folder that a path is written from; None where there are several."""
    written = posixpath.normpath(read.written)
    if len(read.places) > 1:
        return None
    place = read.places[0]
    return place.removesuffix(written).rstrip("/") if f"/{place}".endswith(f"/{written}") else None


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
    first = f"{plain.partition('/')[0]}/"
    new = _spelt_like(
        written,
        plain,
        file.path,
        places[0],
        has_variable=match.group("variable") is not None,
        is_from_root=any(path.startswith(first) for path in here),
    )
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


def _spelt_like(
    written: str, plain: str, naming: RelPath, place: RelPath, *, has_variable: bool, is_from_root: bool
) -> str | None:
    """The existing path written the way the missing one is; None where its starting point is not plain."""
    if has_variable or written == plain:
        return place
    if written == f"./{plain}" and (is_from_root or "/" not in naming):
        return f"./{place}"
    if written.startswith("."):
        return posixpath.relpath(place, posixpath.dirname(naming) or ".")
    return None


CHECKER: Final = MissingPath
