"""attribute-on-wrong-module: ``module.name``, where the name lives in another module of the change.

Typical of code that is moved between modules: one reference follows the old home. Looks at changed lines, and at others
that read a name from the module that the change took it out of. Silent where the program expects the
attribute to be absent, where the module seems to be filled while it runs, and where the name is found nowhere: that is
another matter. Invariant: a hit rests on a
*missing* of the index, never on an *unknown*.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import (
    added_matches,
    evidence,
    files_about,
    hit_in,
    module_stem,
    python_heads,
    removed_names,
)
from roundzero.checkers._base import SymbolChecker, replace
from roundzero.core.change import Side
from roundzero.core.finding import Edit, Fix
from roundzero.core.regex import regex
from roundzero.core.resolution import Found, InRepository, Missing
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from roundzero.checkers._across import Removed
    from roundzero.checkers._base import SymbolView
    from roundzero.core.change import FileChange, Source
    from roundzero.core.facts import Binding, ModuleFacts, Use
    from roundzero.core.finding import Anchor, Hit
    from roundzero.core.text import RelPath

_CHAIN: Final = regex(r"\b[A-Za-z_]\w*\.[A-Za-z_]\w*")
_EXPECTED: Final = regex(r"AttributeError|hasattr\(|getattr\(")
EXPECTED_WITHIN: Final = 6
"""Lines around a use in which a guard against the missing attribute is looked for."""

MOST_ASKED: Final = 200
"""Uses that are asked about before a module is taken for what its text says."""


class AttributeOnWrongModule(SymbolChecker):
    """Finds attributes read from a module that does not have them."""

    name = "attribute-on-wrong-module"
    version = "3"

    def words(self, view: SymbolView) -> Collection[str]:
        """The names that went, and the modules that had them."""
        gone = removed_names(view)
        return {row.name for row in gone} | {module_stem(row.path) for row in gone}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Look at the dotted names on added lines."""
        for file in python_heads(view):
            head = file.head
            if head is None or not added_matches(file, _CHAIN):
                continue
            facts = view.symbols.facts(file.path, Side.HEAD)
            modules = _modules(view, file, facts) if facts is not None else set()
            uses = view.symbols.uses(file.path, Side.HEAD) if modules else None
            rows = uses.uses if uses is not None else ()
            for use in rows:
                if use.line in file.added and not use.local and use.chain.partition(".")[0] in modules:
                    yield from _look(view, file.path, use, rows, None)
        for removed in removed_names(view):
            if any(removed.name in file.head.text for file in _others(view, removed) if file.head is not None):
                yield from _left_behind(view, removed)


def _modules(view: SymbolView, file: FileChange, facts: ModuleFacts) -> set[str]:
    """The names of a file that mean modules of this repository."""
    names: set[str] = set()
    for row in facts.imports:
        if row.scope or row.name == "*":
            continue
        dotted = ".".join(part for part in (row.module, row.name) if part)
        answer = view.symbols.module(file.path, dotted, row.level, Side.HEAD)
        if isinstance(answer, InRepository) and answer.sure:
            names.add(row.bound)
    return names


def _others(view: SymbolView, removed: Removed) -> Iterator[FileChange]:
    """The other files of the change, to which a name may have gone."""
    return (file for file in python_heads(view) if file.path != removed.path)


def _left_behind(view: SymbolView, removed: Removed) -> Iterator[Hit]:
    """The uses on lines that the change left alone, of a name that it moved elsewhere."""
    name = removed.name
    for path in files_about(view, name, removed.path, re.compile(rf"\.\s*{re.escape(name)}\b")):
        file = view.change.file(path)
        before = file.base.path if file is not None and file.base is not None else path
        uses = view.symbols.uses(path, Side.HEAD)
        rows = uses.uses if uses is not None else ()
        for use in rows:
            parts = use.chain.split(".")
            if use.local or name not in parts[1:] or (file is not None and use.line in file.added):
                continue
            chain = ".".join(parts[: parts.index(name, 1) + 1])
            now = view.symbols.resolve_chain(path, chain, Side.HEAD).answer
            old = view.symbols.resolve_chain(before, chain, Side.BASE).answer
            if isinstance(now, Missing) and (now.name, now.path) == (name, removed.path) and isinstance(old, Found):
                yield from _look(view, path, use, rows, removed.cause)


def _look(view: SymbolView, path: RelPath, use: Use, rows: Sequence[Use], cause: Anchor | None) -> Iterator[Hit]:
    answer = view.symbols.resolve_chain(path, use.chain, Side.HEAD).answer
    head = view.repository.read(path, Side.HEAD)
    if head is None or not isinstance(answer, Missing) or _is_expected(head, use):
        return
    homes = _homes(view, answer)
    if not homes or any(_is_registered(view, *home) for home in homes):
        return
    owned = f"{use.chain.partition('.')[0]}."
    if cause is None and _is_filled_later(view, path, answer, [row for row in rows if row.chain.startswith(owned)]):
        return
    owner, span = _place(use, answer.name)
    home, binding = homes[0]
    yield hit_in(
        view,
        head.path,
        span,
        f"{owner}.{answer.name}",
        cause=cause,
        evidence=evidence(view, home, Side.HEAD, binding.line, "definition"),
        fixes=_fixes(view, head, use, answer.name, homes),
    )


