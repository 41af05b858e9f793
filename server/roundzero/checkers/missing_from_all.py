"""missing-from-all: a public definition was added to a module whose ``__all__`` lists all its siblings.

The module itself is the witness: at the base ``__all__`` named at least MOST of at least FEWEST public definitions, and
what is new is named nowhere in it. Silent where ``__all__`` is computed or extended, for what the module itself uses,
which need not be for others, for what says that it is deprecated, in private modules, whose list is what their package
hands on, and for tests. Invariant: what is reported is a function or class of the module level, under a name that the
base did not bind there.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import Pair, RelationChecker, code, replace
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import dotted, near
from roundzero.core.finding import Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._python import Function, Parsed
    from roundzero.core.finding import Fix
    from roundzero.core.text import RelPath

FEWEST: Final = 2
MOST: Final = 0.9


@dataclass(frozen=True, slots=True)
class _Listed:
    """The one literal ``__all__`` of a module, and its names."""

    display: ast.List | ast.Tuple
    names: tuple[str, ...]


class MissingFromAll(RelationChecker):
    """Finds new public names that ``__all__`` does not list."""

    name = "missing-from-all"
    version = "4"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare the public definitions of both sides with what is listed."""
        file = pair.file
        if not pair.is_python or file.head is None or "__all__" not in file.head.text:
            return
        if is_test_path(file.path) or _is_private(file.path):
            return
        now, before = _listed(pair.head), _listed(pair.base)
        if now is None or before is None:
            return
        old = _public(pair.base.tree)
        told = [name in before.names for name in old]
        if len(old) < FEWEST or sum(told) < MOST * len(old):
            return
        new = {name: node for name, node in _public(pair.head.tree).items() if name not in old}
        used = {part.id for part in near(pair.head, new) if isinstance(part, ast.Name)}
        used |= {part.id for part in near(pair.base, new) if isinstance(part, ast.Name)}
        for name, node in new.items():
            if (
                name not in used
                and name not in now.names
                and not _registers(node)
                and "deprecat" not in pair.head.text(node).lower()
            ):
                yield Hit(
                    path=file.path,
                    span=pair.head.name_span(node),
                    subject=code(name),
                    evidence=(evidence_at(file.head, pair.head.start(now.display).line, "the list"),),
                    fixes=_added(pair.head, now, name, safe=all(told)),
                )


def _is_private(path: RelPath) -> bool:
    """Whether a module or a package around it has an underscore before its name."""
    return any(part.startswith("_") and not part.startswith("__") for part in path.split("/"))


def _listed(file: Parsed) -> _Listed | None:
    """``__all__``, where it is one literal and nothing else in the module touches it."""
    found: list[ast.expr | None] = []
    for node in near(file, {"__all__"}):
        if isinstance(node, ast.Name) and node.id == "__all__":
            found.append(None)
    statements = [node for node in file.tree.body if isinstance(node, (ast.Assign, ast.AnnAssign))]
    values = [
        node.value
        for node in statements
        if any(
            isinstance(target, ast.Name) and target.id == "__all__"
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        )
    ]
    if len(found) != 1 or len(values) != 1 or not isinstance(values[0], (ast.List, ast.Tuple)):
        return None
    names = [item.value for item in values[0].elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return _Listed(values[0], tuple(names)) if len(names) == len(values[0].elts) and names else None


def _public(tree: ast.Module) -> dict[str, Function | ast.ClassDef]:
    return {
        node.name: node
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not node.name.startswith("_")
    }


def _registers(node: Function | ast.ClassDef) -> bool:
    """Whether a decorator may be how the definition is reached (a hook, a command, a route), or it is the program."""
    plain = {"dataclass", "dataclasses.dataclass", "overload", "typing.overload", "contextmanager", "final",
             "contextlib.contextmanager", "lru_cache", "functools.lru_cache", "functools.wraps"}  # fmt: skip
    names = [dotted(item.func if isinstance(item, ast.Call) else item) for item in node.decorator_list]
    return node.name == "main" or any(name not in plain for name in names)


def _added(parsed: Parsed, listed: _Listed, name: str, *, safe: bool) -> tuple[Fix, ...]:
    """Add the name where the order of the list, if it has one, wants it."""
    elements = listed.display.elts
    ordered = list(listed.names) == sorted(listed.names)
    after = next((at for at, other in enumerate(listed.names) if ordered and other > name), len(elements))
    if after < len(elements):
        follower = elements[after]
        start = parsed.start(follower)
        gap = _gap(parsed, start)
        mark = parsed.text(follower)[0]
        if mark not in "\"'" or "\r" in gap:
            return ()
        new = f"{mark}{name}{mark},{gap}"
        return (replace(parsed.source, f"List {name} in __all__", new, Span(start, start), safe=safe),)
    last = elements[-1]
    end, gap = parsed.end(last), _gap(parsed, parsed.start(last))
    mark = parsed.text(last)[0]
    if mark not in "\"'" or "\r" in gap:
        return ()
    new = f",{gap}{mark}{name}{mark}"
    return (replace(parsed.source, f"List {name} in __all__", new, Span(end, end), safe=safe),)


def _gap(parsed: Parsed, start: Position) -> str:
    """What stands between two elements: a line's end and the indentation where ``start`` is the first of its line."""
    indent = parsed.source.index.line(start.line)[: start.column - 1]
    return " " if indent.strip() else f"\n{indent}"


CHECKER: Final = MissingFromAll
