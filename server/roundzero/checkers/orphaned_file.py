"""orphaned-file: the change removed the last use of a module that stays behind.

A module counts as used wherever its name stands in code, configuration or a build file: entry points, plug-ins and
dynamic imports go by name. Scripts, packages, tests and what is run by others are never orphans. Invariant: outside of
the module itself, its tests and prose, nothing mentions its name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import cause_of, evidence, module_stem
from roundzero.checkers._base import SymbolChecker, code
from roundzero.checkers._paths import is_script_path, is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.resolution import InRepository

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from roundzero.checkers._base import SymbolView
    from roundzero.core.change import FileChange
    from roundzero.core.facts import Import
    from roundzero.core.ports import GrepHit
    from roundzero.core.text import RelPath

_IMPORT: Final = regex(r"[ \t]*(?:from|import)[ \t]|^[ \t]+\w+(?:[ \t]+as[ \t]+\w+)?,?[ \t]*(?:#.*)?\)?$")
_PROSE: Final = (".md", ".rst", ".txt", ".adoc")
_RUN: Final = regex(
    r"^if __name__\b|^__plugin|^def (?:main|setup|register|pytest_\w+)\(|^@\w*(?:app|cli|register|task|plugin)",
    re.MULTILINE,
)
_DYNAMIC: Final = regex(r"import_module|iter_modules|walk_packages|__import__|entry_points|glob\(")


class OrphanedFile(SymbolChecker):
    """Finds modules that nothing uses any more."""

    name = "orphaned-file"

    def words(self, view: SymbolView) -> Collection[str]:
        """The modules that removed imports named, by their last part."""
        return {module_stem(path) for path in _left(view)}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Ask for each of them who still mentions it."""
        for path, (file, row) in _left(view).items():
            mentions = view.symbols.mentions({module_stem(path)}, Side.HEAD)[module_stem(path)]
            source = view.repository.read(path, Side.HEAD)
            if source is None or any(_counts(hit, path) for hit in mentions):
                continue
            if _RUN.search(source.text) or _is_found_by_name(view, path):
                continue
            shown = evidence(view, file.base.path, Side.BASE, row.line, "last use") if file.base is not None else ()
            yield Hit(
                path=path,
                span=None,
                subject=code(path),
                evidence=shown,
                cause=cause_of(file, row.line),
            )


def _left(view: SymbolView) -> dict[RelPath, tuple[FileChange, Import]]:
    """The modules that an import on a removed line named and that stay, with that import."""
    left: dict[RelPath, tuple[FileChange, Import]] = {}
    for file in view.change.files:
        base = file.base
        if base is None or language_of(base.path) != "python" or is_test_path(base.path):
            continue
        if not any(_IMPORT.match(base.index.line(line)) for line in file.removed):
            continue
        facts = view.symbols.facts(base.path, Side.BASE)
        for row in facts.imports if facts is not None else ():
            if row.line not in file.removed and row.first_line not in file.removed:
                continue
            for dotted in (row.module, ".".join(part for part in (row.module, row.name) if part and part != "*")):
                answer = view.symbols.module(base.path, dotted, row.level, Side.BASE) if dotted else None
                if isinstance(answer, InRepository) and answer.sure and len(answer.paths) == 1:
                    path = answer.paths[0]
                    if path not in left and _may_be_orphan(view, path):
                        left[path] = (file, row)
    return left


def _may_be_orphan(view: SymbolView, path: RelPath) -> bool:
    if path.endswith(("/__init__.py", ".pyi")) or is_test_path(path) or is_script_path(path) or "/" not in path:
        return False
    file = view.change.file(path)
    return file is None and view.repository.read(path, Side.HEAD) is not None


def _counts(hit: GrepHit, path: RelPath) -> bool:
    """Whether a mention is a use: not in the module itself, its tests or prose."""
    return hit.path != path and not hit.path.endswith(_PROSE) and not is_test_path(hit.path)


def _is_found_by_name(view: SymbolView, path: RelPath) -> bool:
    """Whether a package above the module imports what it finds."""
    folders = path.split("/")[:-1]
    for depth in range(len(folders), 0, -1):
        for name in ("__init__.py", "registry.py", "loader.py", "plugins.py"):
            above = "/".join((*folders[:depth], name))
            source = view.repository.read(type(path)(above), Side.HEAD)
            if source is not None and _DYNAMIC.search(source.text):
                return True
    return False


CHECKER: Final = OrphanedFile
