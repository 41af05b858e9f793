"""sibling-outlier: a call leaves out a keyword that its sibling calls pass.

Siblings are calls of the same callee, written the same way, in one function; where it has too few, in one file, and
then they all have to pass the same expression. So they have to where it is the only keyword they pass. Silent in tests,
for what takes differing options by its nature, for calls with ``*`` or ``**``, and where a call differs in more than
the one keyword: then it is another kind of call. Invariant: at least MOST of at least FEWEST siblings pass what is
missing.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._brackets import bracket
from roundzero.checkers._python import dotted
from roundzero.core.finding import Fix
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from roundzero.core.finding import Hit

FEWEST: Final = 5
MOST: Final = 0.9

_FREE: Final = regex(
    r"(?:^|\.)(?:dict|print|open|field|Field|run|Popen|call|check_call|check_output|format|replace|_replace|update|"
    r"sorted|max|min|sum|partial|get|post|put|patch|request|log|debug|info|warning|error|exception|Column|"
    r"mark\.\w+|param|parametrize|Mock|MagicMock|object|warn|raises|warns|namedtuple|TypeVar)$"
)
"""Callees whose keywords are chosen anew for every call."""

_OPTIONAL: Final = frozenset(
    {"default", "required", "choices", "nargs", "dest", "metavar", "const", "action", "description", "name", "doc",
     "type", "title", "label", "message", "msg", "key", "reason"}
)  # fmt: skip
"""Keywords that say what is special about one thing that is declared."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A call: the function around it (0: none), its keywords, and whether some of its arguments cannot be seen."""

    node: ast.Call
    scope: int
    keywords: frozenset[str]
    is_open: bool


@dataclass(frozen=True, slots=True)
class _Missing:
    """A keyword that a call leaves out. ``is_alone``: it is the only one that its siblings usually pass."""

    name: str
    is_alone: bool


class _Group:
    """Calls that are siblings, and how often each keyword is passed by those with a number of plain arguments."""

    __slots__ = ("calls", "closed", "passed")

    def __init__(self, calls: Sequence[_Seen]) -> None:
        """Count."""
        self.calls = calls
        self.closed: Counter[int] = Counter()
        self.passed: dict[int, Counter[str]] = {}
        for call in calls:
            if not call.is_open:
                places = len(call.node.args)
                self.closed[places] += 1
                self.passed.setdefault(places, Counter()).update(call.keywords)

    def missing(self, call: _Seen) -> _Missing | None:
        """The one keyword that a call leaves out; None where it leaves out none or several."""
        places = len(call.node.args)
        siblings = self.closed[places] - 1
        if siblings < FEWEST or siblings < MOST * (len(self.calls) - 1):
            return None
        usual = {
            name for name, times in self.passed[places].items() if times - (name in call.keywords) >= MOST * siblings
        }
        missing = usual - call.keywords
        if len(missing) != 1 or missing & _OPTIONAL:
            return None
        (name,) = missing
        if len(usual) > 1:
            return _Missing(name, is_alone=False)
        return _Missing(name, is_alone=True) if self.passed[places][name] == siblings else None


class SiblingOutlier(PythonChecker):
    """Finds calls that differ from their siblings by one keyword."""

    name = "sibling-outlier"
    version = "3"
    nodes = (ast.Call,)

    def __init__(self) -> None:
        """Start without calls."""
        self._calls: dict[str, list[tuple[ast.Call, int]]] = {}

    def concerns(self, ctx: CheckContext) -> bool:
        """Not in tests."""
        return not ctx.is_test

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Note a call of something with a name, and the function around it."""
        if isinstance(node, ast.Call) and (callee := dotted(node.func)):
            function = ctx.function
            self._calls.setdefault(callee, []).append((node, id(function) if function is not None else 0))
        return ()

    def finish(self, ctx: CheckContext) -> Iterable[Hit]:
        """Compare every call with its siblings."""
        for callee, calls in self._calls.items():
            if len(calls) > FEWEST and any(call.keywords for call, _ in calls) and _FREE.search(callee) is None:
                yield from _judged(callee, [_seen(call, scope) for call, scope in calls], ctx)


def _seen(call: ast.Call, scope: int) -> _Seen:
    keywords = frozenset(keyword.arg for keyword in call.keywords if keyword.arg is not None)
    is_open = len(keywords) < len(call.keywords) or any(argument.__class__ is ast.Starred for argument in call.args)
    return _Seen(call, scope, keywords, is_open)


def _judged(callee: str, calls: Sequence[_Seen], ctx: CheckContext) -> Iterator[Hit]:
    everywhere = _Group(calls)
    inside: dict[int, list[_Seen]] = {}
    for call in calls:
        inside.setdefault(call.scope, []).append(call)
    groups = {scope: _Group(found) for scope, found in inside.items() if scope and len(found) > FEWEST}
    for call in calls:
        group = groups.get(call.scope, everywhere)
        if call.is_open or (missing := group.missing(call)) is None:
            continue
        name = missing.name
        values = _values(name, [other for other in group.calls if other is not call])
        is_one = len(values) == 1 and not _is_literal(*values)
        enough = [is_one, not missing.is_alone]
        if all(enough) or (group is not everywhere and any(enough)):
            yield ctx.hit_at(
                ctx.file.span(call.node),
                f"{callee}({name}=)",
                fixes=_fixes(name, call, values, ctx, is_near=group is not everywhere),
            )


def _values(name: str, calls: Sequence[_Seen]) -> set[str]:
    return {ast.unparse(part.value) for call in calls for part in call.node.keywords if part.arg == name}


def _is_literal(value: str) -> bool:
    return re.match(r"[-\w.]*$", value) is not None and (
        value[:1] in "-0123456789" or value in {"True", "False", "None"}
    )


def _fixes(name: str, call: _Seen, values: Collection[str], ctx: CheckContext, *, is_near: bool) -> tuple[Fix, ...]:
    """Pass what all siblings pass, where that is one and the same, and means something here."""
    index = ctx.file.source.index
    if len(values) != 1:
        return ()
    (value,) = values
    found = bracket(ctx.file.source, index.offset(ctx.file.end(call.node.func)), index.offset(ctx.file.end(call.node)))
    if found is None or len(found.members) != len(call.node.args) + len(call.node.keywords):
        return ()
    if any(isinstance(argument, ast.GeneratorExp) for argument in call.node.args):
        return ()
    if not is_near and not _names(ast.parse(value), ast.Load) <= _known(call, ctx):
        return ()
    return (Fix(f"Pass {name}={value}", safe=False, edits=(found.with_last(f"{name}={value}"),)),)


def _known(call: _Seen, ctx: CheckContext) -> set[str]:
    """The names that mean something where a call stands: of its function, of the module's own level, and builtins."""
    known = set(vars(builtins))
    for part in ctx.file.tree.body:
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            known.add(part.name)
        else:
            known |= _names(part, ast.Store)
    around = next((part for part in ast.walk(ctx.file.tree) if id(part) == call.scope), None)
    return known | (_names(around, ast.Store) if around is not None else set())


def _names(node: ast.AST, way: type[ast.expr_context]) -> set[str]:
    """The names that something reads, or gives a meaning."""
    found = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, way)}
    if way is ast.Store:
        found |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
        aliases = (part for part in ast.walk(node) if isinstance(part, ast.alias))
        found |= {part.asname or part.name.split(".")[0] for part in aliases}
    return found


CHECKER: Final = SiblingOutlier
