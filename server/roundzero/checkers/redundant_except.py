"""redundant-except: ``except (ValueError, UnicodeError)`` names a class and one it already covers.

Only builtins and aliases of OSError are known to be related, and names a module rebinds are left alone. Invariant: the
fix catches exactly what the tuple caught.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.finding import Fix, Hit

_CLASSES: Final[Mapping[str, type[BaseException]]] = {
    **{
        name: value
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    },
    "WindowsError": OSError,
    "socket.error": OSError,
    "select.error": OSError,
    "os.error": OSError,
}
"""Aliases of OSError since Python 3.3 (PEP 3151)."""

_PARENTS: Final[Mapping[str, type[BaseException]]] = {
    "socket.timeout": OSError,
    "asyncio.TimeoutError": Exception,
    "concurrent.futures.TimeoutError": Exception,
    "json.JSONDecodeError": ValueError,
    "subprocess.CalledProcessError": Exception,
    "subprocess.TimeoutExpired": Exception,
}
"""What covers a class on every supported interpreter; aliases of TimeoutError became ones only in 3.10 and 3.11."""


class RedundantExcept(PythonChecker):
    """Finds exception tuples in which one member covers another."""

    name = "redundant-except"
    nodes = (ast.ExceptHandler,)

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._tuples: list[ast.Tuple] = []

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:  # noqa: ARG002
        """Remember the tuples."""
        if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Tuple) and len(node.type.elts) > 1:
            self._tuples.append(node.type)
        return ()

    def finish(self, ctx: CheckContext) -> Iterable[Hit]:
        """Judge the tuples."""
        rebound = _rebound(ctx.file.tree) if self._tuples else frozenset()
        for members in self._tuples:
            names = ["" if (name := dotted(item)) in rebound else name for item in members.elts]
            covered = [at for at in range(len(names)) if _is_covered(names, at)]
            if covered:
                yield ctx.hit(members.elts[covered[0]], fixes=_fixes(ctx, members, covered))


def _rebound(tree: ast.Module) -> frozenset[str]:
    """Builtin names that mean something else somewhere in a file, and names it imports or defines as classes."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if node.id in _CLASSES and not isinstance(node.ctx, ast.Load):
                names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.split(".")[0])
        elif isinstance(node, ast.ClassDef):
            names.add(node.name)
    return frozenset(names)


def _is_covered(names: list[str], at: int) -> bool:
    """Whether another member catches all that this one does. Of equal ones the class's own name stays, or the first."""
    name = names[at]
    if not name:
        return False
    mine = _CLASSES.get(name)
    parent = mine or _PARENTS.get(name)
    for other_at, other in enumerate(names):
        if other_at == at or not other:
            continue
        theirs = _CLASSES.get(other)
        if other == name or (mine is not None and mine is theirs):
            if _rank(other, other_at) < _rank(name, at):
                return True
        elif parent is not None and theirs is not None and issubclass(parent, theirs):
            return True
    return False


def _rank(name: str, at: int) -> tuple[bool, int]:
    known = _CLASSES.get(name)
    return (known is not None and known.__name__ != name, at)


def _fixes(ctx: CheckContext, members: ast.Tuple, covered: list[int]) -> tuple[Fix, ...]:
    """Write the tuple without the covered members, unless a comment would be lost."""
    if "#" in ctx.file.text(members):
        return ()
    kept = [ctx.file.text(item) for at, item in enumerate(members.elts) if at not in covered]
    new = kept[0] if len(kept) == 1 else f"({', '.join(kept)})"
    return (ctx.replace(f"Replace by {new}", new, ctx.file.span(members), safe=True),)


CHECKER: Final = RedundantExcept
