"""Whether a module that the change took out of the repository may still be importable: installed, built or fetched.

A top-level name that is not in the repository looks like an installed distribution. Here the files that would make it
one are read: requirements, project files, locks, what installs, and what builds or fetches code. Reads them only for a
name that the base surely had. A distribution that the change adds may be any module, because what it is called says
little of what it holds (``opencv-python`` is ``cv2``). Invariant: it errs towards *may come from elsewhere*, so that it
only ever silences.
"""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import module_stem
from roundzero.checkers._gitignore import GitIgnore
from roundzero.core.change import Side
from roundzero.core.facts import Where
from roundzero.core.regex import regex
from roundzero.core.resolution import AbsentModule, InRepository, Missing, Namespace
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._base import SymbolView
    from roundzero.core.facts import Import

_LINES: Final = regex(
    r"(?:^|/)(?:[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in|pip)"
    r"|(?:requirements|constraints)/[\w./-]+\.(?:txt|in|pip)"
    r"|[\w.-]*(?:environment|conda)[\w.-]*\.ya?ml|meta\.ya?ml|Pipfile\.lock|\.pre-commit-config\.yaml)$"
)
"""Files of which each line may name a distribution."""

_TOML: Final = regex(r"(?:^|/)(?:pyproject\.toml|Pipfile|(?:poetry|uv|pdm)\.lock|pylock[\w.-]*\.toml)$")
_BUILDS: Final = regex(
    r"(?:^|/)(?:BUILD(?:\.bazel)?|BUCK|CMakeLists\.txt|(?:GNU)?[Mm]akefile|meson\.build|SCons\w+|hatch_build\.py|build\.py"
    r"|[^/]+\.(?:bzl|cmake|mk))$"
)
"""Files that may make a module."""

_INSTALLS: Final = regex(
    r"(?:^|/)(?:[\w.-]*(?:Dockerfile|Containerfile)[\w.-]*|(?:GNU)?[Mm]akefile|Jenkinsfile|[Jj]ustfile|[\w.-]+\.(?:sh|bash|mk)"
    r"|\.github/[\w./-]+\.ya?ml|\.circleci/[\w./-]+\.ya?ml|\.?(?:gitlab-ci|travis|appveyor|azure-pipelines|readthedocs"
    r"|Taskfile|tox)\.(?:ya?ml|ini))$"
)
"""Files with commands that may install something."""

_COMMAND: Final = regex(r"\b(?:install|add|sync|clone|download)\b")
_DISTRIBUTION: Final = regex(r"[a-z][\w.-]*")

_NATIVE: Final = (
    r"(?:module)?\.(?:c|cc|cpp|cxx|cu|rs|go|f90|pyx|pxd|pyi|so|pyd|proto|[\w-]+\.so|py\.in|in|j2|jinja|tmpl)$"
)
_GENERATED: Final = regex(r"_(?:pb2|pb2_grpc|grpc|generated|version|build_info)$")
_DEPENDS: Final = regex(r"depend|require|package|source|extras|group", re.IGNORECASE)
_OWN_KEYS: Final = frozenset(
    {"name", "packages", "py_modules", "py-modules", "package_data", "package-data",
     "entry_points", "scripts", "description", "long_description", "url", "license", "keywords", "include", "exclude"}
)  # fmt: skip
"""What a project says of itself: its own package is not its dependency."""

_DEPENDING_OPTIONS: Final = frozenset(
    {"install_requires", "setup_requires", "tests_require", "requires", "deps", "package_dir"}
)
"""Options of ``setup.cfg`` and ``tox.ini`` that name distributions, or where a package lies."""

_OWN_SOURCES: Final = frozenset({"editable", "virtual", "directory", "path"})


class VanishedModules:
    """What cannot be imported since a change took modules away. ``modules`` are their files at the base."""

    def __init__(self, view: SymbolView, modules: Collection[RelPath]) -> None:
        """Read nothing yet."""
        self._view = view
        self._modules = frozenset(modules)
        self._elsewhere: dict[str, bool] = {}
        self._begun: dict[str, bool] = {}
        self._made: dict[RelPath, bool] = {}
        self._ignored = GitIgnore(view.repository)

    def lost(self, path: RelPath, rows: Iterable[Import]) -> dict[Import, Missing]:
        """The imports of a file whose module the base surely had, and which nothing at the head can provide."""
        if not self._modules:
            return {}
        answers = {row: self._lost(path, row) for row in rows if not _is_guarded(row)}
        return {row: answer for row, answer in answers.items() if answer is not None}

    def is_made(self, row: Import) -> bool:
        """Whether what an import names is of a file that went from the repository only, and is generated now."""
        names = {row.module.rpartition(".")[2], row.name}
        return any(self._is_made(path) for path in self._modules if module_stem(path) in names)

    def _is_made(self, path: RelPath) -> bool:
        if path not in self._made:
            generated = _GENERATED.search(module_stem(path)) is not None
            self._made[path] = generated or self._ignored.ignores(path)
        return self._made[path]

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
                if self._begins(f"{place}.") or self._begins(f"{place}/") or self._is_there(place):
                    return None
        first = module_stem(before.paths[0]) if row.level else row.module.partition(".")[0]
        if self._may_come_from_elsewhere(first) or self._is_spoken_of(path, row.module):
            return None
        return Missing(before.paths[0], row.name or row.module)

    def _is_spoken_of(self, path: RelPath, module: str) -> bool:
        """Whether the importing file names the module in a string: it asks for it, skips without it or stands in."""
        source = self._view.repository.read(path, Side.HEAD)
        quoted = rf"""["']{re.escape(module)}["'.]"""
        return source is not None and re.search(quoted, source.text) is not None

    def _is_there(self, place: str) -> bool:
        """Whether a path of the head is called so: a link or a submodule, of which nothing below is listed."""
        return any(path == place for path in self._view.repository.paths(Side.HEAD))

    def _begins(self, place: str) -> bool:
        """Whether some path of the head begins so."""
        if place not in self._begun:
            self._begun[place] = any(path.startswith(place) for path in self._view.repository.paths(Side.HEAD))
        return self._begun[place]

    def _may_come_from_elsewhere(self, name: str) -> bool:
        if name not in self._elsewhere:
            self._elsewhere[name] = may_come_from_elsewhere(self._view, name)
        return self._elsewhere[name]


