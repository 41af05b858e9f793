"""unresolved-import: an import names something that its module, which is in this repository, does not have.

Looks at imports the change touched, and at imports elsewhere of what the change took away; of the latter only those
that resolved at the base. What is tried (``try: import``), generated, native, dynamic or external is never judged.
Invariant: a hit rests on a *missing* of the index, or on a module that the base surely had, that the change took away,
and that nothing at the head can provide; never on an *unknown* alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import (
    added_matches,
    evidence,
    files_about,
    gone_files,
    hit_in,
    module_stem,
    python_heads,
    removed_names,
    touched,
)
from roundzero.checkers._base import SymbolChecker, replace
from roundzero.checkers._vanished import VanishedModules
from roundzero.core.change import Side
from roundzero.core.facts import Where
from roundzero.core.finding import Edit, Fix
from roundzero.core.regex import regex
from roundzero.core.resolution import AbsentModule, Found, InRepository, Missing
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from roundzero.checkers._base import SymbolView
    from roundzero.core.facts import Import
    from roundzero.core.finding import Anchor, Hit

_IMPORTS: Final = regex(
    r"\bimport\b|^[ \t]+\w+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*\w+(?:[ \t]+as[ \t]+\w+)?)*,?[ \t]*\)?[ \t]*(?:#.*)?$"
)
"""A line that may be part of an import statement."""


class UnresolvedImport(SymbolChecker):
    """Finds imports of what is not there."""

    name = "unresolved-import"

    def words(self, view: SymbolView) -> Collection[str]:
        """What went: names, and modules by their last part."""
        gone = removed_names(view)
        homes = {row.path for row in gone} | gone_files(view).keys()
        return {row.name for row in gone} | {module_stem(path) for path in homes}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Look at touched imports, then at those of what went."""
        modules = gone_files(view)
        vanished = VanishedModules(view, modules)
        yield from _touched(view, vanished)
        yield from _broken(view, modules, vanished)


def _touched(view: SymbolView, vanished: VanishedModules) -> Iterator[Hit]:
    for file in python_heads(view):
        if not added_matches(file, _IMPORTS):
            continue
        facts = view.symbols.facts(file.path, Side.HEAD)
        rows = [row for row in facts.imports if _counts(row) and touched(file, row)] if facts is not None else []
        if not rows:
            continue
        old = _missing(view, file.base.path, _same(view, file.base.path, rows), Side.BASE) if file.base else {}
        known = {(row.module, row.level, row.name) for row in old}
        for row, missing in _missing(view, file.path, rows, Side.HEAD).items():
            if (row.module, row.level, row.name) not in known and not vanished.is_made(row):
                yield _hit(view, file.path, row, missing, None)
        for row, missing in vanished.lost(file.path, rows).items():
            yield _hit(view, file.path, row, missing, None)


def _same(view: SymbolView, path: RelPath, rows: Sequence[Import]) -> list[Import]:
    """The imports of the base that say the same as some of the head: a moved line is no new defect."""
    facts = view.symbols.facts(path, Side.BASE)
    wanted = {(row.module, row.level, row.name) for row in rows}
    return [row for row in facts.imports if (row.module, row.level, row.name) in wanted] if facts is not None else []


def _broken(view: SymbolView, modules: Mapping[RelPath, Anchor], vanished: VanishedModules) -> Iterator[Hit]:
    """Imports on lines the change left alone, of names and modules that it took away."""
    causes: dict[tuple[RelPath, str], Anchor] = {(gone.path, gone.name): gone.cause for gone in removed_names(view)}
    words = {name for _, name in causes} | {module_stem(path) for path in modules}
    if not words:
        return
    paths = {path for home, name in causes for path in files_about(view, name, home, _IMPORTS)}
    paths |= {path for home in modules for path in files_about(view, module_stem(home), home, _IMPORTS)}
    for path in sorted(paths):
        facts = view.symbols.facts(path, Side.HEAD)
        file = view.change.file(path)
        rows = [
            row
            for row in (facts.imports if facts is not None else ())
            if _counts(row)
            and (row.name in words or words.intersection(row.module.split(".")))
            and not (file is not None and touched(file, row))
        ]
        if not rows:
            continue
        lost = _missing(view, path, rows, Side.HEAD) | vanished.lost(path, rows)
        for row, missing in lost.items():
            cause = _cause(view, path, row, causes, modules)
            if cause is not None and not vanished.is_made(row):
                yield _hit(view, path, row, missing, cause)


def _cause(
    view: SymbolView,
    path: RelPath,
    row: Import,
    causes: dict[tuple[RelPath, str], Anchor],
    modules: Mapping[RelPath, Anchor],
) -> Anchor | None:
    """The changed line that broke an import; None when it did not resolve at the base either."""
    file = view.change.file(path)
    importer = file.base.path if file is not None and file.base is not None else path
    answer = view.symbols.module(importer, row.module, row.level, Side.BASE)
    if not isinstance(answer, InRepository) or not answer.sure:
        return None
    for at in answer.paths:
        if at in modules:
            return modules[at]
    if not row.name:
        return None
    found = view.symbols.resolve_imports(importer, [row], Side.BASE)[row]
    if not isinstance(found, Found):
        return None
    if found.is_module:
        return modules.get(found.path)
    return next((causes[at, row.name] for at in (*found.via, found.path) if (at, row.name) in causes), None)


def _counts(row: Import) -> bool:
    return row.name != "*" and not row.where & Where.TRIED


