"""Distributions that Bazel files ask a hub for (``requirement("name")``) and that the hub's lock does not have.

A hub is what ``pip_parse`` or ``pip.parse`` makes of a lock. A macro that passes a list of names on to several hubs
asks each of them for every name, save those that it tells apart. Evaluates nothing else. Invariant: a name that is
computed is asked for by nobody.
"""

from __future__ import annotations

import ast
import posixpath
from typing import TYPE_CHECKING, Final

from roundzero.checkers._drift import Drift, Place
from roundzero.checkers._python import dotted, within
from roundzero.checkers._starlark import parse_starlark, strings
from roundzero.core.frozen import dataclass
from roundzero.core.requirements import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.checkers._dependency_files import DependencyFiles
    from roundzero.checkers._python import Parsed
    from roundzero.core.text import RelPath, Span

DECLARES: Final = "requirements_lock"
LOADS: Final = "requirements.bzl"
_MAKES_A_HUB: Final = frozenset({"pip_parse", "pip_install", "pip_repository", "parse"})


@dataclass(frozen=True, slots=True)
class Macro:
    """A function that passes the names it is given on to hubs; ``apart`` are names that it treats in another way.

    ``hubs`` says where it does so for each.
    """

    path: RelPath
    name: str
    hubs: Mapping[str, Span]
    apart: frozenset[str]


class Hubs:
    """The hubs of one side, and who asks them."""

    def __init__(self, files: DependencyFiles, declaring: Iterable[RelPath], loading: Iterable[RelPath]) -> None:
        """Read the files that declare hubs and those that load from them."""
        self._files = files
        self._locks = dict(self._declared(declaring)) if declaring else {}
        self._loading = {path: parsed for path in loading if (parsed := parse_starlark(files.source(path))) is not None}
        self.macros = [macro for path, parsed in self._loading.items() for macro in self._macros(path, parsed)]

    def drifts(self, calling: Iterable[RelPath]) -> Iterator[Drift]:
        """The names that a lock lacks; ``calling`` are the files that may call the macros."""
        for path, parsed in self._loading.items():
            aliases = _aliases(parsed)
            for call in _calls(parsed):
                hub = aliases.get(call.func.id) if isinstance(call.func, ast.Name) else None
                if hub is not None and len(call.args) == 1 and isinstance(call.args[0], ast.Constant):
                    yield from self._missing(Place(path, parsed.span(call.args[0])), call.args[0].value, {hub: None})
        for path in calling:
            source = self._files.source(path)
            wanted = [macro for macro in self.macros if source is not None and f"{macro.name}(" in source.text]
            parsed_caller = parse_starlark(source) if wanted else None
            if parsed_caller is not None:
                for macro in wanted:
                    yield from self._asked_through(path, parsed_caller, macro)

    def _asked_through(self, path: RelPath, parsed: Parsed, macro: Macro) -> Iterator[Drift]:
        names = _loaded(parsed, posixpath.basename(macro.path), macro.name)
        for call in _calls(parsed):
            if isinstance(call.func, ast.Name) and call.func.id in names and call.args:
                listed = call.args[0]
                if isinstance(listed, (ast.List, ast.Tuple)):
                    for node in listed.elts:
                        if isinstance(node, ast.Constant) and canonical(str(node.value)) not in macro.apart:
                            through = {hub: Place(macro.path, span) for hub, span in macro.hubs.items()}
                            yield from self._missing(Place(path, parsed.span(node)), node.value, through)

    def _missing(self, place: Place, asked: object, hubs: Mapping[str, Place | None]) -> Iterator[Drift]:
        for hub, through in sorted(hubs.items(), key=lambda each: each[0]):
            lock = self._locks.get(hub)
            read = self._files.read(lock) if lock is not None else None
            if lock is None or read is None or not read.is_lock or not isinstance(asked, str):
                continue
            if not any(row.name == canonical(asked) for row in read.rows):
                yield Drift(
                    key=("hub", lock, place.path, canonical(asked)), name=asked, mine=f"@{hub}",
                    theirs=f"{posixpath.basename(lock)}: -",
                    places=(place, *((through,) if through is not None else ()), Place(lock, None)),
                )  # fmt: skip

    def _macros(self, path: RelPath, parsed: Parsed) -> Iterator[Macro]:
        aliases = _aliases(parsed)
        lists: dict[str, frozenset[str] | None] = {**dict(self._loaded_lists(parsed)), **_lists(parsed)}
        for function in parsed.tree.body:
            if not isinstance(function, ast.FunctionDef):
                continue
            hubs = _passed_on(parsed, function, aliases)
            told_apart = [lists[name] for name in _read_by(function) if name in lists]
            if hubs and None not in told_apart:
                apart = frozenset(name for names in told_apart for name in names or ())
                yield Macro(path, function.name, hubs, apart)

    def _loaded_lists(self, parsed: Parsed) -> Iterator[tuple[str, frozenset[str] | None]]:
        """What a file loads from others: the names in a list, None for what cannot be read."""
        for label, names in _loads(parsed):
            file = posixpath.basename(label.rpartition(":")[2])
            places = [path for path in self._files.paths if posixpath.basename(path) == file]
            other = parse_starlark(self._files.source(places[0])) if len(places) == 1 else None
            lists = _lists(other) if other is not None else {}
            for here, there in names.items():
                yield here, lists.get(there)

    def _declared(self, declaring: Iterable[RelPath]) -> Iterator[tuple[str, RelPath]]:
        known = self._files.all()
        for path in declaring:
            parsed = parse_starlark(self._files.source(path))
            for call in _calls(parsed) if parsed is not None else ():
                if dotted(call.func).rpartition(".")[2] not in _MAKES_A_HUB:
                    continue
                texts = {each.arg: each.value.value for each in call.keywords if isinstance(each.value, ast.Constant)}
                hub, label = texts.get("hub_name") or texts.get("name"), texts.get(DECLARES)
                if isinstance(hub, str) and isinstance(label, str):
                    name = posixpath.basename(label.rpartition(":")[2])
                    places = [each for each in known if posixpath.basename(each) == name]
                    if len(places) == 1:
                        yield hub, places[0]