def _is_guarded(row: Import) -> bool:
    """Whether an import depends on a condition, perhaps on the module being there."""
    return bool(row.where & Where.CONDITIONAL and not row.where & Where.TYPING)


def may_come_from_elsewhere(view: SymbolView, name: str) -> bool:
    """Whether anything at the head may provide the top-level module ``name``."""
    if _GENERATED.search(name):
        return True
    if _adds_a_distribution(view):
        return True
    spelt = _spelling(name)
    own = re.escape(name)
    native = re.compile(rf"(?:^|/){own}(?:{_NATIVE}|[\w.-]*\.(?:whl|egg|zip)$)")
    made = re.compile(rf"(?<![\w.-]){own}\.(?:py|pyx|so|pyd|c)\b")
    built = re.compile(rf"""(?:{made.pattern})|@[\w.~-]+//(?:[\w-]*__)?{own}\b|requirement\(["']{own}\b""")
    outside = re.compile(rf"(?:{made.pattern})|(?:^|[/ =]){own}/?[ \t\r]*$", re.MULTILINE)
    for path in view.repository.paths(Side.HEAD):
        if native.search(path):
            return True
        pattern = built if _BUILDS.search(path) else outside if path.endswith((".gitignore", ".gitmodules")) else None
        if pattern is not None and (text := _text(view, path)) is not None and pattern.search(text):
            return True
        if any(spelt.search(row) for row in _named(view, path)):
            return True
    ignored = GitIgnore(view.repository)
    return any(ignored.ignores(RelPath(path)) for path in (f"{name}.py", f"{name}/__init__.py"))


def _adds_a_distribution(view: SymbolView) -> bool:
    """Whether the change names a distribution that no file named before."""
    for file in view.change.files:
        if file.head is not None and (reads := _reader(file.path)) is not None:
            old = _distributions(reads, file.base.text if file.base is not None else "")
            if not _distributions(reads, file.head.text) <= old:
                return True
    return False


def _distributions(reads: Callable[[str], Iterable[str]], text: str) -> frozenset[str]:
    found = (_DISTRIBUTION.match(_plain(row)) for row in reads(text))
    return frozenset(row[0] for row in found if row is not None)


def _spelling(name: str) -> re.Pattern[str]:
    """How distributions that provide a module are called: like it, with a prefix, as part of a longer name."""
    own = re.escape(name.lower()).replace("_", "[-_.]")
    return re.compile(rf"^(?:python[-_.]?|py[-_.]?)?{own}s?\d*(?![a-z0-9])|[-_./]{own}(?![a-z0-9])")


def _text(view: SymbolView, path: RelPath) -> str | None:
    source = view.repository.read(path, Side.HEAD)
    return source.text if source is not None else None


def _named(view: SymbolView, path: RelPath) -> Iterator[str]:
    """What a file may name as a distribution, in small letters; nothing of other files."""
    reads = _reader(path)
    if reads is not None and (text := _text(view, path)) is not None:
        for row in reads(text):
            yield _plain(row)


def _reader(path: RelPath) -> Callable[[str], Iterable[str]] | None:
    """What reads the names of distributions in a file, if it may hold any."""
    own = _READERS.get(path.rpartition("/")[2])
    if own is not None or _TOML.search(path):
        return own or _toml
    if _LINES.search(path):
        return _lines
    return _commands if _INSTALLS.search(path) else None


def _plain(row: str) -> str:
    return row.strip(" \t\"',-[]").lower()


def _lines(text: str) -> Iterable[str]:
    for line in text.splitlines():
        yield from re.split(r"[\s\"',\[\]()]+", line.partition("#")[0])


def _commands(text: str) -> Iterable[str]:
    return _lines("\n".join(line for line in text.replace("\\\n", " ").split("\n") if _COMMAND.search(line)))


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
