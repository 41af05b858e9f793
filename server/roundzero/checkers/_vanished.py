"""Whether a module that the change took out of the repository may still be importable: installed, built or fetched.

A top-level name that is not in the repository looks like an installed distribution. Here the files that would make it
one are read: requirements, project files, locks, and what builds or fetches code. Reads them only for a name that the
base surely had. Invariant: it errs towards *may come from elsewhere*, so that it only ever silences.
"""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import module_stem
from roundzero.core.change import Side
from roundzero.core.resolution import AbsentModule, InRepository, Missing, Namespace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._base import SymbolView
    from roundzero.core.facts import Import
    from roundzero.core.text import RelPath

_LINES: Final = re.compile(
    r"(?:^|/)(?:[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in|pip)"
    r"|(?:requirements|constraints)/[\w./-]+\.(?:txt|in|pip)"
    r"|[\w.-]*(?:environment|conda)[\w.-]*\.ya?ml|meta\.ya?ml|Pipfile\.lock|\.pre-commit-config\.yaml)$"
)
"""Files of which each line may name a distribution."""

_TOML: Final = re.compile(r"(?:^|/)(?:pyproject\.toml|Pipfile|(?:poetry|uv|pdm)\.lock|pylock[\w.-]*\.toml)$")
_BUILDS: Final = re.compile(
    r"(?:^|/)(?:BUILD(?:\.bazel)?|BUCK|CMakeLists\.txt|(?:GNU)?[Mm]akefile|meson\.build|SCons\w+|hatch_build\.py|build\.py"
    r"|[^/]+\.(?:bzl|cmake|mk))$"
)
"""Files that may make a module."""

_NATIVE: Final = (
    r"(?:module)?\.(?:c|cc|cpp|cxx|cu|rs|go|f90|pyx|pxd|pyi|so|pyd|proto|[\w-]+\.so|py\.in|in|j2|jinja|tmpl)$"
)
_GENERATED: Final = re.compile(r"_(?:pb2|pb2_grpc|grpc|generated|version|build_info)$")
_DEPENDS: Final = re.compile(r"depend|require|package|source|extras|group", re.IGNORECASE)
_OWN_KEYS: Final = frozenset(
    {"name", "packages", "py_modules", "py-modules", "package_dir", "package-dir", "package_data", "package-data",
     "entry_points", "scripts", "description", "long_description", "url", "license", "keywords", "include", "exclude"}
)  # fmt: skip
"""What a project says of itself: its own package is not its dependency."""

_DEPENDING_OPTIONS: Final = frozenset({"install_requires", "setup_requires", "tests_require", "requires", "deps"})
"""Options of ``setup.cfg`` and ``tox.ini`` that name distributions."""

_OWN_SOURCES: Final = frozenset({"editable", "virtual", "directory", "path"})


class VanishedModules:
    """What cannot be imported since a change took modules away. ``modules`` are their files at the base."""

    def __init__(self, view: SymbolView, modules: Collection[RelPath]) -> None:
        """Read nothing yet."""
        self._view = view
        self._modules = frozenset(modules)
        self._elsewhere: dict[str, bool] = {}
        self._begun: dict[str, bool] = {}

    def lost(self, path: RelPath, rows: Iterable[Import]) -> dict[Import, Missing]:
        """The imports of a file whose module the base surely had, and which nothing at the head can provide."""
        if not self._modules:
            return {}
        answers = {row: self._lost(path, row) for row in rows}
        return {row: answer for row, answer in answers.items() if answer is not None}

    def _lost(self, path: RelPath, row: Import) -> Missing | None:
        file = self._view.change.file(path)
        importer = file.base.path if file is not None and file.base is not None else path
        before = self._view.symbols.module(importer, row.module, row.level, Side.BASE)
        if not isinstance(before, InRepository) or not before.sure or not self._modules >= set(before.paths):
            return None
        after = self._view.symbols.module(path, row.module, row.level, Side.HEAD)
        place = before.paths[0].removesuffix("/__init__.py").removesuffix(".py")
        match after:
            case InRepository() | AbsentModule():
                return None
            case Namespace(folders):
                if not row.name or any(self._begins(f"{folder}/{row.name}".lstrip("/")) for folder in folders):
                    return None
            case _:
                if self._begins(f"{place}.") or self._begins(f"{place}/"):
                    return None
        first = module_stem(before.paths[0]) if row.level else row.module.partition(".")[0]
        if self._may_come_from_elsewhere(first):
            return None
        return Missing(before.paths[0], row.name or row.module)

    def _begins(self, place: str) -> bool:
        """Whether some path of the head begins so."""
        if place not in self._begun:
            self._begun[place] = any(path.startswith(place) for path in self._view.repository.paths(Side.HEAD))
        return self._begun[place]

    def _may_come_from_elsewhere(self, name: str) -> bool:
        if name not in self._elsewhere:
            self._elsewhere[name] = may_come_from_elsewhere(self._view, name)
        return self._elsewhere[name]


