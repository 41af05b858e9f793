"""Starlark for removed_symbol_elsewhere: what a ``.bzl`` file offers, who loads it, and what a file calls itself.

Bazel resolves every name before it runs anything, so that a load of a name that is gone, or a use of it, fails. Labels
are those of the repository that the loading file belongs to. A file that went is deleted_file_still_named's. Invariant:
both the file that lost a name and the one that uses it were parsed.
"""

from __future__ import annotations

import ast
import builtins
import posixpath
from functools import partial
from typing import TYPE_CHECKING, Final

from roundzero.checkers._gone_definitions import Gone, Use
from roundzero.checkers._paths import folders_above
from roundzero.checkers._python import dotted
from roundzero.checkers._starlark import build_file_of, own_names, parse_starlark, strings
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.checkers._gone_definitions import Around
    from roundzero.checkers._python import Parsed
    from roundzero.core.change import FileChange, Source
    from roundzero.core.text import RelPath

_LABEL: Final = regex(r"^(?:@@?(?P<repository>[\w.~-]*))?(?://(?P<package>[\w./+-]*))?:(?P<target>[\w./+-]+)$")
_ROOTS: Final = ("WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel", "REPO.bazel")
_PRELUDE: Final = regex(r"(?:^|/)prelude_bazel$")
_BUILT_IN: Final = frozenset(
    {*dir(builtins), "CcInfo", "CcToolchainConfigInfo", "CcSharedLibraryInfo", "JavaInfo", "JavaPluginInfo",
     "ProtoInfo", "PyInfo", "PyRuntimeInfo", "DefaultInfo", "RunEnvironmentInfo", "OutputGroupInfo",
     "InstrumentedFilesInfo", "Label", "attr", "aspect", "cc_common", "config", "config_common", "coverage_common",
     "depset", "exec_group", "fail", "glob", "java_common", "json", "macro", "module_extension", "native",
     "platform_common", "proto_common", "provider", "proto", "repository_rule", "rule", "select", "struct", "subrule",
     "tag_class", "testing", "transition", "visibility", "apple_common", "py_internal", "workspace", "package",
     "licenses", "exports_files"}
)  # fmt: skip
"""What Bazel knows by itself in some version."""
_LOADS: Final = frozenset({"load", "use_extension", "use_repo_rule"})


class _Starlark:
    """Modules of rules and their loads."""

    languages = frozenset({"starlark"})
    by_path = False
    defines = regex(r"^(?:def\s+\w|\w[\w, ]*\s*=)")

    def gone(self, file: FileChange, base: Source) -> Iterator[Gone]:
        """The names that a file no longer gives a meaning to."""
        before = parse_starlark(base)
        after = parse_starlark(file.head)
        if before is None or after is None:
            return
        there = _bound(after)
        for node, name in _top_level(before):
            if name not in there and name not in _BUILT_IN:
                kind = "function" if isinstance(node, ast.FunctionDef) else "constant"
                at = base.index.offset(before.start(node))
                yield Gone(file=file, base=base, name=name, kind=kind, offset=at, word=name)

    def uses(self, gone: Gone, around: Around) -> Iterator[Use]:
        """The loads of a name, or its uses in its own file."""
        yield from _own_uses(gone, around)
        if not gone.file.path.endswith(".bzl"):
            return
        for path in around.naming(gone, self.languages):
            parsed = around.once(("tree", path), partial(_tree, around, path))
            if parsed is not None and path != gone.file.path:
                yield from _loads(gone, parsed, around)


def _tree(around: Around, path: RelPath) -> Parsed | None:
    return parse_starlark(around.source(path))


def _top_level(parsed: Parsed) -> Iterator[tuple[ast.stmt, str]]:
    for node in parsed.tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node, node.name
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from ((node, each.id) for each in ast.walk(target) if isinstance(each, ast.Name))


def _bound(parsed: Parsed) -> set[str]:
    """Every name that a file gives a meaning to, at any depth."""
    found: set[str] = set()
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Call) and dotted(node.func) == "load":
            found.update(each.value for argument in node.args[1:] for each in strings(argument))
            found.update(keyword.arg for keyword in node.keywords if keyword.arg is not None)
    return found


def _own_uses(gone: Gone, around: Around) -> Iterator[Use]:
    path = gone.file.path
    if not path.endswith(".bzl") and around.once("has a prelude", lambda: _has_prelude(around)):
        return
    parsed = around.once(("tree", path), partial(_tree, around, path))
    if parsed is None:
        return
    index = parsed.source.index
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.Name) and node.id == gone.name:
            at = index.offset(parsed.start(node))
            yield Use(path, at, at + len(gone.name))


def _has_prelude(around: Around) -> bool:
    """Whether BUILD files are given names that they do not load."""
    return any(_PRELUDE.search(path) for path in around.paths)


def _loads(gone: Gone, parsed: Parsed, around: Around) -> Iterator[Use]:
    path, index = parsed.source.path, parsed.source.index
    for call in parsed.tree.body:
        node = call.value if isinstance(call, (ast.Expr, ast.Assign)) else None
        if not isinstance(node, ast.Call) or dotted(node.func) not in _LOADS or not node.args:
            continue
        label, *names = node.args
        if not isinstance(label, ast.Constant) or not isinstance(label.value, str):
            continue
        if _file_of(label.value, path, around) != gone.file.path:
            continue
        for name in (*names, *(keyword.value for keyword in node.keywords if keyword.arg != "dev_dependency")):
            if isinstance(name, ast.Constant) and name.value == gone.name:
                at = index.offset(parsed.start(name)) + 1
                yield Use(path, at, at + len(gone.name))


def _file_of(label: str, path: RelPath, around: Around) -> str | None:
    """The file that a label means, seen from a file of the same repository; None where it is another's."""
    match = _LABEL.match(label)
    above = folders_above(path)
    root = next((folder for folder in above if any(_at(folder, name) in around.paths for name in _ROOTS)), "")
    own = around.once("own names", lambda: own_names(around.repository, around.paths))
    if match is None or (root == "" and (match["repository"] or "") not in own):
        return None
    if root and match["repository"]:
        return None
    if match["package"] is None:
        build = build_file_of(posixpath.dirname(path), around.paths)
        folder = posixpath.dirname(build) if build is not None else posixpath.dirname(path)
        return _at(folder, match["target"])
    return _at(_at(root, match["package"]), match["target"])


def _at(folder: str, name: str) -> str:
    return posixpath.join(folder, name) if name else folder


FAMILY: Final = _Starlark()
"""Bazel's language."""
