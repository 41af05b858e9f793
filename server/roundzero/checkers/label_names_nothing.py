"""label-names-nothing: an added line of a BUILD file names a file or a target that is not there.

A label in ``srcs``, ``hdrs``, ``data``, ``deps`` and the like resolves to a file of its package or to a target of its
BUILD file; where neither speaks of that name at all, Bazel refuses to load or to build. Other repositories, packages
whose BUILD file computes its targets, and names that only a rule can know are left alone. Invariant: the package's
BUILD file does not contain the name outside of the lists that ask for it.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections import defaultdict
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._paths import folders_above
from roundzero.checkers._starlark import BUILD_NAMES, is_build_file, own_names, parse_starlark, strings, targets
from roundzero.core.change import Side
from roundzero.core.finding import Edit, Fix, Hit
from roundzero.core.regex import regex
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._python import Parsed
    from roundzero.checkers._starlark import Text
    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository

_ASKS: Final = frozenset(
    {
        "srcs",
        "hdrs",
        "data",
        "deps",
        "implementation_deps",
        "runtime_deps",
        "exports",
        "textual_hdrs",
        "main",
        "src",
        "tests",
    }
)
_FILE: Final = regex(r"^[\w][\w./+-]*\.(?:py|cc|cpp|cxx|cu|cuh|c|h|hh|hpp|java|go|proto|sh|txt|json|yaml|bzl|patch)$")
_LABEL: Final = regex(r"^(?:@@?(?P<repository>[\w.~-]*))?//(?P<package>[\w./+-]*)(?::(?P<target>[\w./+=-]+))?$")
MOST_PLACES: Final = 3
UNKNOWN: Final = "*"
"""Stands for a BUILD file that cannot be read."""


class LabelNamesNothing(ChangeChecker):
    """Finds labels that lead nowhere."""

    name = "label-names-nothing"
    version = "2"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Resolve the labels on added lines."""
        builds = [file for file in change.files if is_build_file(file.path) and file.head is not None and file.added]
        if not builds:
            return
        here = repository.paths(Side.HEAD)
        known = _Packages(repository, here)
        for file in builds:
            parsed = parse_starlark(file.head)
            if parsed is not None:
                yield from _labels(file, parsed, known, here)


class _Packages:
    """The BUILD files by folder, read when asked for."""

    def __init__(self, repository: Repository, here: Collection[RelPath]) -> None:
        self._repository = repository
        self._here = here
        self.own = own_names(repository, here)
        self._texts: dict[str, str | None] = {}
        self.folders = frozenset(folder for path in here for folder in folders_above(path) if folder)

    @cached_property
    def by_name(self) -> Mapping[str, list[RelPath]]:
        """The files by their names, sorted."""
        found: dict[str, list[RelPath]] = defaultdict(list)
        for path in sorted(self._here):
            found[posixpath.basename(path)].append(path)
        return found

    def text(self, folder: str) -> str | None:
        """A BUILD file without the lists that ask for something; None where the folder is no package."""
        if folder not in self._texts:
            self._texts[folder] = self._read(folder)
        return self._texts[folder]

    def _read(self, folder: str) -> str | None:
        for name in BUILD_NAMES:
            path = RelPath(posixpath.join(folder, name))
            if path in self._here:
                source = self._repository.read(path, Side.HEAD)
                parsed = parse_starlark(source)
                if source is None or parsed is None:
                    return UNKNOWN
                return _without_lists(parsed)
        return None


def _without_lists(parsed: Parsed) -> str:
    text = parsed.source.text
    pieces: list[str] = []
    at = 0
    index = parsed.source.index
    for span in sorted(parsed.span(value) for value in _asking(parsed)):
        start, end = index.offset(span.start), index.offset(span.end)
        if start >= at:
            pieces.append(text[at:start])
            at = end
    return "".join((*pieces, text[at:]))


def _asking(parsed: Parsed) -> Iterator[ast.expr]:
    for target in targets(parsed):
        for name, value in target.attributes.items():
            if name in _ASKS:
                yield value


