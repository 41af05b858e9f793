"""include-without-dep: a Bazel target includes a header whose target is not among its direct dependencies.

It builds as long as some dependency happens to bring the header along. Looks at C++ targets that the change adds, once
for each, and at includes that it adds to the files of others. A header belongs to the targets that list it, by name or
by ``glob``, in ``hdrs``, ``textual_hdrs`` or ``srcs``; what macros and variables of other files add to ``deps`` is not
known. Invariant: the header is a file of this repository, and at least one target that can be named has it.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._cpp_text import C_FAMILY
from roundzero.checkers._python import dotted, within
from roundzero.checkers._starlark import build_file_of, is_build_file, own_names, parse_starlark, strings, targets
from roundzero.core.change import Side
from roundzero.core.few import few
from roundzero.core.finding import Hit
from roundzero.core.frozen import dataclass
from roundzero.core.item import glob_matches, language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._python import Parsed
    from roundzero.checkers._starlark import Target
    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import GrepHit, Repository

_INCLUDE: Final = regex(r"^[ \t]*#[ \t]*include[ \t]*\"(?P<path>[^\"\n]+)\"", re.MULTILINE)
_DEPS: Final = ("deps", "implementation_deps", "interface_deps")
_HEADERS: Final = ("hdrs", "textual_hdrs", "srcs")
MOST_SOURCES: Final = 20
"""Files of one target that are read."""
MOST_TARGETS: Final = 50
"""Targets of one change that are looked at."""
MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owned:
    """A target with its package, its BUILD file, and what it lists by name and by ``glob``."""

    package: str
    build: RelPath
    parsed: Parsed
    target: Target
    names: Mapping[str, frozenset[str]]
    globs: Mapping[str, tuple[_Glob, ...]]

    def lists(self, attributes: Iterable[str], inside: str) -> bool:
        """Whether one of some attributes has a file of the package."""
        return any(
            inside in self.names[name] or any(each.matches(inside) for each in self.globs[name]) for name in attributes
        )


class _Glob(NamedTuple):
    """The patterns of one ``glob``, and those it leaves out."""

    taken: tuple[str, ...]
    left_out: tuple[str, ...]

    def matches(self, inside: str) -> bool:
        """Whether a path below the package is one of its files."""
        return any(glob_matches(inside, each) for each in self.taken) and not any(
            glob_matches(inside, each) for each in self.left_out
        )


class IncludeWithoutDep(ChangeChecker):
    """Finds includes that only a dependency of a dependency serves."""

    name = "include-without-dep"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Compare the includes of targets with their dependencies."""
        builds = [file for file in change.files if is_build_file(file.path) and file.head is not None and file.added]
        including = [file for file in change.files if _adds_includes(file)]
        if not builds and not including:
            return
        known = _Packages(repository)
        done: set[tuple[str, str]] = set()
        for file in builds:
            for owned in known.targets_of(posixpath.dirname(file.path)):
                if owned.build == file.path and owned.parsed.start(owned.target.attributes["name"]).line in file.added:
                    done.add((owned.package, owned.target.name))
                    if len(done) <= MOST_TARGETS:
                        yield from _new(owned, known)
        for file in including:
            for owned in known.targets_listing(file.path, ("srcs", "hdrs"))[:1]:
                if (owned.package, owned.target.name) not in done:
                    yield from _added(file, owned, known)


def _adds_includes(file: FileChange) -> bool:
    return (
        file.head is not None
        and language_of(file.path) in C_FAMILY
        and any(_INCLUDE.match(line) is not None for line in file.added_lines)
    )


class _Packages:
    """The BUILD files of a repository, read when asked for."""

    def __init__(self, repository: Repository) -> None:
        self.here: Collection[RelPath] = repository.paths(Side.HEAD)
        self.own = own_names(repository, self.here)
        self._repository = repository
        self._targets: dict[str, list[_Owned]] = {}
        self._having: dict[RelPath, list[_Owned]] = {}
        self._sources: dict[str, list[RelPath]] = {}

    def read(self, path: RelPath) -> Source | None:
        """A file of the head."""
        return self._repository.read(path, Side.HEAD)

    def targets_of(self, folder: str) -> list[_Owned]:
        """The targets of the package that a folder is or belongs to."""
        build = build_file_of(folder, self.here)
        if build is None:
            return []
        package = posixpath.dirname(build)
        if package not in self._targets:
            parsed = parse_starlark(self.read(build))
            values = _assigned(parsed) if parsed is not None else {}
            self._targets[package] = (
                [_owned(package, build, parsed, each, values) for each in targets(parsed)] if parsed is not None else []
            )
        return self._targets[package]

    def targets_having(self, header: RelPath) -> list[_Owned]:
        """The targets that list a header."""
        if header not in self._having:
            self._having[header] = self.targets_listing(header, _HEADERS)
        return self._having[header]

    def targets_listing(self, path: RelPath, attributes: Collection[str]) -> list[_Owned]:
        """The targets that list a file in one of some attributes."""
        return [
            owned
            for owned in self.targets_of(posixpath.dirname(path))
            if owned.lists(attributes, _inside(path, owned.package))
        ]

    def sources(self, package: str) -> list[RelPath]:
        """The files of C and C++ below a package."""
        if package not in self._sources:
            prefix = f"{package}/" if package else ""
            self._sources[package] = sorted(
                path for path in self.here if path.startswith(prefix) and language_of(path) in C_FAMILY
            )
        return self._sources[package]


