"""parameter-not-passed: a function got a parameter with a default, and fewer calls pass it than functions take it.

Calls are told apart by the function's last name only: where several functions of one name got the parameter, each needs
a call. A question for whoever reads the change, since callers may live elsewhere. Silent for functions that nothing in
the repository calls, for overrides that share a base, for decorated functions, and where the name may travel as text.
Invariant: the function was there at the base, without the parameter.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import Parsed, definitions, dotted, last_name, parse, parse_or_none
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.syntax import NotPythonError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from roundzero.checkers._python import Function
    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

MOST_FILES: Final = 30
"""Files that are parsed for one parameter; a name in more of them says too little."""
MOST_PARAMETERS: Final = 8

_PLAIN: Final = frozenset({"staticmethod", "classmethod"})
_HEADER: Final = regex(r"^[ \t]*(?:async[ \t]+)?def[ \t].{0,4000}?:[ \t\r]*(?:#[^\n]*)?$", re.MULTILINE | re.DOTALL)
_MAKING: Final = frozenset({"__init__", "__new__"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _New:
    """A parameter that a function got. ``position`` is that among a call's arguments, None for keywords only."""

    path: RelPath
    parsed: Parsed
    argument: ast.arg
    callee: str
    position: int | None
    bases: frozenset[str]

    @property
    def key(self) -> tuple[str, str]:
        """What calls are told by."""
        return self.callee, self.argument.arg


@dataclass(slots=True)
class _Passing:
    """What the calls of the repository do with a parameter."""

    calls: int = 0
    passing: int = 0
    doubtful: bool = False


