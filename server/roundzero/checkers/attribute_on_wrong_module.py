"""attribute-on-wrong-module: ``module.name`` on a changed line, where the name lives in another module of the change.

Typical of code that is moved between modules: one reference follows the old home. Silent where the program expects the
attribute to be absent, where the module seems to be filled while it runs, and where the name is found nowhere: that is
another matter. Invariant: a hit rests on a
*missing* of the index, never on an *unknown*.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import added_matches, evidence, hit_in, python_heads
from roundzero.checkers._base import SymbolChecker, replace
from roundzero.core.change import Side
from roundzero.core.regex import regex
from roundzero.core.resolution import Found, InRepository, Missing
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from roundzero.checkers._base import SymbolView
    from roundzero.core.change import FileChange, Source
    from roundzero.core.facts import Binding, ModuleFacts, Use
    from roundzero.core.finding import Fix, Hit
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
    version = "2"

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
                    yield from _look(view, file, use, rows)


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


def _look(view: SymbolView, file: FileChange, use: Use, rows: Sequence[Use]) -> Iterator[Hit]:
    answer = view.symbols.resolve_chain(file.path, use.chain, Side.HEAD).answer
    head = file.head
    if head is None or not isinstance(answer, Missing) or _is_expected(head, use):
        return
    homes = _homes(view, answer)
    if not homes or any(_is_registered(view, *home) for home in homes):
        return
    owned = f"{use.chain.partition('.')[0]}."
    if _is_filled_later(view, file, answer, [row for row in rows if row.chain.startswith(owned)]):
        return
    owner, span = _place(use, answer.name)
    home, binding = homes[0]
    yield hit_in(
        view,
        head.path,
        span,
        f"{owner}.{answer.name}",
        cause=None,
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


def _is_filled_later(view: SymbolView, file: FileChange, missing: Missing, near: list[Use]) -> bool:
    """Whether the same file reads other names from the module that it does not define, and the change moved none."""
    for use in near[:MOST_ASKED]:
        answer = view.symbols.resolve_chain(file.path, use.chain, Side.HEAD).answer
        if (
            isinstance(answer, Missing)
            and answer.path == missing.path
            and answer.name != missing.name
            and (use.line not in file.added or not _homes(view, answer))
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
    return ()


CHECKER: Final = AttributeOnWrongModule