def _labels(file: FileChange, parsed: Parsed, known: _Packages, here: Collection[RelPath]) -> Iterator[Hit]:
    package = posixpath.dirname(file.path)
    inherited = {id(node) for target in targets(parsed) for node in _computed(target.node)}
    for value in _asking(parsed):
        for node in strings(value):
            line = parsed.start(node).line
            if line not in file.added or id(node) in inherited:
                continue
            missing = _missing(node.value, package, known, here)
            if missing is not None:
                yield _hit(file, parsed, node, missing, known)


def _computed(call: ast.Call) -> Iterator[ast.Constant]:
    """Strings below calls other than ``select``, and below operators that make other strings of them."""
    for node in ast.walk(call):
        inner: list[ast.AST] = []
        if isinstance(node, ast.Call) and node is not call:
            if not (isinstance(node.func, ast.Name) and node.func.id == "select"):
                inner = [*node.args, *node.keywords]
        elif isinstance(node, (ast.BinOp, ast.ListComp, ast.JoinedStr, ast.DictComp)):
            is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
            inner = [] if is_sum and not _joins_text(node) else [node]
        for each in inner:
            yield from (leaf for leaf in ast.walk(each) if isinstance(leaf, ast.Constant))


def _joins_text(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and any(
        isinstance(side, ast.Constant) or (isinstance(side, ast.BinOp) and _joins_text(side))
        for side in (node.left, node.right)
    )


def _missing(label: str, package: str, known: _Packages, here: Collection[RelPath]) -> str | None:
    """The path or label that does not exist; None where it does, or cannot be known."""
    match = _LABEL.match(label)
    if match is not None:
        if (match["repository"] or "") not in known.own:
            return None
        folder = match["package"]
        target = match["target"] or posixpath.basename(folder)
    elif re.fullmatch(r":[\w./+=-]+", label) or _FILE.match(label):
        folder, target = package, label.removeprefix(":")
    else:
        return None
    path = posixpath.join(folder, target)
    if path in here or path in known.folders:
        return None
    text = known.text(folder)
    if text is None:
        return f"//{folder}" if match is not None and folder and not _is_outside(folder, known) else None
    return None if _may_make(text, posixpath.basename(target)) else f"//{folder}:{target}"


def _may_make(text: str, name: str) -> bool:
    """Whether a BUILD file makes the target or the file, or may make it."""
    stem = name.rpartition(".")[0]
    if name in text or _speaks_of(text, stem):
        return True
    return text == UNKNOWN or _computes(text)


def _speaks_of(text: str, stem: str) -> bool:
    if stem.isidentifier():
        return stem in _words(text)
    return stem != "" and re.search(rf"(?<!\w){re.escape(stem)}(?!\w)", text) is not None


@lru_cache(maxsize=8)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


def _is_outside(folder: str, known: _Packages) -> bool:
    """Whether not even the first folder is there: perhaps a repository that is laid over this one."""
    return folder.partition("/")[0] not in known.folders


@lru_cache(maxsize=8)
def _computes(text: str) -> bool:
    """Whether a BUILD file makes targets whose names are not written in it."""
    return (
        re.search(r"\bfor\b[^\n]*\bin\b|^\w+\(\s*\)|^[a-z_]\w*\((?:(?!name\s*=)[^()])*\)\s*$", text, re.MULTILINE)
        is not None
    )


def _hit(file: FileChange, parsed: Parsed, node: Text, missing: str, known: _Packages) -> Hit:
    span = parsed.span(node)
    inner = Span(Position(span.start.line, span.start.column + 1), Position(span.end.line, max(span.end.column - 1, 1)))
    name = posixpath.basename(node.value.rpartition(":")[2])
    places = known.by_name.get(name, [])
    fixes: tuple[Fix, ...] = ()
    package = posixpath.dirname(file.path)
    is_plain = parsed.source.index.slice(inner) == node.value  # neither a prefix nor three quotes
    if is_plain and len(places) == 1 and posixpath.dirname(places[0]).startswith(package) and "/" not in node.value:
        new = posixpath.relpath(places[0], package or ".")
        fixes = (Fix(f"Name {new}", safe=False, edits=(Edit(file.path, inner, node.value, new),)),)
    more = f" ({', '.join(places)})" if 1 <= len(places) <= MOST_PLACES and "." in name else f" ({missing})"
    return Hit(path=file.path, span=inner, subject=f"{code(node.value)}{more}", fixes=fixes)


CHECKER: Final = LabelNamesNothing
