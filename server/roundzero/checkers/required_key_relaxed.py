"""required-key-relaxed: ``d["k"]`` became ``d.get("k")`` or ``d.get("k", default)``: a missing key goes unnoticed.

``os.getenv`` is such a read of the environment, and a constant's name is a key like a text. Only where the same
expression is read in the same function, no required read of that key is left there, and, without a default or with an
empty one, nothing looks at whether it was there or fails at once on None. Invariant: a hit lies on an added line and
its counterpart on a removed one.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import Pair, RelationChecker, code, replace
from roundzero.checkers._python import definitions, dotted, within
from roundzero.core.change import Side
from roundzero.core.finding import Hit, evidence_at
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._python import Parsed


_FAILS_ON_NONE: Final = frozenset(
    {"int", "float", "len", "sum", "max", "min", "sorted", "iter", "next", "set", "tuple", "list", "dict", "open",
     "Path"}
)  # fmt: skip
"""Functions that raise TypeError for None."""

_ENVIRONMENT: Final = {"os.getenv": "os.environ", "getenv": "environ"}
_MAY_BE_OPTIONAL: Final = regex(r"\.get\(|\bgetenv\(")


class RequiredKeyRelaxed(RelationChecker):
    """Finds required keys that became optional."""

    name = "required-key-relaxed"
    version = "3"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare key reads function by function."""
        file = pair.file
        if not pair.is_python or file.base is None or file.head is None:
            return
        if not any(_MAY_BE_OPTIONAL.search(file.head.index.line(line)) for line in file.added):
            return
        before = _places(pair.base.tree)
        for name, node in _places(pair.head.tree).items():
            if name not in before:
                continue
            required = dict(_required(pair.base, before[name], file.removed))
            if not required:
                continue
            still = {key for key, _ in _required(pair.head, node, None)}
            optional = {key for key, _ in _optional(pair.base, before[name], None)}
            for key, call in _optional(pair.head, node, file.added):
                if key in required and key not in still and key not in optional and _passes_on(call, node):
                    yield _hit(pair, call, required[key])


def _places(tree: ast.Module) -> Mapping[str, ast.AST]:
    return {**definitions(tree), "": ast.Module([node for node in tree.body if not isinstance(node, ast.ClassDef)], [])}


def _required(parsed: Parsed, node: ast.AST, lines: Collection[int] | None) -> Iterator[tuple[str, ast.Subscript]]:
    """Reads of constant text keys, by expression and key."""
    for part in within(node):
        if not isinstance(part, ast.Subscript) or not isinstance(part.ctx, ast.Load) or not _is_key(part.slice):
            continue
        if lines is None or parsed.start(part).line in lines:
            yield f"{ast.unparse(part.value)}[{ast.unparse(part.slice)}]", part


def _optional(parsed: Parsed, node: ast.AST, lines: Collection[int] | None) -> Iterator[tuple[str, ast.Call]]:
    """Calls of ``get`` and ``getenv``, with a default or without."""
    for part in within(node):
        if not isinstance(part, ast.Call) or len(part.args) not in {1, 2} or part.keywords or not _is_key(part.args[0]):
            continue
        called = part.func
        if isinstance(called, ast.Attribute) and called.attr == "get":
            read = ast.unparse(called.value)
        elif dotted(called) in _ENVIRONMENT:
            read = _ENVIRONMENT[dotted(called)]
        else:
            continue
        if lines is None or parsed.start(part).line in lines:
            yield f"{read}[{ast.unparse(part.args[0])}]", part


def _passes_on(call: ast.Call, node: ast.AST) -> bool:
    """Whether what ``get`` gives for a missing key goes on as if it were the value.

    None does not where the place fails on it, or where something asks whether it is there; another empty default does
    not where something asks whether it is empty.
    """
    default = call.args[1] if len(call.args) == 2 else ast.Constant(None)
    is_none = isinstance(default, ast.Constant) and default.value is None
    if not is_none and not _is_empty(default):
        return True
    above: dict[int, ast.AST] = {id(child): part for part in ast.walk(node) for child in ast.iter_child_nodes(part)}
    place = above.get(id(call))
    if isinstance(place, ast.Call) and place.func is not call:
        return not is_none or dotted(place.func) not in _FAILS_ON_NONE
    if isinstance(place, (ast.Assign, ast.AnnAssign)):
        targets = place.targets if isinstance(place, ast.Assign) else [place.target]
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        return not names or not names & (_asked_about(node) if is_none else _asked_whether(node))
    return not is_none or isinstance(
        place, (ast.Return, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.keyword, ast.FormattedValue)
    )


def _is_empty(node: ast.expr) -> bool:
    """Whether a default is one that counts as false."""
    if isinstance(node, ast.Constant):
        return not node.value
    if isinstance(node, ast.Dict):
        return not node.keys
    return isinstance(node, (ast.List, ast.Tuple)) and not node.elts


def _asked_whether(node: ast.AST) -> set[str]:
    """The names that some condition takes as true or false."""
    asked: set[str] = set()
    for part in ast.walk(node):
        tests: list[ast.expr] = []
        if isinstance(part, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            tests = [part.test]
        elif isinstance(part, ast.BoolOp):
            tests = part.values
        elif isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
            tests = [part.operand]
        asked |= {test.id for test in tests if isinstance(test, ast.Name)}
    return asked


def _asked_about(node: ast.AST) -> set[str]:
    """The names that some condition or comparison reads."""
    asked: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            asked |= {inner.id for inner in ast.walk(part.test) if isinstance(inner, ast.Name)}
        elif isinstance(part, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Match)):
            asked |= {inner.id for inner in ast.iter_child_nodes(part) if isinstance(inner, ast.Name)}
    return asked


def _is_key(node: ast.expr) -> bool:
    """Whether an expression is a fixed key: a text, or a constant by its name."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return dotted(node).rpartition(".")[2].isupper()


def _hit(pair: Pair, call: ast.Call, required: ast.Subscript) -> Hit:
    parsed = pair.head
    span = parsed.span(call)
    old = pair.base.source
    back = _back(pair, call, required)
    fixes = (replace(parsed.source, f"Require the key: {back}", back, span, safe=False),) if back else ()
    return Hit(
        path=pair.file.path,
        span=span,
        subject=code(parsed.text(call)),
        evidence=(evidence_at(old, pair.base.start(required).line, "before", Side.BASE),),
        fixes=fixes,
    )


def _back(pair: Pair, call: ast.Call, required: ast.Subscript) -> str:
    """The required read, with today's quotes; "" where a comment would be lost, or a name is not known any more."""
    parsed = pair.head
    whole = parsed.span(call)
    if any("#" in parsed.source.index.line(line) for line in whole.lines[:-1]):
        return ""
    owner = parsed.text(call.func).removesuffix("get").rstrip().removesuffix(".").rstrip()
    if dotted(call.func) in _ENVIRONMENT:
        owner = dotted(required.value)
        first = owner.partition(".")[0]
        known = {name.id for name in ast.walk(parsed.tree) if isinstance(name, ast.Name)}
        known |= {name.asname or name.name for name in ast.walk(parsed.tree) if isinstance(name, ast.alias)}
        if first not in known:
            return ""
    return f"{owner}[{parsed.text(call.args[0])}]"


CHECKER: Final = RequiredKeyRelaxed