def _missing(view: SymbolView, importer: RelPath, rows: Sequence[Import], side: Side) -> dict[Import, Missing]:
    """The rows that lead nowhere, with what is missing: the name, or a module on the way to it."""
    gone = gone_files(view) if side is Side.HEAD else {}
    named = [row for row in rows if row.name]
    answers = dict(view.symbols.missing_imports(importer, named, side)) if named else {}
    for row in rows:
        if row in answers or not row.module:
            continue
        if isinstance(view.symbols.module(importer, row.module, row.level, side), AbsentModule):
            absent = _absent(view, importer, row, side, gone)
            if absent is not None:
                answers[row] = absent
    return {row: _located(missing, gone) for row, missing in answers.items()}


def _located(missing: Missing, gone: Mapping[RelPath, Anchor]) -> Missing:
    """A submodule that the change took away is missing from its own place, and nothing else resembles it."""
    folder, _, file = missing.path.rpartition("/")
    if file != "__init__.py":
        return missing
    places = (RelPath(f"{folder}/{missing.name}.py"), RelPath(f"{folder}/{missing.name}/__init__.py"))
    return next((Missing(place, missing.name) for place in places if place in gone), missing)


def _absent(
    view: SymbolView, importer: RelPath, row: Import, side: Side, gone: Mapping[RelPath, Anchor]
) -> Missing | None:
    """The first part of a module's name that its package does not have, if that is sure."""
    parts = row.module.split(".")
    for number in range(0 if row.level else 1, len(parts)):
        package = ".".join(parts[:number])
        module = view.symbols.module(importer, ".".join(parts[: number + 1]), row.level, side)
        if not isinstance(module, AbsentModule):
            continue
        missing = Missing(module.package, parts[number])
        if _located(missing, gone) is not missing:  # a name of the package is no module to import from
            sure = view.symbols.missing_module(importer, module.package, parts[number], side)
            return sure if isinstance(sure, Missing) else None
        step = row._replace(module=package, name=parts[number], asname="")
        answer = view.symbols.resolve_imports(importer, [step], side)[step]
        return answer if isinstance(answer, Missing) else None
    return None


def _hit(view: SymbolView, path: RelPath, row: Import, missing: Missing, cause: Anchor | None) -> Hit:
    dotted = "." * row.level + row.module
    subject = f"from {dotted} import {row.name}" if row.name else f"import {dotted}"
    shown = evidence(view, cause.path, Side.HEAD, cause.line, "what changed") if cause is not None else ()
    fixes = _moved(view, path, row, missing) or _nearest(view, path, row, missing)
    return hit_in(view, path, row.span, subject, cause=cause, evidence=shown, fixes=fixes)


def _moved(view: SymbolView, path: RelPath, row: Import, missing: Missing) -> tuple[Fix, ...]:
    """Import from where a rename took the module, where the statement imports from nothing else."""
    new_path = next((file.path for file in view.change.files if file.old_path == missing.path), None)
    source = view.repository.read(path, Side.HEAD)
    facts = view.symbols.facts(path, Side.HEAD)
    old_tail = row.module.replace(".", "/")
    stem, new_stem = _stem(missing.path), _stem(new_path or missing.path)
    if new_path is None or source is None or facts is None or row.level or not f"/{stem}".endswith(f"/{old_tail}"):
        return ()
    if not row.name and not row.asname:
        return ()
    root = stem.removesuffix(old_tail)
    new = new_stem.removeprefix(root).replace("/", ".")
    answer = view.symbols.module(path, new, 0, Side.HEAD)
    if not new_stem.startswith(root) or not isinstance(answer, InRepository) or new_path not in answer.paths:
        return ()
    line = source.index.line(row.first_line)
    found = re.match(rf"[ \t]*(?:from|import)[ \t]+({re.escape(row.module)})(?![\w.,])", line)
    if found is None or any(one.first_line == row.first_line and one.module != row.module for one in facts.imports):
        return ()
    span = Span(Position(row.first_line, found.start(1) + 1), Position(row.first_line, found.end(1) + 1))
    return (replace(source, f"Import from {new}", new, span, safe=False),)


def _stem(path: RelPath) -> str:
    return path.removesuffix(".py").removesuffix("/__init__")


def _nearest(view: SymbolView, path: RelPath, row: Import, missing: Missing) -> tuple[Fix, ...]:
    """Import the name that looks most like the missing one."""
    source = view.repository.read(path, Side.HEAD)
    if source is None or not missing.near or missing.name != row.name or row.line != row.end_line:
        return ()
    start = Position(row.line, row.column)
    span = Span(start, Position(row.line, row.column + len(row.name)))
    if source.index.slice(span) != row.name:
        return ()
    new = missing.near[0]
    if row.asname:
        return (replace(source, f"Import {new}", new, span, safe=False),)
    uses = view.symbols.uses(path, Side.HEAD)
    if uses is None or row.scope:
        return (replace(source, f"Import {new}", f"{new} as {row.name}", span, safe=False),)
    edits = [Edit(path, span, row.name, new)]
    for use in uses.uses:
        at = Span(Position(use.line, use.column), Position(use.line, use.column + len(row.name)))
        if not use.local and use.chain.partition(".")[0] == row.name and source.index.slice(at) == row.name:
            edits.append(Edit(path, at, row.name, new))
    return (Fix(f"Import and use {new}", safe=False, edits=tuple(edits)),)


CHECKER: Final = UnresolvedImport
