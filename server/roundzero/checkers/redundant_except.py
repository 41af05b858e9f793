"""redundant-except: ``except (ValueError, UnicodeError)`` names a class and one it already covers.

Related are builtins, aliases of OSError, and the classes a module itself defines once at its top; a name that a module
binds in any other way is only equal to itself. Where a text is for Python 2 as well, which had OSError's aliases as
classes of their own, they are. Invariant: the fix catches exactly what the tuple caught.
"""

from __future__ import annotations

import ast
import builtins
import itertools
from collections import Counter
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted, near

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from roundzero.checkers._python import Parsed
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
"""The last four are aliases of OSError since Python 3.3 (PEP 3151)."""
_ALIASES: Final = frozenset(name for name, each in _CLASSES.items() if name != each.__name__)

_PARENTS: Final[Mapping[str, type[BaseException]]] = {
    "socket.timeout": OSError,
    "asyncio.TimeoutError": Exception,
    "concurrent.futures.TimeoutError": Exception,
    "json.JSONDecodeError": ValueError,
    "subprocess.CalledProcessError": Exception,
    "subprocess.TimeoutExpired": Exception,
}
"""What covers a class on every supported interpreter; aliases of TimeoutError became ones only in 3.10 and 3.11."""


def is_covered_by(name: str, other: str) -> bool:
    """Whether catching ``other`` catches ``name``, as far as the names of Python's own classes tell."""
    mine, theirs = _CLASSES.get(name, _PARENTS.get(name)), _CLASSES.get(other)
    return name == other or (mine is not None and theirs is not None and issubclass(mine, theirs))


class RedundantExcept(PythonChecker):
    """Finds exception tuples in which one member covers another."""

    name = "redundant-except"
    version = "3"
    nodes = (ast.ExceptHandler,)

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._tuples: list[ast.Tuple] = []

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Remember the tuples."""
        if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Tuple) and len(node.type.elts) > 1:
            self._tuples.append(node.type)
        return ()

    def finish(self, ctx: CheckContext) -> Iterable[Hit]:
        """Judge the tuples."""
        if not self._tuples:
            return
        from roundzero.core.older_python import is_for_python_2  # noqa: PLC0415  off the start-up path

        file = ctx.file
        rows = [(members, [dotted(item) for item in members.elts]) for members in self._tuples]
        told = {name for _, names in rows for name in names if name}
        parents = _parents(file.tree, told)
        bound = bound_in(file, {name.split(".", 1)[0] for name in {*told, *itertools.chain(*parents.values())}})
        own = {name: bases for name, bases in parents.items() if bound[name] == 1}
        apart = not told.isdisjoint(_ALIASES) and is_for_python_2(file.source.text)
        for members, names in rows:
            known = [_Known(name, own, bound, apart=apart and name in _ALIASES) for name in names]
            covered = [at for at in range(len(names)) if _is_covered(known, at)]
            if covered:
                yield ctx.hit(members.elts[covered[0]], fixes=without(ctx, members, covered))


def _parents(tree: ast.Module, names: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """The bases of the classes that are defined at the top of a file: of those with these names and what they bring."""
    classes = {node.name: tuple(map(dotted, node.bases)) for node in tree.body if isinstance(node, ast.ClassDef)}
    found: dict[str, tuple[str, ...]] = {}
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name in classes and name not in found:
            found[name] = classes[name]
            waiting += classes[name]
    return found


def bound_in(file: Parsed, wanted: Collection[str]) -> Counter[str]:
    """How often each name is bound anywhere in a file; a name imported with dots by its first part."""
    names: Counter[str] = Counter()
    for node in near(file, wanted):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names[node.id] += 1
        elif isinstance(node, ast.alias):
            names[node.asname or node.name.split(".")[0]] += 1
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names[node.name] += 1
        elif isinstance(node, ast.arg):
            names[node.arg] += 1
    return names


class _Known:
    """What is known of a member: the builtin class it is, or a name of this file and what it derives from."""

    def __init__(
        self, name: str, own: Mapping[str, tuple[str, ...]], bound: Counter[str], *, apart: bool = False
    ) -> None:
        """``apart``: it is no alias here but a class of its own."""
        self.name = name
        free = not apart and (not bound[name] if "." not in name else bound[name.split(".", 1)[0]] <= 1)
        self.builtin = _CLASSES.get(name) if free else None
        self.parents: set[type[BaseException]] = {self.builtin} if self.builtin is not None else set()
        if free and name in _PARENTS:
            self.parents.add(_PARENTS[name])
        self.ancestors: set[str] = set()
        waiting = [name]
        while waiting:
            for base in own.get(waiting.pop(), ()):
                if base in own and base not in self.ancestors:
                    self.ancestors.add(base)
                    waiting.append(base)
                elif base in _CLASSES and not bound[base]:
                    self.parents.add(_CLASSES[base])

    def covers(self, other: _Known) -> bool:
        """Whether all that ``other`` is this one is as well, and they are not one class."""
        theirs = self.builtin
        return self.name in other.ancestors or (
            theirs is not None
            and theirs is not other.builtin
            and any(issubclass(each, theirs) for each in other.parents)
        )


def _is_covered(known: Sequence[_Known], at: int) -> bool:
    """Whether another member catches all that this one does. Of equal ones the class's own name stays, or the first."""
    mine = known[at]
    if not mine.name:
        return False
    for other_at, other in enumerate(known):
        if other_at == at or not other.name:
            continue
        if other.name == mine.name or (mine.builtin is not None and mine.builtin is other.builtin):
            if _rank(other, other_at) < _rank(mine, at):
                return True
        elif other.covers(mine):
            return True
    return False


def _rank(known: _Known, at: int) -> tuple[bool, int]:
    return (known.builtin is not None and known.builtin.__name__ != known.name, at)


def without(ctx: CheckContext, members: ast.Tuple, covered: Sequence[int]) -> tuple[Fix, ...]:
    """Write the tuple without the covered members, unless a comment would be lost."""
    if "#" in ctx.file.text(members):
        return ()
    kept = [ctx.file.text(item) for at, item in enumerate(members.elts) if at not in covered]
    new = kept[0] if len(kept) == 1 else f"({', '.join(kept)})"
    return (ctx.replace(f"Replace by {new}", new, ctx.file.span(members), safe=True),)


CHECKER: Final = RedundantExcept