def _inside(path: RelPath, package: str) -> str:
    return path[len(package) + 1 :] if package else path


def _assigned(parsed: Parsed) -> dict[str, list[ast.expr]]:
    """What the names of a file stand for."""
    values: dict[str, list[ast.expr]] = defaultdict(list)
    for node in parsed.tree.body:
        for to in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(to, ast.Name) and isinstance(node, ast.Assign):
                values[to.id].append(node.value)
    return values


def _owned(
    package: str, build: RelPath, parsed: Parsed, target: Target, values: Mapping[str, list[ast.expr]]
) -> _Owned:
    names: dict[str, frozenset[str]] = {}
    globs: dict[str, tuple[_Glob, ...]] = {}
    for attribute in (*_HEADERS, *_DEPS):
        value = target.attributes.get(attribute)
        parts = [value] if value is not None else []
        named = [each.id for part in parts for each in (part, *_below(part)) if isinstance(each, ast.Name)]
        parts += [part for name in named for part in values.get(name, ())]
        calls = [each for part in parts for each in (part, *_below(part)) if _is_glob(each)]
        in_globs = {id(text) for call in calls for text in strings(call)}
        texts = [text for part in parts for text in strings(part) if id(text) not in in_globs]
        names[attribute] = frozenset(text.value.removeprefix(":") for text in texts)
        globs[attribute] = tuple(_glob(call) for call in calls if isinstance(call, ast.Call))
    return _Owned(package=package, build=build, parsed=parsed, target=target, names=names, globs=globs)


def _below(node: ast.AST) -> Iterable[ast.AST]:
    return within(node, into_scopes=True)


def _is_glob(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == "glob"


def _glob(call: ast.Call) -> _Glob:
    left_out = {
        id(text): text.value for keyword in call.keywords if keyword.arg == "exclude" for text in strings(keyword.value)
    }
    return _Glob(tuple(text.value for text in strings(call) if id(text) not in left_out), tuple(left_out.values()))


def _new(owned: _Owned, known: _Packages) -> Iterator[Hit]:
    """What a target lacks for all its files, on the attribute that lacks it."""
    wanted: dict[str, str] = {}
    own = [path for path in known.sources(owned.package) if owned.lists(("srcs", "hdrs"), _inside(path, owned.package))]
    for path in own[:MOST_SOURCES]:
        source = known.read(path)
        for header, _ in _includes(source, known) if source is not None else ():
            label = _lacking(owned, header, known)
            if label:
                wanted.setdefault(label, posixpath.basename(header))
    deps = owned.target.attributes.get("deps")
    node = deps if deps is not None else owned.target.attributes["name"]
    start = owned.parsed.start(node)
    span = Span(start, Position(start.line, start.column + 1)) if deps is not None else owned.parsed.span(node)
    if wanted:
        named = [f"{code(included)} ({label})" for label, included in wanted.items()]
        yield Hit(path=owned.build, span=span, subject=few(named, MOST_NAMED))


def _added(file: FileChange, owned: _Owned, known: _Packages) -> Iterator[Hit]:
    """The labels that a target lacks for the includes that a change adds to one of its files."""
    assert file.head is not None  # noqa: S101  only files with a head add includes
    for header, span in _includes(file.head, known):
        if span.start.line in file.added:
            label = _lacking(owned, header, known)
            if label:
                yield Hit(path=file.path, span=span, subject=f"{code(posixpath.basename(header))} ({label})")


def _includes(source: Source, known: _Packages) -> Iterator[tuple[RelPath, Span]]:
    """The headers of the repository that a text includes, and where it names them."""
    text = blanked(source)
    folder = posixpath.dirname(source.path)
    for match in _INCLUDE.finditer(source.text):
        if text[match.start() : match.start("path") - 1] != source.text[match.start() : match.start("path") - 1]:
            continue
        for path in (RelPath(match["path"]), RelPath(posixpath.normpath(posixpath.join(folder, match["path"])))):
            if path in known.here:
                yield path, source.index.span(match.start("path"), match.end("path"))
                break


def _lacking(owned: _Owned, header: RelPath, known: _Packages) -> str:
    """The first target that has a header, where a target has none of those among its dependencies, nor is one."""
    having = known.targets_having(header)
    if not having or any(each is owned for each in having):
        return ""
    offered = [each for each in having if not each.target.kind.rpartition(".")[2].endswith(("_test", "_binary"))]
    direct = {_absolute(label, owned.package, known.own) for name in _DEPS for label in owned.names[name]}
    labels = [f"//{each.package}:{each.target.name}" for each in offered]
    return labels[0] if labels and not direct & set(labels) else ""


def _absolute(label: str, package: str, own: Collection[str]) -> str:
    """A label in full."""
    if label.startswith("@"):
        name, _, rest = label.lstrip("@").partition("//")
        if name not in own:
            return label
        label = f"//{rest}"
    if not label.startswith("//"):
        return f"//{package}:{label}"
    folder, colon, target = label[2:].partition(":")
    return f"//{folder}:{target if colon else posixpath.basename(folder)}"


CHECKER: Final = IncludeWithoutDep