class ParameterNotPassed(ChangeChecker):
    """Finds new parameters that calls do not pass."""

    name = "parameter-not-passed"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._new: dict[tuple[str, str], list[_New]] | None = None

    def words(self, change: Change) -> Collection[str]:
        """The functions and their new parameters."""
        return {word for key in self._parameters(change) for word in key}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Count the calls."""
        trees: dict[RelPath, Parsed | None] = {}
        for (callee, name), new in self._parameters(change).items():
            hits = found.get(name, ()) if new[0].position is None else (*found.get(name, ()), *found.get(callee, ()))
            paths = {hit.path for hit in hits if language_of(hit.path) == "python"}
            if not paths or len(paths) > MOST_FILES:
                continue
            for path in paths - trees.keys():
                trees[path] = parse_or_none(repository.read(path, Side.HEAD))
            seen = _seen([tree for path in paths if (tree := trees[path]) is not None], new)
            seen.calls = max(seen.calls, _calls(found.get(callee, ()), callee))
            if seen.calls and not seen.doubtful and seen.passing < len(new) and not _may_be_one(new, seen):
                for each in new:
                    count = f"{code(f'{callee}({name})')}, {seen.passing}/{seen.calls}"
                    yield Hit(path=each.path, span=each.parsed.span(each.argument), subject=count)

    def _parameters(self, change: Change) -> dict[tuple[str, str], list[_New]]:
        if self._new is None:
            grouped: dict[tuple[str, str], list[_New]] = defaultdict(list)
            for file in change.files:
                for new in _new_parameters(file) if _may_have(file) else ():
                    if len(grouped) < MOST_PARAMETERS or new.key in grouped:
                        grouped[new.key].append(new)
            self._new = dict(grouped)
        return self._new


def _may_have(file: FileChange) -> bool:
    both = file.base is not None and file.head is not None
    return both and language_of(file.path) == "python" and not is_test_path(file.path) and bool(file.added)


def _new_parameters(file: FileChange) -> Iterator[_New]:
    assert file.base is not None  # noqa: S101  only files with both sides are asked about
    assert file.head is not None  # noqa: S101  as above
    if not any("=" in line for line in file.added_lines) or not _touches_a_header(file, file.head):
        return
    try:
        before, parsed = definitions(parse(file.base).tree), parse(file.head)
    except NotPythonError:
        return
    bases = dict(_bases(parsed.tree))
    for qualified, function in definitions(parsed.tree).items():
        old = before.get(qualified)
        owner, _, name = qualified.rpartition(".")
        callee = owner.rpartition(".")[2] if name in _MAKING else name
        if old is None or not callee or callee.startswith("__"):
            continue
        if any(dotted(decorator) not in _PLAIN for decorator in function.decorator_list):
            continue
        had = {argument.arg for argument, _ in _with_default(old, method=False)} | set(_required(old))
        method = bool(owner) and not any(dotted(each) == "staticmethod" for each in function.decorator_list)
        for argument, position in _with_default(function, method=method):
            hidden = argument.arg.startswith("_") or argument.arg in had
            if not hidden and parsed.start(argument).line in file.added:
                of = bases.get(owner, frozenset())
                yield _New(path=file.path, parsed=parsed, argument=argument, callee=callee, position=position, bases=of)


def _touches_a_header(file: FileChange, head: Source) -> bool:
    """Whether an added line may lie in the header of a function with a default; told before the text is parsed."""
    for match in _HEADER.finditer(head.text):
        if "=" in match.group():
            first, last = (head.index.position(at).line for at in match.span())
            if not file.added.isdisjoint(range(first, last + 1)):
                return True
    return False


def _bases(tree: ast.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """Each class with its own name and the last names of its bases."""
    stack: list[tuple[str, ast.stmt]] = [("", node) for node in tree.body]
    while stack:
        prefix, node = stack.pop()
        if isinstance(node, ast.ClassDef):
            named = {dotted(base).rpartition(".")[2] for base in node.bases} - {"object", "", "Generic", "Protocol"}
            yield prefix + node.name, frozenset({node.name, *named})
            stack += [(f"{prefix}{node.name}.", child) for child in node.body]


def _required(function: Function) -> list[str]:
    arguments = function.args
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _with_default(function: Function, *, method: bool) -> Iterator[tuple[ast.arg, int | None]]:
    """The parameters with a default, and which argument of a call each is by position."""
    arguments = function.args
    ordered = [*arguments.posonlyargs, *arguments.args]
    first = len(ordered) - len(arguments.defaults)
    for at, argument in enumerate(ordered):
        if at >= first:
            yield argument, at - int(method)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield argument, None


def _calls(hits: Sequence[GrepHit], callee: str) -> int:
    pattern = re.compile(rf"(?<!def )(?<!class )\b{re.escape(callee)}\(")
    return sum(
        len(pattern.findall(hit.text))
        for hit in hits
        if language_of(hit.path) == "python" and not hit.text.lstrip().startswith("#")
    )


def _seen(trees: Sequence[Parsed], new: Sequence[_New]) -> _Passing:
    callee, name = new[0].key
    position = min((each.position for each in new if each.position is not None), default=None)
    as_text = re.compile(rf"^{re.escape(name)}$|\b{re.escape(name)}=")
    seen = _Passing()
    for parsed in trees:
        stack: list[tuple[ast.AST, bool]] = [(parsed.tree, False)]
        while stack:
            node, named = stack.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                named = name in _required(node)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and as_text.search(node.value):
                seen.doubtful = True
            if isinstance(node, ast.Call):
                _count(node, callee, name, position, seen, named=named)
            stack += [(child, named) for child in ast.iter_child_nodes(node)]
    return seen


def _count(call: ast.Call, callee: str, name: str, position: int | None, seen: _Passing, *, named: bool) -> None:
    """Note what one call does. ``named``: the function around it takes the name itself, so ``**`` cannot hold it."""
    last = last_name(call.func)
    by_keyword = any(row.arg == name for row in call.keywords)
    if last != callee:
        if by_keyword and (last in {"partial", "dict"} or any(last_name(each) == callee for each in call.args)):
            seen.doubtful = True
        return
    seen.calls += 1
    starred = any(isinstance(each, ast.Starred) for each in call.args)
    if by_keyword or (position is not None and (starred or len(call.args) > position)):
        seen.passing += 1
    elif any(row.arg is None for row in call.keywords) and not named:
        seen.doubtful = True


def _may_be_one(new: Sequence[_New], seen: _Passing) -> bool:
    """Whether one call may reach several of the functions, because their classes are related."""
    if not seen.passing:
        return False
    names = [base for each in new for base in each.bases]
    return len(names) != len(set(names))


CHECKER: Final = ParameterNotPassed
