"""BUILD and .bzl files as checkers look at them: targets, the strings in them, and the branches of ``select``.

Starlark is parsed as Python, which nearly all of it is; what does not parse is no target. Nothing is evaluated: a name
that is computed is unknown. Invariant: every string has its place in the text.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._paths import folders_above
from roundzero.checkers._python import dotted, parse_or_none, within
from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from roundzero.checkers._python import Parsed
    from roundzero.core.change import Source
    from roundzero.core.ports import Repository

DEFAULT: Final = "//conditions:default"
BUILD_NAMES: Final = ("BUILD", "BUILD.bazel")
_OWN_NAME: Final = regex(r"^(?:workspace|module)\((?:[^)]*,)?\s*name\s*=\s*[\"'](?P<name>[\w.-]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A call with a ``name`` that is written out. ``kind`` is what is called: ``py_test``, ``native.cc_library``."""

    kind: str
    name: str
    node: ast.Call
    attributes: Mapping[str, ast.expr]

    def texts(self, attribute: str) -> list[str]:
        """The strings below an attribute, those in all branches of a ``select`` too."""
        value = self.attributes.get(attribute)
        return [node.value for node in strings(value)] if value is not None else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One key of a ``select`` and what it stands for."""

    key: str
    key_node: ast.Constant
    value: ast.expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """One ``select``. ``owner`` is the function or target around it and the attribute, as far as they are known."""

    owner: str
    node: ast.Call
    branches: tuple[Branch, ...]

    @property
    def keys(self) -> frozenset[str]:
        """The conditions, without the default."""
        return frozenset(branch.key for branch in self.branches if branch.key != DEFAULT)


class Text(ast.Constant):
    """A constant that is a string."""

    value: str


def is_starlark(path: RelPath) -> bool:
    """Whether a path is a BUILD file, a module of rules, or a file of the workspace."""
    name = path.rpartition("/")[2]
    return name in {*BUILD_NAMES, "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel"} or name.endswith((".bzl", ".BUILD"))


def is_build_file(path: RelPath) -> bool:
    """Whether a path makes its folder a package."""
    return path.rpartition("/")[2] in BUILD_NAMES


def parse_starlark(source: Source | None) -> Parsed | None:
    """The tree of a file; None where there is none or it is not Python enough."""
    return parse_or_none(source)


def strings(node: ast.AST) -> list[Text]:
    """The strings in a tree, in source order; keys of dictionaries are none."""
    keys = {
        id(key) for each in (node, *within(node, into_scopes=True)) if isinstance(each, ast.Dict) for key in each.keys
    }
    return [
        each  # type: ignore[misc]  # a Constant whose value is a string is a Text
        for each in (node, *within(node, into_scopes=True))
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in keys
    ]


def targets(parsed: Parsed) -> list[Target]:
    """The calls with a written name, at any depth."""
    found: list[Target] = []
    for node in within(parsed.tree, into_scopes=True):
        if not isinstance(node, ast.Call):
            continue
        attributes = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
        name = attributes.get("name")
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            found.append(Target(kind=dotted(node.func), name=name.value, node=node, attributes=attributes))
    return found


def selects(parsed: Parsed) -> list[Select]:
    """The ``select`` calls whose keys are written out."""
    return list(_selects(parsed.tree, ""))


def _selects(node: ast.AST, owner: str) -> Iterator[Select]:
    for child in ast.iter_child_nodes(node):
        inner = owner
        if isinstance(child, ast.FunctionDef):
            inner = child.name
        elif isinstance(child, ast.Call):
            name = next((each.value for each in child.keywords if each.arg == "name"), None)
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                inner = f"{owner}/{name.value}" if owner else name.value
            if dotted(child.func) == "select" and child.args and isinstance(child.args[0], ast.Dict):
                yield from _one(child, child.args[0], owner)
        elif isinstance(child, ast.keyword) and child.arg is not None:
            inner = f"{owner}.{child.arg}"
        yield from _selects(child, inner)


def _one(call: ast.Call, table: ast.Dict, owner: str) -> Iterator[Select]:
    branches = [
        Branch(key=key.value, key_node=key, value=value)
        for key, value in zip(table.keys, table.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    ]
    if branches and len(branches) == len(table.keys):
        yield Select(owner=owner, node=call, branches=tuple(branches))


def build_file_of(folder: str, paths: Collection[RelPath]) -> RelPath | None:
    """The BUILD file of the package that a folder is or belongs to."""
    for package in (folder, *folders_above(folder)):
        for name in BUILD_NAMES:
            path = RelPath(f"{package}/{name}" if package else name)
            if path in paths:
                return path
    return None


def own_names(repository: Repository, here: Collection[RelPath]) -> frozenset[str]:
    """What labels call this repository: nothing, or the name that its workspace or module gives it."""
    found = {""}
    for path in ("WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel"):
        source = repository.read(RelPath(path), Side.HEAD) if RelPath(path) in here else None
        match = _OWN_NAME.search(source.text) if source is not None else None
        if match is not None:
            found.add(match["name"])
    return frozenset(found)