def may_come_from_elsewhere(view: SymbolView, name: str) -> bool:
    """Whether anything at the head may provide the top-level module ``name``."""
    if _GENERATED.search(name):
        return True
    spelt = _spelling(name)
    own = re.escape(name)
    native = re.compile(rf"(?:^|/){own}{_NATIVE}")
    made = re.compile(rf"(?<![\w.-]){own}\.(?:py|pyx|so|pyd|c)\b")
    outside = re.compile(rf"(?:{made.pattern})|(?:^|[/ =]){own}/?[ \t]*$", re.MULTILINE)
    for path in view.repository.paths(Side.HEAD):
        if native.search(path):
            return True
        pattern = made if _BUILDS.search(path) else outside if path.endswith((".gitignore", ".gitmodules")) else None
        if pattern is not None:
            if (text := _text(view, path)) is not None and pattern.search(text):
                return True
        elif any(spelt.search(row) for row in _named(view, path)):
            return True
    return False


def _spelling(name: str) -> re.Pattern[str]:
    """How distributions that provide a module are called: like it, with a prefix, as part of a longer name."""
    own = re.escape(name.lower()).replace("_", "[-_.]")
    return re.compile(rf"^(?:python[-_.]?|py[-_.]?)?{own}s?\d*(?![a-z0-9])|[-_./]{own}(?![a-z0-9])")


def _text(view: SymbolView, path: RelPath) -> str | None:
    source = view.repository.read(path, Side.HEAD)
    return source.text if source is not None else None


def _named(view: SymbolView, path: RelPath) -> Iterator[str]:
    """What a file may name as a distribution, in small letters; nothing of other files."""
    reads = _READERS.get(path.rpartition("/")[2])
    if reads is None:
        reads = _toml if _TOML.search(path) else _lines if _LINES.search(path) else None
    if reads is None or (text := _text(view, path)) is None:
        return
    for row in reads(text):
        yield row.strip(" \t\"',-[]").lower()


def _lines(text: str) -> Iterable[str]:
    for line in text.splitlines():
        yield from re.split(r"[\s\"',\[\]()]+", line.partition("#")[0])


def _toml(text: str) -> Iterable[str]:
    try:
        document: object = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return _lines(text)
    return _strings(document, depends=False)


def _strings(value: object, *, depends: bool) -> Iterator[str]:
    """The keys and strings below what speaks of dependencies, without what the project says of itself."""
    if isinstance(value, dict):
        source = value.get("source")
        if isinstance(source, dict) and _OWN_SOURCES & source.keys():
            return
        for key, inner in value.items():
            if depends and not (isinstance(inner, list) and any(isinstance(row, str) for row in inner)):
                yield key  # the key of a list of names is that of a group
            if depends and key == "name" and isinstance(inner, str):
                yield inner
            elif key not in _OWN_KEYS:
                yield from _strings(inner, depends=depends or _DEPENDS.search(key) is not None)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, depends=depends)
    elif isinstance(value, str) and depends:
        yield value


def _options(text: str) -> Iterable[str]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, delimiters=("=",))
    try:
        parser.read_string(text)
    except configparser.Error:
        return _lines(text)
    return [
        row
        for section in parser.sections()
        for key, value in parser.items(section)
        if key in _DEPENDING_OPTIONS or "extras_require" in section
        for row in (value or "").splitlines()
    ]


def _setup_calls(text: str) -> Iterable[str]:
    """Every string of a ``setup.py`` but what the project says of itself."""
    tree = _parsed(text)
    if tree is None:
        return _lines(text)
    own = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg in _OWN_KEYS
        for inner in ast.walk(node.value)
    }
    return [row for node in ast.walk(tree) if id(node) not in own for row in _text_lines(node)]


def _installing_calls(text: str) -> Iterable[str]:
    """The strings that a ``noxfile.py`` gives to ``session.install``."""
    tree = _parsed(text)
    if tree is None:
        return _lines(text)
    return [
        row
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("install")
        for inner in ast.walk(node)
        for row in _text_lines(inner)
    ]


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _text_lines(node: ast.AST) -> list[str]:
    return node.value.splitlines() if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


_READERS: Final[Mapping[str, Callable[[str], Iterable[str]]]] = MappingProxyType(
    {"setup.py": _setup_calls, "noxfile.py": _installing_calls, "setup.cfg": _options, "tox.ini": _options}
)
