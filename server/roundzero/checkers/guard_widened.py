"""guard-widened: a function that says what is allowed newly admits a value that no test names.

Looks at ``x == a``, ``x in (a, b)``, ``x in NAMES`` of a constant of the file, and ``x < 4`` in functions named as
such, and their opposites where what follows refuses, and compares what ``x`` may be. A question for whoever reads the
change. Invariant: all that was admitted still is, and the new value stands on an added line.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import Parsed, definitions, dotted, parse, within
from roundzero.core.finding import Hit
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.syntax import NotPythonError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._python import Function
    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository

_SAYS: Final = regex(r"(?:^|_)(?:can|check|supports?|is|allow(?:s|ed)?|valid(?:ate)?|accepts?|should|enabled?)(?:_|$)")
_DEFINES: Final = regex(r"def \w*(?:can|check|support|is_|allow|valid|accept|should|enable)")


@dataclass(frozen=True, slots=True)
class _Wider:
    """A new value. A test names it on a line with ``word`` and ``beside``."""

    hit: Hit
    word: str
    beside: str = ""


class GuardWidened(ChangeChecker):
    """Finds guards that let more through."""

    name = "guard-widened"
    version = "2"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._new: list[_Wider] | None = None

    def words(self, change: Change) -> Collection[str]:
        """The new values, by their last name; of a number, who compares with it."""
        return {each.word for each in self._values(change)}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look for tests that name them."""
        for each in self._values(change):
            if not any(is_test_path(hit.path) and each.beside in hit.text for hit in found.get(each.word, ())):
                yield each.hit

    def _values(self, change: Change) -> list[_Wider]:
        if self._new is None:
            self._new = [wider for file in change.files if _may_widen(file) for wider in _widened(file)]
        return self._new


def _may_widen(file: FileChange) -> bool:
    if file.base is None or file.head is None or language_of(file.path) != "python" or is_test_path(file.path):
        return False
    return bool(file.added) and _DEFINES.search(file.head.text) is not None


def _widened(file: FileChange) -> Iterator[_Wider]:
    assert file.base is not None  # noqa: S101  only files with both sides are asked about
    assert file.head is not None  # noqa: S101  as above
    try:
        old_tree, after = parse(file.base).tree, parse(file.head)
    except NotPythonError:
        return
    before = definitions(old_tree)
    old_lists, new_lists = _constants(old_tree), _constants(after.tree)
    for name, function in definitions(after.tree).items():
        if _SAYS.search(function.name) is None or name not in before:
            continue
        was, now = list(_compared(before[name])), list(_compared(function))
        old, new = _admitted(was, old_lists), _admitted(now, new_lists)
        for subject, values in new.items():
            if not old.get(subject) or not old[subject].keys() <= values.keys():
                continue
            for text in values.keys() - old[subject].keys():
                word = re.sub(r"\W+", " ", text).split()[-1:]
                if word and after.start(values[text]).line in file.added:
                    yield _Wider(_hit(file, after, values[text], f"{name}: {subject} = {text}"), word[0])
        limits = _limits(was)
        for subject, (limit, node) in _limits(now).items():
            if subject in limits and limit > limits[subject][0] and after.start(node).line in file.added:
                shown = f"{name}: {subject} {ast.unparse(node)}"
                yield _Wider(_hit(file, after, node, shown), function.name, ast.unparse(node))


def _constants(tree: ast.Module) -> Mapping[str, list[ast.expr]]:
    """The members of the collections that a module names, by name."""
    found: dict[str, list[ast.expr]] = {}
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = getattr(node, "value", None)
        if isinstance(value, ast.Call) and len(value.args) == 1 and dotted(value.func) in {"frozenset", "set", "tuple"}:
            value = value.args[0]
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and isinstance(value, (ast.Tuple, ast.List, ast.Set)):
            found[targets[0].id] = value.elts
    return found


def _compared(function: Function) -> Iterator[tuple[ast.Compare, bool]]:
    """The simple comparisons of a function, each with whether what it says lets something through."""
    for part in within(function):
        if isinstance(part, (ast.If, ast.IfExp)):
            yield from _parts(part.test, lets_through=not _refuses(part.body))
        elif isinstance(part, (ast.Return, ast.Assign, ast.AnnAssign, ast.Assert)):
            value = part.test if isinstance(part, ast.Assert) else part.value
            if value is not None:
                yield from _parts(value, lets_through=True)


def _parts(node: ast.expr, *, lets_through: bool) -> Iterator[tuple[ast.Compare, bool]]:
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _parts(value, lets_through=lets_through)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _parts(node.operand, lets_through=not lets_through)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield node, lets_through


def _refuses(body: list[ast.stmt] | ast.expr) -> bool:
    """Whether a branch ends in a refusal: an exception, or False or nothing as the answer."""
    last = body[-1] if isinstance(body, list) else body
    if isinstance(last, ast.Raise):
        return True
    value = last.value if isinstance(last, ast.Return) else last
    return value is None or (isinstance(value, ast.Constant) and not value.value)


def _admitted(
    compared: Iterable[tuple[ast.Compare, bool]], lists: Mapping[str, list[ast.expr]]
) -> Mapping[str, dict[str, ast.expr]]:
    """What each expression of a function may be."""
    found: dict[str, dict[str, ast.expr]] = defaultdict(dict)
    for part, lets_through in compared:
        subject, other, operator = ast.unparse(part.left), part.comparators[0], part.ops[0]
        if isinstance(operator, (ast.Eq, ast.Is) if lets_through else (ast.NotEq, ast.IsNot)):
            found[subject][ast.unparse(other)] = other
        elif isinstance(operator, ast.In if lets_through else ast.NotIn):
            members = lists.get(other.id, []) if isinstance(other, ast.Name) else getattr(other, "elts", [])
            found[subject] |= {ast.unparse(value): value for value in members}
    return found


def _limits(compared: Iterable[tuple[ast.Compare, bool]]) -> Mapping[str, tuple[float, ast.expr]]:
    """The number up to which, or from which with its sign turned, each expression may go; by comparison."""
    found: dict[str, tuple[float, ast.expr]] = {}
    for part, lets_through in compared:
        operator, other = part.ops[0], part.comparators[0]
        if (
            not isinstance(other, ast.Constant)
            or isinstance(other.value, bool)
            or not isinstance(other.value, (int, float))
        ):
            continue
        if isinstance(operator, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            is_most = isinstance(operator, (ast.Lt, ast.LtE)) is lets_through
            subject = f"{ast.unparse(part.left)} {'<' if isinstance(operator, (ast.Lt, ast.LtE)) else '>'}"
            found[subject] = (other.value if is_most else -other.value, other)
    return found


def _hit(file: FileChange, parsed: Parsed, node: ast.expr, subject: str) -> Hit:
    return Hit(path=file.path, span=parsed.span(node), subject=code(subject))


CHECKER: Final = GuardWidened
