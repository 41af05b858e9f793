"""redundant-except-imported: ``except (ShopError, StockError)`` where another module says that one covers the other.

The part of redundant-except that needs to know what imported classes derive from: only tuples of which a member is
defined in another file of the repository are judged, and classes count only where no other can be meant. Invariant: the
fix catches exactly what the tuple caught.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Final, TypeAlias

from roundzero.checkers._across import added_matches, python_heads
from roundzero.checkers._base import CheckContext, SymbolChecker
from roundzero.checkers._python import dotted, near, parse_or_none
from roundzero.checkers.redundant_except import without
from roundzero.core.change import Side
from roundzero.core.regex import regex
from roundzero.core.resolution import Found

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.checkers._base import SymbolView
    from roundzero.core.finding import Hit
    from roundzero.core.text import RelPath

_Class: TypeAlias = "tuple[RelPath, str]"

MOST_ANCESTORS: Final = 30
"""Classes above one that are looked at; more are a hierarchy that no tuple lists."""

_TUPLE: Final = regex(r"\bexcept[ \t]*\(|^[ \t]*[\w.]+,?[ \t]*(?:\)|$)")
_BUILTIN: Final[Mapping[str, type[BaseException]]] = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}


class RedundantExceptImported(SymbolChecker):
    """Finds exception tuples in which one member covers an imported one."""

    name = "redundant-except-imported"

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Look at the tuples of changed handlers."""
        for file in python_heads(view):
            if not added_matches(file, _TUPLE) or file.head is None or "except" not in file.head.text:
                continue
            parsed = parse_or_none(file.head)
            if parsed is None:
                continue
            ctx = CheckContext(parsed)
            for node in near(parsed, {"except"}):
                members = node.type if isinstance(node, ast.ExceptHandler) else None
                if not isinstance(members, ast.Tuple) or len(members.elts) < 2:
                    continue
                if not any(line in file.added for line in parsed.span(members).lines):
                    continue
                covered = _covered(view, file.path, [dotted(each) for each in members.elts])
                if covered:
                    yield ctx.hit(members.elts[covered[0]], fixes=without(ctx, members, covered))


def _covered(view: SymbolView, path: RelPath, names: list[str]) -> list[int]:
    """The places of the members that another one covers; none where all that is known is in the file itself."""
    builtins_here = [_builtin(view, path, name) for name in names]
    homes = [_class_of(view, path, name) if name and name not in _BUILTIN else None for name in names]
    if all(home is None or home[0] == path for home in homes):
        return []
    found = []
    for at, home in enumerate(homes):
        if home is None:
            continue
        above, builtin = _ancestors(view, home)
        kinds = [kind for kind in builtins_here if kind is not None]
        if any(other in above for other in homes) or any(issubclass(each, kind) for each in builtin for kind in kinds):
            found.append(at)
    return found


def _builtin(view: SymbolView, path: RelPath, name: str) -> type[BaseException] | None:
    """The builtin exception that a name of a module is, if the module does not bind it."""
    if name not in _BUILTIN:
        return None
    facts = view.symbols.facts(path, Side.HEAD)
    return _BUILTIN[name] if facts is not None and all(row.name != name for row in facts.bindings) else None


def _class_of(view: SymbolView, path: RelPath, name: str) -> _Class | None:
    """The class that a name of a module is, where that is sure."""
    answer = view.symbols.resolve_chain(path, name, Side.HEAD)
    found = answer.answer
    if not isinstance(found, Found) or not found.sure or answer.rest or found.definition is None:
        return None
    return (found.path, found.definition.qualified) if found.definition.kind == "class" else None


def _ancestors(view: SymbolView, home: _Class) -> tuple[set[_Class], list[type[BaseException]]]:
    """The classes of the repository above one, and the builtin ones that these name as their bases."""
    above: set[_Class] = set()
    builtin: list[type[BaseException]] = []
    waiting = [home]
    while waiting and len(above) < MOST_ANCESTORS:
        path, qualified = waiting.pop()
        facts = view.symbols.facts(path, Side.HEAD)
        definition = facts.definition(qualified) if facts is not None else None
        for base in definition.bases if definition is not None else ():
            parent = _class_of(view, path, base) if base else None
            if parent is not None and parent not in above:
                above.add(parent)
                waiting.append(parent)
            elif parent is None and (kind := _builtin(view, path, base)) is not None:
                builtin.append(kind)
    return above - {home}, builtin


CHECKER: Final = RedundantExceptImported