def _calls(parsed: Parsed) -> Iterator[ast.Call]:
    for node in within(parsed.tree, into_scopes=True):
        if isinstance(node, ast.Call):
            yield node


def _loads(parsed: Parsed) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Every ``load``: its label, and what the names are called here and there."""
    for call in _calls(parsed):
        if isinstance(call.func, ast.Name) and call.func.id == "load" and call.args:
            texts = [node.value for node in strings(call)]
            aliases = {each.arg: each.value.value for each in call.keywords
                       if each.arg is not None and isinstance(each.value, ast.Constant)}  # fmt: skip
            plain = {name: name for name in texts[1:] if name not in aliases.values()}
            yield texts[0] if texts else "", {**plain, **{here: str(there) for here, there in aliases.items()}}


def _aliases(parsed: Parsed) -> dict[str, str]:
    """What ``requirement`` of each hub is called in a file."""
    return {
        here: label.lstrip("@").partition("//")[0]
        for label, names in _loads(parsed)
        if label.startswith("@") and label.endswith(f":{LOADS}")
        for here, there in names.items()
        if there == "requirement"
    }


def _loaded(parsed: Parsed, file: str, name: str) -> set[str]:
    """What a function of a module is called in a file that loads it."""
    return {
        here
        for label, names in _loads(parsed)
        if posixpath.basename(label.rpartition(":")[2]) == file
        for here, there in names.items()
        if there == name
    }


def _lists(parsed: Parsed) -> dict[str, frozenset[str]]:
    """The names in the lists that a file assigns at its top."""
    return {
        target.id: frozenset(canonical(node.value) for node in strings(each.value))
        for each in parsed.tree.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }


def _read_by(function: ast.FunctionDef) -> set[str]:
    """The names that a function reads otherwise than to call them."""
    called = {id(node.func) for node in within(function) if isinstance(node, ast.Call)}
    return {node.id for node in within(function) if isinstance(node, ast.Name) and id(node) not in called}


def _passed_on(parsed: Parsed, function: ast.FunctionDef, aliases: Mapping[str, str]) -> dict[str, Span]:
    """The hubs that are asked for every element of the first parameter, and where."""
    hubs: dict[str, Span] = {}
    given = function.args.args[0].arg if function.args.args else ""
    for loop in within(function):
        if not (isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and dotted(loop.iter) == given):
            continue
        for node in within(loop):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in aliases):
                continue
            if any(dotted(each) == loop.target.id for each in node.args):
                hubs[aliases[node.func.id]] = parsed.span(node)
    return hubs