def _place(use: Use, name: str) -> tuple[str, Span]:
    """The dotted name up to the missing part, and its place; the whole chain where it spans lines."""
    parts = use.chain.split(".")
    at = parts.index(name, 1)
    owner = ".".join(parts[:at])
    if use.line != use.end_line:
        return owner, use.span
    return owner, Span(Position(use.line, use.column), Position(use.line, use.column + len(owner) + 1 + len(name)))


def _homes(view: SymbolView, missing: Missing) -> list[tuple[RelPath, Binding]]:
    """Where the change has the name: other modules of it that define it."""
    homes: list[tuple[RelPath, Binding]] = []
    defines = re.compile(
        rf"(?:(?:async[ \t]+)?def|class)[ \t]+{missing.name}\b|{missing.name}[ \t]*(?::[^=\n]*)?=(?!=)"
    )
    for file in python_heads(view):
        head = file.head
        if head is None or file.path == missing.path or not re.search(rf"(?m)^(?:{defines.pattern})", head.text):
            continue
        facts = view.symbols.facts(file.path, Side.HEAD)
        for binding in facts.bound(missing.name) if facts is not None else ():
            if binding.kind in {"def", "class", "assign"}:
                homes.append((file.path, binding))
                break
    return homes


def _is_registered(view: SymbolView, path: RelPath, binding: Binding) -> bool:
    """Whether a decorator stands above a definition: it may be what puts the name where it is read from."""
    file = view.change.file(path)
    head = file.head if file is not None else None
    return binding.kind == "class" and head is not None and head.index.line(binding.line - 1).lstrip().startswith("@")


def _is_filled_later(view: SymbolView, path: RelPath, missing: Missing, near: list[Use]) -> bool:
    """Whether the same file reads other names from the module that it does not define, and the change moved none."""
    file = view.change.file(path)
    added = file.added if file is not None else frozenset()
    for use in near[:MOST_ASKED]:
        answer = view.symbols.resolve_chain(path, use.chain, Side.HEAD).answer
        if (
            isinstance(answer, Missing)
            and answer.path == missing.path
            and answer.name != missing.name
            and (use.line not in added or not _homes(view, answer))
        ):
            return True
    return False


def _is_expected(head: Source, use: Use) -> bool:
    """Whether the code near by is prepared for the attribute to be absent."""
    first = max(1, use.line - EXPECTED_WITHIN)
    last = min(head.index.line_count, use.end_line + EXPECTED_WITHIN)
    return any(_EXPECTED.search(head.index.line(line)) for line in range(first, last + 1))


def _fixes(
    view: SymbolView, head: Source, use: Use, name: str, homes: list[tuple[RelPath, Binding]]
) -> tuple[Fix, ...]:
    """Read it from the module that has it, where this file imports that one already."""
    if len(homes) != 1 or use.line != use.end_line:
        return ()
    owner, span = _place(use, name)
    facts = view.symbols.facts(head.path, Side.HEAD)
    for row in facts.imports if facts is not None else ():
        if row.scope or row.name == "*":
            continue
        bound = row.bound if row.name or row.asname else row.module
        found = view.symbols.resolve_chain(head.path, bound, Side.HEAD).answer
        if bound != owner and isinstance(found, Found) and found.is_module and found.path == homes[0][0]:
            new = f"{bound}.{name}"
            return (replace(head, f"Read it from {bound}", new, span, safe=True),)
    return _imported_too(view, head, span, (owner, name), homes[0][0])


def _imported_too(view: SymbolView, head: Source, span: Span, use: tuple[str, str], home: RelPath) -> tuple[Fix, ...]:
    """Import the module that has it beside the one that is asked, where both lie in one package."""
    (owner, name), stem = use, module_stem(home)
    facts = view.symbols.facts(head.path, Side.HEAD)
    if facts is None or facts.bound(stem) or any(row.bound == stem for row in facts.imports):
        return ()
    row = next((row for row in facts.imports if row.bound == owner and row.name and not row.scope), None)
    if row is None or row.asname or row.line != row.end_line:
        return ()
    beside = row._replace(name=stem)
    found = view.symbols.resolve_imports(head.path, [beside], Side.HEAD)[beside]
    at = Span(Position(row.line, row.column), Position(row.line, row.column + len(row.name)))
    if not isinstance(found, Found) or found.path != home or head.index.slice(at) != row.name:
        return ()
    edits = (
        Edit(head.path, at, row.name, f"{row.name}, {stem}"),
        Edit(head.path, span, head.index.slice(span), f"{stem}.{name}"),
    )
    return (Fix(f"Read it from {stem}", safe=False, edits=edits),)


CHECKER: Final = AttributeOnWrongModule
